// What programs pass each other, and a product's inputs made of it.

struct Exchange {
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

    DEVICE Exchange(const Arguments &a, Shared &s)
        : a(a), s(s), program(program_number()), thread(thread_number()), warp(warp_number()), lane(thread % 32),
          number(*a.sequence), stamps(0), exchange(a.exchange), newest(0), rate(0), reductions(0) {}

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
        together();
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

    // The same times a norm's weights, or those of a row that is in memory since before this kernel, which a stack begins with;
    // what they are divided by is left to the sums.
    DEVICE void inputs(const u16 *norm, float eps, const u16 *row = nullptr) {
        Two scales[fours(DIM)], values[fours(DIM)];
        fetch(norm, scales);
        if (row) {
            fetch(row, values);
#pragma unroll 1
            for (int i = thread; i < DIM / GRID; i += THREADS) s.residual[i] = as_float((u32)row[program * (DIM / GRID) + i] << 16);
        } else {
            receive(values, DIM / 2);
        }
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
};
