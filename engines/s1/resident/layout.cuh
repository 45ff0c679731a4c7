// The kernel's arguments, its memory layout, and conversions to bfloat16.

struct Layer {  // addresses of bfloat16 matrices in row-major order
    const u16 *wqkv, *wo, *w1, *w3, *w2, *attention_norm, *feed_forward_norm, *q_norm, *k_norm;
};

struct Arguments {
    const Layer *layers, *fast_layers;                    // LAYERS, FAST_LAYERS
    const u16 *head, *norm, *fast_head, *fast_norm;       // (SEMANTIC + 1, DIM), (DIM), (RESIDUAL, DIM), (DIM)
    const u16 *embeddings, *codebook_embeddings;  // (SEMANTIC, DIM) of the semantic tokens, (CODEBOOKS * CODEBOOK_SIZE, DIM)
    const u16 *fast_embeddings;                           // (CODEBOOK_SIZE, DIM)
    const float *table, *fast_table;                      // (length, HEAD / 2, 2), (CODEBOOKS, FAST_HEAD / 2, 2)
    u16 *cache;  // of layer 0, row 0: keys (KV_HEADS, length, HEAD), then values
    i64 layer_stride, value_offset, head_stride;          // of the cache, in elements
    u16 *pending;                                         // (DIM)
    i64 *positions, *seeds, *numbers, *recent, *drawn;    // of the row; recent (CODEBOOKS, WINDOW), drawn (CODEBOOKS)
    const float *temperature, *top_p, *penalty;
    Entry *exchange, *semantic;  // TURNS * TURN and SEMANTIC + 1 entries, initially zero
    u32 *sequence;  // the number of the next exchange, initially 1
    float norm_eps, fast_norm_eps, scale, fast_scale, shrink;
    i64 length;
    i64 *stamps;  // end times of the steps of program 0, if recorded
};

constexpr int THREADS = WARPS * 32;  // that compute; one more warp copies
constexpr int CHUNK = WARPS * SEGMENT;  // inputs of each row in a slot of the ring
constexpr int SLOT = ROWS * CHUNK;         // numbers in a slot
constexpr int SPLITS = GRID / KV_HEADS;    // shares of a key head's cache
constexpr int GROUP = HEADS / KV_HEADS;
constexpr int POSITIONS = SLOT / HEAD / 2; // positions whose keys and values fit into a slot
constexpr int WINDOW = PENALTY_WINDOW;     // of engines/s1/constants.py
constexpr u32 GOLDEN = NOISE_INCREMENT;    // of engines/s1/constants.py
constexpr float NOWHERE = -1e30f;  // a score below all others, whose differences are still finite
constexpr int QKV = (HEADS + 2 * KV_HEADS) * HEAD, FAST_QKV = (FAST_HEADS + 2 * FAST_KV_HEADS) * FAST_HEAD;
constexpr int FAST_KEYS = FAST_KV_HEADS * FAST_HEAD;
DEVICE constexpr int most(int a, int b) { return a > b ? a : b; }
constexpr int COLUMNS = HEAD / 2, PARTS = THREADS / COLUMNS;  // pairs of a head's dimensions, and threads per pair
constexpr int INPUTS_MOST = most(most(DIM, HEADS * HEAD), most(MIDDLE, FAST_MIDDLE));
constexpr int SHARES = HEADS * SPLITS * HEAD;  // entries of attention's sums; each share's mass and highest score follow
static_assert(TURN >= most(most(INPUTS_MOST, most(QKV, FAST_QKV)) / 2, RESIDUAL) && TURN >= SHARES + 2 * HEADS * SPLITS);
constexpr int ROWS_MOST = most(most(QKV / GRID, 2 * MIDDLE / GRID), most(2 * FAST_MIDDLE / GRID, SEMANTIC / GRID + ROWS));

static_assert(DIM % CHUNK == 0 && MIDDLE % CHUNK == 0 && FAST_MIDDLE % CHUNK == 0 && HEADS * HEAD % CHUNK == 0);
static_assert(QKV % (ROWS * GRID) == 0 && DIM % (ROWS * GRID) == 0);
static_assert(MIDDLE % (ROWS * GRID) == 0 && FAST_MIDDLE % (ROWS * GRID) == 0 && FAST_QKV % (ROWS * GRID) == 0);
static_assert(SEMANTIC % (ROWS * GRID) == 0 && RESIDUAL % (ROWS * GRID) == 0 && HEADS * HEAD % (2 * GRID) == 0);
static_assert(GRID % KV_HEADS == 0 && SPLITS <= 16 && WARPS >= GROUP + 2);
static_assert(HEAD % 8 == 0 && HEAD <= 128 && THREADS % COLUMNS == 0);
static_assert(FAST_HEADS == 2 * FAST_KV_HEADS && FAST_HEAD == 64 && SEGMENT == 2 * FAST_HEAD && FAST_KV_HEADS == WARPS && CODEBOOKS <= 16);
static_assert(SLOT % (2 * HEAD) == 0 && POSITIONS <= 32 && SLOTS >= BATCH && 0 < AHEAD && AHEAD <= SLOTS && TURNS >= 4);

// The step whose end a stamp records, in the order of STEPS in bench/s1_resident.py.
enum class Step { BEGUN, INPUTS, PRODUCTS, PUBLISHED, TOKEN, ATTENDED, JOINED, KEYS, FAST_ATTENDED, LOGITS, DRAWN, ENDED };

// The best of some codes, and a sum over all of them.
struct Best {
    float goal, level, sum;
    int code;
};

struct Shared {
    alignas(128) u16 ring[SLOTS][SLOT];
    alignas(16) u16 fast_cache[FAST_LAYERS][CODEBOOKS][2][FAST_KEYS];
    union {
        alignas(128) float x[INPUTS_MOST];  // a product's inputs, see `at`
        struct {
            float token[GROUP + 2][HEAD];  // the queries, key and value of a key head
            float scores[2][GROUP][POSITIONS], sums[PARTS][GROUP][HEAD], masses[PARTS][GROUP];
        } slow;                              // attention
        struct {
            float inputs[CHUNK], shares[WARPS][2][16];  // first the queries, then the results; each position's share of a head
        } fast;
    };
    Arguments arguments;
    Layer layers[LAYERS + FAST_LAYERS];
    alignas(16) float parts[2][ROWS_MOST][WARPS];  // sums of each warp, for alternating products
    float squares[2][WARPS];  // sums of their inputs' squares
    Best best[2][WARPS];
    float levels[WARPS];
    int codes[CODEBOOKS];
    alignas(4) float residual[DIM / GRID];
    Barrier full[SLOTS], empty[SLOTS];
};

struct alignas(8) Two {
    u32 a, b;
};

static_assert(sizeof(Shared) <= SHARED);

// Return the index of input k of a product: each 32 inputs as bfloat16, then their rounding errors.
DEVICE int at(int k) { return (k >> 5) * 64 + (k & 31); }

DEVICE float low(u32 pair) { return as_float(pair << 16); }
DEVICE float high(u32 pair) { return as_float(pair & 0xffff0000u); }
DEVICE float held(float value) { return low(paired(value, 0)); }  // rounded to bfloat16

// Store four inputs from k on; k is a multiple of four.
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
