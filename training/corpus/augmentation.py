"""Speaker augmentation on the training device: change recordings as if other speakers spoke.

The length of the vocal tract is perturbed (after Jaitly and Hinton 2013), and each region of formants by a separate factor.
The pitch wavers, because the pitch of synthesizers is smoother than a person's. Colour, breath, a room and a microphone are
added. Lengths do not change, so recordings can be augmented repeatedly.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, fields, replace

import torch
from torch import Tensor

from training.references import RATE_HZ

FFT, HOP = 1024, 256
BINS = FFT // 2 + 1
QUEFRENCIES = 44  # cepstral coefficients of a spectrum's envelope; finer structure is pitch
# Limits between the usual ranges of formants.
REGIONS_HZ = (0.0, 450.0, 900.0, 1500.0, 2300.0, 3300.0, 5000.0, 8000.0, 12_000.0)
TRACT, REGION = 0.17, 0.12  # standard deviation of the logarithm of the factor for the whole tract, and for each region
# Standard deviations of the gain of a region and of the tilt from 100 Hz to 12 kHz; depth of the band limits.
COLOUR_DB, TILT_DB, BAND_DB = 5.0, 9.0, 60.0
MOST_GAIN = 4.0  # largest gain, as a natural logarithm
# Share of speakers whose pitch wavers, and the largest deviation of the logarithm of their pitch.
SHARE_WAVERING, MOST_WAVERING = 0.5, 0.08
WAVES, WAVES_HZ = 6, (0.4, 6.0)  # number and frequencies of the sinusoids that change the melody
SHARE_CHANGED, SHARE_BREATH, SHARE_ROOM, SHARE_BAND, SHARE_NOISE = 0.9, 0.35, 0.3, 0.25, 0.4
SHARE_RECORDED = 0.25
ROOM_S = 0.3


@dataclass(frozen=True, slots=True)
class Augmentations:
    """The augmentations of several speakers, one row each."""

    places: Tensor  # (n, BINS) angle from which each bin takes its envelope, 0 to pi
    colour: Tensor  # (n, BINS) natural logarithm of the gain of the speaker's voice
    band: Tensor  # (n, BINS) response of the microphone
    breath: Tensor  # (n, BINS) noise beside the voice, as a share of the envelope
    room: Tensor  # (n,) level of the echoes relative to the voice
    decay_s: Tensor  # (n,) time in which the echoes fall by 60 dB
    noise: Tensor  # (n,) standard deviation of the microphone's noise
    wavering: Tensor  # (n,) deviation of the logarithm of the pitch

    def select(self, rows: Tensor) -> "Augmentations":
        return Augmentations(*(getattr(self, field.name)[rows] for field in fields(self)))

    def speaker_alone(self) -> "Augmentations":
        """Return the augmentations without breath, with a silent room and a good microphone."""
        none = torch.zeros_like
        return replace(
            self, band=none(self.band), breath=none(self.breath), room=none(self.room), noise=none(self.noise)
        )

    def mostly_clean(self, generator: torch.Generator) -> "Augmentations":
        """Return augmentations in which only a share SHARE_RECORDED of the rows keeps room, breath and microphone."""
        clean, kept = self.speaker_alone(), torch.rand(len(self.room), 1, device=generator.device, generator=generator)
        kept = kept < SHARE_RECORDED
        return replace(
            clean,
            band=torch.where(kept, self.band, clean.band),
            breath=torch.where(kept, self.breath, clean.breath),
            room=torch.where(kept[:, 0], self.room, clean.room),
            noise=torch.where(kept[:, 0], self.noise, clean.noise),
        )


def draw(count: int, generator: torch.Generator, strength: float = 1.0) -> Augmentations:
    """Draw `count` rows on the generator's device. Some rows keep the formants and colour of a voice.

    `strength` scales the changes of the speaker: tract, formants, colour and wavering pitch.
    """
    normal, uniform = _draws(generator)
    changed = uniform(count, 1) < SHARE_CHANGED
    factors = normal(count, 1).clamp(-2, 2) * TRACT + normal(count, len(REGIONS_HZ)).clamp(-2, 2) * REGION
    factors = factors * strength
    bins = torch.linspace(0, RATE_HZ / 2, BINS, device=generator.device)
    moved = bins * torch.exp(-_between(factors, bins)) / (RATE_HZ / 2)
    plain = bins[None] / (RATE_HZ / 2)
    colour_db = _between(normal(count, len(REGIONS_HZ)) * COLOUR_DB, bins)
    octaves = (bins.clamp(min=100) / 1100).log() / math.log(12_000 / 100)
    colour_db = colour_db + normal(count, 1) * TILT_DB * octaves
    colour = torch.where(changed, colour_db * strength, 0.0)
    breath_db = -30 + 22 * uniform(count, 1) - 200 * (uniform(count, 1) > SHARE_BREATH)
    rise = ((bins - 800) / 3000).clamp(0, 1)
    return Augmentations(
        places=torch.where(changed, moved.clamp(0, 1), plain) * math.pi,
        colour=colour * (math.log(10) / 20),
        band=_band(uniform, count, bins) * (math.log(10) / 20),
        breath=10 ** (breath_db / 20) * rise,
        room=10 ** ((-26 + 18 * uniform(count)) / 20) * (uniform(count) < SHARE_ROOM),
        decay_s=0.08 + 0.3 * uniform(count),
        noise=10 ** ((-78 + 30 * uniform(count)) / 20) * (uniform(count) < SHARE_NOISE),
        wavering=strength * MOST_WAVERING * uniform(count) * (uniform(count) < SHARE_WAVERING),
    )


def augment(samples: Tensor, changes: Augmentations, generator: torch.Generator) -> Tensor:
    """Augment samples (b, t), each row with one row of `changes`. The loudness does not change."""
    window = torch.hann_window(FFT, device=samples.device)
    samples = _wavering(samples, changes.wavering, generator)
    spectrum = torch.stft(samples, FFT, HOP, window=window, return_complex=True)
    level = spectrum.abs().clamp(min=1e-6).log()
    basis, analysis = _cosines(samples.device)
    own = analysis @ level  # (b, QUEFRENCIES, frames)
    order = torch.arange(QUEFRENCIES, device=samples.device)
    moved = torch.cos(changes.places[..., None] * order) - basis
    gain = (moved @ own + (changes.colour + changes.band)[..., None]).clamp(-MOST_GAIN, MOST_GAIN)
    spectrum = spectrum * gain.exp()
    air = torch.randn(spectrum.shape, dtype=spectrum.dtype, device=samples.device, generator=generator)
    spectrum = spectrum + air * (changes.breath[..., None] * (basis @ own + gain).clamp(max=4).exp())
    made = torch.istft(spectrum, FFT, HOP, window=window, length=samples.shape[1])
    made = _as_loud(_echo(made, changes, generator), samples)
    return (made + torch.randn(made.shape, device=made.device, generator=generator) * changes.noise[:, None]).clamp(
        -1, 1
    )


Draw = Callable[..., Tensor]  # a function of a shape


def _draws(generator: torch.Generator) -> tuple[Draw, Draw]:
    """Return two functions that draw numbers of a shape on the generator's device: standard normal and uniform ones."""

    def normal(*shape: int) -> Tensor:
        return torch.randn(shape, device=generator.device, generator=generator)

    def uniform(*shape: int) -> Tensor:
        return torch.rand(shape, device=generator.device, generator=generator)

    return normal, uniform


def _between(values: Tensor, bins: Tensor) -> Tensor:
    """Interpolate linearly between the limits of the regions: (n, regions) -> (n, BINS)."""
    knots = torch.tensor(REGIONS_HZ, device=bins.device)
    right = torch.searchsorted(knots, bins).clamp(1, len(knots) - 1)
    share = (bins - knots[right - 1]) / (knots[right] - knots[right - 1])
    return values[:, right - 1] * (1 - share) + values[:, right] * share


def _band(uniform: Draw, count: int, bins: Tensor) -> Tensor:
    """Return the response (count, BINS) in dB of microphones that lack the lowest and the highest frequencies."""
    narrow = uniform(count, 1) < SHARE_BAND
    top = 3600 * (11_000 / 3600) ** uniform(count, 1)
    low = 40 + 160 * uniform(count, 1)
    fall = -BAND_DB * ((bins / top - 1) * 3).clamp(0, 1) - 24 * ((1 - bins / low) * 1.5).clamp(0, 1)
    return torch.where(narrow, fall, 0.0)


def _cosines(device: torch.device) -> tuple[Tensor, Tensor]:
    """Return a matrix from cepstra to an envelope, and one from a log spectrum to cepstra.

    Their shapes are (BINS, QUEFRENCIES) and (QUEFRENCIES, BINS).
    """
    order = torch.arange(QUEFRENCIES, device=device)
    basis = torch.cos(torch.linspace(0, math.pi, BINS, device=device)[:, None] * order)
    weights = torch.full((BINS,), 2.0 / (BINS - 1), device=device)
    weights[0] = weights[-1] = 1.0 / (BINS - 1)
    taper = 0.5 + 0.5 * torch.cos(math.pi * order / QUEFRENCIES)
    analysis = (basis * weights[:, None]).T * taper[:, None]
    analysis[0] /= 2
    return basis, analysis


def _wavering(samples: Tensor, deviation: Tensor, generator: torch.Generator) -> Tensor:
    """Play each row alternately slower and faster, so that its pitch wavers around its original value."""
    _, uniform = _draws(generator)
    low, high = WAVES_HZ
    rates = 2 * math.pi * low * (high / low) ** uniform(WAVES, len(samples), 1)  # radians a second
    phases = 2 * math.pi * uniform(WAVES, len(samples), 1)
    time = torch.arange(samples.shape[1], device=samples.device) / RATE_HZ
    ahead_s = torch.zeros_like(samples)
    for rate, phase in zip(rates, phases, strict=True):
        ahead_s += (torch.sin(rate * time + phase) - torch.sin(phase)) / rate
    ahead = ahead_s * (deviation[:, None] * math.sqrt(2 / WAVES) * RATE_HZ)
    first = ahead.floor()
    share, place = ahead - first, first.long() + torch.arange(samples.shape[1], device=samples.device)
    before, left, right, after = (
        samples.gather(1, (place + tap).clamp(0, samples.shape[1] - 1)) for tap in (-1, 0, 1, 2)
    )
    # Cubic interpolation through four samples (Catmull and Rom).
    bend = 2 * before - 5 * left + 4 * right - after + share * (3 * (left - right) + after - before)
    return left + share / 2 * (right - before + share * bend)


def _echo(samples: Tensor, changes: Augmentations, generator: torch.Generator) -> Tensor:
    """Add to each row the echo of its room, as decaying noise."""
    length = int(ROOM_S * RATE_HZ)
    time = torch.arange(length, device=samples.device) / RATE_HZ
    tail = torch.randn(len(samples), length, device=samples.device, generator=generator)
    tail = tail * torch.exp(-6.9 * time / changes.decay_s[:, None]) * (time > 0.004)
    tail = tail / tail.norm(dim=1, keepdim=True) * changes.room[:, None]
    tail[:, 0] = 1.0
    # Only a few sizes, because the GPU needs a plan for each size.
    size = (samples.shape[1] + length + 4095) // 4096 * 4096
    return torch.fft.irfft(torch.fft.rfft(samples, size) * torch.fft.rfft(tail, size), size)[:, : samples.shape[1]]


def _as_loud(made: Tensor, samples: Tensor) -> Tensor:
    before, after = (x.square().mean(1, keepdim=True).sqrt() for x in (samples, made))
    made = made * (before / after.clamp(min=1e-5))
    return made / (made.abs().amax(1, keepdim=True) / 0.97).clamp(min=1.0)
