"""Train the DiT for a given time, optionally from the output of an earlier call, and distil it."""

import copy
import json
import logging
import time
from dataclasses import asdict
from itertools import islice
from pathlib import Path

import torch
from torch import Tensor

from engines.f5.network import DiT
from training.averaging import WeightAverage
from training.compilation import compiled_or_not
from training.corpus.recordings import await_recordings, read_recordings
from training.f5 import distillation, flow
from training.f5.batches import MelBatch, SeamShares, stream, utterances_of
from training.f5.checkpoint import load_dit
from training.f5.distillation import Teacher
from training.f5.mel_bank import MelBank
from training.f5.options import FlowOptions
from training.muon_adamw import MuonAdamW
from training.parallel import ProcessGroup
from training.prefetching import prefetch, to_device
from training.schedule import TrainingSchedule
from training.shards import save_shards, save_state

log = logging.getLogger(__name__)
CLOCK_STEPS = 20  # steps between checks of the clock, which all GPUs do together
REHEARSED = 4  # steps for each kind; their lengths differ, so that the compiled code accepts any length
FRAMES_AN_HOUR = 93.75 * 3600


class FlowTrainer:
    """Model, optimizer and data of one process."""

    def __init__(self, options: FlowOptions, group: ProcessGroup, device: torch.device) -> None:
        self.options, self.group, self.device = options, group, device
        self.schedule, self.out = options.schedule(), options.out
        torch.manual_seed(options.seed)
        self.model = DiT(options.config()).to(device)
        flow.initialise(self.model)
        self.trained = 0
        self._prepare_optimizer()
        self.teacher = self._read_teacher()
        self._resume()
        self.generator = torch.Generator(device).manual_seed(options.seed * 1000 + self.trained + group.rank)
        self._compile(not options.no_compile)
        if options.rehearsal:
            self._rehearse(options.rehearsal)
            await_recordings(options.data, 60 * options.minutes)
        self._read_corpus(options.data)
        self.history: list[dict[str, float]] = []

    def become_student(self) -> None:
        """From now on, train the model as a student of its averaged weights: without guidance and with fewer steps."""
        options = self.options
        self.average.swap()
        self.teacher = self._teach()
        self._prepare_optimizer()
        self._compile(self.compiled)
        if options.student_before:
            self._learn_from(options.student_before)
        self.schedule = TrainingSchedule(options.student_minutes, options.student_minutes, 0.0, options.held)
        self.out = options.out / "student"

    def _learn_from(self, folder: Path) -> None:
        """Add the difference of an earlier student and its teacher to the weights, if the loss decreases."""
        (before,) = self.group.broadcast_numbers([self.test()], self.device)
        for sign in (1, -1):
            distillation.add_learned(self.model, folder, sign)
            self.average = WeightAverage(self.model, self.options.average)
            if self.group.broadcast_numbers([self.test()], self.device)[0] < before:
                return

    def _compile(self, compiled: bool) -> None:
        self.compiled = compiled
        torch._dynamo.config.recompile_limit = 64  # a limit for many shapes, because the shapes change with every batch
        for model in (self.model, self.teacher.model) if self.teacher else (self.model,):
            for block in [*model.transformer_blocks, *model.text_embed.text_blocks]:
                if not compiled:
                    block._compiled_call_impl = None
                elif block._compiled_call_impl is None:
                    block.compile(dynamic=True)

    def _prepare_optimizer(self) -> None:
        parameters = dict(self.model.named_parameters())
        matrices = [
            parameter
            for name, parameter in parameters.items()
            if name.startswith("transformer_blocks.") and parameter.ndim == 2 and "attn_norm" not in name
        ]
        rates = self.options.muon_rate, self.options.adam_rate
        self.optimizer = MuonAdamW(list(parameters.values()), matrices, rates, betas=(0.9, 0.99))
        self.average = WeightAverage(self.model, self.options.average)

    def _read_teacher(self) -> Teacher | None:
        """Return the frozen teacher, whose weights are also the student's initial weights."""
        if self.options.teacher is None:
            return None
        self._start_from(self.options.teacher)
        return self._teach()

    def _start_from(self, folder: Path) -> None:
        self.model.load_state_dict(load_dit(folder))
        self.average = WeightAverage(self.model, self.options.average)

    def _resume(self) -> None:
        folder = self.options.resume
        if folder is None:
            return
        full = folder / "state.pt"
        if full.exists():
            state = torch.load(full, map_location=self.device, weights_only=True)
            self.model.load_state_dict(state["model"])
            self.average.mean = state["average"]
            self.optimizer.restore(state)
            self.trained = state["trained"]
        else:
            self._start_from(folder)
            note = folder / "dit.json"  # exported checkpoints have no note; the average soon forgets its first steps
            self.trained = json.loads(note.read_text(encoding="utf-8"))["trained"] if note.exists() else 0
        log.info("resumed after %d steps", self.trained)

    def _rehearse(self, corpus: Path) -> None:
        """Compile on a small corpus, in steps that do not change the weights."""
        self._read_corpus(corpus)
        trained, teacher = self.trained, self.teacher
        for rehearsed in (teacher, self._teach() if self.options.student_minutes else teacher):
            self.teacher = rehearsed
            self._compile(self.compiled)
            for batch in islice(self.batches, REHEARSED):
                self._step_safely(batch, 0.0)
        self.trained, self.teacher = trained, teacher
        log.info("rehearsed, compiled: %s", self.compiled)

    def _teach(self) -> Teacher:
        """Return a frozen copy of the model."""
        return Teacher.of(copy.deepcopy(self.model), self.options, self.device)

    def _read_corpus(self, folder: Path) -> None:
        """Read the mels and the training batches, and four test batches of the last hundredth of the speakers."""
        options, rank = self.options, self.group.rank
        recordings = read_recordings(folder)
        self.bank = MelBank(
            recordings,
            self.device,
            options.augmentations,
            options.seed * 53 + rank,
            options.strength,
            options.rooms > 0,
        )
        speakers = sorted(set(recordings.speakers.tolist()))
        kept = max(1, len(speakers) // 100)
        seen = utterances_of(recordings, self.bank.counts, set(speakers[:-kept] or speakers))
        unseen = utterances_of(recordings, self.bank.counts, set(speakers[-kept:]))
        shares = SeamShares(options.seams, options.rooms, self.bank.size)
        seed = options.seed * 7919 + self.trained * 31 + rank
        self.batches = prefetch(stream(seen, options.frames, seed, shares), self.device)
        held = stream(unseen, min(options.frames, 8192), 5, SeamShares(options.seams))
        self.tests = [to_device(next(held), self.device) for _ in range(4)]
        log.info("%d speakers, %.1f h of mels", len(speakers) - kept, len(self.bank.frames) / FRAMES_AN_HOUR)

    def train(self) -> None:
        """Train until the time is over. Save at intervals and at the end."""
        self.schedule.begin()
        share, saved, logged = 0.0, time.monotonic(), time.monotonic()
        running = torch.zeros((), device=self.device)
        for step, batch in enumerate(self.batches, start=1):
            running += self._step_safely(batch, self.schedule.rate(share, step - 1))
            if step % CLOCK_STEPS:
                continue
            share = 1.0 if step >= self.options.steps else self.schedule.share()
            (share,) = self.group.broadcast_numbers([share], self.device)
            if share >= 1.0:
                break
            self.bank.renew(share)
            if step % (10 * CLOCK_STEPS) == 0:
                now, steps = time.monotonic(), 10 * CLOCK_STEPS
                self._report(step, float(running) / steps, steps / (now - logged))
                logged = now
                running.zero_()
            if time.monotonic() - saved > self.options.save_seconds and self.group.rank == 0:
                self.save()
                saved = time.monotonic()
        if self.group.rank == 0:
            self.test()
            self.save()

    def _step_safely(self, batch: MelBatch, rate: float) -> Tensor:
        """Make a step. If compiled code fails, this step and all later steps run without compilation."""

        def give_up() -> None:
            self._compile(False)
            self.model.zero_grad(set_to_none=True)

        return compiled_or_not(lambda: self._step(batch, rate), self.compiled, give_up)

    def _step(self, batch: MelBatch, rate: float) -> Tensor:
        value = self._loss(batch, self.generator)
        torch.autograd.backward(value)
        self.group.average(self.optimizer.gradients)
        self.optimizer.step(rate)
        self.model.zero_grad(set_to_none=True)
        self.trained += 1
        self.average.update(self.trained)
        return value.detach()

    def _loss(self, batch: MelBatch, generator: torch.Generator) -> Tensor:
        if self.teacher is None:
            return flow.loss(self.model, self.bank.frames, batch, generator)
        return distillation.loss(self.model, self.teacher, self.bank.frames, batch, generator)

    def _report(self, step: int, mean: float, speed: float) -> None:
        if self.group.rank:
            return
        row = {"step": self.trained, "loss": round(mean, 4), "steps_per_s": round(speed, 2)}
        if step % (100 * CLOCK_STEPS) == 0:
            row["held_out"] = self.test()
        self.history.append(row)
        log.info("%s", json.dumps(row))

    @torch.no_grad()
    def test(self) -> float:
        """Return the loss of the averaged weights on held-out speakers. The noise is always the same."""
        generator = torch.Generator(self.device).manual_seed(3)
        self.average.swap()
        value = sum(float(self._loss(batch, generator)) for batch in self.tests) / len(self.tests)
        self.average.swap()
        log.info("step %d held-out loss %.4f", self.trained, value)
        return round(value, 4)

    def save(self) -> None:
        """Save the averaged weights with a note on their training, and the full state."""
        save_shards(self.average.mean, self.out, "dit")
        note = {"trained": self.trained, "config": asdict(self.model.config), "history": self.history[-200:]}
        if self.teacher is not None:
            note["inference"] = {"guidance": 0.0}
        (self.out / "dit.json").write_text(json.dumps(note), encoding="utf-8")
        state = {
            "model": {name: parameter.detach() for name, parameter in self.model.named_parameters()},
            "average": self.average.mean,
            "trained": self.trained,
            **self.optimizer.state(),
        }
        save_state(state, self.out / "state.pt")


def work(group: ProcessGroup, device: torch.device, options: FlowOptions) -> None:
    """Run the part of one process in a call. The first process reports and saves."""
    torch.set_float32_matmul_precision("high")
    trainer = FlowTrainer(options, group, device)
    trainer.train()
    if options.student_minutes:
        trainer.become_student()
        trainer.train()
