// What frame.cu needs of a GPU, on a CPU: every GPU thread is a fiber that gives way where it would wait. Which program goes on, and
// when a copy arrives, is drawn, so that orders come about that a GPU could show as well.

#undef _FORTIFY_SOURCE  // its checks abort at a jump to another stack
#include <setjmp.h>
#include <ucontext.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

typedef std::uint16_t u16;
typedef std::uint32_t u32;
typedef long long i64;
#define DEVICE inline
#define KERNEL static void

struct alignas(8) Entry { u32 value, number; };
struct alignas(16) Entries { Entry a, b; };
struct alignas(8) Pair { float x, y; };
struct alignas(16) Quad { float a, b, c, d; };
struct alignas(16) Words { u32 a, b, c, d; };
struct Barrier { int arrivals, waited, phase; i64 bytes; };

namespace emulated {

constexpr int THREADS_ALL = (WARPS + 1) * 32;

struct Meeting {
    int count = 0, generation = 0;
};
struct Warp {
    Meeting meeting;
    u32 values[32], factors[32][6];
};
struct Copy {
    void *to;
    const void *from;
    u32 bytes;
    Barrier *barrier;
};
struct Fiber {
    ucontext_t context;  // start of the fiber
    jmp_buf place;       // where the fiber continues; unlike swapcontext, a jump makes no system call
    bool begun = false;
    std::unique_ptr<char[]> stack;
    int program, thread;
    bool ended = false;
    const int *awaited = nullptr;  // it goes on once this is no longer what it was
    int was = 0;
    bool ready() const { return !ended && (!awaited || *awaited != was); }
};
struct Block {
    Meeting computing, all;
    Warp warps[WARPS + 1];
    std::unique_ptr<char, decltype(&std::free)> memory{nullptr, std::free};
};

std::vector<Fiber> fibers;
std::vector<Block> programs;
std::vector<Copy> copies;
std::mt19937 drawn;
Fiber *current;
jmp_buf scheduler;
i64 polls;  // since anything was put

inline void give_way() {
    if (!_setjmp(current->place)) _longjmp(scheduler, 1);
}
inline void resume() {
    if (_setjmp(scheduler)) return;
    if (current->begun) _longjmp(current->place, 1);
    current->begun = true;
    setcontext(&current->context);
}
inline void await(const int *value, int is) {
    current->awaited = value, current->was = is;
    if (*value == is) give_way();
    current->awaited = nullptr;
}
inline void meet(Meeting &meeting, int expected) {
    int generation = meeting.generation;
    if (++meeting.count == expected)
        meeting.count = 0, meeting.generation++;
    else
        await(&meeting.generation, generation);
}
inline void turn_phase(Barrier *barrier) {
    if (barrier->waited == 0 && barrier->bytes == 0) barrier->phase ^= 1, barrier->waited = barrier->arrivals;
}
// Every lane's value, to every lane.
inline void told(u32 value, u32 (&values)[32]) {
    Warp &warp = programs[current->program].warps[current->thread / 32];
    warp.values[current->thread % 32] = value;
    meet(warp.meeting, 32);
    memcpy(values, warp.values, sizeof values);
    meet(warp.meeting, 32);
}

}  // namespace emulated

inline float as_float(u32 bits) { float value; memcpy(&value, &bits, 4); return value; }
inline u32 as_bits(float value) { u32 bits; memcpy(&bits, &value, 4); return bits; }
inline u32 rounded(float value) {
    u32 bits = as_bits(value);
    return std::isnan(value) ? 0x7fff : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}
inline u32 paired(float even, float odd) { return rounded(even) | rounded(odd) << 16; }
inline float inverse_root(float x) { return 1 / std::sqrt(x); }
inline float exponential(float x) { return std::exp(x); }
inline float logarithm(float x) { return std::log(x); }
inline float quotient(float a, float b) { return a / b; }
inline float larger(float a, float b) { return a > b ? a : b; }

inline int thread_number() { return emulated::current->thread; }
inline int warp_number() { return emulated::current->thread / 32; }
inline int program_number() { return emulated::current->program; }
inline char *shared_memory() { return emulated::programs[emulated::current->program].memory.get(); }
inline i64 ticks() { return 0; }
inline void pause(u32) { emulated::polls++, emulated::give_way(); }
inline Entry get(const Entry *at) { return *at; }
inline Entries get_two(const Entry *at) { return Entries{at[0], at[1]}; }
inline void put(Entry *at, u32 value, u32 number) { *at = Entry{value, number}, emulated::polls = 0; }
inline void put_two(Entry *at, u32 first, u32 second, u32 number) { put(at, first, number), put(at + 1, second, number); }
inline void together() { emulated::meet(emulated::programs[emulated::current->program].computing, WARPS * 32); }
inline void all_together() { emulated::meet(emulated::programs[emulated::current->program].all, emulated::THREADS_ALL); }
inline void warp_together() { emulated::meet(emulated::programs[emulated::current->program].warps[emulated::current->thread / 32].meeting, 32); }
inline float from_lane(float value, int lane) {
    u32 values[32];
    emulated::told(as_bits(value), values);
    return as_float(values[lane]);
}
inline float across(float value, int apart) { return from_lane(value, emulated::current->thread % 32 ^ apart); }
inline float warp_above(float value) { return from_lane(value, std::min(emulated::current->thread % 32 + 1, 31)); }
inline int warp_min(int value) {
    u32 values[32];
    emulated::told(value, values);
    return *std::min_element((int *)values, (int *)values + 32);
}
// Over the lanes that differ from this one in `bits` alone, in the order in which a GPU's lanes add up.
inline float over(float value, int bits, bool adding) {
    u32 told[32];
    float values[32], next[32];
    emulated::told(as_bits(value), told);
    for (int i = 0; i < 32; i++) values[i] = as_float(told[i]);
    for (int apart = 16; apart > 0; apart /= 2) {
        if (!(bits & apart)) continue;
        for (int i = 0; i < 32; i++) next[i] = adding ? values[i] + values[i ^ apart] : larger(values[i], values[i ^ apart]);
        memcpy(values, next, sizeof values);
    }
    return values[emulated::current->thread % 32];
}
template <int LANES>
inline float warp_sum(float value) { return over(value, LANES - 1, true); }
inline float across_pairs(float value) { return over(value, 30, true); }
inline float half_max(float value) { return over(value, 15, false); }
inline float warp_max(float value) { return over(value, 31, false); }

inline float half_of(u32 pair, int which) { return as_float(which ? pair & 0xffff0000u : pair << 16); }
inline void tensor(float (&sums)[4], u32 a0, u32 a1, u32 a2, u32 a3, u32 b0, u32 b1) {
    emulated::Warp &warp = emulated::programs[emulated::current->program].warps[emulated::current->thread / 32];
    const int lane = emulated::current->thread % 32;
    const u32 mine[6] = {a0, a1, a2, a3, b0, b1};
    memcpy(warp.factors[lane], mine, sizeof mine);
    emulated::meet(warp.meeting, 32);
    for (int i = 0; i < 4; i++) {
        int row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
        for (int k = 0; k < 16; k++) {  // which lane has (row, k) of the first factor and (k, column) of the second
            int q = k % 8 / 2, upper = k / 8;
            float a = half_of(warp.factors[row % 8 * 4 + q][row / 8 + 2 * upper], k % 2);
            float b = half_of(warp.factors[column * 4 + q][4 + upper], k % 2);
            sums[i] += a * b;
        }
    }
    emulated::meet(warp.meeting, 32);
}

inline void begin(Barrier *barrier, u32 arrivals) { *barrier = Barrier{(int)arrivals, (int)arrivals, 0, 0}; }
inline void barriers_begun() {}
inline void arrive(Barrier *barrier) { barrier->waited--; emulated::turn_phase(barrier); }
inline void expect(Barrier *barrier, u32 bytes) {
    barrier->bytes += bytes;
    arrive(barrier);
}
inline void wait(Barrier *barrier, u32 phase) {
    emulated::await(&barrier->phase, (int)phase);
}
typedef int Policy;
inline Policy kept(int hundredths) { return hundredths; }
inline void copy(void *to, const void *from, u32 bytes, Barrier *barrier, Policy) {
    if (bytes % 16 || (std::uintptr_t)to % 16 || (std::uintptr_t)from % 16) std::abort();
    emulated::copies.push_back({to, from, bytes, barrier});
}
