"""Speak a plan with Kokoro in batches: lines with equal numbers of symbols, and then lines with equal numbers of frames."""

import logging
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from training.corpus.kokoro.network import FRAME, RATE_HZ, STYLE, VOICED_HZ, Kokoro
from training.corpus.kokoro.plan import PlannedLine
from training.corpus.kokoro.speakers import NaturalSpeaker, StyleBank, draw_speaker, draw_wide_speaker

log = logging.getLogger(__name__)
CHUNK = 4096  # number of lines whose features are in memory together
ROWS, FRAMES = 256, 16_000  # maximum rows in a batch of symbols, and maximum frames of all rows in a batch of frames
ROUND = 8  # each line is extended with silence to a multiple of this number of frames
SHORTEST_S, LONGEST_S = 0.5, 14.0
LEAD_S, TAIL_S = 0.1, (0.15, 0.3)
NARROW = 4  # if all styles are available, one speaker in four mixes only the first five
QUIET = 0.01  # level relative to the loudest 10 ms below which audio is silence


@dataclass(frozen=True, slots=True)
class SpokenLine:
    number: int  # number in the plan
    samples: NDArray[np.int16]


@dataclass(frozen=True, slots=True)
class _Read:
    """A line after the first half of the network."""

    number: int
    said: Tensor  # (t, WIDTH)
    how: Tensor  # (t, WIDTH + STYLE)
    style: Tensor
    durations: Tensor  # (t,) frames, CPU


class Speech:
    """The network on one device."""

    def __init__(self, model: Kokoro, device: torch.device, seed: int, styles: Path | None = None) -> None:
        self.model, self.device, self.seed = model.to(device), device, seed
        self.bank = StyleBank(device)
        self.wide = StyleBank(device, styles) if styles else None
        self.speakers: dict[int, NaturalSpeaker] = {}
        self.generator = torch.Generator(device).manual_seed(seed)

    def speak(self, plan: list[PlannedLine]) -> Iterator[SpokenLine]:
        """Yield the lines in any order. Lines that are too short or too long are left out."""
        for first in range(0, len(plan), CHUNK):
            read = self._read(plan, range(first, min(first + CHUNK, len(plan))))
            yield from self._decode(plan, read)

    def _speaker(self, number: int) -> NaturalSpeaker:
        if number not in self.speakers:
            if self.wide and number % NARROW:
                self.speakers[number] = draw_wide_speaker(self.seed, number, self.wide.names)
            else:
                self.speakers[number] = draw_speaker(self.seed, number)
        return self.speakers[number]

    def _style(self, speaker: NaturalSpeaker, symbols: int) -> Tensor:
        wide = self.wide is not None and len(speaker.timbre) == len(self.wide.names)
        bank = self.wide if self.wide and wide else self.bank
        return bank.of(speaker, symbols)

    @torch.inference_mode()
    def _read(self, plan: list[PlannedLine], numbers: range) -> list[_Read]:
        by_size: dict[int, list[int]] = {}
        for number in numbers:
            by_size.setdefault(len(plan[number].tokens), []).append(number)
        found: list[_Read] = []
        for size, group in by_size.items():
            for rows in (group[i : i + ROWS] for i in range(0, len(group), ROWS)):
                tokens = torch.tensor([plan[number].tokens for number in rows], device=self.device)
                speakers = [self._speaker(plan[number].speaker) for number in rows]
                styles = torch.stack([self._style(speaker, size - 2) for speaker in speakers])
                with torch.autocast(self.device.type, torch.float16, enabled=self.device.type == "cuda"):
                    said, how, durations = self.model.read(tokens, styles)
                found += self._rows(rows, speakers, (said, how, styles, durations.float()))
        return found

    def _rows(
        self, numbers: list[int], speakers: list[NaturalSpeaker], parts: tuple[Tensor, Tensor, Tensor, Tensor]
    ) -> list[_Read]:
        said, how, styles, durations = parts
        pace = torch.tensor([speaker.ratio / speaker.pace for speaker in speakers], device=self.device)
        pace = pace * torch.exp(0.05 * torch.randn(len(speakers), device=self.device, generator=self.generator))
        counts = (durations * pace[:, None]).round().clamp(min=1).long()
        counts[:, -1] += -counts.sum(1) % ROUND
        rows = zip(numbers, said.half(), how.half(), styles, counts.cpu(), strict=True)
        return [_Read(*row) for row in rows]

    def _decode(self, plan: list[PlannedLine], read: list[_Read]) -> Iterator[SpokenLine]:
        by_frames: dict[int, list[_Read]] = {}
        for row in read:
            by_frames.setdefault(int(row.durations.sum()), []).append(row)
        for frames, group in sorted(by_frames.items()):
            if frames * FRAME > LONGEST_S * RATE_HZ:
                continue
            most = max(1, FRAMES // frames)
            for rows in (group[i : i + most] for i in range(0, len(group), most)):
                speakers = [self._speaker(plan[row.number].speaker) for row in rows]
                sound = self._sound(rows, speakers)
                for row, speaker, samples in zip(rows, speakers, sound, strict=True):
                    finished = self._finish(samples, speaker)
                    if SHORTEST_S <= len(finished) / RATE_HZ <= LONGEST_S:
                        yield SpokenLine(row.number, finished.cpu().numpy())

    @torch.inference_mode()
    def _sound(self, rows: list[_Read], speakers: list[NaturalSpeaker]) -> Tensor:
        """Return the audio of rows, (rows, samples)."""
        places = [torch.repeat_interleave(torch.arange(len(row.durations)), row.durations) for row in rows]
        places = [place.to(self.device) for place in places]
        said = torch.stack([row.said[place] for row, place in zip(rows, places, strict=True)])
        how = torch.stack([row.how[place] for row, place in zip(rows, places, strict=True)])
        styles = torch.stack([row.style for row in rows])
        with torch.autocast(self.device.type, torch.float16, enabled=self.device.type == "cuda"):
            said, how = (said, how) if self.device.type == "cuda" else (said.float(), how.float())
            pitch, loudness = self.model.predictor.melody(how, styles[:, STYLE:])
            pitch = self._changed(pitch.float(), speakers)
            sound: Tensor = self.model.decoder(said.mT, pitch, loudness.float(), styles[:, :STYLE])
        return sound.float()

    def _changed(self, pitch: Tensor, speakers: list[NaturalSpeaker]) -> Tensor:
        """Apply each speaker's factors to the pitch of its row; unvoiced frames stay unvoiced."""
        factor, lively = (
            torch.tensor([getattr(speaker, name) for speaker in speakers], device=pitch.device)[:, None]
            for name in ("pitch", "liveliness")
        )
        voiced = pitch > 40.0
        level = pitch.clamp(min=VOICED_HZ).log()
        mean = (level * voiced).sum(1, keepdim=True) / voiced.sum(1, keepdim=True).clamp(min=1)
        made = (mean + lively * (level - mean) + factor.log()).exp().clamp(45.0, 600.0)
        return torch.where(voiced, made, pitch)

    @torch.inference_mode()
    def _finish(self, samples: Tensor, speaker: NaturalSpeaker) -> Tensor:
        """Return int16 samples with moved formants: trimmed to the speech, at the speaker's level, with room noise."""
        size = round(len(samples) / speaker.ratio / FRAME) * FRAME
        if size != len(samples):
            spectrum = torch.fft.rfft(samples)
            bins = size // 2 + 1
            spectrum = F.pad(spectrum, (0, bins - len(spectrum))) if bins > len(spectrum) else spectrum[:bins]
            samples = torch.fft.irfft(spectrum, size) * (size / len(samples))
        hop = RATE_HZ // 100
        energy = samples[: len(samples) // hop * hop].view(-1, hop).square().mean(1).sqrt()
        loud = torch.nonzero(energy > QUIET * energy.max()).flatten().tolist()
        if not loud or not bool(torch.isfinite(energy).all()):
            return torch.zeros(0, dtype=torch.int16)
        tail = TAIL_S[0] + (TAIL_S[1] - TAIL_S[0]) * float(torch.rand(1, generator=self.generator, device=self.device))
        kept = samples[loud[0] * hop : (loud[-1] + 1) * hop]
        kept = F.pad(kept * self._fade(len(kept)), (int(LEAD_S * RATE_HZ), int(tail * RATE_HZ)))
        kept = kept * (speaker.level / kept[kept.abs() > 1e-3].square().mean().sqrt().clamp(min=1e-4))
        kept = kept / (kept.abs().max() / 0.97).clamp(min=1.0)
        noise = torch.randn(len(kept), generator=self.generator, device=self.device)
        kept = kept + noise * 10 ** (speaker.noise_db / 20)
        return (kept.clamp(-1, 1) * 32767).short()

    def _fade(self, size: int, edge: int = 120) -> Tensor:
        place = torch.arange(size, device=self.device)
        return (torch.minimum(place, size - 1 - place) / edge).clamp(max=1.0)


def write_lines(spoken: Iterator[SpokenLine], path: Path, seconds: float) -> tuple[list[int], list[int]]:
    """Write the samples of lines to a file until the time is over. Return the numbers and the lengths of the written lines."""
    numbers: list[int] = []
    lengths: list[int] = []
    began = time.monotonic()
    with path.open("wb") as file:
        for line in spoken:
            file.write(line.samples.tobytes())
            numbers.append(line.number)
            lengths.append(len(line.samples))
            if len(numbers) % 2000 == 0:
                spent_s = time.monotonic() - began
                log.info("%d lines, %.2f h, %.0f s", len(numbers), sum(lengths) / RATE_HZ / 3600, spent_s)
            if time.monotonic() - began > seconds:
                break
    return numbers, lengths
