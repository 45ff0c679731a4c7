// One frame of the dual transformer, for one row, by one kernel whose programs stay on the GPU from the first layer to the last code.
//
// A frame in hundreds of kernels waits longer for one to end and the next to begin than for its weights. Here GRID programs, one a
// multiprocessor, share every product out by rows, and pass each other what the next one needs through memory: every value is
// written together with the number of its exchange, so that a reader knows it by looking at it, without a fence or a barrier (the
// "LL" protocol of NVIDIA's NCCL). Weights do not depend on what is passed: one warp of each program copies those of its rows ahead
// into a ring in shared memory, which keeps the GPU's memory busy while the others wait.
//
// Sizes come as macros from frame.py. `primitives.cuh` has what is the GPU's own; tests give the same names on a CPU.

struct Layer {  // addresses of bfloat16, rows after rows
    const u16 *wqkv, *wo, *w1, *w3, *w2, *attention_norm, *feed_forward_norm, *q_norm, *k_norm;
};

struct Arguments {
    const Layer *layers, *fast_layers;                    // LAYERS, FAST_LAYERS
    const u16 *head, *norm, *fast_head, *fast_norm;       // (SEMANTIC + 1, DIM), (DIM), (RESIDUAL, DIM), (DIM)
    const u16 *embeddings, *codebook_embeddings;          // (SEMANTIC, DIM) of the semantic tokens, (CODEBOOKS * CODEBOOK_SIZE, DIM)
    const u16 *fast_embeddings;                           // (CODEBOOK_SIZE, DIM)
    const float *table, *fast_table;                      // (length, HEAD / 2, 2), (CODEBOOKS, FAST_HEAD / 2, 2)
    u16 *cache;                                           // of layer 0, row 0: keys (KV_HEADS, length, HEAD), values behind them
    i64 layer_stride, value_offset, head_stride;          // of the cache, in elements
    u16 *pending;                                         // (DIM)
    i64 *positions, *seeds, *numbers, *recent, *drawn;    // of the row; recent (CODEBOOKS, WINDOW), drawn (CODEBOOKS)
    const float *temperature, *top_p, *penalty;
    Entry *exchange, *semantic;                           // TURNS * WIDEST and SEMANTIC + 1 entries, zero at first
    u32 *sequence;                                        // the number of the next exchange, 1 at first
    float norm_eps, fast_norm_eps, scale, fast_scale, shrink;
    i64 length;
    i64 *stamps;                                          // when program 0 ended each step, if asked for
};

constexpr int THREADS = WARPS * 32;        // that compute; one more warp copies
constexpr int UNIT = UNROLLED * 256;       // weights a warp takes of a slot: eight a lane and load
constexpr int SLOT = WARPS * UNIT;         // weights in a slot of the ring
constexpr int TURNS = 4;                   // exchanges before memory is written again; see `Program::send`
constexpr int SPLITS = GRID / KV_HEADS;    // shares of a key head's cache
constexpr int GROUP = HEADS / KV_HEADS;
constexpr int WINDOW = 16;                 // as decode_state.WINDOW
constexpr u32 GOLDEN = 0x9E3779B9u;        // as noise.py
constexpr float NOWHERE = -1e30f;          // a score below all others whose differences are still numbers
constexpr int QKV = (HEADS + 2 * KV_HEADS) * HEAD, FAST_QKV = (FAST_HEADS + 2 * FAST_KV_HEADS) * FAST_HEAD;
constexpr int FAST_KEYS = FAST_KV_HEADS * FAST_HEAD;
constexpr int SHARE = HEAD + 2;            // a share's sum, its mass and its highest score
DEVICE constexpr int most(int a, int b) { return a > b ? a : b; }
constexpr int SUMS = 2 * THREADS * GROUP;   // of attention's values, before they are joined
constexpr int INPUTS_MOST = most(most(DIM, HEADS * HEAD), most(MIDDLE, FAST_MIDDLE));
constexpr int WIDE = most(most(INPUTS_MOST, 3 * FAST_HEADS * FAST_HEAD), SUMS + SCORES * GROUP);  // numbers that are held at once
constexpr int WIDEST = most(most(INPUTS_MOST / 2, RESIDUAL), most(most(QKV, FAST_QKV) / 2, HEADS * SPLITS * SHARE));  // entries
constexpr int ROWS_MOST = most(most(QKV / GRID, 2 * MIDDLE / GRID), most(2 * FAST_MIDDLE / GRID, SEMANTIC / GRID + 1));
constexpr int PARTS_MOST = most(ROWS_MOST * (DIM / UNIT), DIM / GRID * most(most(MIDDLE, FAST_MIDDLE), HEADS * HEAD) / UNIT);

DEVICE constexpr int pairs(int inputs) { return (inputs / 2 + THREADS - 1) / THREADS; }  // that a thread receives

static_assert(DIM % UNIT == 0 && MIDDLE % UNIT == 0 && FAST_MIDDLE % UNIT == 0 && HEADS * HEAD % UNIT == 0);
static_assert(QKV % (2 * GRID) == 0 && DIM % (2 * GRID) == 0 && MIDDLE % (2 * GRID) == 0 && HEADS * HEAD % (2 * GRID) == 0);
static_assert(FAST_QKV % (2 * GRID) == 0 && FAST_MIDDLE % (2 * GRID) == 0 && SEMANTIC % GRID == 0 && RESIDUAL % GRID == 0);
static_assert(FAST_HEADS * FAST_HEAD % UNIT == 0 && GRID % KV_HEADS == 0 && SPLITS <= 16 && WARPS >= GROUP + 2);
static_assert(HEAD % 8 == 0 && HEAD <= 256 && FAST_HEAD % 8 == 0 && FAST_HEAD <= 256 && THREADS % (HEAD / 2) == 0);
static_assert(UNIT % HEAD == 0 && WIDE % 8 == 0);

// The likeliest of some codes, and the sum of what was added up over them.
struct Best {
    float goal, level, sum;
    int code;
};

struct Shared {
    alignas(128) u16 ring[SLOTS][SLOT];
    alignas(16) u16 fast_cache[FAST_LAYERS][CODEBOOKS][2][FAST_KEYS];
    alignas(16) float x[WIDE];             // a product's inputs, as `spread` has them; attention's scores and sums
    Layer layers[LAYERS + FAST_LAYERS];
    alignas(16) float token[GROUP + 2][HEAD];  // the queries of a key head, its key and its value
    float parts[PARTS_MOST];
    float squares[2][WARPS];
    Best best[4][WARPS];
    float fresh[GROUP];  // the new token's weight
    int codes[CODEBOOKS];
    float residual[DIM / GRID];
    Barrier full[SLOTS], empty[SLOTS];
};

// Where input k of a product lies in `x`: lanes that read eight each, four at a time, then hit every bank once.
DEVICE int spread(int k) { return (k & 4) * (WIDE / 8) + (k >> 3) * 4 + (k & 3); }

DEVICE float low(u32 pair) { return as_float(pair << 16); }
DEVICE float high(u32 pair) { return as_float(pair & 0xffff0000u); }
DEVICE u32 rounded(float value) {
    u32 bits = as_bits(value);
    return (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
}
DEVICE float held(float value) { return as_float(rounded(value) << 16); }  // as bfloat16 holds it
DEVICE u32 paired(float even, float odd) { return rounded(even) | rounded(odd) << 16; }

DEVICE u32 mix(u32 x) {
    x = (x ^ (x >> 16)) * 0x85EBCA6Bu;
    x = (x ^ (x >> 13)) * 0xC2B2AE35u;
    return x ^ (x >> 16);
}

// A slot of the ring and how often it was filled; producer and consumers pass through the same slots in the same order.
struct Place {
    int slot = 0;
    u32 phase = 0;
    DEVICE void next() {
        if (++slot == SLOTS) slot = 0, phase ^= 1;
    }
};

// The positions before `first` that a split reads.
struct Span {
    int start, count;
    DEVICE Span(int first, int split) {
        int share = (first + SPLITS - 1) / SPLITS;
        start = split * share < first ? split * share : first;
        count = (start + share < first ? start + share : first) - start;
    }
};

// The warp that copies: all a program's weights and cache entries, in the order in which they are used.
struct Producer {
    const Arguments &a;
    Shared &s;
    int program;
    Place place;

    DEVICE void feed(const u16 *from, int count) {
#pragma unroll 1
        for (int done = 0; done < count; done += SLOT) {
            int bytes = (count - done < SLOT ? count - done : SLOT) * 2;
            wait(&s.empty[place.slot], place.phase ^ 1);
            expect(&s.full[place.slot], bytes);
            copy(s.ring[place.slot], from + done, bytes, &s.full[place.slot]);
            place.next();
        }
    }

    DEVICE void rows(const u16 *matrix, int count, int inputs) { feed(matrix + (i64)program * count * inputs, count * inputs); }

    DEVICE void run() {
        Span span((int)a.positions[0], program % SPLITS);
#pragma unroll 1
        for (int number = 0; number < LAYERS; number++) {
            const Layer &layer = s.layers[number];
            rows(layer.wqkv, QKV / GRID, DIM);
            const u16 *keys = a.cache + number * a.layer_stride + program / SPLITS * a.head_stride + span.start * HEAD;
            feed(keys, span.count * HEAD);
            feed(keys + a.value_offset, span.count * HEAD);
            rows(layer.wo, DIM / GRID, HEADS * HEAD);
            rows(layer.w1, MIDDLE / GRID, DIM);
            rows(layer.w3, MIDDLE / GRID, DIM);
            rows(layer.w2, DIM / GRID, MIDDLE);
        }
        rows(a.head, SEMANTIC / GRID, DIM);
        if (program == GRID - 1) feed(a.head + (i64)SEMANTIC * DIM, DIM);
#pragma unroll 1
        for (int position = 0; position < CODEBOOKS; position++) {
#pragma unroll 1
            for (int number = 0; number < FAST_LAYERS; number++) {
                const Layer &layer = s.layers[LAYERS + number];
                rows(layer.wqkv, FAST_QKV / GRID, DIM);
                if (position == 0 && number == FAST_LAYERS - 1) break;  // of the first token only keys and values are asked for
                rows(layer.wo, DIM / GRID, FAST_HEADS * FAST_HEAD);
                rows(layer.w1, FAST_MIDDLE / GRID, DIM);
                rows(layer.w3, FAST_MIDDLE / GRID, DIM);
                rows(layer.w2, DIM / GRID, FAST_MIDDLE);
            }
            if (position > 0) rows(a.fast_head, RESIDUAL / GRID, DIM);
        }
    }
};

struct Program {
    const Arguments &a;
    Shared &s;
    int program, thread, warp, lane;
    u32 number;   // of the next exchange
    int stamps;
    Entry *exchange;
    int newest;   // of the two sums of squares
    float rate;   // what the newest inputs' products are to be multiplied by
    int reductions;
    Place place;

    // An exchange's memory is written again TURNS exchanges later. Of any three in a row one at least is read by every program
    // from every other, so whoever writes knows that all have written that one, and so have read what was three before.
    DEVICE Entry *room(u32 which) const { return exchange + (which % TURNS) * WIDEST; }
    DEVICE void stamp(int what) {
        if (STAMPED && program == 0 && thread == 0) a.stamps[stamps++] = ticks() * 16 + what;
    }

    DEVICE void send(int entry, u32 value) { put(room(number) + entry, value, number); }

    // COUNT entries, once all of them have arrived; `at` tells where each is, or null.
    template <int COUNT, class At>
    DEVICE void receive(u32 which, u32 (&values)[COUNT], At at) {
#pragma unroll 1
        for (u32 tries = 0;; tries++) {
            bool arrived = true;
#pragma unroll
            for (int i = 0; i < COUNT; i++) {
                if (const Entry *from = at(i)) {
                    Entry entry = get(from);
                    values[i] = entry.value;
                    arrived &= entry.number == which;
                }
            }
            if (arrived) return;
            pause(tries);
        }
    }

    // Every THREADSth of `end` entries of the newest exchange, from this thread's on.
    template <int COUNT>
    DEVICE void receive(u32 (&values)[COUNT], int end) {
        const Entry *from = room(number - 1);
        receive(number - 1, values, [&](int i) { return thread + i * THREADS < end ? from + thread + i * THREADS : nullptr; });
    }

    // A product's inputs from the exchange before, bfloat16 in pairs.
    template <int COUNT>
    DEVICE void inputs() {
        u32 values[pairs(COUNT)];
        receive(values, COUNT / 2);
        hold<COUNT>(values);
        together();
        stamp(1);
    }

    // The same times a norm's weights; what they are divided by is left to the sums.
    DEVICE void inputs(const u16 *norm, float eps) {
        u32 scales[pairs(DIM)], values[pairs(DIM)];
        fetch(norm, scales);
        receive(values, DIM / 2);
        hold(values, scales, eps);
    }

    // The same of numbers that are in memory since before this kernel.
    DEVICE void inputs(const u16 *row, const u16 *norm, float eps) {
        u32 scales[pairs(DIM)], values[pairs(DIM)];
        fetch(row, values);
        fetch(norm, scales);
#pragma unroll 1
        for (int i = thread; i < DIM / GRID; i += THREADS) s.residual[i] = as_float((u32)row[program * (DIM / GRID) + i] << 16);
        hold(values, scales, eps);
    }

    DEVICE void fetch(const u16 *row, u32 (&values)[pairs(DIM)]) {
#pragma unroll
        for (int i = 0; i < pairs(DIM); i++)
            if (thread + i * THREADS < DIM / 2) values[i] = ((const u32 *)row)[thread + i * THREADS];
    }

    template <int COUNT>
    DEVICE void hold(const u32 (&values)[pairs(COUNT)]) {
#pragma unroll
        for (int i = 0; i < pairs(COUNT); i++) {
            int pair = thread + i * THREADS;
            if (pair < COUNT / 2) *(Pair *)&s.x[spread(2 * pair)] = Pair{low(values[i]), high(values[i])};
        }
    }

    DEVICE void hold(const u32 (&values)[pairs(DIM)], const u32 (&scales)[pairs(DIM)], float eps) {
        float square = 0;
#pragma unroll
        for (int i = 0; i < pairs(DIM); i++) {
            int pair = thread + i * THREADS;
            if (pair < DIM / 2) {
                float even = low(values[i]), odd = high(values[i]);
                square += even * even + odd * odd;
                *(Pair *)&s.x[spread(2 * pair)] = Pair{even * low(scales[i]), odd * high(scales[i])};
            }
        }
        newest ^= 1;
        square = warp_sum<32>(square);
        if (lane == 0) s.squares[newest][warp] = square;
        together();
        if (warp <= ROWS_MOST / 32) {  // those that make a product's sums known
            float total = 0;
#pragma unroll
            for (int i = 0; i < WARPS; i++) total += s.squares[newest][i];
            rate = inverse_root(total / DIM + eps);
        }
        stamp(1);
    }

    DEVICE const u16 *taken() {
        wait(&s.full[place.slot], place.phase);
        return s.ring[place.slot];
    }

    DEVICE void given_back() {
        warp_together();
        if (lane == 0) arrive(&s.empty[place.slot]);
        place.next();
    }

    // Sums over UNIT inputs each of this program's ROWS rows, to `parts` from `first` on. Other programs' are elsewhere.
    template <int INPUTS>
    DEVICE void multiply(int rows, const float *x, int first) {
        float mine[UNROLLED * 8];
#pragma unroll 1
        for (int begin = 0; begin < rows * INPUTS; begin += SLOT) {
            int unit = begin + warp * UNIT;
            bool within = unit < rows * INPUTS;
            if (within && (begin == 0 || SLOT % INPUTS)) {
                int k = unit % INPUTS;
#pragma unroll
                for (int i = 0; i < UNROLLED; i++) {
                    int at = (k + i * 256 + lane * 8) >> 1;
                    *(Quad *)&mine[i * 8] = *(const Quad *)&x[at];
                    *(Quad *)&mine[i * 8 + 4] = *(const Quad *)&x[WIDE / 2 + at];
                }
            }
            const u16 *weights = taken() + warp * UNIT;
            Words words[UNROLLED];
            if (within) {
#pragma unroll
                for (int i = 0; i < UNROLLED; i++) words[i] = *(const Words *)&weights[i * 256 + lane * 8];
            }
            given_back();
            float total = 0, other = 0;
            if (within) {
#pragma unroll
                for (int i = 0; i < UNROLLED; i++) {
                    const u32 four[4] = {words[i].a, words[i].b, words[i].c, words[i].d};
#pragma unroll
                    for (int j = 0; j < 4; j++) {
                        total += low(four[j]) * mine[i * 8 + 2 * j];
                        other += high(four[j]) * mine[i * 8 + 2 * j + 1];
                    }
                }
            }
            total = warp_sum<32>(total + other);
            if (within && lane == 0) s.parts[first + unit / UNIT] = total;
        }
    }

    template <int INPUTS>
    DEVICE float row(int number) const {
        float total = 0;
#pragma unroll
        for (int i = 0; i < INPUTS / UNIT; i++) total += s.parts[number * (INPUTS / UNIT) + i];
        return total;
    }

    // What a program made of its rows, a warp's lanes in pairs: `value` of a row.
    template <class Value>
    DEVICE void publish(int rows, Value value) {
        together();  // every part is there, and nobody reads `x` any more
        stamp(2);
        if (warp == 0) {
#pragma unroll 1
            for (int begin = 0; begin < rows; begin += 32) {
                int mine = begin + lane;
                float even = mine < rows ? value(mine) : 0.0f, odd = warp_above(even);
                if (mine < rows && lane % 2 == 0) send((program * rows + mine) / 2, paired(even, odd));
            }
        }
        number++;
        stamp(3);
    }

    template <int INPUTS>
    DEVICE void project(int rows) {
        multiply<INPUTS>(rows, s.x, 0);
        publish(rows, [&](int mine) { return row<INPUTS>(mine) * rate; });
    }

    template <int INPUTS>
    DEVICE void add(const float *x) {
        multiply<INPUTS>(DIM / GRID, x, 0);
        publish(DIM / GRID, [&](int mine) { return s.residual[mine] = held(s.residual[mine] + row<INPUTS>(mine)); });
    }

    template <int INNER>
    DEVICE void feed_forward(const u16 *norm, float eps) {
        constexpr int ROWS = INNER / GRID;
        inputs(norm, eps);
        multiply<DIM>(ROWS, s.x, 0);
        multiply<DIM>(ROWS, s.x, ROWS * (DIM / UNIT));
        publish(ROWS, [&](int mine) {
            float gate = row<DIM>(mine) * rate, up = row<DIM>(ROWS + mine) * rate;
            return up * gate / (1.0f + exponential(-gate));
        });
        inputs<INNER>();
        add<INNER>(s.x);
    }

    // A program's share of its key head's cache, and with split 0 the new token's own.
    DEVICE void attend(const Layer &layer, int number_of_layer, int first) {
        constexpr int LANES = HEAD / 8, EACH = (HEAD / 2 + 31) / 32;
        const int kv = program / SPLITS, split = program % SPLITS;
        float *scores = s.x + SUMS, *sums = s.x;
        if (warp < GROUP + 2) {  // a vector each: queries, key, value
            bool turned = warp <= GROUP;
            int begin = (warp < GROUP ? (kv * GROUP + warp) * HEAD : (HEADS + (warp - GROUP) * KV_HEADS + kv) * HEAD) / 2;
            u32 values[EACH], scales[EACH];
            Pair angles[EACH];
#pragma unroll
            for (int i = 0; i < EACH; i++) {
                int pair = lane + 32 * i;
                if (turned && pair < HEAD / 2) {
                    scales[i] = ((const u32 *)(warp < GROUP ? layer.q_norm : layer.k_norm))[pair];
                    angles[i] = ((const Pair *)a.table)[first * (HEAD / 2) + pair];
                }
            }
            const Entry *from = room(number - 1) + begin;
            receive(number - 1, values, [&](int i) { return lane + 32 * i < HEAD / 2 ? from + lane + 32 * i : nullptr; });
            float square = 0;
#pragma unroll
            for (int i = 0; i < EACH; i++)
                if (lane + 32 * i < HEAD / 2) square += low(values[i]) * low(values[i]) + high(values[i]) * high(values[i]);
            float shrink = inverse_root(warp_sum<32>(square) / HEAD + a.norm_eps);
            u16 *stored = a.cache + number_of_layer * a.layer_stride + kv * a.head_stride + (i64)first * HEAD;
#pragma unroll
            for (int i = 0; i < EACH; i++) {
                int pair = lane + 32 * i;
                if (pair < HEAD / 2) {
                    float even = low(values[i]), odd = high(values[i]);
                    if (turned) {
                        float x = even * shrink * low(scales[i]), y = odd * shrink * high(scales[i]);
                        even = x * angles[i].x - y * angles[i].y;
                        odd = y * angles[i].x + x * angles[i].y;
                    }
                    *(Pair *)&s.token[warp][2 * pair] = Pair{held(even), held(odd)};
                    if (split == 0 && warp >= GROUP)
                        ((u32 *)(stored + (warp == GROUP ? 0 : a.value_offset)))[pair] = paired(even, odd);
                }
            }
        }
        together();
        stamp(4);

        Span span(first, split);
#pragma unroll 1
        for (int begin = 0; begin < span.count * HEAD; begin += SLOT) {
            const u16 *keys = taken();
            int count = (span.count * HEAD - begin < SLOT ? span.count * HEAD - begin : SLOT) / HEAD;
#pragma unroll 1
            for (int round = 0; round < count; round += THREADS / LANES) {
                int position = round + thread / LANES, d = thread % LANES * 8;
                float score[GROUP] = {};
                if (position < count) {
                    Words words = *(const Words *)&keys[position * HEAD + d];
                    const u32 four[4] = {words.a, words.b, words.c, words.d};
#pragma unroll
                    for (int g = 0; g < GROUP; g++)
#pragma unroll
                        for (int j = 0; j < 4; j++)
                            score[g] += low(four[j]) * s.token[g][d + 2 * j] + high(four[j]) * s.token[g][d + 2 * j + 1];
                }
#pragma unroll
                for (int g = 0; g < GROUP; g++) {
                    score[g] = warp_sum<LANES>(score[g]);
                    if (position < count && thread % LANES == 0)
                        scores[g * SCORES + begin / HEAD + position] = score[g] * a.scale;
                }
            }
            given_back();
        }
        float score = 0;  // of the new token
        if (warp < GROUP && split == 0) {
#pragma unroll
            for (int d = lane; d < HEAD; d += 32) score += s.token[warp][d] * s.token[GROUP][d];
            score = warp_sum<32>(score) * a.scale;
        }
        together();

        if (warp < GROUP) {
            float *mine = scores + warp * SCORES;
            score = split == 0 ? score : NOWHERE;
            float top = score;
#pragma unroll 1
            for (int i = lane; i < span.count; i += 32) top = larger(top, mine[i]);
            top = warp_max(top);
            float mass = 0;
#pragma unroll 1
            for (int i = lane; i < span.count; i += 32) mass += mine[i] = exponential(mine[i] - top);
            const float fresh = split == 0 ? exponential(score - top) : 0.0f;  // the weight of the new token
            mass = warp_sum<32>(mass) + fresh;
            if (lane == 0) {
                s.fresh[warp] = fresh;
                const int told = ((kv * GROUP + warp) * SPLITS + split) * SHARE + HEAD;
                send(told, as_bits(mass)), send(told + 1, as_bits(top));
            }
        }
        together();

        constexpr int COLUMNS = HEAD / 2, GROUPS = THREADS / COLUMNS;
        const int column = thread % COLUMNS, part = thread / COLUMNS;
        Pair made[GROUP] = {};
#pragma unroll 1
        for (int begin = 0; begin < span.count * HEAD; begin += SLOT) {
            const u16 *values = taken();
            int count = (span.count * HEAD - begin < SLOT ? span.count * HEAD - begin : SLOT) / HEAD;
#pragma unroll 1
            for (int position = part; position < count; position += GROUPS) {
                u32 pair = ((const u32 *)values)[position * COLUMNS + column];
#pragma unroll
                for (int g = 0; g < GROUP; g++) {
                    float weight = scores[g * SCORES + begin / HEAD + position];
                    made[g].x += weight * low(pair), made[g].y += weight * high(pair);
                }
            }
            given_back();
        }
#pragma unroll
        for (int g = 0; g < GROUP; g++) *(Pair *)&sums[(part * GROUP + g) * HEAD + 2 * column] = made[g];
        together();
#pragma unroll 1
        for (int i = thread; i < GROUP * HEAD; i += THREADS) {
            int g = i / HEAD, d = i % HEAD;
            float total = s.fresh[g] * s.token[GROUP + 1][d];
#pragma unroll
            for (int each = 0; each < GROUPS; each++) total += sums[(each * GROUP + g) * HEAD + d];
            send(((kv * GROUP + g) * SPLITS + split) * SHARE + d, as_bits(total));
        }
        together();  // the next product's inputs take the place of the sums
        number++;
        stamp(5);
    }

    // The shares of a head joined (Dao et al. 2023, Flash-Decoding), by each program for some of its dimensions.
    DEVICE void join() {
        constexpr int MINE = HEADS * HEAD / GRID;
        const int split = lane / 2;
#pragma unroll 1
        for (int pair = warp; pair < MINE / 2; pair += WARPS) {
            int output = program * MINE + pair * 2 + lane % 2, head = output / HEAD, d = output % HEAD;
            const Entry *share = room(number - 1) + (head * SPLITS + split) * SHARE;
            u32 told[3];
            receive(number - 1, told, [&](int i) { return split < SPLITS ? share + (i == 0 ? d : HEAD + i - 1) : nullptr; });
            const bool ours = split < SPLITS;
            const float sum = ours ? as_float(told[0]) : 0, mass = ours ? as_float(told[1]) : 0;
            const float top = ours ? as_float(told[2]) : NOWHERE;
            float weight = exponential(top - warp_max(top));
            float joined = across_pairs(sum * weight) / across_pairs(mass * weight);
            float odd = warp_above(joined);
            if (lane == 0) send(output / 2, paired(joined, odd));
        }
        number++;
        stamp(6);
    }

    // A fast layer's attention over the frame's earlier codes, which every program has a copy of, by every program for all heads.
    DEVICE void fast_attend(int number_of_layer, int position, bool wanted) {
        constexpr int EACH = (FAST_QKV / 2 + THREADS - 1) / THREADS, LANES = FAST_HEAD / 8;
        constexpr int KEYS = FAST_HEADS * FAST_HEAD, VALUES = KEYS + FAST_KEYS, SHARED_BY = FAST_HEADS / FAST_KV_HEADS;
        u32 values[EACH];
        Pair angles[EACH];
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            int pair = thread + i * THREADS;
            angles[i] = ((const Pair *)a.fast_table)[position * (FAST_HEAD / 2) + pair % (FAST_HEAD / 2)];
        }
        receive(values, FAST_QKV / 2);
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            int pair = thread + i * THREADS, at = 2 * pair;
            if (at < FAST_QKV) {
                float even = low(values[i]), odd = high(values[i]);
                float x = even * angles[i].x - odd * angles[i].y, y = odd * angles[i].x + even * angles[i].y;
                if (at < KEYS)
                    *(Pair *)&s.x[at] = Pair{held(x), held(y)};
                else if (at < VALUES)
                    *(u32 *)&s.fast_cache[number_of_layer][position][0][at - KEYS] = paired(x, y);
                else
                    *(u32 *)&s.fast_cache[number_of_layer][position][1][at - VALUES] = values[i];
            }
        }
        together();
        stamp(7);
        if (!wanted) return;
        float *out = s.x + KEYS;
#pragma unroll 1
        for (int head = warp; head < FAST_HEADS; head += WARPS) {
            const int offset = head / SHARED_BY * FAST_HEAD;
            float weights[CODEBOOKS], top = NOWHERE, mass = 0;
            constexpr int AT_ONCE = 32 / LANES;
#pragma unroll
            for (int round = 0; round < CODEBOOKS; round += AT_ONCE) {
                int other = round + lane / LANES, d = lane % LANES * 8;
                float score = 0;
                if (other <= position && other < CODEBOOKS) {
                    Words words = *(const Words *)&s.fast_cache[number_of_layer][other][0][offset + d];
                    const u32 four[4] = {words.a, words.b, words.c, words.d};
#pragma unroll
                    for (int j = 0; j < 4; j++)
                        score += low(four[j]) * s.x[head * FAST_HEAD + d + 2 * j] + high(four[j]) * s.x[head * FAST_HEAD + d + 2 * j + 1];
                }
                score = warp_sum<LANES>(score) * a.fast_scale;
#pragma unroll
                for (int i = 0; i < AT_ONCE; i++)
                    if (round + i < CODEBOOKS) weights[round + i] = warp_from(score, i * LANES);
            }
#pragma unroll
            for (int i = 0; i < CODEBOOKS; i++)
                if (i <= position) top = larger(top, weights[i]);
#pragma unroll
            for (int i = 0; i < CODEBOOKS; i++) mass += weights[i] = i <= position ? exponential(weights[i] - top) : 0.0f;
#pragma unroll 1
            for (int pair = lane; pair < FAST_HEAD / 2; pair += 32) {
                Pair made = {};
#pragma unroll
                for (int i = 0; i < CODEBOOKS; i++) {
                    if (i <= position) {
                        u32 value = *(const u32 *)&s.fast_cache[number_of_layer][i][1][offset + 2 * pair];
                        made.x += weights[i] * low(value), made.y += weights[i] * high(value);
                    }
                }
                int k = head * FAST_HEAD + 2 * pair;
                *(Pair *)&out[spread(k)] = Pair{held(made.x / mass), held(made.y / mass)};
            }
        }
        together();
        stamp(8);
    }

    DEVICE void layer(const Layer &layer, int number_of_layer, int first) {
        project<DIM>(QKV / GRID);
        attend(layer, number_of_layer, first);
        join();
        inputs<HEADS * HEAD>();
        add<HEADS * HEAD>(s.x);
        feed_forward<MIDDLE>(layer.feed_forward_norm, a.norm_eps);
    }

    // Of a layer of the fast stack, whose inputs are there; false where nothing but its keys and values was asked for.
    DEVICE void fast_layer(const Layer &layer, int number_of_layer, int position, bool wanted) {
        constexpr int KEYS = FAST_HEADS * FAST_HEAD;
        project<DIM>(FAST_QKV / GRID);
        fast_attend(number_of_layer, position, wanted);
        if (!wanted) return;
        add<KEYS>(s.x + KEYS);
        feed_forward<FAST_MIDDLE>(layer.feed_forward_norm, a.fast_norm_eps);
    }

    // The logits of this program's rows, in float32, to wherever `to` is.
    DEVICE void tell(Entry *to, int rows, bool last) {
        multiply<DIM>(rows, s.x, 0);
        if (last) multiply<DIM>(1, s.x, rows * (DIM / UNIT));
        together();
#pragma unroll 1
        for (int mine = thread; mine < rows + last; mine += THREADS)
            put(to + program * rows + mine, as_bits(row<DIM>(mine) * rate), number);
        stamp(9);
    }

    // Over all threads: the highest goal, of equal ones the lowest code, with its level; and the sum.
    DEVICE Best best(Best mine) {
        mine = warp_best(mine, 32);
        Best *of_warps = s.best[reductions++ % 4];
        if (lane == 0) of_warps[warp] = mine;
        together();
        Best each = of_warps[lane % WARPS];
        return warp_best(each, WARPS);
    }

    DEVICE Best warp_best(Best mine, int lanes) {
#pragma unroll 1
        for (int apart = 1; apart < lanes; apart *= 2) {
            Best other = {across(mine.goal, apart), across(mine.level, apart), across(mine.sum, apart), (int)across_bits(mine.code, apart)};
            float sum = mine.sum + other.sum;
            if (other.goal > mine.goal || (other.goal == mine.goal && other.code < mine.code)) mine = other;
            mine.sum = sum;
        }
        return mine;
    }

    // A code from its logits, as sampling.py and noise.py choose: the winner of the draw counts if the mass of what is at least as
    // likely is within the nucleus; if not, it and all that is less likely is out, and the draw is repeated among the rest.
    template <int CHOICES>
    DEVICE int draw(const Entry *logits, u32 which, int codebook) {
        constexpr int EACH = (CHOICES + THREADS - 1) / THREADS;
        const i64 frame = a.numbers[0], seed = a.seeds[0];
        const i64 *history = a.recent + codebook * WINDOW;
        const float penalty = a.penalty[0], temperature = larger(a.temperature[0], 1e-5f), top_p = a.top_p[0];
        u32 key = mix((u32)seed);
        key = mix((u32)(seed >> 32) + key);
        key = mix(key + (u32)(frame + 1) * GOLDEN);
        key = mix(key + (u32)(codebook + 1) * GOLDEN);
        int past[WINDOW];
        int known = 0;  // how many entries of `past` count
        if (codebook == 0) {
            i64 oldest = WINDOW - (frame - 1);
            oldest = oldest < 0 ? 0 : oldest > WINDOW - 1 ? WINDOW - 1 : oldest;
            past[0] = (int)history[oldest];
            known = frame > 1 ? 1 : 0;
        } else {
#pragma unroll
            for (int age = 0; age < WINDOW; age++) past[age] = (int)history[age];
            known = frame > 0 ? WINDOW : 0;
        }
        u32 bits[EACH];
        receive(which, bits, [&](int i) { return thread + i * THREADS < CHOICES ? logits + thread + i * THREADS : nullptr; });
        float level[EACH], goal[EACH];
        Best mine = {NOWHERE, NOWHERE, 0, 0};
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            int code = thread + i * THREADS;
            if (code >= CHOICES) continue;
            level[i] = as_float(bits[i]);
            bool recently = false;
#pragma unroll
            for (int age = 0; age < WINDOW; age++) recently |= age < known && past[age] == code;
            if (recently) level[i] = level[i] < 0 ? level[i] * penalty : level[i] / penalty;
            mine.goal = larger(mine.goal, level[i]);
        }
        const float top = best(mine).goal;
        mine = {-1, NOWHERE, 0, 0x7fffffff};
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            int code = thread + i * THREADS;
            if (code >= CHOICES) continue;
            float noise = -logarithm(((float)(mix(key + (u32)(code + 1) * GOLDEN) >> 9) + 0.5f) / 8388608.0f);
            float likely = exponential(level[i] - top);
            goal[i] = exponential((level[i] - top) / temperature) / noise;
            mine.sum += likely;
            if (goal[i] > mine.goal) mine.goal = goal[i], mine.level = level[i], mine.code = code;
        }
        Best chosen = best(mine);
        const float nucleus = top_p * chosen.sum;
        while (chosen.level < top) {  // the likeliest one is always within
            mine = {-1, NOWHERE, 0, 0x7fffffff};
#pragma unroll
            for (int i = 0; i < EACH; i++) {
                if (thread + i * THREADS >= CHOICES) continue;
                if (level[i] >= chosen.level) mine.sum += exponential(level[i] - top);
                if (level[i] > chosen.level && goal[i] > mine.goal)
                    mine.goal = goal[i], mine.level = level[i], mine.code = thread + i * THREADS;
            }
            Best rest = best(mine);
            if (rest.sum <= nucleus) break;
            chosen.level = rest.level, chosen.code = rest.code;
        }
        stamp(10);
        return chosen.code;
    }

    DEVICE void run() {
        const int first = (int)a.positions[0];
        stamp(0);
        inputs(a.pending, s.layers[0].attention_norm, a.norm_eps);
#pragma unroll 1
        for (int i = 0; i < LAYERS; i++) {
            if (i > 0) inputs(s.layers[i].attention_norm, a.norm_eps);
            layer(s.layers[i], i, first);
        }
        inputs(a.norm, a.norm_eps);
        const u32 told = number;
        tell(a.semantic, SEMANTIC / GRID, program == GRID - 1);
        const Layer *fast = s.layers + LAYERS;
#pragma unroll 1
        for (int i = 0; i < FAST_LAYERS; i++) {  // the hidden state is the fast stack's first token
            inputs(fast[i].attention_norm, a.fast_norm_eps);
            fast_layer(fast[i], i, 0, i < FAST_LAYERS - 1);
        }
        int code = draw<SEMANTIC + 1>(a.semantic, told, 0);
        if (thread == 0) s.codes[0] = code;
        code = code < SEMANTIC ? code : SEMANTIC - 1;
#pragma unroll 1
        for (int codebook = 1; codebook < CODEBOOKS; codebook++) {
            inputs(a.fast_embeddings + (i64)code * DIM, fast[0].attention_norm, a.fast_norm_eps);
#pragma unroll 1
            for (int i = 0; i < FAST_LAYERS; i++) {
                if (i > 0) inputs(fast[i].attention_norm, a.fast_norm_eps);
                fast_layer(fast[i], i, codebook, true);
            }
            inputs(a.fast_norm, a.fast_norm_eps);
            tell(room(number), RESIDUAL / GRID, false);
            number++;
            if (codebook == CODEBOOKS - 1 && program > 0) return;  // the first one makes the next frame's input
            code = draw<RESIDUAL>(room(number - 1), number - 1, codebook);
            if (thread == 0) s.codes[codebook] = code;
        }
        together();
        advance();
    }

    // The drawn frame becomes the row's next input and its newest past, as Decoder._advance does it.
    DEVICE void advance() {
        const int spoken = s.codes[0] < SEMANTIC ? s.codes[0] : SEMANTIC - 1;
#pragma unroll 1
        for (int pair = thread; pair < DIM / 2; pair += THREADS) {
            u32 values = ((const u32 *)(a.embeddings + (i64)spoken * DIM))[pair];
            float even = low(values), odd = high(values);
#pragma unroll
            for (int i = 0; i < CODEBOOKS; i++) {
                i64 line = (i64)i * CODEBOOK_SIZE + (i == 0 ? spoken : s.codes[i]);
                values = ((const u32 *)(a.codebook_embeddings + line * DIM))[pair];
                even += low(values), odd += high(values);
            }
            ((u32 *)a.pending)[pair] = paired(even * a.shrink, odd * a.shrink);
        }
        if (thread > 0) return;
        const bool known = a.numbers[0] > 0;
#pragma unroll 1
        for (int i = 0; i < CODEBOOKS; i++) {
            a.drawn[i] = s.codes[i];
            i64 *past = a.recent + i * WINDOW;
#pragma unroll 1
            for (int age = 0; known && age < WINDOW - 1; age++) past[age] = past[age + 1];
            if (known) past[WINDOW - 1] = i == 0 ? spoken : s.codes[i];
        }
        a.positions[0] = a.positions[0] + 1 < a.length ? a.positions[0] + 1 : a.length - 1;
        a.numbers[0]++;
        *a.sequence = number;
        stamp(11);
    }
};

KERNEL draw_frame(const Arguments *given) {
    Shared &s = *(Shared *)shared_memory();
    const Arguments &a = *given;
    const int thread = thread_number();
    if (thread == 0) {
#pragma unroll 1
        for (int i = 0; i < SLOTS; i++) begin(&s.full[i], 1), begin(&s.empty[i], WARPS);
        barriers_begun();
    }
#pragma unroll 1
    for (int i = thread; i < LAYERS + FAST_LAYERS; i += THREADS + 32) s.layers[i] = i < LAYERS ? a.layers[i] : a.fast_layers[i - LAYERS];
    all_together();
    if (thread >= THREADS) {
        if (thread == THREADS) Producer{a, s, program_number(), {}}.run();
        return;
    }
    Program{a, s, program_number(), thread, thread / 32, thread % 32, *a.sequence, 0, a.exchange, 0, 0, 0, {}}.run();
}
