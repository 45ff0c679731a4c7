"""The spec of Orpheus. This module does not import torch."""

from engines.codec_lm.settings import SAMPLING
from engines.registry import EngineOption, Spec
from engines.types import Setting

VOICES = ("tara", "leah", "jess", "leo", "dan", "mia", "zac", "zoe")  # of the published fine-tuned checkpoint
TAGS = ("laugh", "chuckle", "sigh", "cough", "sniffle", "groan", "yawn", "gasp")  # written <laugh>
PUBLISHED, CODEC = "canopylabs/orpheus-3b-0.1-ft", "hubertsiuzdak/snac_24khz"
OWN_VOICE = Setting(
    name="own_voice",
    label="Built-in voice",
    help="A voice of the checkpoint instead of the reference: 0 = the reference, "
    + ", ".join(f"{number} = {name}" for number, name in enumerate(VOICES, start=1))
    + ".",
    least=0,
    most=len(VOICES),
    step=1,
    whole=True,
    replaces_voice=True,
)
SPEC = Spec(
    name="orpheus",
    title="Orpheus",
    good_at="Laughs, sighs and gasps where the text says so, such as <laugh>.",
    settings=(*SAMPLING, OWN_VOICE),
    reference_max_s=15.0,
    options=(
        EngineOption(name="encoder", default="auto", values=("auto", "cpu")),
        EngineOption(name="codec", default=f"hf://{CODEC}"),
    ),
    factory="engines.orpheus.engine:make_engine",
    weights=f"Set STUDIO_ORPHEUS_CHECKPOINT to hf://{PUBLISHED} or to a folder.",
    licences={"hf://canopylabs/": "Llama 3.2 Community License"},
)
