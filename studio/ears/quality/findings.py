"""Findings: each measured fault, with its severity and one sentence of advice for a user.

The thresholds and their false alarms are in docs/quality.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from engines.audio import TimeSpan
from studio.ears.quality.clicks import Click
from studio.ears.quality.clipping import Clipping
from studio.ears.quality.levels import Levels
from studio.ears.quality.tones import Hum, Tone
from studio.progress import plural

Severity = Literal["none", "doubt", "fail"]
Use = Literal["take", "reference"]
SEVERITIES: tuple[Severity, ...] = ("none", "doubt", "fail")  # from best to worst

TONE_FAIL_DB, HUM_FAIL_DB = -40.0, -30.0  # relative to the speech
DC_DOUBT, DC_FAIL = 0.01, 0.1  # of full scale
CLIPPED_DOUBT, CLIPPED_FAIL = 1e-5, 3e-3  # fractions of the samples
CLICK_FAIL_DB, CLICKS_FAIL = 20.0, 5
DROPOUT_FAIL_S = 0.01
BANDWIDTH_DOUBT_HZ, BANDWIDTH_FAIL_HZ = 7_000.0, 1_750.0
TELEPHONE_HZ = 4_200.0
RATE_GOOD_HZ = 16_000
NARROW = "Use a recording with a sample rate of 16 kHz or more."
MUFFLED = "Use a clearer recording; the sample rate is not the cause."
SNR_DOUBT_DB, SNR_FAIL_DB = 25.0, 12.0
LIMIT_DB = 60.0  # higher ratios are shown as "over 60 dB"

AGAIN: dict[Use, str] = {
    "take": "Render the line again or use another voice.",
    "reference": "Choose another part, or record again.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The result of the search for one kind of fault, with its severity."""

    name: str
    severity: Severity
    value: float
    unit: str
    at_s: float | None = None  # position of the first fault
    message: str  # what is wrong and what to do, or the measured value


def of_tones(tones: Sequence[Tone], speech_db: float, use: Use) -> Finding:
    """Return the finding about constant tones; it names the strongest tone."""
    if not tones:
        return Finding(name="tone", severity="none", value=0.0, unit="Hz", message="No constant tone.")
    tone = tones[0]
    others = f" (and {plural(len(tones) - 1, 'more tone')})" if len(tones) > 1 else ""
    louder = f"{tone.prominence_db:.0f} dB louder than the frequencies around it"
    said = f"A constant tone at {_frequency(tone.frequency_hz)}{others}, {louder}"
    return Finding(
        name="tone",
        severity="fail" if tone.level_db - speech_db >= TONE_FAIL_DB else "doubt",
        value=tone.frequency_hz,
        unit="Hz",
        message=f"{said}. {AGAIN[use]}",
    )


def of_hum(hum: Hum | None, speech_db: float, use: Use) -> Finding:
    """Return the finding about mains hum."""
    if hum is None:
        return Finding(name="hum", severity="none", value=0.0, unit="Hz", message="No mains hum.")
    above_db = hum.level_db - speech_db
    advice = AGAIN["take"] if use == "take" else "Apply the high-pass filter, or record again."
    return Finding(
        name="hum",
        severity="fail" if above_db >= HUM_FAIL_DB else "doubt",
        value=hum.mains_hz,
        unit="Hz",
        message=f"Mains hum of {hum.mains_hz:.0f} Hz, {compared(above_db, 'speech')}. {advice}",
    )


def of_offset(offset: float, use: Use) -> Finding:
    """Return the finding about DC offset."""
    severity: Severity = "none" if abs(offset) <= DC_DOUBT else "fail" if abs(offset) > DC_FAIL else "doubt"
    advice = "Render the line again." if use == "take" else "Apply the high-pass filter."
    message = (
        "No DC offset." if severity == "none" else f"DC offset of {100 * abs(offset):.1f} % of full scale. {advice}"
    )
    return Finding(name="DC offset", severity=severity, value=offset, unit="of full scale", message=message)


def of_clipping(clipping: Clipping, use: Use, tense: Literal["are", "were recorded"] = "are") -> Finding:
    """Return the finding about clipping. `tense` is "were recorded" if the clip was repaired later."""
    share = clipping.fraction
    severity: Severity = "none" if share <= CLIPPED_DOUBT else "fail" if share > CLIPPED_FAIL else "doubt"
    message = "No clipping."
    if severity != "none":
        how = "clipped" if clipping.at_full_scale else "limited (flat peaks)"
        again = "record again at a lower level, or choose a part without clipping"
        advice = "Render the line again or use a quieter reference." if use == "take" else f"{again.capitalize()}."
        message = f"{100 * share:.2f} % of the samples {tense} {how}, up to {clipping.longest} in a row. {advice}"
    return Finding(
        name="clipping", severity=severity, value=share, unit="of samples", at_s=clipping.first_s, message=message
    )


def of_clicks(clicks: Sequence[Click], use: Use) -> Finding:
    """Return the finding about clicks; it names the loudest click."""
    if not clicks:
        return Finding(name="clicks", severity="none", value=0.0, unit="clicks", message="No clicks.")
    loudest = max(clicks, key=lambda click: click.above_db)
    many = "A click" if len(clicks) == 1 else f"{len(clicks)} clicks, the loudest"
    return Finding(
        name="clicks",
        severity="fail" if loudest.above_db >= CLICK_FAIL_DB or len(clicks) >= CLICKS_FAIL else "doubt",
        value=float(len(clicks)),
        unit="clicks",
        at_s=loudest.at_s,
        message=f"{many} at {loudest.at_s:.2f} s. {AGAIN[use]}",
    )


def of_dropouts(dropouts: Sequence[TimeSpan], use: Use) -> Finding:
    """Return the finding about dropouts; it names the longest dropout."""
    if not dropouts:
        return Finding(name="dropouts", severity="none", value=0.0, unit="s", message="No dropouts.")
    longest = max(dropouts, key=lambda gap: gap.length_s)
    many = "The sound stops for" if len(dropouts) == 1 else f"{len(dropouts)} dropouts, the longest is"
    return Finding(
        name="dropouts",
        severity="fail" if longest.length_s >= DROPOUT_FAIL_S else "doubt",
        value=longest.length_s,
        unit="s",
        at_s=longest.start_s,
        message=f"{many} {1000 * longest.length_s:.0f} ms at {longest.start_s:.2f} s. {AGAIN[use]}",
    )


def of_bandwidth(bandwidth_hz: float, use: Use, sample_rate: int) -> Finding:
    """Return the finding about the highest frequency with sound, in a recording with this sample rate."""
    severity: Severity = (
        "none" if bandwidth_hz >= BANDWIDTH_DOUBT_HZ else "fail" if bandwidth_hz < BANDWIDTH_FAIL_HZ else "doubt"
    )
    message = f"The sound has frequencies up to {bandwidth_hz / 1000:.1f} kHz"
    if severity == "none":
        message += "."
    elif use == "take":
        message += f", so the take sounds {dull(bandwidth_hz)}. Use a reference with more high frequencies."
    else:
        message += (
            f", so the voice will sound {dull(bandwidth_hz)}. {NARROW if sample_rate < RATE_GOOD_HZ else MUFFLED}"
        )
    return Finding(name="bandwidth", severity=severity, value=bandwidth_hz, unit="Hz", message=message)


def of_noise(levels: Levels, use: Use) -> Finding:
    """Return the finding about noise."""
    over = "over " if levels.snr_db >= LIMIT_DB else ""
    message = f"Speech is {over}{min(levels.snr_db, LIMIT_DB):.0f} dB louder than the noise"
    severity: Severity = "none" if levels.snr_db >= SNR_DOUBT_DB else "fail" if levels.snr_db < SNR_FAIL_DB else "doubt"
    if severity != "none":
        advice = (
            "Use a reference with less noise." if use == "take" else "Reduce the noise, or record in a quieter room."
        )
        message += f", but should be at least {SNR_DOUBT_DB:.0f} dB louder. {advice}"
    else:
        message += "."
    return Finding(name="noise", severity=severity, value=levels.snr_db, unit="dB", message=message)


def compared(level_db: float, other: str) -> str:
    """Return a level relative to another sound in words, such as "3 dB louder than the speech"."""
    shown = round(level_db)
    if not shown:
        return f"as loud as the {other}"
    return f"{abs(shown)} dB {'louder' if shown > 0 else 'quieter'} than the {other}"


def dull(bandwidth_hz: float) -> str:
    """Return a description of a voice with this bandwidth."""
    return "like a telephone" if bandwidth_hz <= TELEPHONE_HZ else "dull"


def _frequency(frequency_hz: float) -> str:
    return f"{frequency_hz / 1000:.1f} kHz" if frequency_hz >= 1000.0 else f"{frequency_hz:.0f} Hz"
