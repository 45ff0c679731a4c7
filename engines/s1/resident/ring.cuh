// A ring of slots in shared memory that one warp fills ahead with weights and cache entries from the GPU's memory.

// A slot of the ring and the parity of its fills; producer and consumers use the slots in the same order.
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

// The copying warp: it copies all weights and cache entries of a program in the order of their use.
struct Producer {
    const Arguments &a;
    Shared &s;
    int program;
    Place place, arriving;
    int issued;

    // Return the next slot, once it is free and at most AHEAD others are in flight: more would delay the other warps' messages.
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

    // Copy this program's `count` rows of a matrix; a slot has CHUNK inputs of ROWS rows.
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

    // Copy a single row; the rest of its slots has old values.
    DEVICE void last(const u16 *row, Policy policy) {
#pragma unroll 1
        for (int begin = 0; begin < DIM; begin += CHUNK) feed(row + begin, CHUNK, policy);
    }

    // Copy keys and values of a split, POSITIONS of them per slot.
    DEVICE void past(const u16 *keys, const u16 *values, int count, Policy policy) {
#pragma unroll 1
        for (int begin = 0; begin < count; begin += POSITIONS) {
            const int bytes = (count - begin < POSITIONS ? count - begin : POSITIONS) * HEAD * 2;
            u16 *to = slot(2 * bytes);
            copy(to, keys + begin * HEAD, bytes, &s.full[place.slot], policy);
            copy(to + SLOT / 2, values + begin * HEAD, bytes, &s.full[place.slot], policy);
            place.next();
        }
    }

    DEVICE void run() {
        const Policy once = kept(0), often = kept(KEPT);  // the slow stack's weights are read once a frame, the fast stack's several times
        Span span((int)a.positions[0], program % SPLITS);
#pragma unroll 1
        for (int number = 0; number < LAYERS; number++) {
            const Layer &layer = s.layers[number];
            rows(layer.wqkv, QKV / GRID, DIM, once);
            const u16 *keys = a.cache + number * a.layer_stride + program / SPLITS * a.head_stride + span.start * HEAD;
            past(keys, keys + a.value_offset, span.count, once);
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
                if (position == 0 && number == FAST_LAYERS - 1) break;  // the first token needs only keys and values
                rows(layer.wo, DIM / GRID, FAST_HEADS * FAST_HEAD, often);
                rows(layer.w1, FAST_MIDDLE / GRID, DIM, often);
                rows(layer.w3, FAST_MIDDLE / GRID, DIM, often);
                rows(layer.w2, DIM / GRID, FAST_MIDDLE, often);
            }
            if (position > 0) rows(a.fast_head, RESIDUAL / GRID, DIM, often);
        }
    }
};
