"""Checks by signal processing: clipping, edges, silences, length, loudness, and other faults of the sound."""

from dataclasses import replace

from engines.audio import active_frames, frame_length, rms_dbfs, speech_span
from engines.errors import BadText
from engines.text import Pause, parse
from engines.types import Audio, Samples
from studio.ears.quality import Finding, QualityReport, Severity, measure
from studio.ears.vocabulary import TimedWord
from studio.script.checks.expected_take import Expected
from studio.script.format.script import Outcome, TakeCheck

SILENT_LUFS = -60.0
LOUD_LUFS = (-38.0, -9.0)
EDGE_S = 0.01  # length of each end that is checked; if it is as loud as speech, a sound was cut off
CUT_BELOW_SPEECH_DB = 18.0
AFTER_DOUBT_S, AFTER_FAIL_S = 0.15, 0.4  # seconds of sound after the last word
NEAR_S = 0.08  # tolerance for the end of a word
SILENCE_DOUBT_S, SILENCE_FAIL_S = 0.8, 2.0  # longest silence within a line, in addition to its pauses
LENGTH_OK, LENGTH_POSSIBLE = (0.6, 1.6), (0.4, 2.5)  # accepted and possible lengths, as shares of the estimate
LENGTH_SPARE_S = 0.5  # tolerance for short lines
OUTCOMES: dict[Severity, Outcome] = {"none": "ok", "doubt": "doubt", "fail": "fail"}
# Faults that are reported together; clipping is a separate check.
QUALITY = ("tone", "hum", "clicks", "dropouts", "DC offset", "bandwidth")


def check_sounds(audio: Audio, expected: Expected, words: tuple[TimedWord, ...]) -> tuple[TakeCheck, ...]:
    """Run all checks. `words` are the aligned words; empty if alignment failed."""
    quality = measure(audio)
    return (
        check_clipping(quality),
        check_beginning(audio),
        check_ending(audio, words),
        check_silence(quality, expected.text),
        check_length(audio, expected),
        check_loudness(quality),
        check_quality(quality),
    )


def check_clipping(quality: QualityReport) -> TakeCheck:
    return _of_finding("clipping", quality.of("clipping"))


def check_beginning(audio: Audio) -> TakeCheck:
    below = below_speech_db(audio, audio.samples[: round(EDGE_S * audio.sample_rate)])
    if below >= CUT_BELOW_SPEECH_DB:
        return _check("beginning", "ok", "The take begins cleanly.", below)
    return _check("beginning", "doubt", "The take begins in the middle of a sound. The first word may be cut.", below)


def check_ending(audio: Audio, words: tuple[TimedWord, ...]) -> TakeCheck:
    below = below_speech_db(audio, audio.samples[-round(EDGE_S * audio.sample_rate) :])
    if below < CUT_BELOW_SPEECH_DB:
        return _check("ending", "fail", "The take ends in the middle of a sound. The last word is cut.", below)
    after_s = sound_after_s(audio, words[-1].end_s + NEAR_S) if words else 0.0
    if after_s < AFTER_DOUBT_S:
        return _check("ending", "ok", "The take ends cleanly after the last word.", after_s)
    outcome: Outcome = "fail" if after_s > AFTER_FAIL_S else "doubt"
    return _check(
        "ending", outcome, f"After the last word there is {after_s:.2f} s of other sound. Listen to the end.", after_s
    )


def check_silence(quality: QualityReport, text: str) -> TakeCheck:
    longest_s, asked_s = quality.silences.inner_s, longest_pause_s(text)
    said = f"The longest silence in the take is {longest_s:.1f} s"
    if longest_s - asked_s <= SILENCE_DOUBT_S:
        return _check("silence", "ok", f"{said}.", longest_s)
    outcome: Outcome = "fail" if longest_s - asked_s > SILENCE_FAIL_S else "doubt"
    return _check(
        "silence",
        outcome,
        f"{said}, {longest_s - asked_s:.1f} s longer than the longest pause in the script.",
        longest_s,
    )


def check_length(audio: Audio, expected: Expected) -> TakeCheck:
    length_s, estimate_s = audio.duration_s, expected.estimate_s
    if not estimate_s:
        return _check(
            "length",
            "ok",
            f"The take lasts {length_s:.2f} s. Not checked: the studio cannot estimate the length of this text.",
            length_s,
        )
    said = f"The take lasts {length_s:.2f} s, including silence. Expected: {estimate_s:.2f} s"
    if _within(length_s, estimate_s, LENGTH_OK):
        return _check("length", "ok", f"{said}.", length_s)
    how = "Words may be missing" if length_s < estimate_s else "Words may be repeated or spoken slowly"
    outcome: Outcome = "doubt" if _within(length_s, estimate_s, LENGTH_POSSIBLE) else "fail"
    return _check("length", outcome, f"{said}. {how}.", length_s)


def check_loudness(quality: QualityReport) -> TakeCheck:
    lufs = quality.loudness_lufs
    if lufs < SILENT_LUFS:
        return _check("loudness", "fail", "The take is silent.", lufs)
    if LOUD_LUFS[0] <= lufs <= LOUD_LUFS[1]:
        return _check("loudness", "ok", f"Loudness: {lufs:.0f} LUFS.", lufs)
    return _check(
        "loudness", "doubt", f"The take is very {'quiet' if lufs < LOUD_LUFS[0] else 'loud'}: {lufs:.0f} LUFS.", lufs
    )


def check_quality(quality: QualityReport) -> TakeCheck:
    """Return a check for the worst fault of the sound except clipping; the message names the other faults."""
    faults = [finding for finding in quality.faults if finding.name in QUALITY]
    if not faults:
        bandwidth = quality.of("bandwidth")
        return _check(
            "quality", "ok", f"No tone, hum, click or dropout was found. {bandwidth.message}", bandwidth.value
        )
    check = _of_finding("quality", faults[0])
    others = ", ".join(finding.name for finding in faults[1:])
    return replace(check, message=f"{check.message} Also found: {others}.") if others else check


def _of_finding(name: str, finding: Finding) -> TakeCheck:
    return _check(name, OUTCOMES[finding.severity], finding.message, finding.value)


def _within(length_s: float, estimate_s: float, share: tuple[float, float]) -> bool:
    least, most = share[0] * estimate_s - LENGTH_SPARE_S, share[1] * estimate_s + LENGTH_SPARE_S
    return least <= length_s <= most


def below_speech_db(audio: Audio, edge: Samples) -> float:
    """Return the level of the take's speech above an edge, in dB."""
    start, end = speech_span(audio.samples, audio.sample_rate)
    return rms_dbfs(audio.samples[start:end]) - rms_dbfs(edge)


def sound_after_s(audio: Audio, from_s: float) -> float:
    """Return the seconds of sound after a time."""
    active = active_frames(audio.samples, audio.sample_rate)
    frame_s = frame_length(audio.sample_rate) / audio.sample_rate
    return float(active[round(from_s / frame_s) :].sum()) * frame_s


def longest_pause_s(text: str) -> float:
    """Return the longest pause that the text asks for."""
    try:
        return max((part.duration_s for part in parse(text).parts if isinstance(part, Pause)), default=0.0)
    except BadText:
        return 0.0


def _check(name: str, outcome: Outcome, message: str, value: float) -> TakeCheck:
    return TakeCheck(name=name, outcome=outcome, message=message, value=round(value, 4))
