"""Triton's sampling kernel of a decode step."""

# Triton compiles these functions, so Python's types do not describe them.
# mypy: ignore-errors

import triton
import triton.language as tl

from engines.codec_lm import constants
from engines.codec_lm.kernels import begin, wait

WINDOW = tl.constexpr(constants.WINDOW)
GOLDEN = tl.constexpr(constants.GOLDEN)


@triton.jit
def mixed(x):
    x = (x ^ (x >> 16)) * 0x85EBCA6B
    x = (x ^ (x >> 13)) * 0xC2B2AE35
    return x ^ (x >> 16)


@triton.jit(do_not_specialize=["codebook"])
def draw(
    logits, recent, numbers, seeds, temperatures, top_ps, penalties, drawn, embeddings, following,
    choices, codebook, following_stride, codebooks, dim,
    PADDED: tl.constexpr, DIM_PADDED: tl.constexpr, SEMANTIC: tl.constexpr, OVERLAP: tl.constexpr,
):  # fmt: skip
    """Sample a row's code from its (choices,) logits, like sampling.py and noise.py, and write its embedding.

    One program: one row. Nothing is sorted. The sampled code counts if the total probability of the codes that are at least as
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
    level = tl.where(recently & inside, tl.where(level < 0, level * penalty, level / penalty), level)

    seed = tl.load(seeds + row)
    key = mixed(seed.to(tl.uint32))
    key = mixed((seed >> 32).to(tl.uint32) + key)
    key = mixed(key + (number + 1).to(tl.uint32) * GOLDEN)
    key = mixed(key + (codebook + 1).to(tl.uint32) * GOLDEN)
    bits = mixed(key + (i + 1).to(tl.uint32) * GOLDEN) >> 9
    noise = -tl.log((bits.to(tl.float32) + 0.5) / 8388608.0)

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
