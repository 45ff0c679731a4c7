"""Measure the quality of audio over its whole band, without models: faults, levels, silences and loudness as heard.

`opinion` predicts a mean opinion score with a model.
"""

from studio.ears.quality.findings import Finding, Severity, Use
from studio.ears.quality.loudness import heard_lufs
from studio.ears.quality.measurement import QualityReport, measure

__all__ = ["Finding", "QualityReport", "Severity", "Use", "heard_lufs", "measure"]
