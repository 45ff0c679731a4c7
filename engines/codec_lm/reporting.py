"""Reports of a runtime: its description, memory and counters."""

from collections.abc import Mapping

from engines.codec_lm.runtime import Runtime
from engines.registry import Spec
from engines.types import EngineInfo


def describe(runtime: Runtime, spec: Spec, licence: str) -> EngineInfo:
    """Describe what is loaded."""
    model, decoder, streams = runtime.model, runtime.decoder, runtime.batch.audio_queue.streams
    compiled = [part for part in (decoder.compiled, streams.compiled) if part is not None]
    defaults = model.defaults
    return EngineInfo(
        name=spec.name,
        title=spec.title,
        checkpoint=model.name,
        licence=licence,
        sample_rate=model.frames.sample_rate,
        reference_max_s=spec.reference_max_s,
        defaults=defaults.settings,
        vocabulary=frozenset(defaults.characters),
        markers=defaults.directions,
        device=str(runtime.placement.device),
        rows=runtime.rows,
        dtype=str(runtime.placement.dtype).removeprefix("torch."),
        parameters=runtime.weights.parameters,
        compiled=bool(compiled) and all(part.active for part in compiled),
        note=" ".join(part.note for part in compiled if part.note),
        backends=(*decoder.choices, streams.choice),
        pace_kept=defaults.pace_kept,
        own_pace=defaults.own_pace,
    )


def memory_parts(runtime: Runtime) -> Mapping[str, int]:
    """Return the bytes of weights, state and caches on the device."""
    weights = runtime.weights
    return {
        "network": weights.network_bytes,
        "codec": weights.codec_bytes + runtime.batch.audio_queue.streams.bytes,
        "KV cache": runtime.decoder.state.cache_bytes,
        "caches": runtime.prefixes.bytes,
    }


def cache_figures(runtime: Runtime) -> Mapping[str, float]:
    """Return how often a clip's codes and a reference's keys and values were found in the caches."""
    codes, prefixes = runtime.references.store.hits, runtime.prefixes.hits
    return {
        "codes_found": codes.found,
        "codes_missed": codes.missed,
        "prefixes_found": prefixes.found,
        "prefixes_missed": prefixes.missed,
    }
