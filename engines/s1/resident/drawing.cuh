// Sample a code from its logits. Every program samples it redundantly.

struct Drawing : Attention {
    using Attention::Attention;

    // Return the highest level over all threads; called once per sample.
    DEVICE float highest(float level) {
        level = warp_max(level);
        if (lane == 0) s.levels[warp] = level;
        together();
        return warp_max(s.levels[lane % WARPS]);
    }

    // Return the highest goal over all threads (for equal goals, the lowest code) with its level, and the sum.
    DEVICE Best best(Best mine) {
        mine = warp_best(mine);
        Best *of_warps = s.best[reductions++ % 2];
        if (lane == 0) of_warps[warp] = mine;
        together();
        return warp_best(lane < WARPS ? of_warps[lane] : Best{NOWHERE, NOWHERE, 0, 0x7fffffff});
    }

    DEVICE Best warp_best(Best mine) {
        const float goal = warp_max(mine.goal);
        const int code = warp_min(mine.goal == goal ? mine.code : 0x7fffffff);
        return {goal, warp_max(mine.goal == goal && mine.code == code ? mine.level : NOWHERE), warp_sum<32>(mine.sum), code};
    }

    // Sample a code from its logits, like sampling.py and noise.py. The sampled code counts if the total probability of the codes that
    // are at least as likely is within the nucleus. Otherwise it and all less likely codes are excluded, and the rest is sampled again.
    template <int CHOICES>
    DEVICE int draw(const Entry *logits, u32 which, int codebook) {
        constexpr int EACH = (CHOICES + THREADS - 1) / THREADS, AGES = CHOICES == SEMANTIC + 1 ? 1 : WINDOW;
        const i64 frame = a.numbers[0], seed = a.seeds[0];
        const i64 *history = a.recent + codebook * WINDOW;
        const float penalty = a.penalty[0], sharpness = 1.0f / larger(a.temperature[0], 1e-5f), top_p = a.top_p[0];
        u32 key = mix((u32)seed);
        key = mix((u32)(seed >> 32) + key);
        key = mix(key + (u32)(frame + 1) * GOLDEN);
        key = mix(key + (u32)(codebook + 1) * GOLDEN);
        // Work that needs no logits comes first: a bit for each of this thread's codes that is recent, and their noise.
        static_assert(EACH <= 32);
        i64 oldest = AGES == 1 ? WINDOW - (frame - 1) : 0;
        oldest = oldest < 0 ? 0 : oldest > WINDOW - AGES ? WINDOW - AGES : oldest;
        const bool known = frame > (AGES == 1);
        u32 recently = 0;
#pragma unroll
        for (int age = 0; age < AGES; age++) {
            int past = (int)history[oldest + age];
            if (known && past % THREADS == thread) recently |= 1u << past / THREADS;
        }
        float level[EACH], goal[EACH];
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            u32 code = thread + i * THREADS;
            goal[i] = -logarithm(((float)(mix(key + (code + 1) * GOLDEN) >> 9) + 0.5f) / 8388608.0f);  // the noise; becomes the goal below
        }
        u32 bits[EACH];
        receive(which, bits, [&](int i) { return thread + i * THREADS < CHOICES ? logits + thread + i * THREADS : nullptr; });
        float top = NOWHERE;
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            if (thread + i * THREADS >= CHOICES) continue;
            level[i] = as_float(bits[i]);
            if (recently >> i & 1) level[i] = level[i] < 0 ? level[i] * penalty : quotient(level[i], penalty);
            top = larger(top, level[i]);
        }
        top = highest(top);
        Best mine = {-1, NOWHERE, 0, 0x7fffffff};
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            int code = thread + i * THREADS;
            if (code >= CHOICES) continue;
            mine.sum += exponential(level[i] - top);
            goal[i] = quotient(exponential((level[i] - top) * sharpness), goal[i]);
            if (goal[i] > mine.goal) mine.goal = goal[i], mine.level = level[i], mine.code = code;
        }
        Best chosen = best(mine);
        const float nucleus = top_p * chosen.sum;
        while (chosen.level < top) {  // the most likely code is always within the nucleus
            mine = {-1, NOWHERE, 0, 0x7fffffff};
#pragma unroll
            for (int i = 0; i < EACH; i++) {
                if (thread + i * THREADS >= CHOICES) continue;
                if (level[i] >= chosen.level) mine.sum += exponential(level[i] - top);
                if (level[i] > chosen.level && goal[i] > mine.goal)
                    mine.goal = goal[i], mine.level = level[i], mine.code = thread + i * THREADS;
            }
            Best rest = best(mine);
            if (!(rest.sum > nucleus && rest.level > chosen.level)) break;  // also ends the loop for NaN
            chosen.level = rest.level, chosen.code = rest.code;
        }
        stamp(Step::DRAWN);
        return chosen.code < CHOICES ? chosen.code : CHOICES - 1;
    }
};
