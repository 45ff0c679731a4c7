"""Correct the timbre of S1's output towards the reference (`engines.timbre`), while it is generated.

A frame is filtered when the four frames after it are known, which delays audio by 75 ms at 24 kHz. The mean envelope of the
output is unknown at the start: its estimate starts as that of the reference passed through the codec, and the output counts
more and more.
"""

from collections import OrderedDict
from dataclasses import dataclass
from functools import cache

import torch
import torch.nn.functional as F
import torchaudio
from torch import Tensor

from engines.audio import resample
from engines.codec_lm.stateful_streams import without_cudnn
from engines.s1.codec import Codec
from engines.timbre import (
    BANDS,
    CONTEXT,
    LOUD,
    MAX_CHANGE,
    KnownVoices,
    Timbre,
    levelled,
    loud_frames,
    neighbourhoods_in,
    power_of,
    shapes_of,
    smooth,
    smoothing,
)
from engines.types import Audio, Samples

HIGHEST_HZ = 12_000.0
FLOOR = 1e-5  # magnitude, before the logarithm
HOP_S, OVERLAP = 256 / 24_000, 4  # distance of frames, and number of frames that contain each sample
REACH = 2  # frames before and after a frame over which a change is smoothed
AHEAD = CONTEXT + REACH  # frames that must be known after a frame
COPIED_S = 3.0  # of the reference that is passed through the codec, to measure the codec's mean_correction
PRIOR = 100.0  # weight of that estimate, in frames
MEAN_FACTOR = 1.3  # factor of the mean correction above 1, because a speaker encoder hears less than all of it
QUIET = 0.1  # factor of the reference's loudest power: lower bound of the output's loudest power
KEPT = 64  # voices


@dataclass(frozen=True, slots=True, eq=False)
class VoiceTimbre:
    """Facts about a voice that are known before it speaks."""

    timbre: Timbre
    copied: Tensor  # (100,) mean envelope of the reference passed through the codec, without level
    loudest: Tensor  # () power of the reference's loudest frame


@dataclass(frozen=True, slots=True, eq=False)
class Spectra:
    """Short-time spectra at a sample rate, and their log-mels."""

    hop: int
    window: Tensor  # (4 * hop,) Hann; the squares of four overlapping windows sum to 1.5
    bank: Tensor  # (bins, 100)
    spread: Tensor  # (100, bins) maps gains of bands to gains of bins

    @property
    def held(self) -> int:
        """Return the samples that a frame shares with the previous one."""
        return len(self.window) - self.hop

    def frames(self, samples: Tensor) -> Tensor:
        """Compute spectra: (held + n * hop,) -> (n, bins) complex."""
        return torch.fft.rfft(samples.unfold(0, len(self.window), self.hop) * self.window)

    def mel(self, frames: Tensor) -> Tensor:
        """Compute natural logarithms of mel magnitudes: (n, bins) -> (n, 100)."""
        return (frames.abs() @ self.bank).clamp(min=FLOOR).log()

    def mel_of(self, samples: Tensor) -> Tensor:
        """Compute the log-mel of a whole recording (n,)."""
        return self.mel(self.frames(F.pad(samples, (self.held, self.held + self.hop))))


@cache
def spectra(sample_rate: int) -> Spectra:
    hop = round(HOP_S * sample_rate)
    size = OVERLAP * hop
    bins = size // 2 + 1
    highest = min(HIGHEST_HZ, sample_rate / 2)
    bank = torchaudio.functional.melscale_fbanks(bins, 0.0, highest, BANDS, sample_rate)
    spread = (bank / bank.sum(1, keepdim=True).clamp(min=1e-8)).T.contiguous()
    spread[-1, bins - int((bank.sum(1) > 0).flip(0).int().argmax()) :] = 1.0  # bins above the last band have its gain
    return Spectra(hop, torch.hann_window(size), bank, spread)


class VoiceTimbres:
    """Timbres of references, each computed once. Only the scheduler's thread may call it."""

    def __init__(self, codec: Codec, share: float, known: KnownVoices | None) -> None:
        """Create the cache; with `share` 0, or for references like a `known` voice, nothing is corrected."""
        self._codec, self._share, self._known, self._rate = codec, share, known, codec.config.sample_rate
        self._kept: OrderedDict[str, VoiceTimbre | None] = OrderedDict()

    def stream(self, audio: Audio, codes: Tensor, digest: str) -> "TimbreStream | None":
        """Return the correction of a request with this reference; None if none is needed. `digest` is the reference's."""
        if not self._share:
            return None
        if digest not in self._kept:
            self._kept[digest] = self._find(audio, codes)
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(digest)
        voice = self._kept[digest]
        return None if voice is None else TimbreStream(voice, self._share, self._rate)

    def _find(self, audio: Audio, codes: Tensor) -> VoiceTimbre | None:
        """Compute the timbre; None if too little is loud, or the voice needs no correction."""
        tables, samples = spectra(self._rate), resample(audio, self._rate).samples
        mel = tables.mel_of(torch.from_numpy(samples))
        timbre = Timbre.of(mel, self._known)
        if timbre is None or not timbre.strength:
            return None
        codes = codes[:, : round(COPIED_S * self._codec.config.frame_rate)]
        with without_cudnn():
            copy = self._codec.decode(codes.to(next(self._codec.parameters()).device))
        copied = tables.mel_of(copy.float().cpu())
        return VoiceTimbre(timbre, levelled(smooth(copied)[loud_frames(copied)].mean(0)), power_of(mel).max())


class TimbreStream:
    """Corrects the audio of one request, packet by packet, towards its reference."""

    def __init__(self, voice: VoiceTimbre, share: float, sample_rate: int) -> None:
        self._voice, self._share, self._spectra = voice, share, spectra(sample_rate)
        self._count, self._sum = (
            torch.zeros(()),
            torch.zeros(BANDS),
        )  # loud frames so far, and the sum of their envelopes
        self._loudest = QUIET * voice.loudest
        self._begin()

    def _begin(self) -> None:
        """Reset the buffers for a new part of audio."""
        spectra = self._spectra
        self._unread = torch.zeros(spectra.held)  # samples that the next frame contains
        self._frames = torch.zeros(0, len(spectra.bank), dtype=torch.complex64)  # not filtered yet
        self._mean_corrections = torch.zeros(0, BANDS)  # mean correction of `_frames`
        self._loud = torch.zeros(0)  # of `_frames` and the REACH frames before them
        self._shapes = torch.zeros(0, BANDS)  # of `_frames` and the CONTEXT + REACH frames before them
        self._made = torch.zeros(spectra.held)  # end of the output, to which later frames add
        self._skipped = spectra.held  # samples to drop before the first one
        self._owed = 0  # samples that were added and not yet returned

    def add(self, samples: Samples) -> Samples:
        """Add (n,) samples; return the (m,) samples that are ready."""
        self._owed += len(samples)
        ready = self._ready(torch.from_numpy(samples))
        self._owed -= len(ready)
        return ready.numpy()

    def end(self) -> Samples:
        """Return the rest; the next samples start a new part."""
        spectra = self._spectra
        ready = self._ready(torch.zeros(spectra.held + (AHEAD + 1) * spectra.hop))[: self._owed]
        self._begin()
        return ready.numpy()

    def _ready(self, samples: Tensor) -> Tensor:
        held, hop = self._spectra.held, self._spectra.hop
        unread = torch.cat((self._unread, samples))
        count = max(0, len(unread) - held) // hop
        self._unread = unread[count * hop :]
        if count:
            self._analyse(self._spectra.frames(unread[: held + count * hop]))
        return self._synthesise()

    def _analyse(self, frames: Tensor) -> None:
        """Add (n, bins) frames."""
        voice, mel = self._voice, self._spectra.mel(frames)
        envelopes, power = smooth(mel), power_of(mel)
        loudest = torch.cummax(torch.cat((self._loudest[None], power)), 0).values[1:]
        loud = (power > LOUD * loudest).float()
        counts = self._count + loud.cumsum(0)
        sums = self._sum + (envelopes * loud[:, None]).cumsum(0)
        self._loudest, self._count, self._sum = loudest[-1], counts[-1], sums[-1]
        own = levelled(sums / counts.clamp(min=1)[:, None])
        mean = (PRIOR * voice.copied + counts[:, None] * own) / (PRIOR + counts)[:, None]
        shapes = shapes_of(envelopes - mean)
        if not len(self._shapes):
            self._shapes = shapes[:1].expand(CONTEXT + REACH, -1)
            self._loud = torch.zeros(REACH)
        self._frames = torch.cat((self._frames, frames))
        self._mean_corrections = torch.cat((self._mean_corrections, voice.timbre.mean_correction(mean, MEAN_FACTOR)))
        self._shapes = torch.cat((self._shapes, shapes))
        self._loud = torch.cat((self._loud, loud))

    def _synthesise(self) -> Tensor:
        """Return the (m,) samples of the frames whose neighbours are known."""
        held, hop = self._spectra.held, self._spectra.hop
        count = len(self._frames) - AHEAD
        if count <= 0:
            return torch.zeros(0)
        shapes = self._shapes[: count + 2 * (CONTEXT + REACH)]
        inner = shapes[CONTEXT:-CONTEXT]
        change = self._voice.timbre.shape_correction(inner, neighbourhoods_in(shapes), self._share)
        change = (change * self._loud[: len(change), None]).unfold(0, 2 * REACH + 1, 1) @ smoothing(REACH)
        gain = (self._mean_corrections[:count] + change.clamp(-MAX_CHANGE, MAX_CHANGE)) @ self._spectra.spread
        sound = torch.fft.irfft(self._frames[:count] * gain.exp()) * self._spectra.window / 1.5
        made = torch.zeros(held + count * hop)
        made[:held] = self._made
        for number in range(OVERLAP):  # overlap-add: each part has frames that do not overlap
            part = sound[:, number * hop : (number + 1) * hop].flatten()
            made[number * hop : number * hop + len(part)] += part
        self._made = made[count * hop :]
        self._frames, self._mean_corrections = self._frames[count:], self._mean_corrections[count:]
        self._shapes, self._loud = self._shapes[count:], self._loud[count:]
        ready = made[: count * hop]
        skipped = min(self._skipped, len(ready))
        self._skipped -= skipped
        return ready[skipped:]
