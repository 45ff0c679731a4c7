// Products of a program's matrix rows with its inputs on the tensor cores, and the operations on the sums.

struct Products : Exchange {
    using Exchange::Exchange;

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

    // Multiply `groups` times ROWS rows by the inputs; each warp writes the sums over its inputs to `parts`. Weights arrive long before
    // inputs, so the first ones are read before `receive` waits for the inputs. A warp may start the next product while another still
    // reads the sums of this one, but not the product after that, because all warps meet once per product. So the sums have two buffers.
    //
    // The tensor cores multiply 16 rows by 16 inputs with 16 inputs by 8 columns; lane 4 r + q holds numbers of row r and of column r.
    // The upper eight rows are this slot's rows for half of the warp's inputs, the lower eight are the same rows for the other half. The
    // order of the 16 inputs is free if both factors agree, so a lane reads 16 bytes at once; odd rows read the two halves of 64 inputs
    // in the opposite order, which uses every bank once. Columns 4 t + 2 h + p are the inputs of half t as rows of parity h read them; p
    // selects their rounding errors. Of each row, only its two columns are summed.
    template <int INPUTS, class Receive>
    DEVICE void multiply(int groups, Receive receive) {
        constexpr int CHUNKS = INPUTS / CHUNK;
        side ^= 1;
        const int r = lane / 4, q = lane % 4, end = groups * CHUNKS;
        const int from = r * CHUNK + warp * SEGMENT + q * 8, odd = r & 1;
        Words inputs[2];
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
            if (begin == 0) {
                receive();
                if (CHUNKS == 1) take(inputs, 0);
            }
#pragma unroll
            for (int slot = 0; slot < BATCH; slot++) {
                if (begin + slot >= end) continue;
                const int chunk = (begin + slot) % CHUNKS;
                if (CHUNKS > 1) take(inputs, chunk);
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
                    if (q == odd) s.parts[side][(begin + slot) / CHUNKS * ROWS + r][warp] = sum;
                }
            }
        }
    }

    // Load this lane's inputs of the warp's SEGMENT of a chunk, for both turns.
    DEVICE void take(Words (&inputs)[2], int chunk) {
        const int half = lane >> 4, odd = lane >> 3 & 1, part = lane >> 2 & 1, q = lane % 4;
#pragma unroll
        for (int turn = 0; turn < 2; turn++)
            inputs[turn] = *(const Words *)&inputs_held()[at(chunk * CHUNK + warp * SEGMENT + half * 64 + (turn ^ odd) * 32) + part * 32 + q * 8];
    }

    DEVICE float row(int number) const {
        float total = 0;
#pragma unroll
        for (int i = 0; i < WARPS; i += 4) {
            Quad four = *(const Quad *)&s.parts[side][number][i];
            total += (four.a + four.b) + (four.c + four.d);
        }
        return total;
    }

    // Send the results of a program's rows, two per entry: `value` returns the result of a row.
    template <class Value>
    DEVICE void publish(int rows, Value value) {
        together();  // all parts are written, and `x` and received values are not read any more
        stamp(Step::PRODUCTS);
        if (warp == 0) {
#pragma unroll 1
            for (int begin = 0; begin < rows; begin += 32) {
                int mine = begin + lane;
                float even = mine < rows ? value(mine) : 0.0f, odd = warp_above(even);
                if (mine < rows && lane % 2 == 0) send((program * rows + mine) / 2, paired(even, odd));
            }
        }
        sent();
        stamp(Step::PUBLISHED);
    }

    DEVICE void project(int rows, const u16 *norm, float eps, const u16 *begun) {
        multiply<DIM>(rows / ROWS, [&] { inputs(norm, begun); });
        publish(rows, [&](int mine) { return row(mine) * rate(eps); });
    }

    template <int INPUTS, class Receive>
    DEVICE void add(Receive receive) {
        multiply<INPUTS>(DIM / GRID / ROWS, receive);
        publish(DIM / GRID, [&](int mine) { return s.residual[mine] = held(s.residual[mine] + row(mine)); });
    }
    template <int INPUTS>
    DEVICE void add() {
        add<INPUTS>([&] { inputs<INPUTS>(); });
    }

    template <int INNER>
    DEVICE void feed_forward(const u16 *norm, float eps) {
        constexpr int MINE = INNER / GRID;
        multiply<DIM>(2 * MINE / ROWS, [&] { inputs(norm); });
        publish(MINE, [&](int mine) {
            float gate = row(mine) * rate(eps), up = row(MINE + mine) * rate(eps);
            return quotient(up * gate, 1.0f + exponential(-gate));
        });
        add<INNER>();
    }

    // Write the float32 logits of this program's rows to `to`.
    DEVICE void tell(Entry *to, int rows, bool last, const u16 *norm, float eps) {
        multiply<DIM>(rows / ROWS + last, [&] { inputs(norm); });
        together();
#pragma unroll 1
        for (int mine = thread; mine < rows + last; mine += THREADS)
            put(to + program * rows + mine, as_bits(row(mine) * rate(eps)), number);
        stamp(Step::LOGITS);
    }
};
