// What programs pass each other, and a product's inputs made of it.

struct Exchange {
    const Arguments &a;
    Shared &s;
    int program, thread, warp, lane;
    u32 number;   // of the next exchange
    int stamps;
    Entry *exchange;
    int side;     // which of two places this product's sums have
    int reductions;
    Place place;

    DEVICE Exchange(const Arguments &a, Shared &s)
        : a(a), s(s), program(program_number()), thread(thread_number()), warp(warp_number()), lane(thread % 32),
          number(*a.sequence), stamps(0), exchange(a.exchange), side(0), reductions(0) {}

    // An exchange's memory is written again TURNS = 4 exchanges later. Who has all that a program wrote of an exchange knows that every
    // warp of it has read the one before: `publish` and `attend` write behind a barrier that all its warps reach after reading, and
    // in `join` a warp writes what it made of all that it read. Of any three exchanges in a row one at least is read as a whole by
    // every program (the slow stack's queries, keys and values are not, nor are its shares), and a barrier is behind that before
    // the program writes a later one. So of exchanges n - 3 to n - 1 who writes n has one whole, and all have read n - 4.
    DEVICE Entry *room(u32 which) const { return exchange + which % TURNS * TURN; }
    DEVICE void stamp(Step what) {
        if (STAMPED && program == 0 && thread == 0) a.stamps[stamps++] = ticks() * 16 + (int)what;
    }

    DEVICE void send(int entry, u32 value) { put(room(number) + entry, value, number); }

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

    // Of the newest exchange two entries, four numbers, from each of these places on.
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
    // The same of each of COUNT chunks of inputs: a warp's are those of its SEGMENT.
    template <int COUNT>
    DEVICE void receive(Two (&values)[COUNT]) {
        const Entry *from[COUNT];
#pragma unroll
        for (int i = 0; i < COUNT; i++) from[i] = room(number - 1) + 2 * thread + i * CHUNK / 2;
        receive(values, from);
    }

    DEVICE u16 *inputs_held() const { return (u16 *)s.x; }

    // A product's inputs from the exchange before, bfloat16 in fours. A warp holds those that it multiplies itself, so it need not
    // wait for others.
    template <int COUNT>
    DEVICE void inputs() {
        Two values[COUNT / CHUNK];
        receive(values);
#pragma unroll
        for (int i = 0; i < COUNT / CHUNK; i++) keep(inputs_held(), 4 * thread + i * CHUNK, values[i]);
        warp_together();
        stamp(Step::INPUTS);
    }

    // The same times a norm's weights, or those of a row that is in memory since before this kernel, which a stack begins with;
    // what they are divided by is left to the sums.
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

    // What products of normed inputs are to be multiplied by, once all warps' squares are there.
    DEVICE float rate(float eps) const {
        float total = 0;
#pragma unroll
        for (int i = 0; i < WARPS; i++) total += s.squares[side][i];
        return inverse_root(total / DIM + eps);
    }
};
