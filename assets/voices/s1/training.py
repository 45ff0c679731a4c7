"""Train the codec for a portion of its time, so that the next portion goes on where this one stopped."""

import copy
import logging
import math
import signal
import time
from typing import Any

import torch
from torch import Tensor, nn

from assets.voices.s1 import losses, network, quantising, upstream, weights
from assets.voices.s1.crops import Crops
from assets.voices.s1.discriminator import Critics
from assets.voices.s1.plan import Plan

log = logging.getLogger(__name__)
COMMITMENT_WEIGHT = 0.05
DROPOUT = 0.4  # share of the rows that keep only some residual levels
Z_POOL = 24_000  # latents the codebooks start from


class Trainer:
    """The model in training, its running average, and everything a resumption needs."""

    def __init__(self, plan: Plan) -> None:
        self.plan, self.began = plan, time.monotonic()
        self.device = torch.device("cuda", plan.gpu) if torch.cuda.is_available() else torch.device("cpu")
        torch.manual_seed(plan.seed)
        torch.set_float32_matmul_precision("high")
        torch.backends.cudnn.benchmark = True
        folder = plan.resume
        config = folder / "codec.yaml" if folder and (folder / "codec.yaml").exists() else upstream.CONFIG
        self.config = config
        model: Any = network.fold(upstream.build(upstream.read_config(config)))
        network.start(model)
        self.model: nn.Module = model.to(self.device).train()
        self.sample_rate, self.frame = int(model.sample_rate), int(model.frame_length)
        self.codebooks: quantising.Codebooks | None = None
        self.step, self.steps_here, self.warm_steps, self.done, self.stopping = 0, 0, 0, 0.0, False
        self.critics = Critics().to(self.device) if plan.adversarial else None
        self._restore()
        self.crops = Crops(plan.data, self.device)
        self._prepare_functions(plan.compiled)

    def run(self) -> None:
        """Train until the portion ends or the process is asked to stop; save on the way and at the end."""
        signal.signal(signal.SIGTERM, self._stop)
        saved = logged = time.monotonic()
        while self.elapsed < self.plan.minutes and not self.stopping:
            figures = self._step_safely()
            now = time.monotonic()
            if now - logged > 10:
                self._report(figures)
                logged = now
            if now - saved > self.plan.save_minutes * 60:
                self.save()
                saved = time.monotonic()
        self.save()

    @property
    def elapsed(self) -> float:
        """Minutes since this portion began."""
        return (time.monotonic() - self.began) / 60

    @property
    def progress(self) -> float:
        """From 0 to 1 over the whole training."""
        return min(1.0, (self.done + self.elapsed) / self.plan.total_minutes)

    def advance(self) -> dict[str, Tensor]:
        """One step; its figures stay on the device."""
        if self.codebooks is None and self.step >= self.plan.open_steps:
            self._start_codebooks()
        real = self.crops.draw(self.plan.batch, self.plan.crop_frames * self.frame)
        made, commitment = self._speak(real)
        distance, mel = losses.spectral_distance(made, real, self.sample_rate)
        loss = distance + COMMITMENT_WEIGHT * commitment
        if self.critics is not None and self.progress > 2 / 3:
            loss = loss + self._criticise(self.critics, made, real)
        self._descend(loss)
        self._average()
        self.step += 1
        self.steps_here += 1
        self.warm_steps += 1
        return {"loss": loss.detach(), "mel": mel, "commitment": commitment.detach()}

    def _speak(self, real: Tensor) -> tuple[Tensor, Tensor]:
        with torch.autocast(self.device.type, torch.bfloat16):
            z = self._encode(real)
        z, commitment = z.float(), z.new_zeros((), dtype=torch.float32)
        if self.codebooks is not None:
            depth = quantising.draw_depth(len(z), len(self.codebooks.sizes), DROPOUT, self.device)
            z, commitment, codes, latents = self._quantise(z, depth)
            self.codebooks.update(codes, latents)
            if self.step % 50 == 0 and self.progress < 0.85:
                self.codebooks.replace_dead(latents)
        with torch.autocast(self.device.type, torch.bfloat16):
            return self._decode(z), commitment

    def _descend(self, loss: Tensor) -> None:
        """A step of AdamW, left out where a gradient is not finite."""
        rate = self._rate()
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        norm = nn.utils.clip_grad_norm_(self.trained, 1.0, foreach=True)
        self.optimizer.found_inf = (~torch.isfinite(norm)).float()
        self.optimizer.step()

    def _rate(self) -> float:
        """A warm-up of each portion and of the quantiser, a plateau, and a cosine over the last 45 %."""
        warm = min(1.0, (self.warm_steps + 1) / 200)
        fall = max(0.0, (self.progress - 0.55) / 0.45)
        return self.plan.learning_rate * warm * (0.03 + 0.97 * 0.5 * (1 + math.cos(math.pi * fall)))

    @torch.no_grad()
    def _average(self) -> None:
        decay = min(0.999, (1 + self.step) / (10 + self.step))
        torch._foreach_lerp_(self.averages, self.parameters, 1 - decay)

    def _criticise(self, critics: Critics, made: Tensor, real: Tensor) -> Tensor:
        own = critics.own_loss(made, real)
        self.critic_optimizer.zero_grad(set_to_none=True)
        own.backward()
        self.critic_optimizer.step()
        return critics.speaker_loss(made, real)

    def _start_codebooks(self) -> None:
        """Fit the quantiser to what the encoder says now; the average starts again from there."""
        found: list[Tensor] = []
        while sum(map(len, found)) < Z_POOL and len(found) < 100:
            real = self.crops.draw(self.plan.batch, self.plan.crop_frames * self.frame)
            with torch.no_grad(), torch.autocast(self.device.type, torch.bfloat16):
                found.append(network.encode(self.model, real).float().flatten(0, 1))
        self.codebooks = quantising.start_codebooks(self.model, torch.cat(found)[:Z_POOL])
        with torch.no_grad():
            torch._foreach_copy_(self.averages, self.parameters)
        self.warm_steps = 0
        log.info("codebooks started at step %d", self.step)

    def _prepare_functions(self, compiled: bool) -> None:
        # Closures over the model, so that each compiles once for the one crop shape.
        model, self.compiled = self.model, compiled
        self._encode = lambda audio: network.encode(model, audio)
        self._decode = lambda z: network.decode(model, z)
        self._quantise = lambda z, depth: quantising.quantise(model, z, depth)
        if compiled:
            self._encode = torch.compile(self._encode, dynamic=False)
            self._decode = torch.compile(self._decode, dynamic=False)
            self._quantise = torch.compile(self._quantise, dynamic=False)

    def _step_safely(self) -> dict[str, Tensor]:
        """A step; where compiled code fails, once more and ever after without."""
        try:
            figures = self.advance()
        except Exception:
            if not self.compiled:
                raise
            log.exception("compiled training failed; going on without compilation")
            self._prepare_functions(False)
            figures = self.advance()
        if self.steps_here == 1:
            size = sum(p.numel() for p in self.parameters)
            log.info("first step after %.1f s, %d parameters, compiled: %s", self.elapsed * 60, size, self.compiled)
        return figures

    def _report(self, figures: dict[str, Tensor]) -> None:
        numbers = " ".join(f"{name} {float(value):.4f}" for name, value in figures.items())
        used = "" if self.codebooks is None else " used " + "/".join(f"{p:.0f}" for p in self.codebooks.perplexity())
        speed = self.steps_here / (self.elapsed * 60)
        log.info("step %d %.0f%% %s %.1f/s%s", self.step, self.progress * 100, numbers, speed, used)

    def _stop(self, *_: object) -> None:
        self.stopping = True

    @torch.no_grad()
    def held_out_distance(self, count: int = 32) -> float:
        """Log-mel distance of the averaged model on the first three seconds of unseen utterances."""
        real = self.crops.held_out(count, 70 * self.frame)
        return float(losses.spectral_distance(copy_synthesis(self.averaged, real), real, self.sample_rate)[1])

    def save(self) -> None:
        """The full state for this machine, the averaged weights for any other."""
        mel = self.held_out_distance()
        minutes = self.done + self.elapsed
        log.info("saved at step %d, %.1f min: held-out mel %.4f", self.step, minutes, mel)
        progress = {"step": self.step, "minutes": minutes, "held_out_mel": mel, "quantised": self.codebooks is not None}
        weights.save(self.averaged, self.plan.out, progress, self.config)
        books = self.codebooks
        state = {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "averages": list(self.averages),
            "codebooks": None if books is None else [books.counts, books.sums],
            **progress,
        }
        torch.save(state, self.plan.out / "state.part")
        (self.plan.out / "state.part").replace(self.plan.out / "state.pt")

    def _restore(self) -> None:
        """Go on from a full state where there is one, else from carried weights, else from nothing."""
        folder = self.plan.resume
        state: dict[str, Any] = {}
        if folder and (folder / "state.pt").exists():
            state = torch.load(folder / "state.pt", map_location=self.device, weights_only=True)
            self.model.load_state_dict(state["model"])
        elif folder and (folder / "progress.json").exists():
            weights.fill(self.model, weights.read_state(folder))
            state = weights.read_progress(folder)
        self.step = int(state.get("step", 0))
        self.done = float(state.get("minutes", 0.0) if self.plan.done_minutes is None else self.plan.done_minutes)
        if state.get("quantised"):
            self.codebooks = quantising.Codebooks(self.model)
        self._prepare_optimizer()
        if "averages" in state:
            self.optimizer.load_state_dict(state["optimizer"])
            torch._foreach_copy_(self.averages, state["averages"])
            if self.codebooks is not None:
                self.codebooks.counts, self.codebooks.sums = state["codebooks"]
        log.info("starting at step %d, %.1f of %.1f min", self.step, self.done, self.plan.total_minutes)

    def _prepare_optimizer(self) -> None:
        for level in quantising.levels(self.model):
            level.codebook.weight.requires_grad_(False)
        self.averaged = copy.deepcopy(self.model).requires_grad_(False).eval()
        self.parameters = [p.data for p in self.model.parameters()]
        self.averages = [p.data for p in self.averaged.parameters()]
        self.trained = [p for p in self.model.parameters() if p.requires_grad]
        self.optimizer: Any = torch.optim.AdamW(self.trained, betas=(0.8, 0.98), weight_decay=0.0, fused=True)
        if self.critics is not None:
            self.critic_optimizer = torch.optim.AdamW(self.critics.parameters(), lr=3e-4, betas=(0.5, 0.9))


@torch.no_grad()
def copy_synthesis(model: nn.Module, audio: Tensor) -> Tensor:
    """(b, samples), a multiple of the frame: through all codes and back."""
    z = network.encode(model, audio)
    depth = torch.full((len(z),), len(quantising.levels(model)), device=z.device)
    return network.decode(model, quantising.quantise(model, z, depth)[0])
