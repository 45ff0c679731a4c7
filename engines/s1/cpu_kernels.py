"""A frame's work on a CPU as one function, compiled by numba: torch spends most of a frame on starting thousands of operations.

Each weight is read once for all rows, and a row's numbers do not depend on how many others there are. Sums are in float32.
"""

# numba compiles these functions itself: Python's types do not describe them.
# mypy: ignore-errors

from typing import NamedTuple

import numpy as np
from numba import njit

WINDOW = 16  # copied from constants.py: numba compiles this file again only if this file changes
GOLDEN = np.int64(0x9E3779B9)  # copied from constants.py
TILE = 4  # outputs of a product that are summed side by side
# Sums in any order, so that many lanes add at once; what is no number or infinite stays so.
OPTIONS = {"nogil": True, "error_model": "numpy", "fastmath": {"reassoc", "contract", "nsz", "arcp"}}
compiled = njit(**OPTIONS)


class Matrices(NamedTuple):
    """Weights of every layer, in float32 or in int8."""

    weight: np.ndarray  # (layers, outputs, inputs)
    step: np.ndarray  # (layers, outputs) what an int8 one counts, or (layers, 0)


class LayerWeights(NamedTuple):
    """A stack's weights. Where queries and keys are not normed, their norms are (layers, 0)."""

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
    norm: np.ndarray  # (dim,) behind the last layer
    head: Matrices  # of one layer
    eps: float
    heads: int


class Embeddings(NamedTuple):
    """Tables of codes, and the projection between the stacks: (1, 0, 0) where they are of one width."""

    text: np.ndarray  # (vocabulary, dim)
    codebooks: np.ndarray  # (codebooks * codebook size, dim)
    fast: np.ndarray  # (codebook size, fast dim)
    project: Matrices
    bias: np.ndarray
    begin: int  # the token of semantic code 0
    shrink: float  # of a frame's embedding


class StateArrays(NamedTuple):
    """The tensors of a `DecodeState`."""

    pending: np.ndarray
    positions: np.ndarray
    seeds: np.ndarray
    numbers: np.ndarray
    recent: np.ndarray
    settings: np.ndarray
    cache: np.ndarray
    fast_cache: np.ndarray


@compiled
def multiply(matrices, layer, x, out, add):
    """out = weight x, or out += weight x if `add`, of x (tokens, inputs) and out (tokens, outputs)."""
    weight, step = matrices.weight[layer], matrices.step[layer]
    outputs, inputs = weight.shape
    whole = outputs // TILE * TILE
    sums = np.zeros(TILE, np.float32)
    for first in range(0, outputs, TILE if whole else 1):
        tile = TILE if first < whole else outputs - first
        # The last tile may be short: its spare lines are sums of the first one, which nobody keeps.
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
    """Root-mean-square norm of x (n,) into out, which may be x."""
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
    """Norm a query or key (head_dim,) if there is a weight, and turn it to its position's angles, in place."""
    if len(norm):
        normalise(head, norm, eps, head)
    for k in range(len(angles)):
        even, odd = head[2 * k], head[2 * k + 1]
        cosine, sine = angles[k, 0], angles[k, 1]
        head[2 * k] = even * cosine - odd * sine
        head[2 * k + 1] = odd * cosine + even * sine


@compiled
def look(query, keys, values, count, scores, out):
    """Attention of one query (head_dim,) to the first `count` of (length, head_dim) keys and values, into out."""
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
    """Attention of one token's (width,) queries at its position of a row's (2, kv_heads, length, head_dim) cache, into out."""
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
    """Add the layers' work to x (tokens, dim) at (tokens,) positions, as many tokens of each row of the cache."""
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
    """(rows, choices) behind the layers."""
    logits = np.empty((len(x), stack.head.weight.shape[1]), np.float32)
    multiply(stack.head, 0, normalised(x, stack.norm, stack.eps), logits, False)
    return logits


@compiled
def mix(x):
    """As noise.py's, in 32 bits."""
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
    """A code from (choices,) logits, as sampling.py chooses with noise.py's noise.

    Nothing is sorted: the winner of the draw counts if the mass of what is at least as likely is within the nucleus; if not, it
    and everything less likely is out, and the draw is repeated among the rest.
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
        if not (reached < top and mass > nucleus):  # also where a logit is no number
            return code


@compiled
def draw_codes(state, logits, codebook, drawn):
    """A code of each row, into drawn (rows, codebooks)."""
    for row in range(len(logits)):
        number, past = state.numbers[row], state.recent[row, codebook]
        temperature, top_p, penalty = state.settings[0, row, 0], state.settings[1, row, 0], state.settings[2, row, 0]
        if codebook == 0:
            oldest = min(max(WINDOW - (number - 1), 0), WINDOW - 1)
            past = past[oldest : oldest + 1] if number > 1 else past[:0]
        elif number == 0:
            past = past[:0]
        penalise(logits[row], past, penalty)
        drawn[row, codebook] = choose(logits[row], noise_key(state.seeds[row], number, codebook), temperature, top_p)


@compiled
def advance(state, row, frame, embeddings):
    """A drawn frame (codebooks,) becomes the row's next input and its newest past, as Decoder._advance does it."""
    pending, size = state.pending[row], len(embeddings.codebooks) // len(frame)
    pending[:] = embeddings.text[embeddings.begin + frame[0]]
    for codebook in range(len(frame)):
        pending += embeddings.codebooks[codebook * size + frame[codebook]]
        if state.numbers[row] > 0:
            past = state.recent[row, codebook]
            past[:-1] = past[1:].copy()
            past[-1] = frame[codebook]
    pending *= np.float32(embeddings.shrink)
    state.positions[row] = min(state.positions[row] + 1, state.cache.shape[4] - 1)
    state.numbers[row] += 1


def draw(state, slow, fast, embeddings, drawn):
    """As `Decoder.draw`, of as many rows as `drawn` (rows, codebooks) has, into it."""
    rows, codebooks = drawn.shape
    scores = np.empty(state.cache.shape[4], np.float32)
    hidden = state.pending[:rows]
    run_layers(slow, hidden, state.positions, state.cache[:, :, :rows], scores)
    logits = logits_of(slow, hidden)
    draw_codes(state, logits, 0, drawn)
    frames = drawn.copy()  # where a row ended, as if it went on

    pair = np.empty(
        (2 * rows, embeddings.fast.shape[1]), np.float32
    )  # the hidden state and the newest code's embedding
    newest = np.empty((rows, embeddings.fast.shape[1]), np.float32)
    if len(embeddings.bias):
        newest[:] = embeddings.bias
        multiply(embeddings.project, 0, hidden, newest, True)
    else:
        newest[:] = hidden
    pair[::2] = newest
    held = state.fast_cache[:, :, :rows]
    for codebook in range(1, codebooks):
        for row in range(rows):
            if codebook == 1:
                frames[row, 0] = min(drawn[row, 0], logits.shape[1] - 2)
            newest[row] = embeddings.fast[frames[row, codebook - 1]]
        if codebook == 1:
            pair[1::2] = newest
            run_layers(fast, pair, np.arange(2 * rows) % 2, held, scores)
            newest[:] = pair[1::2]
        else:
            run_layers(fast, newest, np.full(rows, codebook), held, scores)
        draw_codes(state, logits_of(fast, newest), codebook, drawn)
        frames[:, codebook] = drawn[:, codebook]
    for row in range(rows):
        advance(state, row, frames[row], embeddings)
