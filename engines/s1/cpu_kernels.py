"""A frame of S1 on a CPU as one function, compiled by numba from the kernels that all codec language models share."""

# numba compiles these functions, so Python's types do not describe them.
# mypy: ignore-errors

from typing import NamedTuple

import numpy as np

from engines.codec_lm.cpu_kernels import (
    Matrices,
    choose,
    compiled,
    empty_layers,
    logits_of,
    multiply,
    noise_key,
    penalise,
    run_layers,
)

WINDOW = 16  # copied from constants.py, which numba would not compile


class Embeddings(NamedTuple):
    """Embedding tables, and the projection between the stacks: (1, 0, 0) if their widths are equal."""

    text: np.ndarray  # (vocabulary, dim)
    codebooks: np.ndarray  # (codebooks * codebook size, dim)
    fast: np.ndarray  # (codebook size, fast dim)
    project: Matrices
    bias: np.ndarray
    begin: int  # the token of semantic code 0
    shrink: float  # factor of a frame's embedding


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
def draw_codes(state, logits, codebook, drawn):
    """Sample a code of each row into drawn (rows, codebooks)."""
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
    """Append a generated frame (codebooks,) to a row's state, like `DualARStep._advance`."""
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
    """Compute the same as `DualARStep.draw` for the rows of `drawn` (rows, codebooks)."""
    rows, codebooks = drawn.shape
    scores = np.empty(state.cache.shape[4], np.float32)
    hidden = state.pending[:rows]
    run_layers(slow, hidden, state.positions, state.cache[:, :, :rows], scores)
    logits = logits_of(slow, hidden)
    draw_codes(state, logits, 0, drawn)
    frames = drawn.copy()  # after a row's end, generation continues with a valid code

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


def signature(dtype):
    """Return empty arguments of `draw` with matrices of this dtype, from which numba reads their types."""

    def array(dimensions, kind="float32"):
        return np.empty((1,) * dimensions, kind)

    whole = "int64"
    matrices = Matrices(array(3, dtype), array(2))
    layers = empty_layers(matrices)
    embeddings = Embeddings(array(2), array(2), array(2), matrices, array(1), 1, 1.0)
    state = StateArrays(
        array(2), array(1, whole), array(1, whole), array(1, whole), array(3, whole), array(3), array(6), array(6)
    )
    return state, layers, layers, embeddings, array(2, whole)
