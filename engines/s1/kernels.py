"""Triton's kernel that appends a frame of S1 to the state of its row."""

# Triton compiles this function, so Python's types do not describe it.
# mypy: ignore-errors

import triton
import triton.language as tl

from engines.codec_lm.kernels import begin, wait
from engines.codec_lm.sampling_kernel import WINDOW


@triton.jit
def advance(
    drawn, embeddings, codebook_embeddings, pending, positions, numbers, recent,
    semantic_count, codebook_size, dim, shrink, length,
    CODEBOOKS: tl.constexpr, CODEBOOKS_PADDED: tl.constexpr, DIM_PADDED: tl.constexpr, OVERLAP: tl.constexpr,
):  # fmt: skip
    """Append a generated frame to a row's state, like `DualARStep._advance`. One program: one row."""
    begin(OVERLAP)
    wait(OVERLAP)
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
