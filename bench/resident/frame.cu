// One frame of the dual transformer, for one row, by one kernel whose programs stay on the GPU from the first layer to the last code.
//
// A frame in hundreds of kernels waits longer for one to end and the next to begin than for its weights. Here GRID programs, one a
// multiprocessor, share every product out by rows, and pass each other what the next one needs through memory: every value is
// written together with the number of its exchange, so that a reader knows it by looking at it, without a fence or a barrier (the
// "LL" protocol of NVIDIA's NCCL); in REPLICAS places, so that not all look at the same one. Weights do not depend on what is passed: one warp of each program copies those of its rows ahead
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
    Entry *exchange, *semantic;                           // TURNS * TURN and SEMANTIC + 1 entries, zero at first
    u32 *sequence;                                        // the number of the next exchange, 1 at first
    float norm_eps, fast_norm_eps, scale, fast_scale, shrink;
    i64 length;
    i64 *stamps;                                          // when program 0 ended each step, if asked for
};

constexpr int THREADS = WARPS * 32;        // that compute; one more warp copies
constexpr int SEGMENT = 128;               // of each row's inputs, a warp's
constexpr int CHUNK = WARPS * SEGMENT;     // of each row's inputs, those in a slot of the ring
constexpr int ROWS = 8;                    // of a matrix, those in a slot
constexpr int SLOT = ROWS * CHUNK;         // numbers in a slot
constexpr int TURNS = 4;                   // exchanges before memory is written again; see `Program::send`
constexpr int SPLITS = GRID / KV_HEADS;    // shares of a key head's cache
constexpr int GROUP = HEADS / KV_HEADS;
constexpr int WINDOW = 16;                 // as decode_state.WINDOW
constexpr u32 GOLDEN = 0x9E3779B9u;        // as noise.py
constexpr float NOWHERE = -1e30f;          // a score below all others whose differences are still numbers
constexpr int QKV = (HEADS + 2 * KV_HEADS) * HEAD, FAST_QKV = (FAST_HEADS + 2 * FAST_KV_HEADS) * FAST_HEAD;
constexpr int FAST_KEYS = FAST_KV_HEADS * FAST_HEAD;
DEVICE constexpr int most(int a, int b) { return a > b ? a : b; }
constexpr int SUMS = 2 * THREADS * GROUP;   // of attention's values, before they are joined
constexpr int INPUTS_MOST = most(most(DIM, HEADS * HEAD), most(MIDDLE, FAST_MIDDLE));
constexpr int WIDE = most(most(INPUTS_MOST, 3 * FAST_HEADS * FAST_HEAD), SUMS + SCORES * GROUP);  // numbers that are held at once
constexpr int COPIED = most(most(INPUTS_MOST / 2, RESIDUAL), most(QKV, FAST_QKV) / 2);  // entries of an exchange that all read
constexpr int SHARES = HEADS * SPLITS * HEAD;  // entries of attention's sums; behind them each share's mass and highest score
constexpr int TURN = most(REPLICAS * COPIED, SHARES + 2 * HEADS * SPLITS);
constexpr int ROWS_MOST = most(most(QKV / GRID, 2 * MIDDLE / GRID), most(2 * FAST_MIDDLE / GRID, SEMANTIC / GRID + ROWS));

DEVICE constexpr int fours(int inputs) { return (inputs / 4 + THREADS - 1) / THREADS; }  // of inputs, that a thread receives

static_assert(DIM % CHUNK == 0 && MIDDLE % CHUNK == 0 && FAST_MIDDLE % CHUNK == 0 && HEADS * HEAD % CHUNK == 0);
static_assert(FAST_HEADS * FAST_HEAD % CHUNK == 0 && QKV % (ROWS * GRID) == 0 && DIM % (ROWS * GRID) == 0);
static_assert(MIDDLE % (ROWS * GRID) == 0 && FAST_MIDDLE % (ROWS * GRID) == 0 && FAST_QKV % (ROWS * GRID) == 0);
static_assert(SEMANTIC % (ROWS * GRID) == 0 && RESIDUAL % (ROWS * GRID) == 0 && HEADS * HEAD % (2 * GRID) == 0);
static_assert(GRID % KV_HEADS == 0 && SPLITS <= 16 && WARPS >= GROUP + 2);
static_assert(HEAD % 8 == 0 && HEAD <= 128 && FAST_HEAD % 8 == 0 && FAST_HEAD <= 256 && THREADS % (HEAD / 2) == 0);
static_assert(SLOT % HEAD == 0 && WIDE % 32 == 0 && CODEBOOKS <= 16 && SLOTS >= BATCH);

// The likeliest of some codes, and the sum of what was added up over them.
struct Best {
    float goal, level, sum;
    int code;
};

struct Shared {
    alignas(128) u16 ring[SLOTS][SLOT];
    alignas(16) u16 fast_cache[FAST_LAYERS][CODEBOOKS][2][FAST_KEYS];
    alignas(128) float x[WIDE];            // a product's inputs, see `at`; attention's scores and sums
    Arguments arguments;
    Layer layers[LAYERS + FAST_LAYERS];
    union {
        alignas(16) float token[GROUP + 2][HEAD];            // the queries of a key head, its key and its value
        float scores[WARPS][FAST_HEADS / FAST_KV_HEADS][16];  // of the fast stack's attention
    };
    alignas(16) float parts[ROWS_MOST][WARPS];
    float squares[2][WARPS];
    Best best[4][WARPS];
    float masses[THREADS / (HEAD / 2)][GROUP];
    int codes[CODEBOOKS];
    alignas(4) float residual[DIM / GRID];
    Barrier full[SLOTS], empty[SLOTS];
};

struct alignas(8) Two {
    u32 a, b;
};

static_assert(sizeof(Shared) <= 232448);

// Where input k of a product lies: each 32 of them as bfloat16, then what the rounding left of them.
DEVICE int at(int k) { return (k >> 5) * 64 + (k & 31); }

DEVICE float low(u32 pair) { return as_float(pair << 16); }
DEVICE float high(u32 pair) { return as_float(pair & 0xffff0000u); }
DEVICE u32 rounded(float value) {
    u32 bits = as_bits(value);
    return (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
}
DEVICE float held(float value) { return as_float(rounded(value) << 16); }  // as bfloat16 holds it
DEVICE u32 paired(float even, float odd) { return rounded(even) | rounded(odd) << 16; }

// Four inputs from k on, k a multiple of four.
DEVICE void keep(u16 *x, int k, Two held) {
    *(Two *)&x[at(k)] = held;
    *(Two *)&x[at(k) + 32] = Two{0, 0};
}
DEVICE void keep(u16 *x, int k, Quad exact) {
    Two held = {paired(exact.a, exact.b), paired(exact.c, exact.d)};
    *(Two *)&x[at(k)] = held;
    *(Two *)&x[at(k) + 32] = Two{paired(exact.a - low(held.a), exact.b - high(held.a)), paired(exact.c - low(held.b), exact.d - high(held.b))};
}

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
    Place place, arriving;
    int issued;

    // The next slot, once it is free and at most AHEAD others are on their way: what the other warps look for would queue behind them.
    DEVICE u16 *slot(u32 bytes) {
        if (issued == AHEAD) {
            wait(&s.full[arriving.slot], arriving.phase);
            arriving.next();
        } else {
            issued++;
        }
        wait(&s.empty[place.slot], place.phase ^ 1);
        expect(&s.full[place.slot], bytes);
        return s.ring[place.slot];
    }

    DEVICE void feed(const u16 *from, int count, Policy policy) {
#pragma unroll 1
        for (int done = 0; done < count; done += SLOT) {
            int bytes = (count - done < SLOT ? count - done : SLOT) * 2;
            copy(slot(bytes), from + done, bytes, &s.full[place.slot], policy);
            place.next();
        }
    }

    // This program's `count` rows of a matrix, ROWS and CHUNK of their inputs a slot.
    DEVICE void rows(const u16 *matrix, int count, int inputs, Policy policy) {
        matrix += (i64)program * count * inputs;
        if (inputs == CHUNK) return feed(matrix, count * inputs, policy);
#pragma unroll 1
        for (int row = 0; row < count; row += ROWS) {
#pragma unroll 1
            for (int begin = 0; begin < inputs; begin += CHUNK) {
                u16 *to = slot(SLOT * 2);
#pragma unroll 1
                for (int i = 0; i < ROWS; i++)
                    copy(to + i * CHUNK, matrix + (row + i) * inputs + begin, CHUNK * 2, &s.full[place.slot], policy);
                place.next();
            }
        }
    }

    // A row alone; what else is in its slots belongs to rows of before.
    DEVICE void last(const u16 *row, Policy policy) {
#pragma unroll 1
        for (int begin = 0; begin < DIM; begin += CHUNK) feed(row + begin, CHUNK, policy);
    }

    DEVICE void run() {
        const Policy once = kept(0), often = kept(KEPT);  // the slow stack's weights are read once a frame, the fast one's often
        Span span((int)a.positions[0], program % SPLITS);
#pragma unroll 1
        for (int number = 0; number < LAYERS; number++) {
            const Layer &layer = s.layers[number];
            rows(layer.wqkv, QKV / GRID, DIM, once);
            const u16 *keys = a.cache + number * a.layer_stride + program / SPLITS * a.head_stride + span.start * HEAD;
            feed(keys, span.count * HEAD, once);
            feed(keys + a.value_offset, span.count * HEAD, once);
            rows(layer.wo, DIM / GRID, HEADS * HEAD, once);
            rows(layer.w1, MIDDLE / GRID, DIM, once);
            rows(layer.w3, MIDDLE / GRID, DIM, once);
            rows(layer.w2, DIM / GRID, MIDDLE, once);
        }
        rows(a.head, SEMANTIC / GRID, DIM, once);
        if (program == GRID - 1) last(a.head + (i64)SEMANTIC * DIM, once);
#pragma unroll 1
        for (int position = 0; position < CODEBOOKS; position++) {
#pragma unroll 1
            for (int number = 0; number < FAST_LAYERS; number++) {
                const Layer &layer = s.layers[LAYERS + number];
                rows(layer.wqkv, FAST_QKV / GRID, DIM, often);
                if (position == 0 && number == FAST_LAYERS - 1) break;  // of the first token only keys and values are asked for
                rows(layer.wo, DIM / GRID, FAST_HEADS * FAST_HEAD, often);
                rows(layer.w1, FAST_MIDDLE / GRID, DIM, often);
                rows(layer.w3, FAST_MIDDLE / GRID, DIM, often);
                rows(layer.w2, DIM / GRID, FAST_MIDDLE, often);
            }
            if (position > 0) rows(a.fast_head, RESIDUAL / GRID, DIM, often);
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
    DEVICE Entry *room(u32 which) const { return exchange + which % TURNS * TURN; }
    DEVICE const Entry *replica(u32 which) const { return room(which) + program % REPLICAS * COPIED; }
    DEVICE void stamp(int what) {
        if (STAMPED && program == 0 && thread == 0) a.stamps[stamps++] = ticks() * 16 + what;
    }

    DEVICE void send(int entry, u32 value) {
#pragma unroll
        for (int i = 0; i < REPLICAS; i++) put(room(number) + i * COPIED + entry, value, number);
    }

    // The exchange goes on. Nobody looks for the next one before this program's part is on its way: looks would hold it up.
    DEVICE void sent() {
        number++;
        if (SETTLED) together();
    }

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

    // Of the newest exchange, every THREADSth two of `end` entries from this thread's on.
    template <int COUNT>
    DEVICE void receive(Two (&values)[COUNT], int end) {
        const Entry *from = replica(number - 1) + 2 * thread;
#pragma unroll 1
        for (u32 tries = 0;; tries++) {
            bool arrived = true;
#pragma unroll
            for (int i = 0; i < COUNT; i++) {
                if (2 * (thread + i * THREADS) < end) {
                    Entries entries = get_two(from + 2 * i * THREADS);
                    values[i] = Two{entries.a.value, entries.b.value};
                    arrived &= entries.a.number == number - 1 && entries.b.number == number - 1;
                }
            }
            if (arrived) return;
            pause(tries);
        }
    }

    DEVICE u16 *inputs_held() const { return (u16 *)s.x; }

    // A product's inputs from the exchange before, bfloat16 in fours.
    template <int COUNT>
    DEVICE void inputs() {
        Two values[fours(COUNT)];
        receive(values, COUNT / 2);
#pragma unroll
        for (int i = 0; i < fours(COUNT); i++) {
            int four = thread + i * THREADS;
            if (four < COUNT / 4) keep(inputs_held(), 4 * four, values[i]);
        }
        together();
        stamp(1);
    }

    // The same times a norm's weights; what they are divided by is left to the sums.
    DEVICE void inputs(const u16 *norm, float eps) {
        Two scales[fours(DIM)], values[fours(DIM)];
        fetch(norm, scales);
        receive(values, DIM / 2);
        hold(values, scales, eps);
    }

    // The same of numbers that are in memory since before this kernel.
    DEVICE void inputs(const u16 *row, const u16 *norm, float eps) {
        Two scales[fours(DIM)], values[fours(DIM)];
        fetch(row, values);
        fetch(norm, scales);
#pragma unroll 1
        for (int i = thread; i < DIM / GRID; i += THREADS) s.residual[i] = as_float((u32)row[program * (DIM / GRID) + i] << 16);
        hold(values, scales, eps);
    }

    DEVICE void fetch(const u16 *row, Two (&values)[fours(DIM)]) {
#pragma unroll
        for (int i = 0; i < fours(DIM); i++)
            if (thread + i * THREADS < DIM / 4) values[i] = ((const Two *)row)[thread + i * THREADS];
    }

    DEVICE void hold(const Two (&values)[fours(DIM)], const Two (&scales)[fours(DIM)], float eps) {
        float square = 0;
#pragma unroll
        for (int i = 0; i < fours(DIM); i++) {
            int four = thread + i * THREADS;
            if (four < DIM / 4) {
                Quad x = {low(values[i].a), high(values[i].a), low(values[i].b), high(values[i].b)};
                square += (x.a * x.a + x.b * x.b) + (x.c * x.c + x.d * x.d);
                x = {x.a * low(scales[i].a), x.b * high(scales[i].a), x.c * low(scales[i].b), x.d * high(scales[i].b)};
                keep(inputs_held(), 4 * four, x);
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

    DEVICE void given_back(int slot) {
        if (lane == 0) arrive(&s.empty[slot]);
    }
    DEVICE void given_back() {
        warp_together();
        given_back(place.slot);
        place.next();
    }

    // Products of so many ROWS of rows with the inputs at x, each warp's sums over its own ones to `parts`.
    //
    // By the tensor cores: 16 rows by 16 inputs times 16 inputs by 8 columns, of which lane 4 r + q holds numbers of row r and of
    // column r. The upper eight rows are this slot's for half of the warp's inputs, the lower eight are the same rows for the other
    // half. Which inputs make up the 16 does not matter as long as both factors agree, so a lane reads 16 bytes at once; odd rows
    // read the two halves of 64 inputs in the other order, which hits every bank once. Columns 4 t + 2 h + p are the inputs of half
    // t as rows of parity h read them, p of their rounding: of each row only the two columns that are its own are summed up.
    template <int INPUTS>
    DEVICE void multiply(int groups, const u16 *x) {
        constexpr int CHUNKS = INPUTS / CHUNK;
        const int r = lane / 4, q = lane % 4, end = groups * CHUNKS;
        const int from = r * CHUNK + warp * SEGMENT + q * 8, odd = r & 1;
        Words inputs[2];
        if (CHUNKS == 1) take(inputs, x);
        float sums[2][4] = {};
#pragma unroll 1
        for (int begin = 0; begin < end; begin += BATCH) {
            Words words[BATCH][2][2];
            const Place first = place;
#pragma unroll
            for (int slot = 0; slot < BATCH; slot++) {
                if (begin + slot < end) {
                    const u16 *weights = taken() + from;
#pragma unroll
                    for (int half = 0; half < 2; half++)
#pragma unroll
                        for (int turn = 0; turn < 2; turn++)
                            words[slot][half][turn] = *(const Words *)&weights[half * 64 + (turn ^ odd) * 32];
                    place.next();
                }
            }
            warp_together();
            Place used = first;
#pragma unroll
            for (int slot = 0; slot < BATCH; slot++) {
                if (begin + slot < end) {
                    if (lane == 0) arrive(&s.empty[used.slot]);
                    used.next();
                }
            }
#pragma unroll
            for (int slot = 0; slot < BATCH; slot++) {
                if (begin + slot >= end) continue;
                const int chunk = (begin + slot) % CHUNKS;
                if (CHUNKS > 1) take(inputs, x + at(chunk * CHUNK));
                if (chunk == 0)
#pragma unroll
                    for (int i = 0; i < 4; i++) sums[0][i] = sums[1][i] = 0;
#pragma unroll
                for (int turn = 0; turn < 2; turn++) {
                    const Words &upper = words[slot][0][turn], &lower = words[slot][1][turn];
                    tensor(sums[turn], upper.a, lower.a, upper.b, lower.b, inputs[turn].a, inputs[turn].b);
                    tensor(sums[turn], upper.c, lower.c, upper.d, lower.d, inputs[turn].c, inputs[turn].d);
                }
                if (chunk == CHUNKS - 1) {
                    float sum = q < 2 ? (sums[0][0] + sums[1][0]) + (sums[0][1] + sums[1][1]) : (sums[0][2] + sums[1][2]) + (sums[0][3] + sums[1][3]);
                    sum += across(sum, 2);
                    if (q == odd) s.parts[(begin + slot) / CHUNKS * ROWS + r][warp] = sum;
                }
            }
        }
    }

    // This lane's inputs of the warp's SEGMENT of a chunk, for both turns.
    DEVICE void take(Words (&inputs)[2], const u16 *x) {
        const int half = lane >> 4, odd = lane >> 3 & 1, part = lane >> 2 & 1, q = lane % 4;
#pragma unroll
        for (int turn = 0; turn < 2; turn++)
            inputs[turn] = *(const Words *)&x[at(warp * SEGMENT + half * 64 + (turn ^ odd) * 32) + part * 32 + q * 8];
    }

    DEVICE float row(int number) const {
        float total = 0;
#pragma unroll
        for (int i = 0; i < WARPS; i += 4) {
            Quad four = *(const Quad *)&s.parts[number][i];
            total += (four.a + four.b) + (four.c + four.d);
        }
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
        sent();
        stamp(3);
    }

    template <int INPUTS>
    DEVICE void project(int rows) {
        multiply<INPUTS>(rows / ROWS, inputs_held());
        publish(rows, [&](int mine) { return row(mine) * rate; });
    }

    template <int INPUTS>
    DEVICE void add(const u16 *x) {
        multiply<INPUTS>(DIM / GRID / ROWS, x);
        publish(DIM / GRID, [&](int mine) { return s.residual[mine] = held(s.residual[mine] + row(mine)); });
    }

    template <int INNER>
    DEVICE void feed_forward(const u16 *norm, float eps) {
        constexpr int MINE = INNER / GRID;
        inputs(norm, eps);
        multiply<DIM>(2 * MINE / ROWS, inputs_held());
        publish(MINE, [&](int mine) {
            float gate = row(mine) * rate, up = row(MINE + mine) * rate;
            return up * gate / (1.0f + exponential(-gate));
        });
        inputs<INNER>();
        add<INNER>(inputs_held());
    }

    // A program's share of its key head's cache, and with split 0 the new token's own.
    DEVICE void attend(const Layer &layer, int number_of_layer, int first) {
        constexpr int LANES = HEAD / 8;
        const int kv = program / SPLITS, split = program % SPLITS;
        float *scores = s.x + SUMS, *sums = s.x;
        if (warp < GROUP + 2) token(layer, number_of_layer, first, kv, split == 0);
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
        if (warp < GROUP && split == 0) {  // the new token's score comes last
            float score = 0;
#pragma unroll
            for (int d = lane; d < HEAD; d += 32) score += s.token[warp][d] * s.token[GROUP][d];
            score = warp_sum<32>(score) * a.scale;
            if (lane == 0) scores[warp * SCORES + span.count] = score;
        }
        together();

        constexpr int COLUMNS = HEAD / 2, GROUPS = THREADS / COLUMNS;
        const int column = thread % COLUMNS, part = thread / COLUMNS;
        float top[GROUP], mass[GROUP] = {};
        Pair made[GROUP] = {};
#pragma unroll
        for (int g = 0; g < GROUP; g++) {
            top[g] = NOWHERE;
#pragma unroll 1
            for (int i = lane; i < span.count + (split == 0); i += 32) top[g] = larger(top[g], scores[g * SCORES + i]);
        }
#pragma unroll
        for (int g = 0; g < GROUP; g++) top[g] = warp_max(top[g]);
#pragma unroll 1
        for (int begin = 0; begin < span.count * HEAD; begin += SLOT) {
            const u16 *values = taken();
            int count = (span.count * HEAD - begin < SLOT ? span.count * HEAD - begin : SLOT) / HEAD;
#pragma unroll 4
            for (int position = part; position < count; position += GROUPS) {
                u32 pair = ((const u32 *)values)[position * COLUMNS + column];
#pragma unroll
                for (int g = 0; g < GROUP; g++) {
                    float weight = exponential(scores[g * SCORES + begin / HEAD + position] - top[g]);
                    made[g].x += weight * low(pair), made[g].y += weight * high(pair), mass[g] += weight;
                }
            }
            given_back();
        }
        if (split == 0 && part == 0) {
#pragma unroll
            for (int g = 0; g < GROUP; g++) {
                float weight = exponential(scores[g * SCORES + span.count] - top[g]);
                made[g].x += weight * s.token[GROUP + 1][2 * column];
                made[g].y += weight * s.token[GROUP + 1][2 * column + 1];
                mass[g] += weight;
            }
        }
#pragma unroll
        for (int g = 0; g < GROUP; g++) {
            *(Pair *)&sums[(part * GROUP + g) * HEAD + 2 * column] = made[g];
            if (column == 0) s.masses[part][g] = mass[g];
        }
        together();
#pragma unroll 1
        for (int i = thread; i < GROUP * COLUMNS; i += THREADS) {
            Pair total = {};
#pragma unroll
            for (int each = 0; each < GROUPS; each++) {
                Pair other = *(const Pair *)&sums[each * GROUP * HEAD + 2 * i];
                total.x += other.x, total.y += other.y;
            }
            Entry *to = room(number) + ((kv * GROUP * COLUMNS + i) * SPLITS + split) * 2;
            put(to, as_bits(total.x), number), put(to + 1, as_bits(total.y), number);
        }
        if (thread == 0) {
#pragma unroll
            for (int g = 0; g < GROUP; g++) {
                float total = 0;
#pragma unroll
                for (int each = 0; each < GROUPS; each++) total += s.masses[each][g];
                Entry *to = room(number) + SHARES + ((kv * GROUP + g) * SPLITS + split) * 2;
                put(to, as_bits(total), number), put(to + 1, as_bits(top[g]), number);
            }
        }
        together();  // the next product's inputs take the place of the sums
        number++;
        stamp(5);
    }

    // A vector of the new token's a warp: queries, key and value of a key head, normed and turned; key and value are kept.
    DEVICE void token(const Layer &layer, int number_of_layer, int first, int kv, bool kept) {
        const bool within = lane < HEAD / 4;
        const int begin = (warp < GROUP ? (kv * GROUP + warp) * HEAD : (HEADS + (warp - GROUP) * KV_HEADS + kv) * HEAD) / 2;
        const bool turned = warp <= GROUP;
        Two scales = {};
        Quad angles = {};
        if (turned && within) {
            scales = ((const Two *)(warp < GROUP ? layer.q_norm : layer.k_norm))[lane];
            angles = ((const Quad *)a.table)[first * (HEAD / 4) + lane];
        }
        const Entry *from = replica(number - 1) + begin + (within ? 2 * lane : 0);
        Entries entries = get_two(from);
        for (u32 tries = 0; entries.a.number != number - 1 || entries.b.number != number - 1; tries++) {
            pause(tries);
            entries = get_two(from);
        }
        Quad x = {low(entries.a.value), high(entries.a.value), low(entries.b.value), high(entries.b.value)};
        if (turned) {
            float square = warp_sum<HEAD / 4>((x.a * x.a + x.b * x.b) + (x.c * x.c + x.d * x.d));
            float shrink = inverse_root(square / HEAD + a.norm_eps);
            x = {x.a * shrink * low(scales.a), x.b * shrink * high(scales.a), x.c * shrink * low(scales.b), x.d * shrink * high(scales.b)};
            x = {x.a * angles.a - x.b * angles.b, x.b * angles.a + x.a * angles.b, x.c * angles.c - x.d * angles.d, x.d * angles.c + x.c * angles.d};
        }
        if (!within) return;
        *(Quad *)&s.token[warp][4 * lane] = Quad{held(x.a), held(x.b), held(x.c), held(x.d)};
        if (kept && warp >= GROUP) {
            u16 *stored = a.cache + number_of_layer * a.layer_stride + kv * a.head_stride + (i64)first * HEAD;
            ((Two *)(stored + (warp == GROUP ? 0 : a.value_offset)))[lane] = Two{paired(x.a, x.b), paired(x.c, x.d)};
        }
    }

    // The shares of a head joined (Dao et al. 2023, Flash-Decoding), by each program for some of its dimensions.
    DEVICE void join() {
        constexpr int MINE = HEADS * HEAD / GRID / 2;
        const bool ours = lane / 2 < SPLITS, odd = lane & 1;
#pragma unroll 1
        for (int pair = program * MINE + warp; pair < (program + 1) * MINE; pair += WARPS) {
            const int head = pair / (HEAD / 2);
            const Entry *sums = room(number - 1) + pair * SPLITS * 2 + lane;
            const Entry *masses = room(number - 1) + SHARES + head * SPLITS * 2 + lane;
            u32 told[2];
            receive(number - 1, told, [&](int i) { return !ours ? nullptr : i == 0 ? sums : masses; });
            const float sum = ours ? as_float(told[0]) : 0, mine = ours ? as_float(told[1]) : odd ? NOWHERE : 0, other = across(mine, 1);
            const float mass = odd ? other : mine, top = odd ? mine : other;
            float weight = exponential(top - warp_max(top));
            float joined = across_pairs(sum * weight) / across_pairs(mass * weight);
            float above = warp_above(joined);
            if (lane == 0) send(pair, paired(joined, above));
        }
        sent();
        stamp(6);
    }

    // A fast layer's attention over the frame's earlier codes, which every program has a copy of, by every program for all heads.
    DEVICE void fast_attend(int number_of_layer, int position, bool wanted) {
        constexpr int EACH = fours(FAST_QKV), LANES = FAST_HEAD / 8;
        constexpr int KEYS = FAST_HEADS * FAST_HEAD, VALUES = KEYS + FAST_KEYS, SHARED_BY = FAST_HEADS / FAST_KV_HEADS;
        Two values[EACH];
        Quad angles[EACH];
#pragma unroll
        for (int i = 0; i < EACH; i++)
            angles[i] = ((const Quad *)a.fast_table)[position * (FAST_HEAD / 4) + (thread + i * THREADS) % (FAST_HEAD / 4)];
        receive(values, FAST_QKV / 2);
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            int at = 4 * (thread + i * THREADS);
            if (at < FAST_QKV) {
                Quad x = {low(values[i].a), high(values[i].a), low(values[i].b), high(values[i].b)}, by = angles[i];
                x = {x.a * by.a - x.b * by.b, x.b * by.a + x.a * by.b, x.c * by.c - x.d * by.d, x.d * by.c + x.c * by.d};
                if (at < KEYS)
                    *(Quad *)&s.x[at] = Quad{held(x.a), held(x.b), held(x.c), held(x.d)};
                else if (at < VALUES)
                    *(Two *)&s.fast_cache[number_of_layer][position][0][at - KEYS] = Two{paired(x.a, x.b), paired(x.c, x.d)};
                else
                    *(Two *)&s.fast_cache[number_of_layer][position][1][at - VALUES] = values[i];
            }
        }
        together();
        stamp(7);
        if (!wanted) return;
        u16 *out = (u16 *)(s.x + KEYS);
#pragma unroll 1
        for (int kv = warp; kv < FAST_KV_HEADS; kv += WARPS) {
            const int d = lane % LANES * 8;
            float queries[SHARED_BY][8];
#pragma unroll
            for (int g = 0; g < SHARED_BY; g++)
#pragma unroll
                for (int i = 0; i < 8; i += 4)
                    *(Quad *)&queries[g][i] = *(const Quad *)&s.x[(kv * SHARED_BY + g) * FAST_HEAD + d + i];
#pragma unroll
            for (int round = 0; round < CODEBOOKS; round += 32 / LANES) {
                const int other = round + lane / LANES, within = other < CODEBOOKS ? other : CODEBOOKS - 1;
                Words words = *(const Words *)&s.fast_cache[number_of_layer][within][0][kv * FAST_HEAD + d];
                const u32 four[4] = {words.a, words.b, words.c, words.d};
#pragma unroll
                for (int g = 0; g < SHARED_BY; g++) {
                    float score = 0;
#pragma unroll
                    for (int j = 0; j < 4; j++) score += low(four[j]) * queries[g][2 * j] + high(four[j]) * queries[g][2 * j + 1];
                    score = warp_sum<LANES>(score);
                    if (lane % LANES == 0 && other < 16) s.scores[warp][g][other] = score * a.fast_scale;
                }
            }
            warp_together();
            float mine[SHARED_BY];
#pragma unroll
            for (int g = 0; g < SHARED_BY; g++) {  // a position a lane, twice
                float score = lane % 16 <= position ? s.scores[warp][g][lane % 16] : NOWHERE;
                float weight = exponential(score - warp_max(score));
                mine[g] = weight / warp_sum<16>(weight);
            }
            warp_together();
#pragma unroll
            for (int g = 0; g < SHARED_BY; g++)
                if (lane < 16) s.scores[warp][g][lane] = mine[g];
            warp_together();
#pragma unroll 1
            for (int pair = lane; pair < FAST_HEAD / 2; pair += 32) {
                Pair made[SHARED_BY] = {};
#pragma unroll
                for (int i = 0; i < CODEBOOKS; i++) {  // those to come are zeros, of weight zero
                    u32 value = *(const u32 *)&s.fast_cache[number_of_layer][i][1][kv * FAST_HEAD + 2 * pair];
#pragma unroll
                    for (int g = 0; g < SHARED_BY; g++)
                        made[g].x += s.scores[warp][g][i] * low(value), made[g].y += s.scores[warp][g][i] * high(value);
                }
#pragma unroll
                for (int g = 0; g < SHARED_BY; g++) {
                    int k = (kv * SHARED_BY + g) * FAST_HEAD + 2 * pair;
                    *(u32 *)&out[at(k)] = paired(made[g].x, made[g].y);
                    *(u32 *)&out[at(k) + 32] = 0;
                }
            }
            warp_together();
        }
        together();
        stamp(8);
    }

    DEVICE void layer(const Layer &layer, int number_of_layer, int first) {
        project<DIM>(QKV / GRID);
        attend(layer, number_of_layer, first);
        join();
        inputs<HEADS * HEAD>();
        add<HEADS * HEAD>(inputs_held());
        feed_forward<MIDDLE>(layer.feed_forward_norm, a.norm_eps);
    }

    // Of a layer of the fast stack, whose inputs are there; false where nothing but its keys and values was asked for.
    DEVICE void fast_layer(const Layer &layer, int number_of_layer, int position, bool wanted) {
        constexpr int KEYS = FAST_HEADS * FAST_HEAD;
        project<DIM>(FAST_QKV / GRID);
        fast_attend(number_of_layer, position, wanted);
        if (!wanted) return;
        add<KEYS>((const u16 *)(s.x + KEYS));
        feed_forward<FAST_MIDDLE>(layer.feed_forward_norm, a.fast_norm_eps);
    }

    // The logits of this program's rows, in float32, to wherever `to` is.
    DEVICE void tell(Entry *to, int copies, int rows, bool last) {
        multiply<DIM>(rows / ROWS + last, inputs_held());
        together();
#pragma unroll 1
        for (int mine = thread; mine < rows + last; mine += THREADS)
            for (int i = 0; i < copies; i++) put(to + i * COPIED + program * rows + mine, as_bits(row(mine) * rate), number);
        stamp(9);
    }

    // Over all threads: the highest goal, of equal ones the lowest code, with its level; and the sum.
    DEVICE Best best(Best mine) {
        mine = warp_best(mine);
        Best *of_warps = s.best[reductions++ % 4];
        if (lane == 0) of_warps[warp] = mine;
        together();
        return warp_best(lane < WARPS ? of_warps[lane] : Best{NOWHERE, NOWHERE, 0, 0x7fffffff});
    }

    DEVICE Best warp_best(Best mine) {
#pragma unroll 1
        for (int apart = 1; apart < 32; apart *= 2) {
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
#pragma unroll 1
        for (int i = 0; i < LAYERS; i++) {
            if (i == 0)
                inputs(a.pending, s.layers[0].attention_norm, a.norm_eps);
            else
                inputs(s.layers[i].attention_norm, a.norm_eps);
            layer(s.layers[i], i, first);
        }
        inputs(a.norm, a.norm_eps);
        const u32 told = number;
        tell(a.semantic, 1, SEMANTIC / GRID, program == GRID - 1);
        const Layer *fast = s.layers + LAYERS;
        int code = 0;
#pragma unroll 1
        for (int codebook = 0; codebook < CODEBOOKS; codebook++) {
#pragma unroll 1
            for (int i = 0; i < FAST_LAYERS; i++) {  // the hidden state is the fast stack's first token, each code the next one
                if (i == 0 && codebook > 0)
                    inputs(a.fast_embeddings + (i64)code * DIM, fast[0].attention_norm, a.fast_norm_eps);
                else
                    inputs(fast[i].attention_norm, a.fast_norm_eps);
                fast_layer(fast[i], i, codebook, codebook > 0 || i < FAST_LAYERS - 1);
            }
            if (codebook == 0) {
                code = draw<SEMANTIC + 1>(a.semantic, told, 0);
            } else {
                inputs(a.fast_norm, a.fast_norm_eps);
                tell(room(number), REPLICAS, RESIDUAL / GRID, false);
                sent();
                if (codebook == CODEBOOKS - 1 && program > 0) return;  // the first one makes the next frame's input
                code = draw<RESIDUAL>(replica(number - 1), number - 1, codebook);
            }
            if (thread == 0) s.codes[codebook] = code;
            code = codebook == 0 && code == SEMANTIC ? SEMANTIC - 1 : code;
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
        const bool known = a.numbers[0] > 0;
#pragma unroll 1
        for (int begin = 0; begin < CODEBOOKS * WINDOW; begin += THREADS) {  // of a codebook's past the oldest leaves
            int at = begin + thread, book = at / WINDOW, age = at % WINDOW;
            bool within = at < CODEBOOKS * WINDOW, newest = age == WINDOW - 1;
            i64 code = !within ? 0 : newest ? (book == 0 ? spoken : s.codes[book]) : a.recent[at + 1];
            together();
            if (within && known) a.recent[at] = code;
            if (within && newest) a.drawn[book] = s.codes[book];
            together();
        }
        if (thread > 0) return;
        a.positions[0] = a.positions[0] + 1 < a.length ? a.positions[0] + 1 : a.length - 1;
        a.numbers[0]++;
        *a.sequence = number;
        stamp(11);
    }
};

KERNEL draw_frame(const Arguments *given) {
    Shared &s = *(Shared *)shared_memory();
    const Arguments &a = s.arguments;
    const int thread = thread_number();
#pragma unroll 1
    for (int i = thread; i < (int)(sizeof(Arguments) / 8); i += THREADS + 32) ((i64 *)&s.arguments)[i] = ((const i64 *)given)[i];
    if (thread == 0) {
#pragma unroll 1
        for (int i = 0; i < SLOTS; i++) begin(&s.full[i], 1), begin(&s.empty[i], WARPS);
        barriers_begun();
    }
#pragma unroll 1
    for (int i = thread; i < (int)(sizeof(s.fast_cache) / sizeof(Words)); i += THREADS + 32) ((Words *)s.fast_cache)[i] = Words{0, 0, 0, 0};
#pragma unroll 1
    for (int i = thread; i < LAYERS + FAST_LAYERS; i += THREADS + 32) s.layers[i] = i < LAYERS ? given->layers[i] : given->fast_layers[i - LAYERS];
    all_together();
    if (thread >= THREADS) {
        if (thread == THREADS) Producer{a, s, program_number(), {}, {}, 0}.run();
        return;
    }
    Program{a, s, program_number(), thread, warp_number(), thread % 32, *a.sequence, 0, a.exchange, 0, 0, 0, {}}.run();
}
