"""Train the dual-AR model on the codes of a frozen codec, on one or several GPUs, for a given time."""

import json
import logging
import signal
import time
from dataclasses import asdict

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from training.averaging import WeightAverage
from training.compilation import compiled_or_not
from training.muon_adamw import MuonAdamW
from training.parallel import ProcessGroup
from training.prefetching import prefetch, to_device
from training.s1.codec import ctc, weights
from training.s1.language import batches, checkpoint
from training.s1.language.batches import BatchBuilder, TokenBatch
from training.s1.language.dual_ar import LanguageModel, Shape
from training.s1.language.options import LanguageOptions
from training.s1.language.tokens import encode_corpus
from training.s1.language.validation import speak_held_out
from training.shards import load_shards, read_notes, save_shards, save_state

log = logging.getLogger(__name__)
CLOCK_STEPS = 10  # steps between checks of the clock, which all GPUs do together
WORSE = 0.01  # maximum increase of the held-out loss for which the weights are still saved


class LanguageTrainer:
    """Model, optimizer and data of one process."""

    def __init__(self, options: LanguageOptions, group: ProcessGroup, device: torch.device) -> None:
        self.options, self.group, self.device, self.schedule = options, group, device, options.schedule()
        torch.set_float32_matmul_precision("high")
        self.tokens = encode_corpus(options.data, options.codec, group, device, options.encoding())
        torch.manual_seed(options.seed)
        shape = Shape(n_layer=options.depth, num_codebooks=self.tokens.codes.shape[1])
        self.model = LanguageModel(shape, options.dropout).to(device)
        self.letters = nn.Linear(shape.dim, batches.AHEAD * ctc.CLASSES).to(device)  # its input is the middle states
        self.live = nn.ModuleDict({"model": self.model, "letters": self.letters})
        self.trained, self.best, self.stopping = 0, float("inf"), False
        self.history: list[dict[str, float]] = []
        self._prepare_optimizer()
        self._resume()
        self._split()
        self._compile(not options.no_compile)
        torch.manual_seed(options.seed * 1000 + self.trained + group.rank)

    def _prepare_optimizer(self) -> None:
        named = dict(self.live.named_parameters())
        for parameter in named.values():
            parameter.grad = torch.zeros_like(parameter)
        matrices = [p for name, p in named.items() if p.ndim == 2 and "layers." in name]
        rates = self.options.muon_rate, self.options.adam_rate
        self.optimizer = MuonAdamW(list(named.values()), matrices, rates, betas=(0.9, 0.98))
        self.average = WeightAverage(self.live, self.options.average)

    def _resume(self) -> None:
        folder = self.options.resume
        if folder and (folder / "state.pt").exists():
            state = torch.load(folder / "state.pt", map_location=self.device, weights_only=True)
            self.live.load_state_dict(state["live"])
            self.average.mean = state["average"]
            self.optimizer.restore(state)
            self.trained, self.best = int(state["trained"]), float(state["best"])
        elif folder and checkpoint.is_exported(folder):
            weights.fill(self.model, checkpoint.read_state(folder))
            self.average = WeightAverage(self.live, self.options.average)
        elif folder:
            weights.fill(self.live, load_shards(folder, "language"))
            self.average = WeightAverage(self.live, self.options.average)
            self.trained = int(json.loads(read_notes(folder, "language")["progress"])["trained"])
        size = sum(parameter.numel() for parameter in self.model.parameters())
        log.info("starting at step %d with %d parameters", self.trained, size)

    def _split(self) -> None:
        """Prepare training batches, and four test batches of the last hundredth of the speakers."""
        options, rank = self.options, self.group.rank
        speakers = sorted(set(self.tokens.speakers.tolist()))
        kept = max(1, len(speakers) // 100)
        seen = batches.by_speaker(self.tokens, set(speakers[:-kept]))
        self.held = batches.by_speaker(self.tokens, set(speakers[-kept:]))
        rng = np.random.default_rng((options.seed, self.trained, rank))
        builder = BatchBuilder(self.tokens, options.fast_frames, rooms=options.rooms)
        self.batches = prefetch(batches.stream(builder, seen, options.positions, rng), self.device)
        clean = BatchBuilder(self.tokens, min(options.fast_frames, 2048), noise=0.0)
        test = batches.stream(clean, self.held, min(options.positions, 8192), np.random.default_rng(5))
        self.tests = [to_device(batch, self.device) for batch, _ in zip(test, range(4), strict=False)]
        log.info("%d speakers to learn, %d held out", len(seen), len(self.held))

    def _compile(self, compiled: bool) -> None:
        self.compiled = compiled
        for block in [*self.model.layers, *self.model.fast_layers]:
            block._compiled_call_impl = None
            if compiled:
                # A limit for many shapes, because the lengths change with every batch.
                torch._dynamo.config.recompile_limit = 64
                block.compile(dynamic=True)

    def losses(self, batch: TokenBatch) -> dict[str, Tensor]:
        """Return the mean losses of semantic token, other codes and letters, and the share of correct semantic tokens."""
        with torch.autocast(self.device.type, torch.bfloat16):
            last, middle = self.model(batch.rows)
            hidden = last.flatten(0, 1)
            logits = self.model.semantic_logits(hidden[batch.places])
            fast = self.model.fast_logits(hidden[batch.fast_places], batch.fast_codes)
            spelled = self.letters(middle.flatten(0, 1)[batch.places]).unflatten(-1, (batches.AHEAD, -1))
        total, smoothing = batch.weights.sum(), self.options.smoothing if self.live.training else 0.0
        each = F.cross_entropy(logits.float(), batch.labels, reduction="none", label_smoothing=smoothing)
        right = (logits.argmax(-1) == batch.labels).float()
        return {
            "semantic": (each * batch.weights).sum() / total,
            "fast": F.cross_entropy(fast.float().flatten(0, 1), batch.fast_codes[:, 1:].flatten()),
            "letters": F.cross_entropy(spelled.float().flatten(0, 1), batch.letters.flatten(), ignore_index=-1),
            "right": (right * batch.weights).sum() / total,
        }

    def train(self) -> None:
        """Train until the time is over or the process gets SIGTERM. Save at intervals and at the end."""
        signal.signal(signal.SIGTERM, self._stop)
        self.schedule.begin()
        share, saved, logged = 0.0, time.monotonic(), time.monotonic()
        for step, batch in enumerate(self.batches, start=1):
            figures = self._step_safely(batch, self.schedule.rate(share, step - 1))
            if step % CLOCK_STEPS and step < self.options.steps:
                continue
            ends = self.stopping or step >= self.options.steps or self.schedule.share() >= 1.0
            share, over = self.group.broadcast_numbers((self.schedule.share(), float(ends)), self.device)
            if over:
                break
            if self.group.rank == 0 and step % (20 * CLOCK_STEPS) == 0:
                speed, logged = 20 * CLOCK_STEPS / (time.monotonic() - logged), time.monotonic()
                self._report(figures, speed)
            if self.group.rank == 0 and time.monotonic() - saved > self.options.save_seconds:
                self.save()
                saved = logged = time.monotonic()
        if self.group.rank == 0:
            self.save()

    def _step_safely(self, batch: TokenBatch, rate: float) -> dict[str, Tensor]:
        """Make a step. If compiled code fails, this step and all later steps run without compilation."""
        return compiled_or_not(lambda: self._step(batch, rate), self.compiled, lambda: self._compile(False))

    def _step(self, batch: TokenBatch, rate: float) -> dict[str, Tensor]:
        torch._foreach_zero_(self.optimizer.gradients)
        figures = self.losses(batch)
        books = self.model.shape.num_codebooks
        loss = figures["semantic"] + figures["fast"] * (books - 1) / books
        torch.autograd.backward(loss + self.options.letters_weight * figures["letters"])
        self.group.average(self.optimizer.gradients)
        norm = self.optimizer.step(rate)
        self.trained += 1
        self.average.update(self.trained)
        return {name: value.detach() for name, value in figures.items()} | {"norm": norm}

    def _report(self, figures: dict[str, Tensor], speed: float) -> None:
        row = {name: round(float(value), 4) for name, value in figures.items()}
        self.history.append({"step": self.trained, "steps_per_s": round(speed, 2), **row})
        log.info("%s", json.dumps(self.history[-1]))

    def _stop(self, *_: object) -> None:
        self.stopping = True

    @torch.no_grad()
    def test(self) -> dict[str, float]:
        """Test the averaged weights on held-out speakers. Return losses, and the letter error rate of lines spoken freely."""
        self.average.swap()
        self.live.eval()
        with torch.compiler.set_stance("force_eager"):  # compilation is not worthwhile for these shapes
            rows = [self.losses(batch) for batch in self.tests]
        found = {name: float(torch.stack([row[name] for row in rows]).mean()) for name in rows[0]}
        spoken = speak_held_out(self.model, self.tokens, self.held, self.options)
        found["spoken_errors"], found["spoken_frames"] = spoken
        self.live.train()
        self.average.swap()
        return {name: round(value, 4) for name, value in found.items()}

    def save(self) -> None:
        """Save the full state for this machine and, unless the held-out loss is worse, the averaged weights for any machine."""
        found = self.test()
        value = found["semantic"] + found["fast"]
        better = value <= self.best + WORSE
        self.best = min(self.best, value)
        self.history.append({"step": self.trained, "held_out": 1.0, **found})
        log.info("step %d held out: %s%s", self.trained, json.dumps(found), "" if better else " (worse: not kept)")
        if better:
            progress = {"trained": self.trained, "held_out": found, "history": self.history[-120:]}
            notes = {"shape": json.dumps(asdict(self.model.shape)), "progress": json.dumps(progress)}
            save_shards(self.average.mean, self.options.out, "language", notes)
        state = {
            "live": self.live.state_dict(),
            "average": self.average.mean,
            "trained": self.trained,
            "best": self.best,
            **self.optimizer.state(),
        }
        save_state(state, self.options.out / "state.pt")


def work(group: ProcessGroup, device: torch.device, options: LanguageOptions) -> None:
    """Run the part of one process in a call. The first process reports and saves."""
    LanguageTrainer(options, group, device).train()
