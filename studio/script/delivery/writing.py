"""Make the file of one line: cut and level the take, encode it, and measure the result."""

import io
from dataclasses import dataclass, replace

import soundfile

from engines.audio import encode, loudness_lufs, speech_span
from engines.audio.loudness import SILENCE_DB
from engines.types import Audio
from studio.ears.vocabulary import TimedWord
from studio.script.delivery.flags import Flag
from studio.script.delivery.gains import PEAK_MARGIN_DB
from studio.script.delivery.levels import Energies, energies, momentary_lufs
from studio.script.delivery.lines import DeliveredLine
from studio.script.delivery.metadata import FileLevels, bext, cues, info, ixml
from studio.script.delivery.ogg import vorbis_bytes
from studio.script.delivery.peaks import limited, true_peak_dbtp
from studio.script.delivery.presets import Preset
from studio.script.delivery.riff import wav_bytes
from studio.script.delivery.shaping import ShapedTake, heard, louder, quantised, shaped
from studio.script.delivery.timing import moved
from studio.script.format.length_limit import missed

LOUDNESS_WITHIN_LU = 0.5
EDGE_WITHIN_MS = 10.0
LIMITED_FROM_DB = 0.05  # smaller reductions are only rounding


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class WrittenFile:
    """The bytes of a file, and its measurements."""

    content: bytes
    gain_db: float  # gain applied to the take
    duration_s: float
    words: tuple[TimedWord, ...]  # times are seconds of the file
    levels: FileLevels
    energies: Energies
    head_ms: float | None
    tail_ms: float | None
    flags: tuple[Flag, ...]


def written(line: DeliveredLine, gain_db: float, preset: Preset) -> WrittenFile:
    """Return the file of a line. The gain `gain_db` is applied to its take."""
    made = shaped(line.audio(), preset)
    raised = louder(made.audio, gain_db)
    ceiling_dbtp = preset.ceiling_dbtp - PEAK_MARGIN_DB
    audio = limited(raised, ceiling_dbtp)
    file = (_wav if preset.format == "wav" else _compressed)(line, made, audio, preset)
    file = replace(file, gain_db=gain_db)
    over_db = 0.0 if audio is raised else true_peak_dbtp(raised) - ceiling_dbtp
    if over_db < LIMITED_FROM_DB:
        return file
    advice = "If you hear distortion, use a quieter take or a lower target loudness."
    message = f"Peaks were limited by {over_db:.1f} dB to the ceiling of {preset.ceiling_dbtp:g} dBTP. {advice}"
    return replace(file, flags=(Flag("peak", message), *file.flags))


def _wav(line: DeliveredLine, made: ShapedTake, audio: Audio, preset: Preset) -> WrittenFile:
    steps = quantised(audio, preset.bits, made.seed)
    file = _measured(line, made, heard(steps, preset.bits, preset.sample_rate), preset)
    before, after = [], []
    if preset.metadata:
        before = [bext(line, preset, file.levels, f"{made.seed:016x}")]
        after = [*cues(file.words, preset.sample_rate), info(line), ixml(line, preset, file.levels)]
    return replace(file, content=wav_bytes(steps, preset.bits, preset.sample_rate, before, after))


def _compressed(line: DeliveredLine, made: ShapedTake, audio: Audio, preset: Preset) -> WrittenFile:
    content = encode(audio, "mp3") if preset.format == "mp3" else vorbis_bytes(audio)
    samples, rate = soundfile.read(io.BytesIO(content), dtype="float32")
    return replace(_measured(line, made, Audio(samples, rate), preset), content=content)


def _measured(line: DeliveredLine, made: ShapedTake, final: Audio, preset: Preset) -> WrittenFile:
    """Return the measurements of a file with this audio; the bytes and the gain are added later."""
    steps = energies(final)
    levels = FileLevels(
        loudness_lufs=loudness_lufs(final),
        momentary_lufs=momentary_lufs(steps),
        true_peak_dbtp=true_peak_dbtp(final),
    )
    head_ms, tail_ms = _edges_ms(final) if made.spoken else (None, None)
    return WrittenFile(
        content=b"",
        gain_db=0.0,
        duration_s=final.duration_s,
        words=moved(line.words, made.shift_s, final.duration_s),
        levels=levels,
        energies=steps,
        head_ms=head_ms,
        tail_ms=tail_ms,
        flags=(*_length_flags(line, final), *_flags(levels, head_ms, tail_ms, preset)),
    )


def _edges_ms(audio: Audio) -> tuple[float, float]:
    start, end = speech_span(audio.samples, audio.sample_rate)
    return 1000 * start / audio.sample_rate, 1000 * (len(audio.samples) - end) / audio.sample_rate


def _length_flags(line: DeliveredLine, final: Audio) -> list[Flag]:
    """Return a flag if the file misses the length limit in the sheet, or if the limit is invalid."""
    message = missed(line.limit, final.duration_s)
    return [Flag("length", f"{message[:1].upper()}{message[1:]}.")] if message else []


def _flags(levels: FileLevels, head_ms: float | None, tail_ms: float | None, preset: Preset) -> list[Flag]:
    found = []
    if levels.true_peak_dbtp <= SILENCE_DB:
        found.append(Flag("silent", "The take is silent. Render the line again."))
    elif head_ms is None or tail_ms is None:
        found.append(
            Flag("silent", "No speech was found, so the silence at start and end was not changed. Listen to the file.")
        )
    elif abs(head_ms - preset.head_ms) > EDGE_WITHIN_MS or abs(tail_ms - preset.tail_ms) > EDGE_WITHIN_MS:
        required = f"The preset requires {preset.head_ms:g} ms and {preset.tail_ms:g} ms. Listen to the start and end."
        message = f"The silence is {head_ms:.0f} ms at the start and {tail_ms:.0f} ms at the end. {required}"
        found.append(Flag("edges", message))
    if levels.true_peak_dbtp > preset.ceiling_dbtp:
        limit = f"The ceiling is {preset.ceiling_dbtp:g} dBTP. Lower the target loudness, or deliver wav files."
        found.append(Flag("peak", f"The true peak is {levels.true_peak_dbtp:.1f} dBTP after encoding. {limit}"))
    off_lu = levels.loudness_lufs - preset.target_lufs
    if preset.loudness == "file" and abs(off_lu) > LOUDNESS_WITHIN_LU:
        target = f"The target is {preset.target_lufs:g} LUFS. Lower the target loudness, or render the line again."
        message = f"The loudness is {levels.loudness_lufs:.1f} LUFS. {target}"
        found.append(Flag("loudness", message))
    return found
