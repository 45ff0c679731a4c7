"""The Spark-TTS engine."""

from engines.codec_lm.engine import CodecLmEngine
from engines.registry import EngineOptions
from engines.spark.model import load
from engines.spark.spec import SPEC


def make_engine(options: EngineOptions) -> CodecLmEngine:
    """Build the engine."""
    return CodecLmEngine(SPEC, load, options)
