"""Synthetic speakers of Kokoro: mixtures of its styles with noise, and a separate pitch, formant ratio and pace."""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from training.corpus.kokoro.network import STYLE
from training.corpus.kokoro.phonemes import data_folder

STYLES = 5
HELD_OUT = 20  # speakers with numbers below are for evaluation
MALE = 4  # the only man among the styles
PUSHED, WANDERED = (0.9, 1.35), (0.0, 0.75)  # distance from the mean of all styles, and deviations off the line to it
LOWEST_HZ, HIGHEST_HZ = 75.0, 330.0  # of a speaker's mean pitch
STYLE_HZ = (225.0, 235.0, 255.0, 215.0, 130.0)  # mean pitch of each style, about


@dataclass(frozen=True, slots=True, kw_only=True)
class NaturalSpeaker:
    timbre: NDArray[np.float32]  # (STYLES,) shares; they sum to one
    prosody: NDArray[np.float32]  # the same of the second half of a style
    push: float
    wandering: NDArray[np.float32]  # (2 * STYLE,) in deviations between the styles
    ratio: float  # formants, and with them the pitch, are moved by this factor
    pitch: float  # factor on the pitch before that
    liveliness: float  # factor on the pitch's distance from its mean
    pace: float
    level: float
    noise_db: float


def draw_speaker(seed: int, number: int) -> NaturalSpeaker:
    """Draw a speaker that depends only on seed and number."""
    rng = np.random.default_rng((seed, number, 82))
    timbre = rng.dirichlet(np.full(STYLES, 0.45)).astype(np.float32)
    if rng.random() < 0.35:  # as many men as women
        timbre = (0.25 * timbre + 0.75 * np.eye(STYLES, dtype=np.float32)[MALE]).astype(np.float32)
    prosody = (0.5 * timbre + 0.5 * rng.dirichlet(np.full(STYLES, 0.45))).astype(np.float32)
    size = rng.normal(0, 0.09)  # logarithm: small heads have high formants and high voices
    ratio = float(np.exp(np.clip(size, -0.2, 0.2)))
    own_hz = float(np.exp(prosody @ np.log(STYLE_HZ)))
    wanted_hz = own_hz * np.exp(1.6 * size + rng.normal(0, 0.14))
    wandering = rng.normal(0, 1, 2 * STYLE) * rng.uniform(*WANDERED)
    wandering[STYLE:] *= 0.5
    return NaturalSpeaker(
        timbre=timbre,
        prosody=prosody,
        push=float(rng.uniform(*PUSHED)),
        wandering=wandering.astype(np.float32),
        ratio=ratio,
        pitch=float(np.clip(wanted_hz, LOWEST_HZ, HIGHEST_HZ) / own_hz / ratio),
        liveliness=float(np.exp(rng.normal(0.05, 0.2))),
        pace=float(np.exp(rng.normal(0, 0.09))),
        level=float(rng.uniform(0.075, 0.13)),
        noise_db=float(rng.uniform(-88, -66)),
    )


class StyleBank:
    """Kokoro's styles for every number of symbols."""

    def __init__(self, device: torch.device) -> None:
        content = np.load(data_folder() / "voices_ja.npz")
        styles = np.stack([content[name][:, 0] for name in content.files])
        self.styles = torch.from_numpy(styles).float().to(device)  # (STYLES, 510, 2 * STYLE)
        self.mean = self.styles.mean(0)
        self.deviation = self.styles.std(0).mean(0)

    def of(self, speaker: NaturalSpeaker, symbols: int) -> Tensor:
        """Return the style (2 * STYLE,) of a line with this number of symbols."""
        place = min(symbols, self.styles.shape[1]) - 1
        near, mean = self.styles[:, place], self.mean[place]
        shares = torch.from_numpy(np.stack((speaker.timbre, speaker.prosody))).to(near.device)
        mixed = (shares @ near).view(2, 2, STYLE)[[0, 1], [0, 1]].flatten()
        wandering = torch.from_numpy(speaker.wandering).to(near.device) * self.deviation
        style: Tensor = mean + speaker.push * (mixed - mean) + wandering
        return style
