"""The persistent kernel that generates a frame of S1: the arguments and the launch of `frame.cu`.

It supports a single row with bfloat16 weights of S1-Mini's sizes, on a GPU of compute capability 9.0 or later.
`engines.s1.fused` handles everything else. This kernel adds in another order than those kernels, so a single row may get
other codes than the same row in a batch; any kernels of half precision differ like this.
"""

import ctypes
import logging
import math
from collections.abc import Callable, Mapping
from threading import Thread

import torch
from torch import Tensor, nn

from engines.codec_lm.decode_state import DecodeState
from engines.codec_lm.transformer import CachedLayer
from engines.s1.network import DualAR
from engines.s1.resident.compiling import machine_code
from engines.s1.resident.kernel import Kernel
from engines.s1.resident.sizes import sizes

log = logging.getLogger(__name__)


def warn_of_failure(error: Exception) -> None:
    """Log that the kernel is not used."""
    log.warning("the persistent kernel failed (%s: %s)", type(error).__name__, error)


class Arguments(ctypes.Structure):
    """The kernel's arguments, as in layout.cuh."""

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
    """Generates frames of row 0 of a `DecodeState`, and updates the state."""

    def __init__(
        self,
        network: DualAR,
        state: DecodeState,
        others: Mapping[str, int] | None = None,
        on_failure: Callable[[Exception], None] = warn_of_failure,
    ) -> None:
        """Prepare the arguments; `others` override SIZES, and `on_failure` gets the error if compiling or loading fails."""
        self._on_failure = on_failure
        config = network.config
        self._sizes = sizes(config, network.semantic_count, network.residual_size, **others or {})
        slow, fast = config.slow, config.fast
        device = state.pending.device
        self.drawn = torch.zeros(1, config.codebooks, dtype=torch.long, device=device)
        # The tensors whose addresses the kernel receives must stay alive.
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
        """Start to compile in the background, which takes a few seconds unless the machine code is cached."""
        self._compiling.start()

    def compiles(self, wait_s: float) -> bool:
        """Wait for at most `wait_s` seconds, and return True if the compilation still runs."""
        self._compiling.join(wait_s)
        return self._compiling.is_alive()

    def load(self) -> bool:
        """Load the kernel, compiling it first if necessary; log the error and return False if that fails."""
        if self._compiling.ident is None:
            self._compile()
        else:
            self._compiling.join()
        if self._code and self._kernel is None:
            try:
                with torch.cuda.device(self.drawn.device):
                    kernel = Kernel(self._code, "draw_frame", self._sizes["SHARED"])
                    self._launch(
                        kernel, torch.zeros_like(self.arguments)
                    )  # with empty arguments the kernel ends at once
                    torch.cuda.current_stream().synchronize()
                self._kernel = kernel
            except Exception as error:  # after any error, the other kernels are used
                self._on_failure(error)
        return self._kernel is not None

    def _launch(self, kernel: Kernel, arguments: Tensor) -> None:
        kernel.launch(self._sizes["GRID"], (self._sizes["WARPS"] + 1) * 32, arguments)

    def _compile(self) -> None:
        try:
            properties = torch.cuda.get_device_properties(self.drawn.device)
            self._code = machine_code(self._sizes, f"sm_{properties.major}{properties.minor}")
        except Exception as error:  # compilers raise many kinds of errors, and all are handled alike
            self._on_failure(error)

    def semantic_logits(self) -> Tensor:
        """Return the (1, choices) semantic logits of the newest frame."""
        return self._held["semantic"].view(torch.float32)[None, ::2]

    def stamps(self) -> list[tuple[int, int]]:
        """Return the end of each step of the newest frame in clock ticks, with the number of the step."""
        return [(stamp >> 4, stamp & 15) for stamp in self._held["stamps"].tolist() if stamp]

    def draw(self) -> Tensor:
        """Generate the (1, codebooks) codes of the next frame; the next call overwrites them."""
        if self._kernel is None:
            raise RuntimeError("the frame's kernel is not loaded")
        self._launch(self._kernel, self.arguments)
        return self.drawn


def _addresses(layers: nn.ModuleList, device: torch.device) -> Tensor:
    def weights(layer: CachedLayer) -> list[int]:
        attention, feed_forward = layer.attention, layer.feed_forward
        norms = (attention.q_norm, attention.k_norm) if attention.config.qk_norm else ()
        parts = (
            attention.wqkv, attention.wo, feed_forward.w1, feed_forward.w3, feed_forward.w2,
            layer.attention_norm, layer.ffn_norm, *norms,
        )  # fmt: skip
        addresses = [part.weight.data_ptr() for part in parts]
        return addresses + [0] * (9 - len(addresses))

    return torch.tensor([weights(layer) for layer in layers], dtype=torch.long, device=device)  # type: ignore[arg-type]
