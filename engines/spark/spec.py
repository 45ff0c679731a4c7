"""The spec of Spark-TTS. This module does not import torch."""

from engines.codec_lm.settings import TEMPERATURE, TOP_P
from engines.registry import EngineOption, Spec
from engines.types import Setting

PUBLISHED = "SparkAudio/Spark-TTS-0.5B"
CLIP_STYLE = Setting(
    name="clip_style",
    label="Style of the clip",
    help="1 = imitates how the clip is spoken; 0 = uses only its voice, and its transcript has no effect.",
    least=0,
    most=1,
    step=1,
    whole=True,
)
SPEC = Spec(
    name="spark",
    title="Spark-TTS",
    good_at="Clones or designs a voice with a small network, and speaks your recording in another voice.",
    settings=(TEMPERATURE, TOP_P, CLIP_STYLE),
    reference_max_s=15.0,
    options=(EngineOption(name="encoder", default="auto", values=("auto", "cpu")),),
    converts=True,
    designs=True,
    factory="engines.spark.engine:make_engine",
    weights=f"Set STUDIO_SPARK_CHECKPOINT to hf://{PUBLISHED} or to a folder.",
    languages={f"hf://{PUBLISHED}": ("en", "zh")},
    licences={f"hf://{PUBLISHED}": "CC-BY-NC-SA-4.0 (non-commercial)"},
)
