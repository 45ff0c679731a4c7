"""The S1-Mini engine."""

from engines.codec_lm.engine import CodecLmEngine
from engines.registry import EngineOptions
from engines.s1.model import load
from engines.s1.spec import SPEC


def make_engine(options: EngineOptions) -> CodecLmEngine:
    """Build the engine."""
    return CodecLmEngine(SPEC, load, options)
