#include "emulated.hpp"

#include "layout.cuh"
#include "ring.cuh"
#include "exchange.cuh"
#include "products.cuh"
#include "attention.cuh"
#include "drawing.cuh"
#include "frame.cu"

static const Arguments *arguments;

static void begin_fiber() {
    draw_frame(arguments);
    emulated::current->ended = true;
    emulated::give_way();
}

// Run the kernel once. 0, or 1 where it went on no more.
extern "C" int run(const Arguments *given, unsigned seed) {
    using namespace emulated;
    constexpr int STACK = 64 << 10;
    arguments = given, drawn.seed(seed), polls = 0;
    fibers = std::vector<Fiber>(GRID * THREADS_ALL);
    programs = std::vector<Block>(GRID);
    copies.clear();
    for (int i = 0; i < GRID * THREADS_ALL; i++) {
        Fiber &fiber = fibers[i];
        fiber.program = i / THREADS_ALL, fiber.thread = i % THREADS_ALL;
        fiber.stack.reset(new char[STACK]);
        getcontext(&fiber.context);
        fiber.context.uc_stack.ss_sp = fiber.stack.get(), fiber.context.uc_stack.ss_size = STACK;
        makecontext(&fiber.context, begin_fiber, 0);
    }
    for (auto &program : programs) {
        program.memory.reset((char *)std::aligned_alloc(128, (sizeof(Shared) + 127) / 128 * 128));
        memset(program.memory.get(), 0xff, sizeof(Shared));  // not a number, whatever is read before it is written
    }
    std::vector<i64> asleep_until(GRID * (WARPS + 1));
    i64 picks = 0;
    for (int left = GRID * THREADS_ALL; left > 0;) {
        if (!copies.empty() && drawn() % 4 == 0) {
            int which = drawn() % copies.size();
            Copy copy = copies[which];
            copies.erase(copies.begin() + which);
            memcpy(copy.to, copy.from, copy.bytes);
            copy.barrier->bytes -= copy.bytes;
            turn_phase(copy.barrier);
        }
        // A warp goes on for a while, most often to where it waits for others.
        int warp = drawn() % (GRID * (WARPS + 1)), first = warp * 32;
        if (++picks < asleep_until[warp]) continue;
        if (drawn() % 64 == 0) asleep_until[warp] = picks + drawn() % 8192;
        for (int rounds = 1 << drawn() % 5; rounds > 0; rounds--) {
            bool going = false;
            for (int lane = 0; lane < 32; lane++) {
                Fiber &fiber = fibers[first + lane];
                if (!fiber.ready()) continue;
                going = true;
                current = &fiber;
                resume();
                left -= fiber.ended;
            }
            if (!going) break;
        }
        if (polls > 300'000'000) return 1;
    }
    return 0;
}

extern "C" int arguments_bytes() { return sizeof(Arguments); }
