// A code from its logits, which every program draws for itself.

struct Drawing : Attention {
    using Attention::Attention;

    // Over all threads: the highest goal, of equal ones the lowest code, with its level; and the sum.
    DEVICE Best best(Best mine) {
        mine = warp_best(mine);
        Best *of_warps = s.best[reductions++ % 4];
        if (lane == 0) of_warps[warp] = mine;
        together();
        return warp_best(lane < WARPS ? of_warps[lane] : Best{NOWHERE, NOWHERE, 0, 0x7fffffff});
    }

    DEVICE Best warp_best(Best mine) {
#pragma unroll 1
        for (int apart = 1; apart < 32; apart *= 2) {
            Best other = {across(mine.goal, apart), across(mine.level, apart), across(mine.sum, apart), (int)across_bits(mine.code, apart)};
            float sum = mine.sum + other.sum;
            if (other.goal > mine.goal || (other.goal == mine.goal && other.code < mine.code)) mine = other;
            mine.sum = sum;
        }
        return mine;
    }

    // A code from its logits, as sampling.py and noise.py choose: the winner of the draw counts if the mass of what is at least as
    // likely is within the nucleus; if not, it and all that is less likely is out, and the draw is repeated among the rest.
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
        int past[AGES];
        int known = 0;  // how many entries of `past` count
        if (AGES == 1) {
            i64 oldest = WINDOW - (frame - 1);
            oldest = oldest < 0 ? 0 : oldest > WINDOW - 1 ? WINDOW - 1 : oldest;
            past[0] = (int)history[oldest];
            known = frame > 1 ? 1 : 0;
        } else {
#pragma unroll
            for (int age = 0; age < AGES; age++) past[age] = (int)history[age];
            known = frame > 0 ? AGES : 0;
        }
        u32 bits[EACH];
        receive(which, bits, [&](int i) { return thread + i * THREADS < CHOICES ? logits + thread + i * THREADS : nullptr; });
        float level[EACH], goal[EACH];
        Best mine = {NOWHERE, NOWHERE, 0, 0};
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            int code = thread + i * THREADS;
            if (code >= CHOICES) continue;
            level[i] = as_float(bits[i]);
            bool recently = false;
#pragma unroll
            for (int age = 0; age < AGES; age++) recently |= age < known && past[age] == code;
            if (recently) level[i] = level[i] < 0 ? level[i] * penalty : quotient(level[i], penalty);
            mine.goal = larger(mine.goal, level[i]);
        }
        const float top = best(mine).goal;
        mine = {-1, NOWHERE, 0, 0x7fffffff};
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            int code = thread + i * THREADS;
            if (code >= CHOICES) continue;
            float noise = -logarithm(((float)(mix(key + (u32)(code + 1) * GOLDEN) >> 9) + 0.5f) / 8388608.0f);
            float likely = exponential(level[i] - top);
            goal[i] = quotient(exponential((level[i] - top) * sharpness), noise);
            mine.sum += likely;
            if (goal[i] > mine.goal) mine.goal = goal[i], mine.level = level[i], mine.code = code;
        }
        Best chosen = best(mine);
        const float nucleus = top_p * chosen.sum;
        while (chosen.level < top) {  // the likeliest one is always within
            mine = {-1, NOWHERE, 0, 0x7fffffff};
#pragma unroll
            for (int i = 0; i < EACH; i++) {
                if (thread + i * THREADS >= CHOICES) continue;
                if (level[i] >= chosen.level) mine.sum += exponential(level[i] - top);
                if (level[i] > chosen.level && goal[i] > mine.goal)
                    mine.goal = goal[i], mine.level = level[i], mine.code = thread + i * THREADS;
            }
            Best rest = best(mine);
            if (!(rest.sum > nucleus && rest.level > chosen.level)) break;  // nor goes it on for what is no number
            chosen.level = rest.level, chosen.code = rest.code;
        }
        stamp(10);
        return chosen.code < CHOICES ? chosen.code : CHOICES - 1;
    }
};
