"""Everything that a loaded codec language model needs to speak."""

from dataclasses import dataclass, replace
from pathlib import Path

import torch

from engines.codec_lm import kv_cache
from engines.codec_lm.batch import CodecLmBatch
from engines.codec_lm.caches import CodeStore, PrefixStore
from engines.codec_lm.decode_state import DecodeState
from engines.codec_lm.decoding import Decoder
from engines.codec_lm.parts import CodecLm
from engines.codec_lm.references import ReferenceEncoder
from engines.registry import EngineOptions, Spec
from engines.runtime.mapped_rows import can_map
from engines.runtime.placement import Placement, place, width
from engines.runtime.quantization import stored_bytes

MOST_ROWS = 32  # with more rows, each generates speech hardly faster than real time


@dataclass(frozen=True, slots=True)
class WeightSizes:
    """The sizes of a checkpoint's weights, counted once, because a report follows each take."""

    parameters: int
    network_bytes: int  # on the device
    codec_bytes: int  # on the device

    @classmethod
    def of(cls, model: CodecLm, device: torch.device) -> "WeightSizes":
        """Count the weights of a loaded model."""
        held, codec = (
            sum(stored_bytes(weight) for weight in weights if weight.device == device)
            for weights in (model.parameters, model.codec_parameters)
        )
        return cls(sum(weight.numel() for weight in model.parameters), held - codec, codec)


@dataclass(slots=True, eq=False)
class Runtime:
    """The objects of a loaded checkpoint."""

    model: CodecLm
    decoder: Decoder
    batch: CodecLmBatch
    references: ReferenceEncoder
    prefixes: PrefixStore
    placement: Placement
    weights: WeightSizes
    rows: int  # in one step

    def close(self) -> None:
        """Stop encoding and free the keys and values; wait for work on the device first."""
        self.references.close()
        if self.placement.device.type == "cuda":
            torch.cuda.synchronize()  # the codec runs on a separate stream and must finish before its memory is freed
        self.decoder.state.close()


def build_runtime(
    model: CodecLm, spec: Spec, options: EngineOptions, placement: Placement, encoder_at: torch.device
) -> Runtime:
    """Build the objects of a loaded checkpoint, whose encoder is on `encoder_at`. Raises torch.OutOfMemoryError."""
    device, network = placement.device, model.network
    compile, mapped = options.compile != "off", can_map(device)
    length = network.max_positions
    rows = options.max_batch or _most_rows(model, length, device, mapped)
    state = DecodeState(network, rows, length, model.cached, mapped)
    decoder = Decoder(model.decode_step(state, compile=compile), state, compile)
    # A finished row's audio may still be decoded when another request uses the row.
    streams = model.streams(2 * rows, compile=compile)
    prefixes = PrefixStore(options.prefix_cache_bytes)
    folder = Path(options.cache_dir) / spec.name / model.codec_digest[:16] if options.cache_dir else None
    references = ReferenceEncoder(
        model, spec, CodeStore(folder, model.frames.code_sizes), encoder_at, background=encoder_at != device
    )
    batch = CodecLmBatch(model, decoder, prefixes, references, streams, device)
    return Runtime(model, decoder, batch, references, prefixes, placement, WeightSizes.of(model, device), rows)


def place_in_bfloat16(options: EngineOptions) -> Placement:
    """Place the engine like others, but use bfloat16, in which such weights are trained, if the GPU supports it."""
    placement = place(options)
    able = placement.device.type == "cuda" and torch.cuda.is_bf16_supported(including_emulation=False)
    return replace(placement, dtype=torch.bfloat16) if able else placement


def _most_rows(model: CodecLm, length: int, device: torch.device, mapped: bool) -> int:
    """Return the rows whose keys and values fit into a tenth of a GPU's memory, if rows are allocated on use."""
    if not mapped:
        return width(EngineOptions(), device)
    most = torch.cuda.get_device_properties(device).total_memory // 10
    return max(1, min(MOST_ROWS, most // kv_cache.row_bytes(model.network.stack, length, model.cached)))
