"""Measure a clip or a take: all figures, and the findings about them."""

from dataclasses import dataclass

from engines.audio import TimeSpan, peak_dbfs
from engines.types import Audio
from studio.ears.quality import findings
from studio.ears.quality.clicks import Click, find_clicks
from studio.ears.quality.clipping import Clipping, measure_clipping
from studio.ears.quality.dropouts import find_dropouts
from studio.ears.quality.findings import SEVERITIES, Finding, Severity, Use
from studio.ears.quality.levels import FLOOR_DB, Levels, dc_offset, measure_levels, rumble_and_bandwidth
from studio.ears.quality.loudness import heard_lufs
from studio.ears.quality.opinion import predict_mos
from studio.ears.quality.silences import Silences, measure_silences
from studio.ears.quality.tones import Hum, Tone, find_tones

NEAR_DROPOUT_S = 0.005  # clicks this near to a dropout are its edges


@dataclass(frozen=True, slots=True, kw_only=True)
class QualityReport:
    """The measured quality of a clip or a take."""

    levels: Levels
    peak_dbfs: float
    loudness_lufs: float  # as heard
    silences: Silences
    rumble_db: float  # power below 60 Hz relative to the total
    bandwidth_hz: float
    dc_offset: float  # of full scale
    tones: tuple[Tone, ...]
    hum: Hum | None
    clipping: Clipping
    clicks: tuple[Click, ...]
    dropouts: tuple[TimeSpan, ...]
    mos: float | None  # predicted; None if it was not requested or no model is installed
    findings: tuple[Finding, ...]  # one for each kind of fault, also if there is none

    @property
    def severity(self) -> Severity:
        """Return the worst severity of all findings."""
        return max((finding.severity for finding in self.findings), key=SEVERITIES.index)

    @property
    def faults(self) -> tuple[Finding, ...]:
        """Return the findings that are faults, worst first."""
        found = [finding for finding in self.findings if finding.severity != "none"]
        return tuple(sorted(found, key=lambda finding: -SEVERITIES.index(finding.severity)))

    def of(self, name: str) -> Finding:
        """Return the finding with this name. Raises KeyError."""
        for finding in self.findings:
            if finding.name == name:
                return finding
        raise KeyError(f"there is no finding called {name}")


def measure(audio: Audio, use: Use = "take", *, with_mos: bool = False) -> QualityReport:
    """Measure audio, which must not contain NaN or infinity.

    `use` decides the advice. `with_mos` also predicts the MOS, which loads a model and torch.
    """
    levels = measure_levels(audio)
    speech_db, voiced = levels.speech_db, levels.speech_db > FLOOR_DB
    tones, hum = find_tones(audio, speech_db) if voiced else ((), None)
    dropouts = find_dropouts(audio, speech_db) if voiced else ()
    clicks = _apart(find_clicks(audio, speech_db), dropouts) if voiced else ()
    rumble_db, bandwidth_hz = rumble_and_bandwidth(audio, tones)
    offset, clipping = dc_offset(audio), measure_clipping(audio)
    return QualityReport(
        levels=levels,
        peak_dbfs=peak_dbfs(audio.samples),
        loudness_lufs=heard_lufs(audio, tones),
        silences=measure_silences(audio),
        rumble_db=rumble_db,
        bandwidth_hz=bandwidth_hz,
        dc_offset=offset,
        tones=tones,
        hum=hum,
        clipping=clipping,
        clicks=clicks,
        dropouts=dropouts,
        mos=predict_mos(audio) if with_mos else None,
        findings=(
            findings.of_tones(tones, speech_db, use),
            findings.of_hum(hum, speech_db, use),
            findings.of_offset(offset, use),
            findings.of_clipping(clipping, use),
            findings.of_clicks(clicks, use),
            findings.of_dropouts(dropouts, use),
            findings.of_bandwidth(bandwidth_hz, use, audio.sample_rate),
            findings.of_noise(levels, use),
        ),
    )


def _apart(clicks: tuple[Click, ...], dropouts: tuple[TimeSpan, ...]) -> tuple[Click, ...]:
    """Return the clicks that are not edges of dropouts."""
    return tuple(
        click
        for click in clicks
        if not any(gap.start_s - NEAR_DROPOUT_S <= click.at_s <= gap.end_s + NEAR_DROPOUT_S for gap in dropouts)
    )
