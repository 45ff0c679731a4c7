"""Train the vocoder on random crops: distance of log-mels and of spectra at several resolutions."""

import json
import logging
import time
from dataclasses import dataclass
from typing import Annotated

import torch
from torch import Tensor, nn

from training.f5.discriminators import Critic
from training.f5.mels import HOP, LogMel
from training.f5.recordings import Recordings, load
from training.f5.vocoder import Vocoder
from training.f5.weights import Average, load_carried, save_carried, save_state
from training.schedule import Call

log = logging.getLogger(__name__)
CROP = 80 * HOP  # samples
RESOLUTIONS = ((256, 64), (512, 128), (1024, 256), (2048, 512))  # size and hop of each spectrum
MEL_WEIGHT, SPECTRUM_WEIGHT = 15.0, 5.0
MEL_NOISE = 0.12  # deviation of what is added to some input mels: the flow's mels are not exact


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson(Call):
    crops: Annotated[int, "a step"] = 64
    dim: Annotated[int, "of the network"] = 320
    depth: Annotated[int, "of the network"] = 8
    rate: Annotated[float, "of learning"] = 7e-4
    adversarial: Annotated[float, "share of this call, at its end, with discriminators"] = 0.0


def distance(made: Tensor, true: Tensor, mel: LogMel) -> Tensor:
    """Both (b, samples). L1 of log-mels, and of spectra: converged norm and log magnitude."""
    total = MEL_WEIGHT * (mel(made) - mel(true)).abs().mean()
    for size, hop in RESOLUTIONS:
        window = torch.hann_window(size, device=made.device)
        ours, theirs = (
            torch.stft(x, size, hop, window=window, return_complex=True).abs().clamp(min=5e-4) for x in (made, true)
        )
        norm = ((theirs - ours).square().sum((1, 2)) / theirs.square().sum((1, 2))).sqrt().mean()
        total = total + SPECTRUM_WEIGHT * (norm + (theirs.log() - ours.log()).abs().mean()) / len(RESOLUTIONS)
    return total


class Teacher:
    def __init__(self, lesson: Lesson) -> None:
        self.lesson = lesson
        self.device = torch.device("cuda", lesson.gpus[0]) if torch.cuda.is_available() else torch.device("cpu")
        self.pace = lesson.pace()
        torch.manual_seed(lesson.seed)
        self.model = Vocoder(lesson.dim, lesson.depth).to(self.device)
        self.optimiser = torch.optim.AdamW(
            self.model.parameters(), lr=lesson.rate, betas=(0.8, 0.99), weight_decay=0.01
        )
        self.average = Average(self.model, 0.999)
        self.mel = LogMel().to(self.device)
        self.critic = Critic().to(self.device) if lesson.adversarial else None
        self.trained = 0
        self._resume()
        self.recordings = load(lesson.data, self.device)
        self.generator = torch.Generator().manual_seed(lesson.seed + self.trained)
        self.history: list[dict[str, float]] = []
        if not lesson.no_compile:
            self.model.backbone.compile()

    def _resume(self) -> None:
        folder = self.lesson.resume
        if folder is None:
            return
        if (folder / "vocoder-state.pt").exists():
            state = torch.load(folder / "vocoder-state.pt", map_location=self.device, weights_only=True)
            self.model.load_state_dict(state["model"], strict=False)
            self.optimiser.load_state_dict(state["adam"])
            self.average.mean = state["average"]
            self.trained = state["trained"]
        elif carried := load_carried(folder, "vocoder"):
            self.model.load_state_dict(carried, strict=False)
            self.average = Average(self.model, 0.999)
            self.trained = int(json.loads((folder / "vocoder.json").read_text(encoding="utf-8"))["trained"])
        else:
            raise FileNotFoundError(f"{folder} holds no vocoder; leave --resume out")

    def crops(self) -> Tensor:
        """(crops, CROP) samples in [-1, 1], longer utterances more often."""
        recordings: Recordings = self.recordings
        place = torch.randint(0, len(recordings.audio) - CROP, (self.lesson.crops,), generator=self.generator)
        index = place.to(self.device)[:, None] + torch.arange(CROP, device=self.device)
        samples = recordings.audio[index].float() / 32768
        gain = 10 ** (torch.rand(len(samples), 1, device=self.device) * 0.8 - 0.6)
        return (samples * gain).clamp(-1, 1)

    def learn(self) -> None:
        self.pace.begin()
        saved = told = time.monotonic()
        running, every = torch.zeros((), device=self.device), 200
        for step in range(self.lesson.steps):
            share = self.pace.share()
            if share >= 1.0:
                break
            running += self._step(self.pace.rate(share, step), share)
            if (step + 1) % every == 0:
                now = time.monotonic()
                mean, speed = float(running) / every, every / (now - told)
                row = {"step": self.trained, "loss": round(mean, 4), "steps_per_s": round(speed, 1)}
                self.history.append(row)
                log.info("vocoder %s", json.dumps(row))
                told = now
                running.zero_()
            if time.monotonic() - saved > self.lesson.save_seconds:
                self.save()
                saved = time.monotonic()
        self.save()

    def _step(self, rate: float, share: float) -> Tensor:
        for group in self.optimiser.param_groups:
            group["lr"] = self.lesson.rate * rate
        true = self.crops()
        with torch.no_grad():
            mel = self.mel(true)
            noise = torch.rand(len(mel), 1, 1, device=self.device) * MEL_NOISE
            noise = noise * (torch.rand(len(mel), 1, 1, device=self.device) < 0.5)
            mel = mel + torch.randn_like(mel) * noise
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda"):
            hidden = self.model.backbone(mel.transpose(1, 2))
        made = self.model.head(hidden.float())
        value = distance(made, true, self.mel)
        total = value
        if self.critic is not None and share > 1 - self.lesson.adversarial:
            total = total + self.critic.fool(made, true, self.lesson.rate * rate)
        total.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 5.0, foreach=True)
        self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=True)
        self.trained += 1
        self.average.update(self.trained)
        return value.detach()

    def save(self) -> None:
        out = self.lesson.out
        out.mkdir(parents=True, exist_ok=True)
        save_carried(self.average.mean, out, "vocoder")
        note = {
            "trained": self.trained,
            "dim": self.lesson.dim,
            "depth": self.lesson.depth,
            "history": self.history[-200:],
        }
        (out / "vocoder.json").write_text(json.dumps(note), encoding="utf-8")
        model = {name: parameter.detach() for name, parameter in self.model.named_parameters()}
        state = {
            "model": model,
            "average": self.average.mean,
            "adam": self.optimiser.state_dict(),
            "trained": self.trained,
        }
        save_state(state, out / "vocoder-state.pt")


def teach(lesson: Lesson) -> None:
    if torch.cuda.is_available():
        torch.cuda.set_device(lesson.gpus[0])
        torch.set_float32_matmul_precision("high")
    Teacher(lesson).learn()
