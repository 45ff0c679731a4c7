"""Train the vocoder on random crops. The loss is the distance of log-mels and of spectra at several resolutions."""

import json
import logging
import time

import torch
from torch import Tensor, nn

from engines.f5.mel import HOP
from training.adversary import AdversarialWeights, Adversary
from training.averaging import WeightAverage
from training.corpus import augmentation
from training.corpus.recordings import read_recordings
from training.f5.mels import FFT, LogMel
from training.f5.options import VocoderOptions
from training.f5.vocoder import TrainableVocoder, silence_top
from training.parallel import ProcessGroup
from training.shards import has_shards, load_exported, load_shards, save_shards, save_state

log = logging.getLogger(__name__)
CROP = 80 * HOP  # samples
RESOLUTIONS = ((256, 64), (512, 128), (1024, 256), (2048, 512))  # size and hop of each spectrum
MEL_WEIGHT = 15.0
MEL_NOISE = 0.12  # maximum standard deviation
LOG_STEPS = 200


def distance(made: Tensor, true: Tensor, mel: LogMel, spectrum_weight: float) -> Tensor:
    """Return the L1 distance of log-mels and of spectra (convergence and log magnitude); both sounds are (b, samples)."""
    total = MEL_WEIGHT * (mel(made) - mel(true)).abs().mean()
    for size, hop in RESOLUTIONS:
        window = torch.hann_window(size, device=made.device)
        ours, theirs = (
            torch.stft(x, size, hop, window=window, return_complex=True).abs().clamp(min=5e-4) for x in (made, true)
        )
        norm = ((theirs - ours).square().sum((1, 2)) / theirs.square().sum((1, 2))).sqrt().mean()
        total = total + spectrum_weight * (norm + (theirs.log() - ours.log()).abs().mean()) / len(RESOLUTIONS)
    return total


class VocoderTrainer:
    """Model, optimizer and data, on one GPU."""

    def __init__(self, options: VocoderOptions, device: torch.device) -> None:
        self.options, self.device, self.schedule = options, device, options.schedule()
        torch.manual_seed(options.seed)
        self.model = TrainableVocoder(options.dim, options.depth).to(device)
        self.optimizer = torch.optim.AdamW(
            self.model.parameters(), lr=options.rate, betas=(0.8, 0.99), weight_decay=0.01
        )
        self.average = WeightAverage(self.model, 0.999)
        self.mel = LogMel().to(device)
        self.trained = 0
        self._resume()
        silence_top(dict(self.model.named_parameters()))
        self.average = WeightAverage(self.model, 0.999) if not self.trained else self.average
        recordings = read_recordings(options.data)
        self.audio = torch.from_numpy(recordings.audio).to(device)
        self.changes = torch.Generator(device).manual_seed(options.seed)
        weights = AdversarialWeights(options.score_weight, options.feature_weight)
        earlier = options.resume
        self.adversary = Adversary(ProcessGroup(), device, weights, earlier) if options.score_weight else None
        self.generator = torch.Generator().manual_seed(options.seed + self.trained)
        self.history: list[dict[str, float]] = []
        if not options.no_compile:
            self.model.backbone.compile()

    def _resume(self) -> None:
        folder = self.options.resume
        if folder is None:
            return
        if (folder / "vocoder-state.pt").exists():
            state = torch.load(folder / "vocoder-state.pt", map_location=self.device, weights_only=True)
            self.model.load_state_dict(state["model"], strict=False)
            self.optimizer.load_state_dict(state["adam"])
            self.average.mean = state["average"]
            self.trained = state["trained"]
        elif (folder / "vocos").exists():  # an exported checkpoint
            self.model.load_state_dict(load_exported(folder / "vocos" / "model.safetensors"), strict=False)
        elif has_shards(folder, "vocoder"):
            self.model.load_state_dict(load_shards(folder, "vocoder"), strict=False)
            self.average = WeightAverage(self.model, 0.999)
            self.trained = int(json.loads((folder / "vocoder.json").read_text(encoding="utf-8"))["trained"])
        else:
            raise FileNotFoundError(f"{folder} holds no vocoder; leave --resume out")

    def crops(self) -> Tensor:
        """Return (crops, CROP) samples in [-1, 1] with random loudness. Longer utterances are drawn more often."""
        place = torch.randint(0, len(self.audio) - CROP, (self.options.crops,), generator=self.generator)
        index = place.to(self.device)[:, None] + torch.arange(CROP, device=self.device)
        samples = self.audio[index].float() / 32768
        if self.options.augment:
            changes = augmentation.draw(len(samples), self.changes, self.options.augment)
            samples = augmentation.augment(samples, changes.mostly_clean(self.changes), self.changes)
        gain = 10 ** (torch.rand(len(samples), 1, device=self.device) * 0.8 - 0.6)
        return (samples * gain).clamp(-1, 1)

    def train(self) -> None:
        """Train until the time is over. Save at intervals and at the end."""
        self.schedule.begin()
        saved = logged = time.monotonic()
        running = torch.zeros((), device=self.device)
        for step in range(self.options.steps):
            share = self.schedule.share()
            if share >= 1.0:
                break
            running += self._step(self.schedule.rate(share, step))
            if (step + 1) % LOG_STEPS == 0:
                now = time.monotonic()
                self._report(float(running) / LOG_STEPS, LOG_STEPS / (now - logged))
                logged = now
                running.zero_()
            if time.monotonic() - saved > self.options.save_seconds:
                self.save()
                saved = time.monotonic()
        self.save()

    def _report(self, mean: float, speed: float) -> None:
        row = {"step": self.trained, "loss": round(mean, 4), "steps_per_s": round(speed, 1)}
        self.history.append(row)
        log.info("vocoder %s", json.dumps(row))

    def _step(self, rate: float) -> Tensor:
        for group in self.optimizer.param_groups:
            group["lr"] = self.options.rate * rate
        true = self.crops()
        with torch.no_grad():
            mel = self._disturbed(self.mel(true))
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda"):
            hidden = self.model.backbone(mel.transpose(1, 2))
        made = self.model.head(hidden.float())
        value = distance(made, true, self.mel, self.options.spectrum_weight)
        loss = value + self.adversary.step(made, true, max(rate, 0.02)) if self.adversary else value
        torch.autograd.backward(loss)
        for parameter in (self.model.head.out.weight, self.model.head.out.bias):
            if parameter.grad is not None:
                parameter.grad[FFT // 2] = 0.0  # see `silence_top`
        nn.utils.clip_grad_norm_(self.model.parameters(), 5.0, foreach=True)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        self.trained += 1
        self.average.update(self.trained)
        return value.detach()

    def _disturbed(self, mel: Tensor) -> Tensor:
        """Add noise to half of the mels, because the mels of the flow are not exact."""
        noise = torch.rand(len(mel), 1, 1, device=self.device) * MEL_NOISE
        noise = noise * (torch.rand(len(mel), 1, 1, device=self.device) < 0.5)
        return mel + torch.randn_like(mel) * noise

    def save(self) -> None:
        """Save the averaged weights with a note on their training, and the full state."""
        options, out = self.options, self.options.out
        save_shards(self.average.mean, out, "vocoder")
        note = {"trained": self.trained, "dim": options.dim, "depth": options.depth, "history": self.history[-200:]}
        (out / "vocoder.json").write_text(json.dumps(note), encoding="utf-8")
        state = {
            "model": {name: parameter.detach() for name, parameter in self.model.named_parameters()},
            "average": self.average.mean,
            "adam": self.optimizer.state_dict(),
            "trained": self.trained,
        }
        save_state(state, out / "vocoder-state.pt")
        if self.adversary:
            self.adversary.save(out)


def work(group: ProcessGroup, device: torch.device, options: VocoderOptions) -> None:
    torch.set_float32_matmul_precision("high")
    VocoderTrainer(options, device).train()
