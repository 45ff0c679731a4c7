"""The report on a reference: faults of a clip that an engine would hear, and what to do about them."""

import math
from dataclasses import dataclass
from typing import Literal

from engines.audio import peak_dbfs
from engines.text import count_syllables
from engines.types import Audio
from studio.ears.quality import Finding, QualityReport, Severity, findings, measure
from studio.ears.quality.clipping import measure_clipping
from studio.ears.quality.findings import SEVERITIES
from studio.ears.quality.levels import measure_levels, rumble_and_bandwidth, speech_s
from studio.ears.quality.tones import find_tones
from studio.references.clip import Source
from studio.references.repairs import Repair

State = Literal["ok", "warn", "fail"]
STATES: dict[Severity, State] = {"none": "ok", "doubt": "warn", "fail": "fail"}

GOOD_S = (3.0, 12.0)
LEAST_S = 1.0
SILENT_DBFS = -55.0
GOOD_LUFS = (-32.0, -10.0)
EDGE_MAX_S, GAP_MAX_S = 0.6, 1.0
MIX_LOSS_MAX_DB = 4.0
RUMBLE_MAX_DB = -15.0  # power below 60 Hz relative to the total
RATE_GOOD, RATE_POSSIBLE = (2.5, 7.5), (1.2, 10.0)  # syllables a second of speech, pauses left out


@dataclass(frozen=True, slots=True)
class Check:
    """The result of one check of a clip."""

    name: str
    state: State
    message: str  # one sentence with figures and advice
    repair: Repair | None = None  # the repair that one click applies


@dataclass(frozen=True, slots=True)
class Report:
    """All checks, in the order in which a designer would make them."""

    checks: tuple[Check, ...]

    @property
    def state(self) -> State:
        """Return the worst state of all checks."""
        states = {check.state for check in self.checks}
        return "fail" if "fail" in states else "warn" if "warn" in states else "ok"

    def of(self, name: str) -> Check:
        """Return the check with this name. Raises KeyError."""
        return next(iter([check for check in self.checks if check.name == name] or _unknown(name)))


def report(
    audio: Audio, source: Source, transcript: str, unrepaired: Audio | None = None, transcript_warning: str = ""
) -> Report:
    """Check exactly the audio that an engine would get, its source, and its transcript.

    `unrepaired` is the same part before any repair; None if nothing was repaired. `transcript_warning`
    says that the transcript differs from the spoken words; "" if it does not.
    """
    if (silent := no_voice(audio)) is not None:
        # Channels that cancel each other leave silence. The repair that takes one channel restores the voice.
        cancelled = [check for check in [mixdown(source)] if check.repair]
        return Report((_duration(audio), silent, *cancelled, _transcript(transcript, transcript_warning)))
    quality = measure(audio, "reference")
    of_sound = [_level(quality), _noise(quality.of("noise")), _pauses(quality), _rumble(quality)]
    of_sound += [_tones(quality), _clicks(quality), _rate(quality.bandwidth_hz, source), mixdown(source)]
    of_words = [_transcript(transcript, transcript_warning), speech_rate(audio, transcript)]
    clipping = _clipping(quality.of("clipping"), unrepaired)
    return Report((_duration(audio), clipping, *of_sound, *of_words))


def failures(audio: Audio, source: Source, transcript: str) -> list[str]:
    """Return the messages of checks that would fail in `report`. Checks that can only warn are skipped, to halve the time."""
    if no_voice(audio) is not None:
        checks = report(audio, source, transcript).checks
    else:
        levels = measure_levels(audio)
        tones, _ = find_tones(audio, levels.speech_db)
        _, bandwidth_hz = rumble_and_bandwidth(audio, tones)
        clipping = findings.of_clipping(measure_clipping(audio), "reference")
        of_sound = (_clipping(clipping), _noise(findings.of_noise(levels, "reference")), _rate(bandwidth_hz, source))
        checks = (_duration(audio), *of_sound, _transcript(transcript, ""), speech_rate(audio, transcript))
    return [check.message for check in checks if check.state == "fail"]


def no_voice(audio: Audio) -> Check | None:
    """Return a failed check if no voice is heard, else None."""
    level = peak_dbfs(audio.samples)
    if level >= SILENT_DBFS and speech_s(audio) > 0.0:
        return None
    return Check("level", "fail", f"No voice found (peak {level:.0f} dBFS). Choose another part or record again.")


def _duration(audio: Audio) -> Check:
    length_s = audio.duration_s
    if length_s < LEAST_S:
        return Check("duration", "fail", f"{length_s:.2f} s is too short. Select at least {LEAST_S:.0f} s.")
    if length_s < GOOD_S[0]:
        return Check(
            "duration",
            "warn",
            f"{length_s:.1f} s is short. {GOOD_S[0]:.0f} to {GOOD_S[1]:.0f} s give the best result.",
        )
    if length_s > GOOD_S[1]:
        return Check("duration", "warn", f"{length_s:.1f} s is long. Select at most {GOOD_S[1]:.0f} s.")
    return Check("duration", "ok", f"Good length: {length_s:.1f} s.")


def _clipping(found: Finding, unrepaired: Audio | None = None) -> Check:
    if unrepaired is not None:
        # A repair changes the level, but does not restore cut peaks.
        found = findings.of_clipping(measure_clipping(unrepaired), "reference", "were recorded")
    return Check("clipping", STATES[found.severity], found.message)


def _level(quality: QualityReport) -> Check:
    lufs = quality.loudness_lufs
    said = f"{lufs:.0f} LUFS, peak {quality.peak_dbfs:.0f} dBFS"
    if GOOD_LUFS[0] <= lufs <= GOOD_LUFS[1]:
        return Check("level", "ok", f"Good level: {said}.")
    which = "quiet" if lufs < GOOD_LUFS[0] else "loud"
    return Check("level", "warn", f"Too {which}: {said}. Normalise the level.", "normalise")


def _noise(found: Finding) -> Check:
    return Check("noise", STATES[found.severity], found.message, None if found.severity == "none" else "denoise")


def _pauses(quality: QualityReport) -> Check:
    gaps = quality.silences
    if max(gaps.leading_s, gaps.trailing_s) > EDGE_MAX_S:
        said = f"{gaps.leading_s:.1f} s of silence before and {gaps.trailing_s:.1f} s after the speech"
        return Check("silence", "warn", f"{said}. Trim the silence.", "trim")
    if gaps.inner_s > GAP_MAX_S:
        said = f"The speech has a pause of {gaps.inner_s:.1f} s"
        return Check("silence", "warn", f"{said}. Choose a part without the pause.")
    longest_s = max(gaps.leading_s, gaps.trailing_s, gaps.inner_s)
    return Check("silence", "ok", f"Longest silence: {longest_s:.1f} s.")


def _rumble(quality: QualityReport) -> Check:
    offset = quality.of("DC offset")
    if offset.severity != "none":
        return Check("rumble", "warn", offset.message, "high_pass")
    if quality.rumble_db > RUMBLE_MAX_DB:
        said = f"Rumble (sound below 60 Hz) is {findings.compared(_of_the_rest_db(quality.rumble_db), 'voice')}"
        return Check("rumble", "warn", f"{said}. Apply the high-pass filter.", "high_pass")
    return Check("rumble", "ok", "No rumble, no DC offset.")


def _of_the_rest_db(of_total_db: float) -> float:
    """Return the level of a part of the sound relative to the rest, from its level relative to the total."""
    share = 10 ** (of_total_db / 10)
    return 10 * math.log10(share / max(1.0 - share, 1e-6))


def _tones(quality: QualityReport) -> Check:
    return _worse("tones", (quality.of("tone"), quality.of("hum")), "No constant tone, no mains hum.")


def _clicks(quality: QualityReport) -> Check:
    return _worse("clicks", (quality.of("dropouts"), quality.of("clicks")), "No clicks, no dropouts.")


def _worse(name: str, found: tuple[Finding, Finding], fine: str) -> Check:
    """Return a check with the worse of two findings, or the first of two equal ones. Its state is never "fail"."""
    worst = max(found, key=lambda finding: SEVERITIES.index(finding.severity))
    if worst.severity == "none":
        return Check(name, "ok", fine)
    return Check(name, "warn", worst.message)


def _rate(bandwidth_hz: float, source: Source) -> Check:
    found = findings.of_bandwidth(bandwidth_hz, "reference", source.sample_rate)
    said = f"The sample rate is {source.sample_rate / 1000:g} kHz, and {found.message[0].lower()}{found.message[1:]}"
    return Check("sample rate", STATES[found.severity], said)


def mixdown(source: Source) -> Check:
    """Return the check of the mix of all channels to one."""
    if source.channels == 1:
        return Check("channels", "ok", "One channel.")
    said = f"{source.channels} channels were mixed to one"
    if source.mix_loss_db <= MIX_LOSS_MAX_DB:
        return Check("channels", "ok", f"{said}.")
    loss = f"{source.mix_loss_db:.0f} dB quieter than the loudest channel"
    return Check("channels", "warn", f"{said}, and the mix is {loss}. Use the loudest channel instead.", "mono")


def _transcript(transcript: str, warning: str) -> Check:
    if not transcript.strip():
        return Check("transcript", "fail", "No transcript. Type exactly the words in this part.")
    if warning:
        return Check("transcript", "warn", warning)
    words = len(transcript.split())
    return Check("transcript", "ok", f"{words} word{'s' * (words != 1)}.")


def speech_rate(audio: Audio, transcript: str) -> Check:
    """Check whether the transcript fits the audio, by the syllables per second that people can speak."""
    if not transcript.strip():
        return Check("speech rate", "warn", "No transcript, so the speech rate cannot be checked. Type the transcript.")
    spoken_s = speech_s(audio)
    if spoken_s == 0.0:
        return Check("speech rate", "fail", "No voice found in this part. Choose another part or record again.")
    rate = count_syllables(transcript) / spoken_s
    said = f"{rate:.1f} syllables a second"
    if rate > RATE_GOOD[1]:
        advice = f"Too fast for natural speech ({said}). Delete words of the transcript that are not in this part."
    elif rate < RATE_GOOD[0]:
        advice = f"The speech is slow ({said}), or the transcript is incomplete. Add missing words."
    else:
        return Check("speech rate", "ok", "Natural speech rate.")
    possible = RATE_POSSIBLE[0] <= rate <= RATE_POSSIBLE[1]
    return Check("speech rate", "warn" if possible else "fail", advice)


def _unknown(name: str) -> list[Check]:
    raise KeyError(f"there is no check called {name}")
