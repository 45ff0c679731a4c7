// Exchange of values between programs, and a product's inputs.

struct Exchange {
    const Arguments &a;
    Shared &s;
    int program, thread, warp, lane;
    u32 number;   // of the next exchange
    int stamps;
    Entry *exchange;
    int side;  // which of two buffers has this product's sums
    int reductions;
    Place place;

    DEVICE Exchange(const Arguments &a, Shared &s)
        : a(a), s(s), program(program_number()), thread(thread_number()), warp(warp_number()), lane(thread % 32),
          number(*a.sequence), stamps(0), exchange(a.exchange), side(0), reductions(0) {}

    // An exchange's memory is written again TURNS = 4 exchanges later. A reader that has all values a program wrote to an exchange knows
    // that every warp of that program has read the previous exchange: `publish` and `attend` write after a barrier that all warps reach
    // after reading, and in `join` a warp writes what it computed from all that it read. Of any three consecutive exchanges, every program
    // reads at least one completely (not the slow stack's queries, keys and values, nor its shares), and a barrier follows before the
    // program writes a later one. So the writer of exchange n has read one of n - 3 to n - 1 completely, and all programs have read n - 4.
    DEVICE Entry *room(u32 which) const { return exchange + which % TURNS * TURN; }
    DEVICE void stamp(Step what) {
        if (STAMPED && program == 0 && thread == 0) a.stamps[stamps++] = ticks() * 16 + (int)what;
    }

    DEVICE void send(int entry, u32 value) { put(room(number) + entry, value, number); }

    // Finish this exchange. The barrier keeps other warps from polling the next one before this program's values are sent.
    DEVICE void sent() {
        number++;
        together();
    }

    // Receive COUNT entries, once all of them have arrived; `at` returns the address of each, or null.
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

    // Receive two entries (four numbers) of the newest exchange from each of these addresses.
    template <int COUNT>
    DEVICE void receive(Two (&values)[COUNT], const Entry *const (&from)[COUNT]) {
#pragma unroll 1
        for (u32 tries = 0;; tries++) {
            bool arrived = true;
#pragma unroll
            for (int i = 0; i < COUNT; i++) {
                Entries entries = get_two(from[i]);
                values[i] = Two{entries.a.value, entries.b.value};
                arrived &= entries.a.number == number - 1 && entries.b.number == number - 1;
            }
            if (arrived) return;
            pause(tries);
        }
    }
    // Receive the same for each of COUNT chunks of inputs; a warp receives those of its SEGMENT.
    template <int COUNT>
    DEVICE void receive(Two (&values)[COUNT]) {
        const Entry *from[COUNT];
#pragma unroll
        for (int i = 0; i < COUNT; i++) from[i] = room(number - 1) + 2 * thread + i * CHUNK / 2;
        receive(values, from);
    }

    DEVICE u16 *inputs_held() const { return (u16 *)s.x; }

    // Receive a product's inputs from the previous exchange, bfloat16 in groups of four. A warp stores the inputs that it multiplies
    // itself, so it does not wait for other warps.
    template <int COUNT>
    DEVICE void inputs() {
        Two values[COUNT / CHUNK];
        receive(values);
#pragma unroll
        for (int i = 0; i < COUNT / CHUNK; i++) keep(inputs_held(), 4 * thread + i * CHUNK, values[i]);
        warp_together();
        stamp(Step::INPUTS);
    }

    // Receive the same inputs and multiply them by a norm's weights. A stack's first row is in memory instead of an exchange. The
    // division by the root mean square is applied to the sums.
    DEVICE void inputs(const u16 *norm, const u16 *row = nullptr) {
        Two scales[DIM / CHUNK], values[DIM / CHUNK];
        fetch(norm, scales);
        if (row) {
            fetch(row, values);
#pragma unroll 1
            for (int i = thread; i < DIM / GRID; i += THREADS) s.residual[i] = as_float((u32)row[program * (DIM / GRID) + i] << 16);
        } else {
            receive(values);
        }
        float square = 0;
#pragma unroll
        for (int i = 0; i < DIM / CHUNK; i++) {
            Quad x = {low(values[i].a), high(values[i].a), low(values[i].b), high(values[i].b)};
            square += (x.a * x.a + x.b * x.b) + (x.c * x.c + x.d * x.d);
            x = {x.a * low(scales[i].a), x.b * high(scales[i].a), x.c * low(scales[i].b), x.d * high(scales[i].b)};
            keep(inputs_held(), 4 * thread + i * CHUNK, x);
        }
        square = warp_sum<32>(square);
        if (lane == 0) s.squares[side][warp] = square;
        warp_together();
        stamp(Step::INPUTS);
    }

    DEVICE void fetch(const u16 *row, Two (&values)[DIM / CHUNK]) {
#pragma unroll
        for (int i = 0; i < DIM / CHUNK; i++) values[i] = ((const Two *)row)[thread + i * THREADS];
    }

    // Return the factor for products of normalised inputs, once all warps' squares are known.
    DEVICE float rate(float eps) const {
        float total = 0;
#pragma unroll
        for (int i = 0; i < WARPS; i++) total += s.squares[side][i];
        return inverse_root(total / DIM + eps);
    }
};
