// The GPU primitives of frame.cu (compute capability 9.0 and later).

typedef unsigned short u16;
typedef unsigned int u32;
typedef long long i64;
#define DEVICE __device__ __forceinline__
#define KERNEL extern "C" __global__ void __launch_bounds__((WARPS + 1) * 32, 1)

struct alignas(8) Entry { u32 value, number; };
struct alignas(16) Entries { Entry a, b; };
struct alignas(8) Pair { float x, y; };
struct alignas(16) Quad { float a, b, c, d; };
struct alignas(16) Words { u32 a, b, c, d; };
struct alignas(8) Barrier { unsigned long long state; };

constexpr u32 TRIES_MOST = 1u << 26;  // about half a minute: a value that has not arrived by then never will

DEVICE float as_float(u32 bits) { return __uint_as_float(bits); }
DEVICE u32 as_bits(float value) { return __float_as_uint(value); }
DEVICE u32 paired(float even, float odd) {  // as bfloat16
    u32 pair;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(odd), "f"(even));
    return pair;
}
DEVICE float inverse_root(float x) { return rsqrtf(x); }
DEVICE float exponential(float x) { return __expf(x); }
DEVICE float logarithm(float x) { return logf(x); }  // the fast logarithm is too inaccurate near one
DEVICE float quotient(float a, float b) { return __fdividef(a, b); }
DEVICE float larger(float a, float b) { return fmaxf(a, b); }

DEVICE int thread_number() { return threadIdx.x; }
DEVICE int warp_number() { return __shfl_sync(0xffffffffu, threadIdx.x / 32, 0); }  // uniform over the lanes, so that the compiler knows
DEVICE int program_number() { return blockIdx.x; }
DEVICE char *shared_memory() {
    extern __shared__ __align__(128) char memory[];
    return memory;
}

DEVICE i64 ticks() { return clock64(); }
DEVICE void pause(u32 tries) { if (tries > TRIES_MOST) __trap(); }
// A value and its number are written and read atomically.
DEVICE Entry get(const Entry *at) {
    unsigned long long both;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(both) : "l"(at) : "memory");
    return Entry{(u32)both, (u32)(both >> 32)};
}
DEVICE Entries get_two(const Entry *at) {
    unsigned long long first, second;
    asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];" : "=l"(first), "=l"(second) : "l"(at) : "memory");
    return Entries{{(u32)first, (u32)(first >> 32)}, {(u32)second, (u32)(second >> 32)}};
}
DEVICE void put(Entry *at, u32 value, u32 number) {
    unsigned long long both = (unsigned long long)number << 32 | value;
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(at), "l"(both) : "memory");
}

DEVICE void put_two(Entry *at, u32 first, u32 second, u32 number) {
    unsigned long long a = (unsigned long long)number << 32 | first, b = (unsigned long long)number << 32 | second;
    asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(at), "l"(a), "l"(b) : "memory");
}

// Barriers of the computing threads, of all threads, and of a warp.
DEVICE void together() { asm volatile("bar.sync 1, %0;" ::"n"(WARPS * 32) : "memory"); }
DEVICE void all_together() { __syncthreads(); }
DEVICE void warp_together() { __syncwarp(); }
DEVICE float across(float value, int apart) { return __shfl_xor_sync(0xffffffffu, value, apart); }
DEVICE float warp_above(float value) { return __shfl_down_sync(0xffffffffu, value, 1); }
template <int LANES>
DEVICE float warp_sum(float value) {  // over each LANES adjacent lanes
#pragma unroll
    for (int apart = LANES / 2; apart > 0; apart /= 2) value += across(value, apart);
    return value;
}
DEVICE float across_pairs(float value) {  // over the even and over the odd lanes
#pragma unroll
    for (int apart = 16; apart > 1; apart /= 2) value += across(value, apart);
    return value;
}
DEVICE float half_max(float value) {  // over each 16 adjacent lanes
#pragma unroll
    for (int apart = 8; apart > 0; apart /= 2) value = larger(value, across(value, apart));
    return value;
}
DEVICE int warp_min(int value) { return __reduce_min_sync(0xffffffffu, value); }
DEVICE int ordered(u32 bits) { return (int)bits ^ ((int)bits >> 31 & 0x7fffffff); }  // maps a float's bits to an integer of equal order, and back
DEVICE float warp_max(float value) { return as_float(ordered(__reduce_max_sync(0xffffffffu, ordered(as_bits(value))))); }

// Add a 16 by 16 matrix times a 16 by 8 matrix to sums: bfloat16 in pairs, in the lane layout of mma.m16n8k16.
DEVICE void tensor(float (&sums)[4], u32 a0, u32 a1, u32 a2, u32 a3, u32 b0, u32 b1) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

// A barrier in shared memory that also counts the bytes of copies.
DEVICE u32 address(const void *shared) { return (u32)__cvta_generic_to_shared(shared); }
DEVICE void begin(Barrier *barrier, u32 arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(barrier)), "r"(arrivals) : "memory");
}
DEVICE void barriers_begun() { asm volatile("fence.mbarrier_init.release.cluster; fence.proxy.async.shared::cta;" ::: "memory"); }
DEVICE void arrive(Barrier *barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address(barrier)) : "memory");
}
DEVICE void expect(Barrier *barrier, u32 bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(barrier)), "r"(bytes) : "memory");
}
DEVICE void wait(Barrier *barrier, u32 phase) {
    for (u32 tries = 0, done = 0; !done; tries++) {
        asm volatile(
            "{ .reg .pred done; mbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2; selp.u32 %0, 1, 0, done; }"
            : "=r"(done)
            : "r"(address(barrier)), "r"(phase)
            : "memory");
        pause(tries);
    }
}
// Return a cache policy of the L2 cache: this percentage is evicted last, the rest first.
typedef unsigned long long Policy;
DEVICE Policy kept(int hundredths) {
    Policy policy;
    if (hundredths == 0)
        asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    else
        asm("createpolicy.fractional.L2::evict_last.L2::evict_first.b64 %0, %1;" : "=l"(policy) : "f"(hundredths / 100.0f));
    return policy;
}
DEVICE void copy(void *to, const void *from, u32 bytes, Barrier *barrier, Policy policy) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, [%3], %4;" ::"r"(
            address(to)),
        "l"(from), "r"(bytes), "r"(address(barrier)), "l"(policy)
        : "memory");
}
