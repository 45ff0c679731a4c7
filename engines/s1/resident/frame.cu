// One frame of the dual transformer, for one row, by one kernel whose programs stay on the GPU from the first layer to the last code.
//
// A frame in hundreds of kernels waits longer for one to end and the next to begin than for its weights. Here GRID programs, one a
// multiprocessor, share every product out by rows, and pass each other what the next one needs through memory: every value is
// written together with the number of its exchange, so that a reader knows it by looking at it, without a fence or a barrier (the
// "LL" protocol of NVIDIA's NCCL). Weights do not depend on what is passed: one warp of each program copies those of its rows ahead
// into a ring in shared memory, which keeps the GPU's memory busy while the others wait.
//
// Programs wait for each other, so all of them must be on the GPU at once: there are no more than it has multiprocessors, and
// whatever else runs there must end without this kernel. Sizes come as macros from frame.py. `primitives.cuh` has what is the
// GPU's own; tests give the same names on a CPU. The files are read in the order in which compiling.py names them.

struct Program : Drawing {
    using Drawing::Drawing;

    DEVICE void layer(const Layer &layer, int number_of_layer, int first) {
        project(QKV / GRID, layer.attention_norm, a.norm_eps, number_of_layer == 0 ? a.pending : nullptr);
        attend(layer, number_of_layer, first);
        join();
        add<HEADS * HEAD>();
        feed_forward<MIDDLE>(layer.feed_forward_norm, a.norm_eps);
    }

    // A layer of the fast stack; where it is not `wanted`, nothing but its keys and values is asked for.
    DEVICE void fast_layer(const Layer &layer, int number_of_layer, int position, const u16 *row, bool wanted) {
        project(FAST_QKV / GRID, layer.attention_norm, a.fast_norm_eps, row);
        if (!wanted) return fast_token(number_of_layer, position);
        add<FAST_HEADS * FAST_HEAD>([&] { fast_token(number_of_layer, position), fast_attend(number_of_layer, position); });
        feed_forward<FAST_MIDDLE>(layer.feed_forward_norm, a.fast_norm_eps);
    }

    DEVICE void run() {
        const int first = (int)a.positions[0];
        stamp(Step::BEGUN);
#pragma unroll 1
        for (int i = 0; i < LAYERS; i++) layer(s.layers[i], i, first);
        const u32 told = number;
        tell(a.semantic, SEMANTIC / GRID, program == GRID - 1, a.norm, a.norm_eps);
        const Layer *fast = s.layers + LAYERS;
        int code = 0;
#pragma unroll 1
        for (int codebook = 0; codebook < CODEBOOKS; codebook++) {
#pragma unroll 1
            for (int i = 0; i < FAST_LAYERS; i++) {  // the hidden state is the fast stack's first token, each code the next one
                const u16 *row = i == 0 && codebook > 0 ? a.fast_embeddings + (i64)code * DIM : nullptr;
                fast_layer(fast[i], i, codebook, row, codebook > 0 || i < FAST_LAYERS - 1);
            }
            if (codebook == 0) {
                code = draw<SEMANTIC + 1>(a.semantic, told, 0);
            } else {
                tell(room(number), RESIDUAL / GRID, false, a.fast_norm, a.fast_norm_eps);
                sent();
                if (codebook == CODEBOOKS - 1 && program > 0) return;  // the first one makes the next frame's input
                code = draw<RESIDUAL>(room(number - 1), number - 1, codebook);
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
        stamp(Step::ENDED);
    }
};

KERNEL draw_frame(const Arguments *given) {
    Shared &s = *(Shared *)shared_memory();
    const Arguments &a = s.arguments;
    const int thread = thread_number();
    if (!given->layers) return;  // to see whether it starts
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
    Program(a, s).run();
}
