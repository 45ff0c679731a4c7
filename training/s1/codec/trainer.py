"""Train the codec for a portion of its time, so that the next portion goes on where this one stopped."""

import copy
import logging
import math
import signal
import time
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from training.parallel import Company
from training.s1.codec import ctc, losses, network, quantization, upstream, weights
from training.s1.codec.crops import Crops
from training.s1.codec.discriminators import Contest
from training.s1.codec.options import Plan

log = logging.getLogger(__name__)
COMMITMENT_WEIGHT = 0.05
Z_POOL = 24_000  # latents the codebooks start from
GAUGE_STEPS = 10  # between looks at the clock, which all GPUs take together


class Trainer:
    """The model in training, its running average, and everything a resumption needs."""

    def __init__(self, plan: Plan, company: Company, device: torch.device) -> None:
        self.plan, self.company, self.device, self.began = plan, company, device, time.monotonic()
        torch.manual_seed(plan.seed)
        torch.set_float32_matmul_precision("high")
        torch.backends.cudnn.benchmark = True
        self.config = weights.read_config(plan.resume) or upstream.read_text(plan.config or upstream.CONFIG)
        model: Any = network.fold(upstream.build(upstream.parse_config(self.config)))
        network.start(model)
        self.model: nn.Module = model.to(device).train()
        self.sample_rate, self.frame = int(model.sample_rate), int(model.frame_length)
        self.reader = ctc.Reader(model.quantizer.semantic_quantizer.quantizers[0].out_proj.out_channels).to(device)
        self.codebooks: quantization.Codebooks | None = None
        self.step, self.steps_here, self.warm_steps, self.done, self.stopping = 0, 0, 0, 0.0, False
        self.contest = Contest(company, device) if plan.critics_from < 1 else None
        self.deaf_steps = 0  # of this portion, in which the codec does not heed its reader
        self._restore()
        seed = plan.seed * 100_003 + self.step * 17 + company.rank
        self.crops = Crops(plan.data, device, seed, plan.persons)
        self.lines = self.crops.lines_within(self.crops.kept_lines, plan.read_frames, self.frame)
        self._prepare_functions(plan.compiled)
        torch.manual_seed(seed)  # from here on every GPU draws its own crops
        self.minutes_gone = self.elapsed

    def run(self) -> None:
        """Train until the portion ends or the process is asked to stop; save on the way and at the end."""
        signal.signal(signal.SIGTERM, self._stop)
        saved = logged = time.monotonic()
        while self._goes_on():
            figures = self._step_safely()
            now = time.monotonic()
            if now - logged > 10 and self.company.rank == 0:
                self._report(figures)
                logged = now
            if now - saved > self.plan.save_seconds and self.company.rank == 0:
                self.save()
                saved = time.monotonic()
        if self.company.rank == 0:
            self.save()

    def _goes_on(self) -> bool:
        if self.steps_here % GAUGE_STEPS == 0:
            ends = self.stopping or self.elapsed >= self.plan.minutes or self.steps_here >= self.plan.steps
            self.minutes_gone, told = self.company.agree((self.elapsed, float(ends)), self.device)
            return not told
        return self.steps_here < self.plan.steps

    @property
    def elapsed(self) -> float:
        """Minutes since this portion began, by this process's clock."""
        return (time.monotonic() - self.began) / 60

    @property
    def progress(self) -> float:
        """From 0 to 1 over the whole training; the same on every GPU."""
        return min(1.0, (self.done + self.minutes_gone) / self.total_minutes)

    def advance(self) -> dict[str, Tensor]:
        """One step; its figures stay on the device."""
        if self.codebooks is None and self.step >= self.plan.open_steps:
            self._start_codebooks()
        real = self.crops.draw(self.plan.batch, self.plan.crop_frames * self.frame)
        made, commitment = self._speak(real)
        distance, mel = losses.spectral_distance(made, real, self.sample_rate)
        ear = losses.ear_distance(made, real, self.sample_rate)
        loss = distance + self.plan.ear_weight * ear + COMMITMENT_WEIGHT * commitment
        figures = {"mel": mel, "ear": ear.detach(), "commitment": commitment.detach()}
        if self._reads():
            letters = self._read()
            loss = loss + self.plan.read_weight * letters
            figures["letters"] = letters.detach()
        if self.contest is not None and self.progress > self.plan.critics_from:
            loss = loss + self.contest.hold(made, real)
        figures["norm"] = self._descend(loss)
        self._average()
        self.step += 1
        self.steps_here += 1
        self.warm_steps += 1
        return {"loss": loss.detach(), **figures}

    def _speak(self, real: Tensor) -> tuple[Tensor, Tensor]:
        with torch.set_grad_enabled(not self.plan.decoder_only):
            z, commitment = self._code(real)
        with torch.autocast(self.device.type, torch.bfloat16):
            return self._decode(z), commitment

    def _code(self, real: Tensor) -> tuple[Tensor, Tensor]:
        """What the decoder is given of a sound, and the commitment loss; the codebooks follow."""
        with torch.autocast(self.device.type, torch.bfloat16):
            z = self._encode(real)
        z, commitment = z.float(), z.new_zeros((), dtype=torch.float32)
        if self.codebooks is None:
            return z, commitment
        dropout = 0.0 if self.plan.decoder_only else self.plan.dropout
        depth = quantization.draw_depth(len(z), len(self.codebooks.sizes), dropout, self.device)
        z, commitment, codes, latents = self._quantise(z, depth)
        if not self.plan.decoder_only:
            self.codebooks.update(codes, latents)
            if self.step % 50 == 0 and self.progress < 0.85:
                self.codebooks.replace_dead(latents)
        return z, commitment

    def _reads(self) -> bool:
        """Whether this step reads the words off the codes."""
        plan = self.plan
        wanted = self.codebooks is not None and plan.read_every and not plan.decoder_only
        return bool(wanted) and self.step % plan.read_every == 0

    def _read(self) -> Tensor:
        """CTC loss a letter of whole utterances, through the semantic level alone."""
        chosen = self.crops.rng.choice(self.lines, self.plan.read_batch, replace=len(self.lines) < self.plan.read_batch)
        lines = self.crops.lines(chosen.tolist(), self.plan.read_frames, self.frame)
        with torch.autocast(self.device.type, torch.bfloat16):
            z = self._encode(lines.audio)
        vectors = ctc.semantic_vectors(self.model, z.float())
        logits = self.reader(vectors.detach() if self.steps_here < self.deaf_steps else vectors)
        return ctc.loss(logits, lines.frames, lines.letters, lines.counts)

    def _descend(self, loss: Tensor) -> Tensor:
        """A step of AdamW, left out where a gradient is not finite; returns the gradients' length."""
        rate = self._rate()
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.optimizer.zero_grad(set_to_none=False)  # every GPU exchanges the same list of gradients at each step
        loss.backward()
        self.company.average([parameter.grad for parameter in self.trained if parameter.grad is not None])
        norm = nn.utils.clip_grad_norm_(self.trained, 1.0, foreach=True)
        self.optimizer.found_inf = (~torch.isfinite(norm)).float()
        self.optimizer.step()
        return norm.detach()

    def _rate(self) -> float:
        """A warm-up of each portion and of the quantiser, a plateau, and a cosine over the last 45 %."""
        warm = min(1.0, (self.warm_steps + 1) / 200)
        fall = max(0.0, (self.progress - 0.55) / 0.45)
        return self.plan.learning_rate * warm * (0.03 + 0.97 * 0.5 * (1 + math.cos(math.pi * fall)))

    @torch.no_grad()
    def _average(self) -> None:
        decay = min(0.999, (1 + self.step) / (10 + self.step))
        torch._foreach_lerp_(self.averages, self.parameters, 1 - decay)

    def _start_codebooks(self) -> None:
        """Fit the quantiser to what the encoder says now; the average starts again from there."""
        found: list[Tensor] = []
        while sum(map(len, found)) < Z_POOL and len(found) < 100:
            real = self.crops.draw(self.plan.batch, self.plan.crop_frames * self.frame)
            with torch.no_grad(), torch.autocast(self.device.type, torch.bfloat16):
                found.append(network.encode(self.model, real).float().flatten(0, 1))
        self.codebooks = quantization.start_codebooks(self.model, torch.cat(found)[:Z_POOL], self.company)
        with torch.no_grad():
            torch._foreach_copy_(self.averages, self.parameters)
        self.warm_steps = 0
        log.info("codebooks started at step %d", self.step)

    def _prepare_functions(self, compiled: bool) -> None:
        # Closures over the model, so that each compiles once for each of its few shapes.
        model, self.compiled = self.model, compiled
        self._encode = lambda audio: network.encode(model, audio)
        self._decode = lambda z: network.decode(model, z)
        self._quantise = lambda z, depth: quantization.quantise(model, z, depth)
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
        made = copy_synthesis(self.averaged["codec"], real)
        return float(losses.spectral_distance(made, real, self.sample_rate)[1])

    @torch.no_grad()
    def held_out_letters(self, count: int = 32) -> float:
        """Character error rate of unseen utterances, read off the averaged model's semantic codes."""
        chosen = self.crops.lines_within(self.crops.held_lines, self.plan.read_frames, self.frame)[:count]
        if self.codebooks is None or not len(chosen):
            return 1.0
        lines = self.crops.lines(chosen.tolist(), self.plan.read_frames, self.frame)
        with torch.autocast(self.device.type, torch.bfloat16):
            z = network.encode(self.averaged["codec"], lines.audio)
        logits = self.averaged["reader"](ctc.semantic_vectors(self.averaged["codec"], z.float()))
        wanted = [row[:size] for row, size in zip(lines.letters.tolist(), lines.counts.tolist(), strict=True)]
        return ctc.letter_errors(ctc.read(logits, lines.frames.tolist()), wanted)

    def save(self) -> None:
        """The full state for this machine, the averaged weights for any other."""
        minutes = self.done + self.elapsed
        progress = {
            "step": self.step,
            "minutes": round(minutes, 3),
            "quantised": self.codebooks is not None,
            "held_out_mel": round(self.held_out_distance(), 4),
            "held_out_letters": round(self.held_out_letters(), 4),
        }
        log.info("saved: %s", progress)
        weights.save(self.averaged["codec"], self.averaged["reader"], self.plan.out, progress, self.config)
        books = self.codebooks
        state = {
            "model": self.model.state_dict(),
            "reader": self.reader.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "averages": list(self.averages),
            "decoder_only": self.plan.decoder_only,
            "codebooks": None if books is None else [books.counts, books.sums],
            **progress,
        }
        folder = self._state_folder
        folder.mkdir(parents=True, exist_ok=True)
        torch.save(state, folder / "state.part")
        (folder / "state.part").replace(folder / "state.pt")

    @property
    def _state_folder(self) -> Path:
        return self.plan.state or self.plan.out

    def _restore(self) -> None:
        """Go on from a full state where there is one, else from carried weights, else from nothing."""
        folder, state = self.plan.resume, self._full_state()
        if state:
            self.model.load_state_dict(state["model"])
            self.reader.load_state_dict(state["reader"])
        elif folder:
            weights.fill(self.model, weights.read_state(folder))
            state = weights.read_progress(folder)
            if weights.is_exported(folder):
                self.deaf_steps = self.plan.open_steps
            else:
                weights.fill(self.reader, weights.read_state(folder, "reader"))
        self.step = int(state.get("step", 0))
        self.done = float(state.get("minutes", 0.0) if self.plan.done_minutes is None else self.plan.done_minutes)
        self.total_minutes = self.plan.total_minutes or self.done + self.plan.minutes
        if state.get("quantised"):
            self.codebooks = quantization.Codebooks(self.model, self.company)
        self._prepare_optimizer()
        if "averages" in state:
            self.optimizer.load_state_dict(state["optimizer"])
            torch._foreach_copy_(self.averages, state["averages"])
            if self.codebooks is not None:
                self.codebooks.counts, self.codebooks.sums = state["codebooks"]
        how = "a full state" if "averages" in state else "carried weights" if state else "nothing"
        log.info("starting from %s at step %d, %.1f of %.1f min", how, self.step, self.done, self.total_minutes)

    def _full_state(self) -> dict[str, Any]:
        """What an earlier portion of this very training left on this machine, or nothing."""
        places = [place for place in (self.plan.state, self.plan.resume) if place and (place / "state.pt").exists()]
        if not self.plan.resume or not places:
            return {}
        state: dict[str, Any] = torch.load(places[0] / "state.pt", map_location=self.device, weights_only=True)
        return state if state["decoder_only"] == self.plan.decoder_only else {}

    def _prepare_optimizer(self) -> None:
        for level in quantization.levels(self.model):
            level.codebook.weight.requires_grad_(False)
        if self.plan.decoder_only:
            model: Any = self.model
            self.model.requires_grad_(False)
            for part in (model.decoder, model.quantizer.upsample, model.quantizer.post_module):
                part.requires_grad_(True)
            self.reader.requires_grad_(False)
        live = nn.ModuleDict({"codec": self.model, "reader": self.reader})
        self.averaged = copy.deepcopy(live).requires_grad_(False).eval()
        self.parameters = [p.data for p in live.parameters()]
        self.averages = [p.data for p in self.averaged.parameters()]
        self.trained = [p for p in live.parameters() if p.requires_grad]
        for parameter in self.trained:
            parameter.grad = torch.zeros_like(parameter)
        self.optimizer: Any = torch.optim.AdamW(self.trained, betas=(0.8, 0.98), weight_decay=0.0, fused=True)


@torch.no_grad()
def copy_synthesis(model: nn.Module, audio: Tensor) -> Tensor:
    """(b, samples), a multiple of the frame: through all codes and back."""
    z = network.encode(model, audio)
    depth = torch.full((len(z),), len(quantization.levels(model)), device=z.device)
    return network.decode(model, quantization.quantise(model, z, depth)[0])


def work(company: Company, device: torch.device, plan: Plan) -> None:
    """One process's share of a portion; the first one speaks and saves."""
    level = logging.INFO if company.rank == 0 else logging.WARNING
    logging.basicConfig(level=level, format="%(asctime)s codec %(message)s", datefmt="%H:%M:%S")
    Trainer(plan, company, device).run()
