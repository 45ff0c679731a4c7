"""What the measured quality means for a user: each fault with its severity and one sentence of advice.

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

Severity = Literal["none", "doubt", "fail"]
Use = Literal["take", "reference"]
WORST: tuple[Severity, ...] = ("none", "doubt", "fail")  # the worst last

TONE_FAIL_DB, HUM_FAIL_DB = -40.0, -30.0  # relative to the speech
DC_DOUBT, DC_FAIL = 0.01, 0.1  # of full scale
CLIPPED_DOUBT, CLIPPED_FAIL = 1e-5, 3e-3  # of the samples
CLICK_FAIL_DB, CLICKS_FAIL = 20.0, 5
DROPOUT_FAIL_S = 0.01
BANDWIDTH_DOUBT_HZ, BANDWIDTH_FAIL_HZ = 7_000.0, 1_750.0
TELEPHONE_HZ = 4_200.0
SNR_DOUBT_DB, SNR_FAIL_DB = 25.0, 12.0
LIMIT_DB = 60.0  # ratios above this are reported as this value

AGAIN: dict[Use, str] = {
    "take": "Render the line again or use another voice.",
    "reference": "Choose another part, or record again.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A fault that was looked for, with its severity."""

    name: str
    severity: Severity
    value: float
    unit: str
    at_s: float | None = None  # where the fault is, or where it first is
    message: str  # what is wrong and what to do, or the measured value


def of_tones(tones: Sequence[Tone], speech_db: float, use: Use) -> Finding:
    """Return the finding about constant tones; the strongest counts."""
    if not tones:
        return Finding(name="tone", severity="none", value=0.0, unit="Hz", message="No constant tone.")
    tone = tones[0]
    others = f" and {len(tones) - 1} more" if len(tones) > 1 else ""
    said = f"A constant tone at {_frequency(tone.frequency_hz)}{others}, {tone.prominence_db:.0f} dB above its surroundings"
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
    below_db = speech_db - hum.level_db
    advice = AGAIN["take"] if use == "take" else "Apply the high-pass, or record again."
    return Finding(
        name="hum",
        severity="fail" if -below_db >= HUM_FAIL_DB else "doubt",
        value=hum.mains_hz,
        unit="Hz",
        message=f"Mains hum of {hum.mains_hz:.0f} Hz, {below_db:.0f} dB below the speech. {advice}",
    )


def of_offset(offset: float, use: Use) -> Finding:
    """Return the finding about DC offset."""
    severity: Severity = "none" if abs(offset) <= DC_DOUBT else "fail" if abs(offset) > DC_FAIL else "doubt"
    advice = "Render the line again." if use == "take" else "Apply the high-pass."
    message = "No DC offset." if severity == "none" else f"DC offset of {abs(offset):.1%} of full scale. {advice}"
    return Finding(name="DC offset", severity=severity, value=offset, unit="of full scale", message=message)


def of_clipping(clipping: Clipping, use: Use, tense: Literal["are", "were recorded"] = "are") -> Finding:
    """Return the finding about clipping. `tense` says whether a repair followed the clipping."""
    share = clipping.fraction
    severity: Severity = "none" if share <= CLIPPED_DOUBT else "fail" if share > CLIPPED_FAIL else "doubt"
    message = "No clipping."
    if severity != "none":
        how = "clipped" if clipping.at_full_scale else "flattened by a limiter"
        again = "record again at a lower level, or choose a part without clipping"
        advice = "Render the line again or use a quieter reference." if use == "take" else f"{again.capitalize()}."
        message = f"{share:.2%} of the samples {tense} {how}, up to {clipping.longest} in a row. {advice}"
    return Finding(
        name="clipping", severity=severity, value=share, unit="of samples", at_s=clipping.first_s, message=message
    )


def of_clicks(clicks: Sequence[Click], use: Use) -> Finding:
    """Return the finding about clicks; the loudest is named."""
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
    """Return the finding about dropouts; the longest is named."""
    if not dropouts:
        return Finding(name="dropouts", severity="none", value=0.0, unit="s", message="No dropouts.")
    longest = max(dropouts, key=lambda gap: gap.length_s)
    many = "The sound drops out" if len(dropouts) == 1 else f"The sound drops out {len(dropouts)} times, longest"
    return Finding(
        name="dropouts",
        severity="fail" if longest.length_s >= DROPOUT_FAIL_S else "doubt",
        value=longest.length_s,
        unit="s",
        at_s=longest.start_s,
        message=f"{many} for {1000 * longest.length_s:.0f} ms at {longest.start_s:.2f} s. {AGAIN[use]}",
    )


def of_bandwidth(bandwidth_hz: float, use: Use) -> Finding:
    """Return the finding about the highest frequency with sound."""
    severity: Severity = (
        "none" if bandwidth_hz >= BANDWIDTH_DOUBT_HZ else "fail" if bandwidth_hz < BANDWIDTH_FAIL_HZ else "doubt"
    )
    message = f"Audio up to {bandwidth_hz / 1000:.1f} kHz"
    if severity == "none":
        message += "."
    elif use == "take":
        message += f", so the take sounds {dull(bandwidth_hz)}. Use a reference with more high frequencies."
    else:
        message += f", so the voice will sound {dull(bandwidth_hz)}. Use a recording of 16 kHz or more."
    return Finding(name="bandwidth", severity=severity, value=bandwidth_hz, unit="Hz", message=message)


def of_noise(levels: Levels, use: Use) -> Finding:
    """Return the finding about noise."""
    over = "over " if levels.snr_db >= LIMIT_DB else ""
    message = f"Speech is {over}{min(levels.snr_db, LIMIT_DB):.0f} dB above the noise"
    severity: Severity = "none" if levels.snr_db >= SNR_DOUBT_DB else "fail" if levels.snr_db < SNR_FAIL_DB else "doubt"
    if severity != "none":
        advice = (
            "Use a reference with less noise." if use == "take" else "Reduce the noise, or record in a quieter room."
        )
        message += f", but should be {SNR_DOUBT_DB:.0f} dB. {advice}"
    else:
        message += "."
    return Finding(name="noise", severity=severity, value=levels.snr_db, unit="dB", message=message)


def dull(bandwidth_hz: float) -> str:
    """Return how a voice with little bandwidth sounds."""
    return "like a telephone" if bandwidth_hz <= TELEPHONE_HZ else "dull"


def _frequency(frequency_hz: float) -> str:
    return f"{frequency_hz / 1000:.1f} kHz" if frequency_hz >= 1000.0 else f"{frequency_hz:.0f} Hz"
