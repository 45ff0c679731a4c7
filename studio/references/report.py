"""The report on a reference: faults of a clip that an engine would hear, and what to do about them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from engines.audio import loudness_lufs, peak_dbfs, silences
from engines.text import count_syllables
from engines.types import Audio
from studio.references.agreement import disagreement
from studio.references.clip import Source
from studio.references.measures import (
    bandwidth_hz,
    clipped_fraction,
    longest_clip,
    noise_level_db,
    rumble_db,
    speech_level_db,
    speech_s,
)
from studio.references.repairs import Repair

State = Literal["ok", "warn", "fail"]

GOOD_S = (3.0, 12.0)
LEAST_S = 1.0
SILENT_DBFS = -55.0
GOOD_LUFS = (-32.0, -10.0)
CLIPPED_WARN, CLIPPED_FAIL = 1e-5, 3e-3  # fraction of samples
SNR_GOOD_DB, SNR_LEAST_DB = 25.0, 12.0
EDGE_MAX_S, GAP_MAX_S = 0.6, 1.0
BANDWIDTH_GOOD_HZ, BANDWIDTH_LEAST_HZ = 7_000.0, 3_500.0
MIX_LOSS_MAX_DB = 4.0
DC_MAX = 0.01
RUMBLE_MAX_DB = -15.0  # power below 60 Hz relative to the total
RATE_GOOD, RATE_POSSIBLE = (2.5, 7.5), (1.2, 10.0)  # syllables a second of speech, pauses left out
LIMIT_DB = 60.0  # ratios above this are reported as this value


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


def report(audio: Audio, source: Source, transcript: str, unrepaired: Audio | None = None, heard: str = "") -> Report:
    """Check exactly the audio that an engine would get, its source, and its transcript.

    `unrepaired` is the same part before any repair; None if nothing was repaired. `heard` is what the recogniser hears in
    the part; "" if it was not used.
    """
    if (silent := no_voice(audio)) is not None:
        # Channels that cancel each other leave silence; taking one channel restores the voice.
        cancelled = [check for check in [mixdown(source)] if check.repair]
        return Report((_duration(audio), silent, *cancelled, _transcript(transcript, heard)))
    sound: list[Callable[[Audio], Check]] = [_level, _snr, _pauses, _rumble]
    of_sound = [check(audio) for check in sound]
    of_words = [_transcript(transcript, heard), speech_rate(audio, transcript)]
    return Report(
        (_duration(audio), _clipping(audio, unrepaired), *of_sound, _rate(audio, source), mixdown(source), *of_words)
    )


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


def _clipping(audio: Audio, unrepaired: Audio | None) -> Check:
    recorded = audio if unrepaired is None else unrepaired  # a repair changes the level, but does not restore cut peaks
    fraction, longest = clipped_fraction(recorded), longest_clip(recorded)
    if fraction <= CLIPPED_WARN:
        return Check("clipping", "ok", "No clipping.")
    state: State = "fail" if fraction > CLIPPED_FAIL else "warn"
    said = f"{fraction:.2%} of the samples {'are' if unrepaired is None else 'were recorded'} clipped"
    return Check(
        "clipping",
        state,
        f"{said}, up to {longest} in a row. Record again at a lower level, or choose a part without clipping.",
    )


def _level(audio: Audio) -> Check:
    lufs, peak = loudness_lufs(audio), peak_dbfs(audio.samples)
    said = f"{lufs:.0f} LUFS, peak {peak:.0f} dBFS"
    if GOOD_LUFS[0] <= lufs <= GOOD_LUFS[1]:
        return Check("level", "ok", f"Good level: {said}.")
    which = "quiet" if lufs < GOOD_LUFS[0] else "loud"
    return Check("level", "warn", f"Too {which}: {said}. Normalise the level.", "normalise")


def _snr(audio: Audio) -> Check:
    ratio = speech_level_db(audio) - noise_level_db(audio)
    said = (
        f"Speech is {ratio:.0f} dB above the noise"
        if ratio < LIMIT_DB
        else f"Speech is over {LIMIT_DB:.0f} dB above the noise"
    )
    if ratio >= SNR_GOOD_DB:
        return Check("noise", "ok", f"{said}.")
    state: State = "fail" if ratio < SNR_LEAST_DB else "warn"
    return Check(
        "noise",
        state,
        f"{said}, but should be {SNR_GOOD_DB:.0f} dB. Reduce the noise, or record in a quieter room.",
        "denoise",
    )


def _pauses(audio: Audio) -> Check:
    gaps = silences(audio)
    lead_s = sum(gap.length_s for gap in gaps if gap.start_s == 0.0)
    trail_s = sum(gap.length_s for gap in gaps if gap.end_s >= audio.duration_s)
    inner_s = max((gap.length_s for gap in gaps if gap.start_s > 0.0 and gap.end_s < audio.duration_s), default=0.0)
    if max(lead_s, trail_s) > EDGE_MAX_S:
        return Check(
            "silence",
            "warn",
            f"{lead_s:.1f} s of silence before and {trail_s:.1f} s after the speech. Trim the silence.",
            "trim",
        )
    if inner_s > GAP_MAX_S:
        return Check("silence", "warn", f"The speech has a pause of {inner_s:.1f} s. Choose a part without the pause.")
    return Check("silence", "ok", f"Longest silence: {max(lead_s, trail_s, inner_s):.1f} s.")


def _rumble(audio: Audio) -> Check:
    offset, low_db = abs(float(np.mean(audio.samples, dtype=np.float64))), rumble_db(audio)
    if offset > DC_MAX:
        return Check("rumble", "warn", f"DC offset of {offset:.1%} of full scale. Apply the high-pass.", "high_pass")
    if low_db > RUMBLE_MAX_DB:
        return Check(
            "rumble",
            "warn",
            f"Rumble below 60 Hz is only {-low_db:.0f} dB below the voice. Apply the high-pass.",
            "high_pass",
        )
    return Check("rumble", "ok", "No rumble, no DC offset.")


def _rate(audio: Audio, source: Source) -> Check:
    used = bandwidth_hz(audio)
    said = f"{source.sample_rate / 1000:g} kHz, audio up to {used / 1000:.1f} kHz"
    if used >= BANDWIDTH_GOOD_HZ:
        return Check("sample rate", "ok", f"{said}.")
    state: State = "fail" if used < BANDWIDTH_LEAST_HZ * 0.5 else "warn"
    sounds = "like a telephone" if used <= BANDWIDTH_LEAST_HZ * 1.2 else "dull"
    return Check("sample rate", state, f"{said}, so the voice will sound {sounds}. Use a recording of 16 kHz or more.")


def mixdown(source: Source) -> Check:
    """Return the check of how the channels were mixed to one."""
    if source.channels == 1:
        return Check("channels", "ok", "One channel.")
    said = f"{source.channels} channels were mixed to one"
    if source.mix_loss_db <= MIX_LOSS_MAX_DB:
        return Check("channels", "ok", f"{said}.")
    loss = f"{source.mix_loss_db:.0f} dB quieter than the loudest channel"
    return Check("channels", "warn", f"{said}, and the mix is {loss}. Use the loudest channel instead.", "mono")


def _transcript(transcript: str, heard: str) -> Check:
    if not transcript.strip():
        return Check("transcript", "fail", "No transcript. Type exactly the words in this part.")
    if doubt := disagreement(heard, transcript):
        return Check("transcript", "warn", doubt)
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
        advice = f"Slow speech rate ({said}). Add words of this part that are missing in the transcript."
    else:
        return Check("speech rate", "ok", "Natural speech rate.")
    possible = RATE_POSSIBLE[0] <= rate <= RATE_POSSIBLE[1]
    return Check("speech rate", "warn" if possible else "fail", advice)


def _unknown(name: str) -> list[Check]:
    raise KeyError(f"there is no check called {name}")
