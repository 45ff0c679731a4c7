"""The specs of the original engines. This module imports neither torch nor the packages."""

from dataclasses import replace

from engines.f5.spec import SPEC as F5
from engines.registry import Spec
from engines.s1.spec import SPEC as S1

GOOD_AT = "The published code, for comparison with {}. Slow, and only one request at a time."
WEIGHTS = "Add {} to STUDIO_ENGINES. It speaks with the checkpoint of {}."


def _original(spec: Spec, name: str, package: str) -> Spec:
    return replace(
        spec,
        name=name,
        title=f"{spec.title} (original)",
        good_at=GOOD_AT.format(spec.title),
        factory=f"engines.originals.engine:make_{package}_engine",
        weights=WEIGHTS.format(name, spec.title),
        weights_of=spec.name,
        fine_tunes=False,
        vetting="",
    )


F5_ORIGINAL = _original(F5, "f5-original", "f5")
S1_ORIGINAL = _original(S1, "s1-original", "s1")
