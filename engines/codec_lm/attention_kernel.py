"""Triton's attention kernel of a decode step: new tokens over a KV cache, which may be in int8. Sums are in float32."""

# Triton compiles these functions, so Python's types do not describe them. Triton does not support unpacking.
# mypy: ignore-errors
# ruff: noqa: RUF005

import triton
import triton.language as tl

from engines.codec_lm.kernels import begin, wait

SHARE = tl.constexpr(4)  # after a share's sum: its mass, its highest score, and padding for alignment
NOWHERE = tl.constexpr(-1e30)  # a score below all others, whose differences are still finite


@triton.jit
def _turned(heads, inside, norm, table, d, eps, SIZE: tl.constexpr, NORM: tl.constexpr, HALVES: tl.constexpr):
    """Load the vectors at `heads` (n or 1, 1) as float32 (n, d), normalised and rotated by a position's angles."""
    HALF: tl.constexpr = SIZE // 2
    if HALVES:
        other = tl.where(d < HALF, d + HALF, d - HALF)
        cosines, sines, first = 2 * (d % HALF), 2 * (d % HALF) + 1, d < HALF
    else:
        other = d ^ 1
        cosines, sines, first = d & -2, d | 1, d % 2 == 0
    x = tl.load(heads + d, mask=inside, other=0.0).to(tl.float32)
    partner = tl.load(heads + other, mask=inside, other=0.0).to(tl.float32)
    if NORM:
        rate = tl.rsqrt(tl.sum(x * x, 1) / SIZE + eps)[:, None]
        x *= rate * tl.load(norm + d, mask=d < SIZE, other=0.0).to(tl.float32)
        partner *= rate * tl.load(norm + other, mask=d < SIZE, other=0.0).to(tl.float32)
    cosine = tl.load(table + cosines, mask=d < SIZE, other=0.0)
    sine = tl.load(table + sines, mask=d < SIZE, other=0.0)
    return x * cosine + tl.where(first, -partner, partner) * sine


@triton.jit(do_not_specialize_on_alignment=["positions"])
def attend(
    qkv, cache, steps, positions, table, q_norm, k_norm, out, partial, arrivals,
    position_stride, value_offset, row_stride, head_stride, scale, eps,
    HEADS: tl.constexpr, KV_HEADS: tl.constexpr, SIZE: tl.constexpr, VECTOR: tl.constexpr, PADDED: tl.constexpr,
    COUNT: tl.constexpr, QUERIES: tl.constexpr, SPLITS: tl.constexpr, BLOCK: tl.constexpr, STAGES: tl.constexpr,
    NORM: tl.constexpr, HALVES: tl.constexpr, SMALL: tl.constexpr, OVERLAP: tl.constexpr,
):  # fmt: skip
    """Compute grouped-query attention of COUNT new tokens a row, from `positions[row]` on, over the cache and each other.

    One program: the heads that share a key, of one token, over one share of the cache, which is read once for all of them. The
    last program to end joins the shares (Dao et al. 2023, Flash-Decoding). qkv (rows * COUNT, heads * SIZE), out
    (rows * COUNT, HEADS * SIZE); new keys and values are written to the cache. If SMALL, the cache is int8, and `steps` is the
    same memory as float32, with a scale after each vector.
    """
    begin(OVERLAP)
    wait(OVERLAP)
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
    query = _turned(asked, ours, q_norm, table + (first + place) * SIZE, d, eps, SIZE, NORM, HALVES).to(kind)

    most = tl.full((QUERIES,), NOWHERE, tl.float32)
    mass = tl.zeros((QUERIES,), tl.float32)
    made = tl.zeros((QUERIES, PADDED), tl.float32)
    if split == 0:
        for other in tl.static_range(COUNT):
            fresh = line + other * width + (HEADS + kv_head) * SIZE
            turned = _turned(fresh, within, k_norm, table + (first + other) * SIZE, d, eps, SIZE, NORM, HALVES)
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
