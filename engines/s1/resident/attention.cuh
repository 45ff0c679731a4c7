// Attention of the slow stack, where programs share each key head's cache, and of the fast stack, which every program computes itself.

struct Attention : Products {
    using Products::Products;

    // Attend over this program's share of its key head's cache. The last split, which has the fewest positions, also handles the new
    // token. If a slot has a higher score, earlier sums are scaled down (Milakov and Gimelshein 2018, arXiv:1805.02867).
    DEVICE void attend(const Layer &layer, int number_of_layer, int first) {
        constexpr int LANES = HEAD / 8;
        const int kv = program / SPLITS, split = program % SPLITS;
        const int column = thread % COLUMNS, part = thread / COLUMNS;
        const bool newest = split == SPLITS - 1;
        if (warp < GROUP + 2) token(layer, number_of_layer, first, kv, newest);
        together();
        stamp(Step::TOKEN);

        float top[GROUP], mass[GROUP] = {};
        Pair made[GROUP] = {};
#pragma unroll
        for (int g = 0; g < GROUP; g++) {
            top[g] = NOWHERE;
            if (newest) {
                float score = 0;
#pragma unroll
                for (int d = lane; d < HEAD; d += 32) score += s.slow.token[g][d] * s.slow.token[GROUP][d];
                top[g] = warp_sum<32>(score) * a.scale;
                if (part == 0) mass[g] = 1, made[g] = *(const Pair *)&s.slow.token[GROUP + 1][2 * column];
            }
        }
        const Span span(first, split);
#pragma unroll 1
        for (int begin = 0; begin < span.count; begin += POSITIONS) {
            const u16 *keys = taken(), *values = keys + SLOT / 2;
            const int count = span.count - begin < POSITIONS ? span.count - begin : POSITIONS;
            float(&scores)[GROUP][POSITIONS] = s.slow.scores[begin / POSITIONS % 2];  // two buffers, because some warps are a slot ahead
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
                            score[g] += low(four[j]) * s.slow.token[g][d + 2 * j] + high(four[j]) * s.slow.token[g][d + 2 * j + 1];
                }
#pragma unroll
                for (int g = 0; g < GROUP; g++) {
                    score[g] = warp_sum<LANES>(score[g]);
                    if (position < count && thread % LANES == 0) scores[g][position] = score[g] * a.scale;
                }
            }
            together();
#pragma unroll
            for (int g = 0; g < GROUP; g++) {
                float before = top[g];
                top[g] = larger(before, warp_max(lane < count ? scores[g][lane] : NOWHERE));
                float shrunk = exponential(before - top[g]);
                made[g].x *= shrunk, made[g].y *= shrunk, mass[g] *= shrunk;
            }
#pragma unroll 4
            for (int position = part; position < count; position += PARTS) {
                u32 pair = ((const u32 *)values)[position * COLUMNS + column];
#pragma unroll
                for (int g = 0; g < GROUP; g++) {
                    float weight = exponential(scores[g][position] - top[g]);
                    made[g].x += weight * low(pair), made[g].y += weight * high(pair), mass[g] += weight;
                }
            }
            given_back();
        }
#pragma unroll
        for (int g = 0; g < GROUP; g++) {
            *(Pair *)&s.slow.sums[part][g][2 * column] = made[g];
            if (column == 0) s.slow.masses[part][g] = mass[g];
        }
        together();
#pragma unroll 1
        for (int i = thread; i < GROUP * COLUMNS; i += THREADS) {
            Pair total = {};
#pragma unroll
            for (int each = 0; each < PARTS; each++) {
                Pair other = *(const Pair *)&s.slow.sums[each][i / COLUMNS][2 * i % HEAD];
                total.x += other.x, total.y += other.y;
            }
            put_two(room(number) + ((kv * GROUP * COLUMNS + i) * SPLITS + split) * 2, as_bits(total.x), as_bits(total.y), number);
        }
        if (thread == 0) {
#pragma unroll
            for (int g = 0; g < GROUP; g++) {
                float total = 0;
#pragma unroll
                for (int each = 0; each < PARTS; each++) total += s.slow.masses[each][g];
                put_two(room(number) + SHARES + ((kv * GROUP + g) * SPLITS + split) * 2, as_bits(total), as_bits(top[g]), number);
            }
        }
        together();  // the next product's inputs overwrite the sums
        number++;
        stamp(Step::ATTENDED);
    }

    // Prepare the new token, one vector per warp: queries, key and value of a key head, normalised and rotated. `kept` stores the latter two.
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
        const Entry *const from[1] = {room(number - 1) + begin + (within ? 2 * lane : 0)};
        Two received[1];
        receive(received, from);
        Quad x = {low(received[0].a), high(received[0].a), low(received[0].b), high(received[0].b)};
        if (turned) {
            float square = warp_sum<HEAD / 4>((x.a * x.a + x.b * x.b) + (x.c * x.c + x.d * x.d));
            float shrink = inverse_root(square / HEAD + a.norm_eps);
            x = {x.a * shrink * low(scales.a), x.b * shrink * high(scales.a), x.c * shrink * low(scales.b), x.d * shrink * high(scales.b)};
            x = {x.a * angles.a - x.b * angles.b, x.b * angles.a + x.a * angles.b, x.c * angles.c - x.d * angles.d, x.d * angles.c + x.c * angles.d};
        }
        if (!within) return;
        *(Quad *)&s.slow.token[warp][4 * lane] = Quad{held(x.a), held(x.b), held(x.c), held(x.d)};
        if (kept && warp >= GROUP) {
            u16 *stored = a.cache + number_of_layer * a.layer_stride + kv * a.head_stride + (i64)first * HEAD;
            ((Two *)(stored + (warp == GROUP ? 0 : a.value_offset)))[lane] = Two{paired(x.a, x.b), paired(x.c, x.d)};
        }
    }

    // Join the shares of each head (Dao et al. 2023, Flash-Decoding); each program joins some dimensions.
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
            float joined = quotient(across_pairs(sum * weight), across_pairs(mass * weight));
            float above = warp_above(joined);
            if (lane == 0) send(pair, paired(joined, above));
        }
        sent();
        stamp(Step::JOINED);
    }

    // Start a token of the fast stack, whose cache every program has a copy of. Each warp handles two query heads and their key head:
    // it receives these, owns their part of the cache, and computes the inputs that it multiplies in the next product.
    DEVICE void fast_token(int number_of_layer, int position) {
        constexpr int KEYS = FAST_HEADS * FAST_HEAD / 2, VALUES = KEYS + FAST_KEYS / 2;  // offsets of their entries
        const int four = lane % 16;  // index of four dimensions of a head
        const Quad by = ((const Quad *)a.fast_table)[position * 16 + four];
        const Entry *from = room(number - 1);
        const Entry *const froms[2] = {from + warp * FAST_HEAD + 2 * lane, from + (lane < 16 ? KEYS : VALUES) + warp * FAST_HEAD / 2 + 2 * four};
        Two values[2];
        receive(values, froms);
        const Two query = turned(values[0], by), key = turned(values[1], by);
        *(Quad *)&s.x[warp * SEGMENT + 4 * lane] = Quad{low(query.a), high(query.a), low(query.b), high(query.b)};
        *(Two *)&s.fast_cache[number_of_layer][position][lane / 16][warp * FAST_HEAD + 4 * four] = lane < 16 ? key : values[1];
        warp_together();
        stamp(Step::KEYS);
    }

    // Attend over the frame's earlier codes.
    DEVICE void fast_attend(int number_of_layer, int position) {
        constexpr int LANES = FAST_HEAD / 8, AT_ONCE = 32 / LANES, ROUNDS = (CODEBOOKS + AT_ONCE - 1) / AT_ONCE;  // positions read at once
        const int d = lane % LANES * 8, g = lane / 16, mine = lane % 16;
        float queries[2][8], scores[8] = {};
        float(&shares)[2][16] = s.fast.shares[warp];
#pragma unroll
        for (int i = 0; i < 16; i += 4) *(Quad *)&queries[i / 8][i % 8] = *(const Quad *)&s.x[warp * SEGMENT + i / 8 * FAST_HEAD + d + i % 8];
#pragma unroll
        for (int i = 0; i < ROUNDS; i++) {
            const int other = i * AT_ONCE + lane / LANES;
            Words words = *(const Words *)&s.fast_cache[number_of_layer][other < CODEBOOKS ? other : 0][0][warp * FAST_HEAD + d];
            const u32 four[4] = {words.a, words.b, words.c, words.d};
#pragma unroll
            for (int j = 0; j < 4; j++) {
                scores[2 * i] += low(four[j]) * queries[0][2 * j] + high(four[j]) * queries[0][2 * j + 1];
                scores[2 * i + 1] += low(four[j]) * queries[1][2 * j] + high(four[j]) * queries[1][2 * j + 1];
            }
        }
        const float whole = eight_sums(scores);  // lane % 8 selects the score: a round and a query head
        if (lane % 8 < 2 * ROUNDS) shares[lane % 2][lane % 8 / 2 * AT_ONCE + lane / 8] = whole;
        warp_together();
        const float score = mine <= position ? shares[g][mine] * a.fast_scale : NOWHERE;
        const float weight = exponential(score - half_max(score));
        const float share = quotient(weight, warp_sum<16>(weight));
        shares[g][mine] = share;  // a lane's own value; `queries` in x are not read any more
        warp_together();
        Pair made[2] = {};
#pragma unroll
        for (int i = 0; i < CODEBOOKS; i++) {  // future positions are zeros with weight zero
            u32 value = *(const u32 *)&s.fast_cache[number_of_layer][i][1][warp * FAST_HEAD + 2 * lane];
#pragma unroll
            for (int head = 0; head < 2; head++) made[head].x += shares[head][i] * low(value), made[head].y += shares[head][i] * high(value);
        }
#pragma unroll
        for (int head = 0; head < 2; head++) {
            const int k = warp * SEGMENT + head * FAST_HEAD + 2 * lane;
            *(u32 *)&inputs_held()[at(k)] = paired(made[head].x, made[head].y);
            *(u32 *)&inputs_held()[at(k) + 32] = 0;
        }
        warp_together();
        stamp(Step::FAST_ATTENDED);
    }

    // Rotate two pairs of dimensions by their position's angles.
    DEVICE Two turned(Two values, Quad by) {
        const Quad x = {low(values.a), high(values.a), low(values.b), high(values.b)};
        return Two{paired(x.a * by.a - x.b * by.b, x.b * by.a + x.a * by.b), paired(x.c * by.c - x.d * by.d, x.d * by.c + x.c * by.d)};
    }

    // Sum each of eight numbers over eight adjacent lanes; the i-th of these lanes gets the i-th sum.
    DEVICE float eight_sums(const float (&each)[8]) {
        float four[4], two[2];
        const bool third = lane & 4, second = lane & 2, first = lane & 1;
#pragma unroll
        for (int i = 0; i < 4; i++) four[i] = (third ? each[i + 4] : each[i]) + across(third ? each[i] : each[i + 4], 4);
#pragma unroll
        for (int i = 0; i < 2; i++) two[i] = (second ? four[i + 2] : four[i]) + across(second ? four[i] : four[i + 2], 2);
        return (first ? two[1] : two[0]) + across(first ? two[0] : two[1], 1);
    }
};
