"""Triton kernels of a decode step. For a single row, a frame is bound by reading weights and launching kernels.

A product holds its weights in registers and processes the rows one after another. So each weight is read once for any batch,
and a row's result does not depend on the number of rows, up to `fused.ROWS_HELD`. Sums are in float32.
"""

# Triton compiles these functions, so Python's types do not describe them. Triton does not support unpacking.
# mypy: ignore-errors
# ruff: noqa: RUF005

import triton
import triton.language as tl
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait

from engines.s1 import constants

WINDOW = tl.constexpr(constants.WINDOW)
GOLDEN = tl.constexpr(constants.GOLDEN)
SHARE = tl.constexpr(4)  # after a share's sum: its mass, its highest score, and padding for alignment
NOWHERE = tl.constexpr(-1e30)  # a score below all others, whose differences are still finite


@triton.jit
def _begin(OVERLAP: tl.constexpr):
    """Let the next kernel start and read its weights while this one runs (programmatic dependent launch)."""
    if OVERLAP:
        gdc_launch_dependents()


@triton.jit
def _wait(OVERLAP: tl.constexpr):
    """Wait until the previous kernel has ended; before that, its outputs must not be read, nor its inputs written."""
    if OVERLAP:
        gdc_wait()


@triton.jit(do_not_specialize=["rows"])
def project(
    x, weight, gate, scale, gate_scale, norm, residual, out, rows, outputs, x_stride, residual_stride, out_stride, eps,
    INPUTS: tl.constexpr, BLOCK: tl.constexpr, CHUNK: tl.constexpr,
    NORM: tl.constexpr, GATED: tl.constexpr, SCALED: tl.constexpr, RESIDUAL: tl.constexpr, OVERLAP: tl.constexpr,
):  # fmt: skip
    """Compute out = residual + weight x, or silu(weight x) * (gate x), of x (rows, INPUTS), normalised if NORM.

    One program: BLOCK outputs of every row. int8 weights have a float32 scale per output.
    """
    _begin(OVERLAP)
    n = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = n < outputs
    lane = tl.arange(0, CHUNK)
    tiles, gates, norms = (), (), ()
    for start in tl.static_range(0, INPUTS, CHUNK):
        k = start + lane
        here = inside[:, None] & (k < INPUTS)[None, :]
        tiles = tiles + (tl.load(weight + n[:, None] * INPUTS + k[None, :], mask=here, other=0.0),)
        if GATED:
            gates = gates + (tl.load(gate + n[:, None] * INPUTS + k[None, :], mask=here, other=0.0),)
        if NORM:
            norms = norms + (tl.load(norm + k, mask=k < INPUTS, other=0.0),)
    _wait(OVERLAP)
    for row in range(rows):
        square = tl.zeros((CHUNK,), tl.float32)
        y = tl.zeros((BLOCK, CHUNK), tl.float32)
        g = tl.zeros((BLOCK, CHUNK), tl.float32)
        for chunk in tl.static_range(0, (INPUTS + CHUNK - 1) // CHUNK):
            k = chunk * CHUNK + lane
            value = tl.load(x + row * x_stride + k, mask=k < INPUTS, other=0.0).to(tl.float32)
            if NORM:
                square += value * value
                value *= norms[chunk].to(tl.float32)
            y += tiles[chunk].to(tl.float32) * value[None, :]
            if GATED:
                g += gates[chunk].to(tl.float32) * value[None, :]
        total = tl.sum(y, 1)
        gated = tl.sum(g, 1)
        if NORM:
            rate = tl.rsqrt(tl.sum(square) / INPUTS + eps)
            total *= rate
            gated *= rate
        if SCALED:
            total *= tl.load(scale + n, mask=inside, other=0.0)
            if GATED:
                gated *= tl.load(gate_scale + n, mask=inside, other=0.0)
        if GATED:
            total *= gated / (1.0 + tl.exp(-total))
        if RESIDUAL:
            total += tl.load(residual + row * residual_stride + n, mask=inside, other=0.0).to(tl.float32)
        tl.store(out + row * out_stride + n, total.to(out.dtype.element_ty), mask=inside)


@triton.jit
def _turned(heads, inside, norm, table, d, eps, SIZE: tl.constexpr, NORM: tl.constexpr):
    """Load the vectors at `heads` (n or 1, 1) as float32 (n, d), normalised and rotated by a position's angles."""
    x = tl.load(heads + d, mask=inside, other=0.0).to(tl.float32)
    partner = tl.load(heads + (d ^ 1), mask=inside, other=0.0).to(tl.float32)
    if NORM:
        rate = tl.rsqrt(tl.sum(x * x, 1) / SIZE + eps)[:, None]
        x *= rate * tl.load(norm + d, mask=d < SIZE, other=0.0).to(tl.float32)
        partner *= rate * tl.load(norm + (d ^ 1), mask=d < SIZE, other=0.0).to(tl.float32)
    cosine = tl.load(table + (d & -2), mask=d < SIZE, other=0.0)
    sine = tl.load(table + (d | 1), mask=d < SIZE, other=0.0)
    return x * cosine + tl.where(d % 2 == 0, -partner, partner) * sine


@triton.jit(do_not_specialize_on_alignment=["positions"])
def attend(
    qkv, cache, steps, positions, table, q_norm, k_norm, out, partial, arrivals,
    position_stride, value_offset, row_stride, head_stride, scale, eps,
    HEADS: tl.constexpr, KV_HEADS: tl.constexpr, SIZE: tl.constexpr, VECTOR: tl.constexpr, PADDED: tl.constexpr,
    COUNT: tl.constexpr, QUERIES: tl.constexpr, SPLITS: tl.constexpr, BLOCK: tl.constexpr, STAGES: tl.constexpr,
    NORM: tl.constexpr, SMALL: tl.constexpr, OVERLAP: tl.constexpr,
):  # fmt: skip
    """Compute grouped-query attention of COUNT new tokens a row, from `positions[row]` on, over the cache and each other.

    One program: the heads that share a key, of one token, over one share of the cache, which is read once for all of them. The
    last program to end joins the shares (Dao et al. 2023, Flash-Decoding). qkv (rows * COUNT, heads * SIZE), out
    (rows * COUNT, HEADS * SIZE); new keys and values are written to the cache. If SMALL, the cache is int8, and `steps` is the
    same memory as float32, with a scale after each vector.
    """
    _begin(OVERLAP)
    _wait(OVERLAP)
    GROUP: tl.constexpr = HEADS // KV_HEADS
    token, kv_head, split = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    row, place = token // COUNT, token % COUNT
    first = tl.load(positions + row * position_stride)
    g = tl.arange(0, QUERIES)
    d = tl.arange(0, PADDED)[None, :]
    head = kv_head * GROUP + g
    within = d < SIZE
    ours = (g < GROUP)[:, None] & within
    at_keys = row.to(tl.int64) * row_stride + kv_head * head_stride  # rows may be gigabytes apart
    keys, values = cache + at_keys, cache + at_keys + value_offset
    EACH: tl.constexpr = VECTOR // 4
    key_steps = steps + (at_keys + SIZE) // 4
    value_steps = key_steps + value_offset // 4
    kind = qkv.dtype.element_ty
    width = (HEADS + 2 * KV_HEADS) * SIZE
    line = qkv + (row * COUNT) * width
    asked = line + place * width + head[:, None] * SIZE
    query = _turned(asked, ours, q_norm, table + (first + place) * SIZE, d, eps, SIZE, NORM).to(kind)

    most = tl.full((QUERIES,), NOWHERE, tl.float32)
    mass = tl.zeros((QUERIES,), tl.float32)
    made = tl.zeros((QUERIES, PADDED), tl.float32)
    if split == 0:
        for other in tl.static_range(COUNT):
            fresh = line + other * width + (HEADS + kv_head) * SIZE
            turned = _turned(fresh, within, k_norm, table + (first + other) * SIZE, d, eps, SIZE, NORM)
            key = turned.to(kind)
            value = tl.load(fresh + KV_HEADS * SIZE + d, mask=within, other=0.0)
            if SMALL:
                held_key, key_step = _stored(key)
                held_value, value_step = _stored(value)
                tl.store(key_steps + (first + other) * EACH, key_step, mask=other == place)
                tl.store(value_steps + (first + other) * EACH, value_step, mask=other == place)
                key = (held_key.to(tl.float32) * key_step).to(kind)
                value = (held_value.to(tl.float32) * value_step).to(kind)
            else:
                held_key, held_value = key, value
            tl.store(keys + (first + other) * VECTOR + d, held_key, mask=within & (other == place))
            tl.store(values + (first + other) * VECTOR + d, held_value, mask=within & (other == place))
            score = tl.sum(query.to(tl.float32) * key.to(tl.float32), 1) * scale
            score = tl.where(other <= place, score, NOWHERE)
            higher = tl.maximum(most, score)
            shrink, weight = tl.exp(most - higher), tl.where(other <= place, tl.exp(score - higher), 0.0)
            mass = mass * shrink + weight
            made = made * shrink[:, None] + weight[:, None] * value.to(tl.float32)
            most = higher

    share = tl.cdiv(first, SPLITS * BLOCK) * BLOCK
    stop = tl.minimum((split + 1) * share, first)
    for start in tl.range(split * share, stop, BLOCK, num_stages=STAGES):
        t = start + tl.arange(0, BLOCK)
        here = (t < stop)[:, None] & within
        at = t[:, None] * VECTOR + d
        held_keys = tl.load(keys + at, mask=here, other=0.0).to(kind)
        held_values = tl.load(values + at, mask=here, other=0.0).to(kind)
        score = tl.dot(query, tl.trans(held_keys), input_precision="ieee") * scale
        if SMALL:
            score *= tl.load(key_steps + t * EACH, mask=t < stop, other=0.0)[None, :]
        score = tl.where((t < stop)[None, :], score, -float("inf"))
        higher = tl.maximum(most, tl.max(score, 1))
        shrink, weight = tl.exp(most - higher), tl.exp(score - higher[:, None])
        mass = mass * shrink + tl.sum(weight, 1)
        if SMALL:
            weight *= tl.load(value_steps + t * EACH, mask=t < stop, other=0.0)[None, :]
        made = tl.dot(weight.to(kind), held_values, made * shrink[:, None], input_precision="ieee")
        most = higher

    slot = token * HEADS + head
    if SPLITS == 1:
        tl.store(out + slot[:, None] * SIZE + d, (made / mass[:, None]).to(out.dtype.element_ty), mask=ours)
    else:
        # A share is its sum, its mass and its highest score.
        mine = partial + (slot * SPLITS + split) * (PADDED + SHARE)
        tl.store(mine[:, None] + d, made, mask=(g < GROUP)[:, None])
        tl.store(mine + PADDED, mass, mask=g < GROUP)
        tl.store(mine + PADDED + 1, most, mask=g < GROUP)
        tl.debug_barrier()  # the share must be written before the arrival is counted
        arrived = arrivals + token * KV_HEADS + kv_head
        if tl.atomic_add(arrived, 1) == SPLITS - 1:
            joined = ()
            for each in tl.static_range(GROUP):
                shares = partial + ((token * HEADS + kv_head * GROUP + each) * SPLITS + tl.arange(0, SPLITS)) * (
                    PADDED + SHARE
                )
                joined = joined + (_joined(shares[:, None], d, PADDED)[None, :],)
            for each in tl.static_range(GROUP):
                at = out + (token * HEADS + kv_head * GROUP + each) * SIZE + d
                tl.store(at, joined[each].to(out.dtype.element_ty), mask=within)
            tl.store(arrived, 0)


@triton.jit
def _stored(entries):
    """Quantise a (1, n) vector to int8 and return it with its scale, like kv_cache.py."""
    step = tl.maximum(tl.max(tl.abs(entries.to(tl.float32))), 1e-30) / 127.0
    return tl.floor(entries.to(tl.float32) / step + 0.5).to(tl.int8), step


@triton.jit
def _joined(shares, d, PADDED: tl.constexpr):
    """Join the shares that `attend` stored; read past the L1 cache, which does not see other programs' writes."""
    tops = tl.load(shares + PADDED + 1, cache_modifier=".cg")
    weight = tl.exp(tops - tl.max(tops))
    total = tl.sum(tl.load(shares + PADDED, cache_modifier=".cg") * weight)
    return tl.sum(tl.load(shares + d, cache_modifier=".cg") * weight, 0) / total


@triton.jit
def _mix(x):
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
    _begin(OVERLAP)
    _wait(OVERLAP)
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
    key = _mix(seed.to(tl.uint32))
    key = _mix((seed >> 32).to(tl.uint32) + key)
    key = _mix(key + (number + 1).to(tl.uint32) * GOLDEN)
    key = _mix(key + (codebook + 1).to(tl.uint32) * GOLDEN)
    bits = _mix(key + (i + 1).to(tl.uint32) * GOLDEN) >> 9
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


@triton.jit
def advance(
    drawn, embeddings, codebook_embeddings, pending, positions, numbers, recent,
    semantic_count, codebook_size, dim, shrink, length,
    CODEBOOKS: tl.constexpr, CODEBOOKS_PADDED: tl.constexpr, DIM_PADDED: tl.constexpr, OVERLAP: tl.constexpr,
):  # fmt: skip
    """Append a generated frame to a row's state, like `Decoder._advance`. One program: one row."""
    _begin(OVERLAP)
    _wait(OVERLAP)
    row = tl.program_id(0)
    d = tl.arange(0, DIM_PADDED)
    frame = drawn + row * CODEBOOKS
    spoken = tl.minimum(tl.load(frame), semantic_count - 1)
    total = tl.load(embeddings + spoken * dim + d, mask=d < dim, other=0.0).to(tl.float32)
    for codebook in tl.static_range(CODEBOOKS):
        code = spoken if codebook == 0 else tl.load(frame + codebook)
        line = codebook_embeddings + (codebook * codebook_size + code) * dim
        total += tl.load(line + d, mask=d < dim, other=0.0).to(tl.float32)
    tl.store(pending + row * dim + d, (total * shrink).to(pending.dtype.element_ty), mask=d < dim)

    number = tl.load(numbers + row)
    codebook = tl.arange(0, CODEBOOKS_PADDED)[:, None]
    age = tl.arange(0, WINDOW)[None, :]
    here = (codebook < CODEBOOKS) & (number > 0)
    past = recent + (row * CODEBOOKS + codebook) * WINDOW + age
    older = tl.load(past + 1, mask=here & (age < WINDOW - 1), other=0)
    newest = tl.load(frame + codebook, mask=here, other=0)
    newest = tl.where(codebook == 0, spoken, newest)
    tl.debug_barrier()  # every old code must be read before the first is overwritten
    tl.store(past, tl.where(age == WINDOW - 1, newest, older), mask=here & (age >= 0))
    tl.store(positions + row, tl.minimum(tl.load(positions + row) + 1, length - 1))
    tl.store(numbers + row, number + 1)
