"""Triton's sampling kernels of a decode step. They find the nucleus without sorting."""

# Triton compiles these functions, so Python's types do not describe them.
# mypy: ignore-errors

import triton
import triton.language as tl

from engines.codec_lm import constants
from engines.codec_lm.kernels import begin, wait

WINDOW = tl.constexpr(constants.WINDOW)
GOLDEN = tl.constexpr(constants.GOLDEN)
BISECTIONS = tl.constexpr(32)


@triton.jit
def _mixed(x):
    x = (x ^ (x >> 16)) * 0x85EBCA6B
    x = (x ^ (x >> 13)) * 0xC2B2AE35
    return x ^ (x >> 16)


@triton.jit
def _noise(seed, number, codebook, i):
    """Return noise `i` of a codebook in step `number`, like noise.py."""
    key = _mixed(seed.to(tl.uint32))
    key = _mixed((seed >> 32).to(tl.uint32) + key)
    key = _mixed(key + (number + 1).to(tl.uint32) * GOLDEN)
    key = _mixed(key + (codebook + 1).to(tl.uint32) * GOLDEN)
    bits = _mixed(key + (i + 1).to(tl.uint32) * GOLDEN) >> 9
    return -tl.log((bits.to(tl.float32) + 0.5) / 8388608.0)


@triton.jit
def _penalised(level, recently, penalty):
    return tl.where(recently, tl.where(level < 0, level * penalty, level / penalty), level)


@triton.jit(do_not_specialize=["codebook"])
def draw(
    logits, recent, numbers, seeds, temperatures, top_ps, penalties, drawn, embeddings, following,
    choices, codebook, following_stride, codebooks, dim,
    PADDED: tl.constexpr, DIM_PADDED: tl.constexpr, SEMANTIC: tl.constexpr, OVERLAP: tl.constexpr,
):  # fmt: skip
    """Sample a row's code from its (choices,) logits, like sampling.py and noise.py, and write its embedding.

    One program: one row. The sampled code counts if the total probability of the codes that are at least as
    likely is within the nucleus. Otherwise it and all less likely codes are excluded, and the rest is sampled again.
    """
    begin(OVERLAP)
    wait(OVERLAP)
    row = tl.program_id(0)
    i = tl.arange(0, PADDED)
    inside = i < choices
    level = tl.load(logits + row * choices + i, mask=inside, other=-float("inf"))
    number = tl.load(numbers + row)
    history = recent + (row * codebooks + codebook) * WINDOW
    penalty, temperature, top_p = tl.load(penalties + row), tl.load(temperatures + row), tl.load(top_ps + row)

    if SEMANTIC:
        oldest = tl.minimum(tl.maximum(WINDOW - (number - 1), 0), WINDOW - 1)
        recently = (i == tl.load(history + oldest)) & (number > 1)
    else:
        recently = i < 0
        for age in tl.static_range(WINDOW):
            recently |= i == tl.load(history + age)
        recently &= number > 0
    level = _penalised(level, recently & inside, penalty)
    noise = _noise(tl.load(seeds + row), number, codebook, i)

    top = tl.max(level)
    likely = tl.exp(level - top)
    nucleus = top_p * tl.sum(likely)
    goal = tl.exp((level - top) / tl.maximum(temperature, 1e-5)) / noise
    code = tl.argmax(goal, 0)
    reached = tl.sum(tl.where(i == code, level, 0.0))
    while (reached < top) & (tl.sum(tl.where(level >= reached, likely, 0.0)) > nucleus):
        code = tl.argmax(tl.where(level > reached, goal, -1.0), 0)
        reached = tl.sum(tl.where(i == code, level, 0.0))

    tl.store(drawn + row * codebooks + codebook, code.to(tl.int64))
    spoken = tl.minimum(code, choices - 2) if SEMANTIC else code
    d = tl.arange(0, DIM_PADDED)
    embedding = tl.load(embeddings + spoken * dim + d, mask=d < dim, other=0.0)
    tl.store(following + row * following_stride + d, embedding, mask=d < dim)


@triton.jit(do_not_specialize=["codes", "ends", "period", "history", "length"])
def draw_token(
    logits, recent, numbers, seeds, temperatures, top_ps, penalties, embeddings, positions, pending, drawn,
    codes, ends, period, logits_stride, history, length, dim,
    TOP_K: tl.constexpr, PADDED: tl.constexpr, DIM_PADDED: tl.constexpr, HISTORY_PADDED: tl.constexpr,
    OVERLAP: tl.constexpr,
):  # fmt: skip
    """Sample a row's code like `token_step.choose`, write its embedding as the next input, and advance the row.

    One program: one row. Its logits have `codes` choices for each of `period` steps of a frame, then the ends.
    """
    begin(OVERLAP)
    wait(OVERLAP)
    row = tl.program_id(0)
    number = tl.load(numbers + row)
    step = number % period
    i = tl.arange(0, PADDED)
    inside = i < codes + ends
    place = tl.where(i < codes, step * codes + i, period * codes + i - codes)
    level = tl.load(logits + row * logits_stride + place, mask=inside, other=0.0)
    penalty = tl.load(penalties + row)
    newest = recent + row * history + history
    if penalty != 1.0:
        recently = i < 0
        for frame in range(tl.minimum(number, history) // period):
            recently |= i == tl.load(newest - (frame + 1) * period)
        level = _penalised(level, recently, penalty)
    level = tl.where(inside, level / tl.maximum(tl.load(temperatures + row), 1e-5), -float("inf"))
    below = level - tl.max(level)

    if TOP_K:
        # Find a level that exactly TOP_K codes exceed, by bisection. With equal levels, more codes remain.
        low, high = tl.maximum(tl.min(tl.where(inside, below, 0.0)) - 1.0, -1e30), 0.0
        count = codes + ends
        for _ in range(BISECTIONS):
            if count > TOP_K:
                middle = 0.5 * (low + high)
                above = tl.sum((below > middle).to(tl.int32))
                enough = above >= TOP_K
                low, high = tl.where(enough, middle, low), tl.where(enough, high, middle)
                count = tl.where(enough, above, count)
        below = tl.where(below > low, below, -float("inf"))
    likely = tl.exp(below)
    nucleus = tl.load(top_ps + row) * tl.sum(likely)
    goal = likely / _noise(tl.load(seeds + row), number, tl.full((), 0, tl.int32), i)
    code = tl.argmax(goal, 0)
    reached = tl.sum(tl.where(i == code, likely, 0.0))
    before = tl.sum(tl.where(likely > reached, likely, 0.0))
    while (before > 0.0) & (before >= nucleus):  # the first condition ends the loop also if all logits are NaN
        code = tl.argmax(tl.where(likely > reached, goal, -1.0), 0)
        reached = tl.sum(tl.where(i == code, likely, 0.0))
        before = tl.sum(tl.where(likely > reached, likely, 0.0))

    h = tl.arange(0, HISTORY_PADDED)
    later = tl.load(recent + row * history + h + 1, mask=h + 1 < history, other=0)
    position = tl.load(positions + row)
    tl.debug_barrier()  # all threads have read the row before it changes
    spoken = tl.minimum(code, codes - 1).to(tl.int64)
    tl.store(recent + row * history + h, later, mask=h + 1 < history)
    tl.store(newest - 1, spoken)
    tl.store(drawn + row, code.to(tl.int64))
    tl.store(numbers + row, number + 1)
    tl.store(positions + row, tl.minimum(position + 1, length - 1))
    d = tl.arange(0, DIM_PADDED)
    embedding = tl.load(embeddings + (step * codes + spoken) * dim + d, mask=d < dim, other=0.0)
    tl.store(pending + row * dim + d, embedding, mask=d < dim)
