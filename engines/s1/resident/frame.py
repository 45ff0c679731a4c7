"""A frame of S1 by one kernel that stays on the GPU: what `frame.cu` is told, and its start.

For one row whose weights are bfloat16, as S1-Mini's are, on a GPU of compute capability 9.0 or later. Other sizes, kinds of
weights, GPUs and more rows are left to `engines.s1.fused`. It sums up in another order than those kernels, so a row alone may
be drawn other codes than the same row among others, as it may be by any kernels of half precision.
"""

import ctypes
import logging
import math
from collections.abc import Callable, Mapping
from threading import Thread

import torch
from torch import Tensor, nn

from engines.s1.decode_state import DecodeState
from engines.s1.network import DualARLayer
from engines.s1.resident.compiling import machine_code
from engines.s1.resident.kernel import Kernel
from engines.s1.resident.sizes import sizes

log = logging.getLogger(__name__)


def _warn(error: Exception) -> None:
    log.warning("the resident kernel failed (%s: %s)", type(error).__name__, error)


class Arguments(ctypes.Structure):
    """As in layout.cuh."""

    _fields_ = [
        *((name, ctypes.c_void_p) for name in (
            "layers", "fast_layers", "head", "norm", "fast_head", "fast_norm", "embeddings", "codebook_embeddings",
            "fast_embeddings", "table", "fast_table", "cache",
        )),
        *((name, ctypes.c_longlong) for name in ("layer_stride", "value_offset", "head_stride")),
        *((name, ctypes.c_void_p) for name in (
            "pending", "positions", "seeds", "numbers", "recent", "drawn", "temperature", "top_p", "penalty",
            "exchange", "semantic", "sequence",
        )),
        *((name, ctypes.c_float) for name in ("norm_eps", "fast_norm_eps", "scale", "fast_scale", "shrink")),
        ("length", ctypes.c_longlong),
        ("stamps", ctypes.c_void_p),
    ]  # fmt: skip


class ResidentFrame:
    """Draws frames of row 0 of a `DecodeState`, which it reads and advances."""

    def __init__(
        self,
        state: DecodeState,
        others: Mapping[str, int] | None = None,
        on_failure: Callable[[Exception], None] = _warn,
    ) -> None:
        """`others` replace some of SIZES; `on_failure` gets the error if the kernel cannot be compiled or loaded."""
        self._on_failure = on_failure
        network, config = state.network, state.network.config
        self._sizes = sizes(config, network.semantic_count, state.residual_size, **others or {})
        slow, fast = config.slow, config.fast
        device = state.pending.device
        self.drawn = torch.zeros(1, config.codebooks, dtype=torch.long, device=device)
        # What the kernel is told the addresses of lives as long as this.
        held = self._held = {
            "layers": _addresses(network.layers, device),
            "fast_layers": _addresses(network.fast_layers, device),
            "head": network.head,
            "norm": network.norm.weight,
            "fast_head": network.fast_output.weight,
            "fast_norm": network.fast_norm.weight,
            "embeddings": network.semantic_embeddings,
            "codebook_embeddings": network.codebook_embeddings.weight,
            "fast_embeddings": network.fast_embeddings.weight,
            "table": network.slow_table.float().contiguous(),
            "fast_table": network.fast_table.float().contiguous(),
            "cache": state.cache,
            "pending": state.pending,
            "positions": state.positions,
            "seeds": state.seeds,
            "numbers": state.numbers,
            "recent": state.recent,
            "drawn": self.drawn,
            "temperature": state.settings[0],
            "top_p": state.settings[1],
            "penalty": state.settings[2],
            "exchange": torch.zeros(self._sizes["TURNS"] * self._sizes["TURN"], dtype=torch.long, device=device),
            "semantic": torch.zeros(network.semantic_count + 1, dtype=torch.long, device=device),
            "sequence": torch.ones(1, dtype=torch.int32, device=device),
            "stamps": torch.zeros(4096, dtype=torch.long, device=device),
        }
        arguments = Arguments(
            **{name: tensor.data_ptr() for name, tensor in held.items()},
            layer_stride=state.cache.stride(0), value_offset=state.cache.stride(1), head_stride=state.cache.stride(3),
            norm_eps=slow.norm_eps, fast_norm_eps=fast.norm_eps,
            scale=1 / math.sqrt(slow.head_dim), fast_scale=1 / math.sqrt(fast.head_dim),
            shrink=1 / math.sqrt(config.codebooks + 1) if config.scaled else 1.0, length=state.length,
        )  # fmt: skip
        self.arguments = torch.frombuffer(bytearray(arguments), dtype=torch.uint8).to(device)
        self._code = b""
        self._kernel: Kernel | None = None
        self._compiling = Thread(target=self._compile, name="s1-resident", daemon=True)

    def begin_compiling(self) -> None:
        """Beside whoever speaks; a few seconds, unless the machine code is on disk."""
        self._compiling.start()

    def compiles(self, wait_s: float) -> bool:
        """Whether it still does after so long."""
        self._compiling.join(wait_s)
        return self._compiling.is_alive()

    def load(self) -> bool:
        """Make ready to draw, compiled here if it was not begun before; False, and told, where that fails."""
        if self._compiling.ident is None:
            self._compile()
        else:
            self._compiling.join()
        if self._code and self._kernel is None:
            try:
                with torch.cuda.device(self.drawn.device):
                    kernel = Kernel(self._code, "draw_frame", self._sizes["SHARED"])
                    self._launch(kernel, torch.zeros_like(self.arguments))  # told nothing, it ends at once
                    torch.cuda.current_stream().synchronize()
                self._kernel = kernel
            except Exception as error:  # whatever it is, many kernels draw as well
                self._on_failure(error)
        return self._kernel is not None

    def _launch(self, kernel: Kernel, told: Tensor) -> None:
        kernel.launch(self._sizes["GRID"], (self._sizes["WARPS"] + 1) * 32, told)

    def _compile(self) -> None:
        try:
            properties = torch.cuda.get_device_properties(self.drawn.device)
            self._code = machine_code(self._sizes, f"sm_{properties.major}{properties.minor}")
        except Exception as error:  # compilers raise many kinds of errors, all handled alike
            self._on_failure(error)

    def semantic_logits(self) -> Tensor:
        """(1, choices) of the newest frame."""
        return self._held["semantic"].view(torch.float32)[None, ::2]

    def stamps(self) -> list[tuple[int, int]]:
        """When each step of the newest frame ended, in clock ticks, and which it was."""
        return [(stamp >> 4, stamp & 15) for stamp in self._held["stamps"].tolist() if stamp]

    def draw(self) -> Tensor:
        """(1, codebooks) codes of the next frame, which the next call overwrites."""
        if self._kernel is None:
            raise RuntimeError("the frame's kernel is not loaded")
        self._launch(self._kernel, self.arguments)
        return self.drawn


def _addresses(layers: nn.ModuleList, device: torch.device) -> Tensor:
    def weights(layer: DualARLayer) -> list[int]:
        attention, feed_forward = layer.attention, layer.feed_forward
        norms = (attention.q_norm, attention.k_norm) if attention.config.qk_norm else ()
        parts = (
            attention.wqkv, attention.wo, feed_forward.w1, feed_forward.w3, feed_forward.w2,
            layer.attention_norm, layer.ffn_norm, *norms,
        )  # fmt: skip
        addresses = [part.weight.data_ptr() for part in parts]
        return addresses + [0] * (9 - len(addresses))

    return torch.tensor([weights(layer) for layer in layers], dtype=torch.long, device=device)  # type: ignore[arg-type]
