"""The Orpheus engine."""

from engines.codec_lm.engine import CodecLmEngine
from engines.orpheus.model import load
from engines.orpheus.spec import SPEC
from engines.registry import EngineOptions


def make_engine(options: EngineOptions) -> CodecLmEngine:
    """Build the engine."""
    return CodecLmEngine(SPEC, load, options)
