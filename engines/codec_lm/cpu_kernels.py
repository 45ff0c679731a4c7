"""Layers and sampling of a decode step on a CPU, compiled by numba into an engine's step.

PyTorch spends most of a step launching thousands of operations. Here each weight is read once for all rows, and a row's result
does not depend on the other rows. Sums are in float32. Rotations pair neighbours.
"""

# numba compiles these functions, so Python's types do not describe them.
# mypy: ignore-errors

from typing import NamedTuple

import numpy as np
from numba import njit

GOLDEN = np.int64(0x9E3779B9)  # copied from constants.py, which numba would not compile
TILE = 4  # outputs of a product that are accumulated in parallel
# Sums in any order, so that the compiler can vectorise them; NaN and infinity are kept.
OPTIONS = {"nogil": True, "error_model": "numpy", "fastmath": {"reassoc", "contract", "nsz", "arcp"}}
compiled = njit(**OPTIONS)


class Matrices(NamedTuple):
    """The weights of every layer, in float32 or int8."""

    weight: np.ndarray  # (layers, outputs, inputs)
    step: np.ndarray  # (layers, outputs) scales of int8 weights, or (layers, 0)


class LayerWeights(NamedTuple):
    """The weights of a stack. Without norms of queries and keys, these norms are (layers, 0)."""

    attention_norm: np.ndarray  # (layers, dim)
    qkv: Matrices
    q_norm: np.ndarray  # (layers, head_dim)
    k_norm: np.ndarray
    out: Matrices
    ffn_norm: np.ndarray
    gate: Matrices
    up: Matrices
    down: Matrices
    table: np.ndarray  # (positions, head_dim / 2, 2) cosines and sines
    norm: np.ndarray  # (dim,) after the last layer
    head: Matrices  # one matrix
    eps: float
    heads: int


@compiled
def multiply(matrices, layer, x, out, add):
    """Compute out = weight x, or out += weight x with `add`: x (tokens, inputs), out (tokens, outputs)."""
    weight, step = matrices.weight[layer], matrices.step[layer]
    outputs, inputs = weight.shape
    whole = outputs // TILE * TILE
    sums = np.zeros(TILE, np.float32)
    for first in range(0, outputs, TILE if whole else 1):
        tile = TILE if first < whole else outputs - first
        # In a short last tile, the spare lines repeat the first one; their sums are not used.
        one, two = weight[first], weight[first + 1 if tile > 1 else first]
        three, four = weight[first + 2 if tile > 2 else first], weight[first + 3 if tile > 3 else first]
        for token in range(len(x)):
            values, into = x[token], out[token]
            a = b = c = d = np.float32(0.0)
            for k in range(inputs):
                value = values[k]
                a += np.float32(one[k]) * value
                b += np.float32(two[k]) * value
                c += np.float32(three[k]) * value
                d += np.float32(four[k]) * value
            sums[0], sums[1], sums[2], sums[3] = a, b, c, d
            for each in range(tile):
                total = sums[each] * step[first + each] if len(step) else sums[each]
                into[first + each] = into[first + each] + total if add else total


@compiled
def normalise(x, weight, eps, out):
    """Apply the root-mean-square norm to x (n,); out may be x."""
    square = np.float32(0.0)
    for k in range(len(x)):
        square += x[k] * x[k]
    rate = np.float32(1.0) / np.sqrt(square / np.float32(len(x)) + np.float32(eps))
    for k in range(len(x)):
        out[k] = x[k] * rate * weight[k]


@compiled
def normalised(x, weight, eps):
    out = np.empty_like(x)
    for token in range(len(x)):
        normalise(x[token], weight, eps, out[token])
    return out


@compiled
def turn(head, norm, eps, angles):
    """Normalise a query or key (head_dim,) if there is a norm, and rotate it by its position's angles, in place."""
    if len(norm):
        normalise(head, norm, eps, head)
    for k in range(len(angles)):
        even, odd = head[2 * k], head[2 * k + 1]
        cosine, sine = angles[k, 0], angles[k, 1]
        head[2 * k] = even * cosine - odd * sine
        head[2 * k + 1] = odd * cosine + even * sine


@compiled
def look(query, keys, values, count, scores, out):
    """Compute attention of one query (head_dim,) to the first `count` of (length, head_dim) keys and values."""
    size = len(query)
    shrink, top = np.float32(1.0) / np.sqrt(np.float32(size)), np.float32(-1e30)
    for t in range(count):
        key, score = keys[t], np.float32(0.0)
        for k in range(size):
            score += query[k] * key[k]
        scores[t] = score * shrink
        top = max(top, scores[t])
    mass = np.float32(0.0)
    out[:] = 0.0
    for t in range(count):
        value, share = values[t], np.exp(scores[t] - top)
        mass += share
        for k in range(size):
            out[k] += share * value[k]
    for k in range(size):
        out[k] /= mass


@compiled
def attend(stack, layer, qkv, position, cache, scores, out):
    """Compute attention of one token's (width,) queries over a row's (2, kv_heads, length, head_dim) cache."""
    size = cache.shape[3]
    parts, seen = qkv.reshape(-1, size), out.reshape(-1, size)
    kv_heads, angles = cache.shape[1], stack.table[position]
    for head in range(stack.heads):
        turn(parts[head], stack.q_norm[layer], stack.eps, angles)
    for head in range(kv_heads):
        key = parts[stack.heads + head]
        turn(key, stack.k_norm[layer], stack.eps, angles)
        cache[0, head, position] = key
        cache[1, head, position] = parts[stack.heads + kv_heads + head]
    for head in range(stack.heads):
        shared = head // (stack.heads // kv_heads)
        look(parts[head], cache[0, shared], cache[1, shared], position + 1, scores, seen[head])


@compiled
def run_layers(stack, x, positions, cache, scores):
    """Add the layers' output to x (tokens, dim) at (tokens,) positions; every cache row has equally many tokens."""
    tokens, rows = len(x), cache.shape[2]
    qkv = np.empty((tokens, stack.qkv.weight.shape[1]), np.float32)
    seen = np.empty((tokens, stack.out.weight.shape[2]), np.float32)
    gate = np.empty((tokens, stack.gate.weight.shape[1]), np.float32)
    up = np.empty_like(gate)
    for layer in range(len(stack.attention_norm)):
        multiply(stack.qkv, layer, normalised(x, stack.attention_norm[layer], stack.eps), qkv, False)
        for token in range(tokens):
            held = cache[layer, :, token * rows // tokens]
            attend(stack, layer, qkv[token], positions[token], held, scores, seen[token])
        multiply(stack.out, layer, seen, x, True)
        normed = normalised(x, stack.ffn_norm[layer], stack.eps)
        multiply(stack.gate, layer, normed, gate, False)
        multiply(stack.up, layer, normed, up, False)
        for token in range(tokens):
            for k in range(gate.shape[1]):
                gate[token, k] *= up[token, k] / (np.float32(1.0) + np.exp(-gate[token, k]))
        multiply(stack.down, layer, gate, x, True)


@compiled
def logits_of(stack, x):
    """Compute the (rows, choices) logits after the layers."""
    logits = np.empty((len(x), stack.head.weight.shape[1]), np.float32)
    multiply(stack.head, 0, normalised(x, stack.norm, stack.eps), logits, False)
    return logits


@compiled
def mix(x):
    """Compute `noise._mix` in 32 bits."""
    x = np.uint32(x)
    x = np.uint32(np.uint32(x ^ (x >> np.uint32(16))) * np.uint32(0x85EBCA6B))
    x = np.uint32(np.uint32(x ^ (x >> np.uint32(13))) * np.uint32(0xC2B2AE35))
    return np.uint32(x ^ (x >> np.uint32(16)))


@compiled
def noise_key(seed, number, codebook):
    key = np.int64(mix(seed))
    key = np.int64(mix((seed >> 32) + key))
    key = np.int64(mix(key + (number + 1) * GOLDEN))
    return np.int64(mix(key + (codebook + 1) * GOLDEN))


@compiled
def penalise(logits, recent, penalty):
    """Make recent codes less likely, each of them once."""
    for age in range(len(recent)):
        code = recent[age]
        if not np.any(recent[:age] == code):
            logits[code] = logits[code] * penalty if logits[code] < 0 else logits[code] / penalty


@compiled
def choose(logits, key, temperature, top_p):
    """Sample a code from (choices,) logits, like sampling.py with the noise of noise.py.

    Nothing is sorted. The sampled code counts if the total probability of the codes that are at least as likely is within the
    nucleus. Otherwise it and all less likely codes are excluded, and the rest is sampled again.
    """
    top = np.max(logits)
    likely, goal = np.empty_like(logits), np.empty_like(logits)
    for i in range(len(logits)):
        likely[i] = np.exp(logits[i] - top)
        bits = mix(key + (i + 1) * GOLDEN) >> np.uint32(9)
        noise = -np.log((np.float32(bits) + np.float32(0.5)) / np.float32(8388608.0))
        goal[i] = np.exp((logits[i] - top) / max(temperature, np.float32(1e-5))) / noise
    nucleus, reached = top_p * np.sum(likely), np.float32(-1e30)
    while True:
        code, best = 0, np.float32(-1.0)
        for i in range(len(logits)):
            if logits[i] > reached and goal[i] > best:
                code, best = i, goal[i]
        reached, mass = logits[code], np.float32(0.0)
        for i in range(len(logits)):
            mass += likely[i] if logits[i] >= reached else np.float32(0.0)
        if not (reached < top and mass > nucleus):  # false if a logit is NaN, which ends the loop
            return code


def empty_layers(matrices):
    """Return empty weights of a stack with matrices of this type, from which numba reads their types."""
    one, two, three = (np.empty((1,) * dimensions, np.float32) for dimensions in (1, 2, 3))
    return LayerWeights(
        two, matrices, two, two, matrices, two, matrices, matrices, matrices, three, one, matrices, 1e-5, 1
    )
