// A persistent kernel that computes one frame of the dual transformer for one row, from the first layer to the last code.
//
// With hundreds of kernels per frame, launches take longer than reading the weights. Here GRID programs, one per multiprocessor,
// divide every product by rows and exchange the next inputs through memory. Every value is written together with the number of its
// exchange, so a reader recognises it without a fence or a barrier (the "LL" protocol of NVIDIA's NCCL). Weights do not depend on
// exchanges: one warp of each program copies the weights of its rows ahead into a ring in shared memory, which keeps the memory bus
// busy while the other warps wait.
//
// Programs wait for each other, so all of them must be resident at once: there are at most as many as multiprocessors, and other
// kernels on the GPU must be able to end without this one. Sizes are macros from frame.py. `primitives.cuh` has the GPU primitives;
// tests define the same names on a CPU. compiling.py gives the order of the files.

struct Program : Drawing {
    using Drawing::Drawing;

    DEVICE void layer(const Layer &layer, int number_of_layer, int first) {
        project(QKV / GRID, layer.attention_norm, a.norm_eps, number_of_layer == 0 ? a.pending : nullptr);
        attend(layer, number_of_layer, first);
        join();
        add<HEADS * HEAD>();
        feed_forward<MIDDLE>(layer.feed_forward_norm, a.norm_eps);
    }

    // A layer of the fast stack; if it is not `wanted`, only its keys and values are computed.
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
            for (int i = 0; i < FAST_LAYERS; i++) {  // the hidden state is the first token of the fast stack, each code the next one
                const u16 *row = i == 0 && codebook > 0 ? a.fast_embeddings + (i64)code * DIM : nullptr;
                fast_layer(fast[i], i, codebook, row, codebook > 0 || i < FAST_LAYERS - 1);
            }
            if (codebook == 0) {
                code = draw<SEMANTIC + 1>(a.semantic, told, 0);
            } else {
                tell(room(number), RESIDUAL / GRID, false, a.fast_norm, a.fast_norm_eps);
                sent();
                if (codebook == CODEBOOKS - 1 && program > 0) return;  // program 0 computes the next frame's input
                code = draw<RESIDUAL>(room(number - 1), number - 1, codebook);
            }
            if (thread == 0) s.codes[codebook] = code;
            code = codebook == 0 && code == SEMANTIC ? SEMANTIC - 1 : code;
        }
        together();
        advance();
    }

    // Append the generated frame to the row's state, like Decoder._advance.
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
        for (int begin = 0; begin < CODEBOOKS * WINDOW; begin += THREADS) {  // shift each codebook's history by one
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
    if (!given->layers) return;  // a test launch with empty arguments
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
