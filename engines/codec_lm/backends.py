"""Backends that all codec language models share, the fastest first, and when each applies."""

from engines.runtime.backends import Computation, ComputeBackend, Conditions, everywhere, on_gpu

TORCH: ComputeBackend[Conditions] = ComputeBackend(
    name="torch",
    title="PyTorch",
    condition="everywhere",
    numerics="bit-identical",
    obstacle=everywhere,
)
PREFILL: Computation[Conditions] = Computation(
    title="Prefill",
    backends=(
        ComputeBackend(
            name="graphs",
            title="PyTorch in CUDA graphs, up to 8 padded prompts at once",
            condition="CUDA GPU",
            numerics="rounding",
            obstacle=on_gpu,
        ),
        TORCH,
    ),
)
CODEC: Computation[Conditions] = Computation(
    title="Codec",
    backends=(
        ComputeBackend(
            name="triton",
            title="Triton convolutions in CUDA graphs",
            condition="CUDA GPU",
            numerics="rounding",
            obstacle=on_gpu,
        ),
        TORCH,
    ),
)
CODEC_WINDOWS: Computation[Conditions] = Computation(
    title="Codec",
    backends=(
        ComputeBackend(
            name="graphs",
            title="PyTorch in CUDA graphs, with the frames around each packet",
            condition="CUDA GPU",
            numerics="rounding",
            obstacle=on_gpu,
        ),
        TORCH,
    ),
)
GRAPHS: ComputeBackend[Conditions] = ComputeBackend(
    name="graphs",
    title="PyTorch in CUDA graphs",
    condition="CUDA GPU",
    numerics="rounding",
    obstacle=on_gpu,
)
TRITON: ComputeBackend[Conditions] = ComputeBackend(
    name="triton",
    title="Triton layers in CUDA graphs",
    condition="CUDA GPU",
    numerics="rounding",
    obstacle=on_gpu,
)
TOKEN_STEP: Computation[Conditions] = Computation(title="Decode step", backends=(TRITON, GRAPHS, TORCH))
