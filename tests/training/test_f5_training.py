"""The training of the embedded F5 voice, at the smallest size that still does every step."""

import logging
import shutil
import threading
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from training.corpus.recordings import await_recordings, write_index
from training.f5 import trainer as flow_trainer
from training.f5.checkpoint import load_dit
from training.f5.options import FlowOptions
from training.f5.trainer import FlowTrainer
from training.parallel import ProcessGroup

pytestmark = pytest.mark.long

CPU = torch.device("cpu")
TEXTS = ["one two", "it's three", "four, five?", "six seven"]


def record(folder: Path) -> None:
    """Sixteen tones of four speakers."""
    folder.mkdir(exist_ok=True)
    rng = np.random.default_rng(0)
    lengths = rng.integers(20_000, 30_000, 16)
    tones = [np.sin(np.arange(size) * rng.uniform(0.02, 0.2)) * 9000 for size in lengths]
    np.concatenate(tones).astype(np.int16).tofile(folder / "audio.i16")
    write_index(folder, lengths.tolist(), np.repeat(np.arange(4), 4).tolist(), TEXTS * 4)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    record(folder)
    return folder


class WhenRehearsed(logging.Handler):
    """Records a corpus in this folder once a trainer says that it has rehearsed."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.recording = threading.Thread(target=record, args=(folder,))

    def emit(self, entry: logging.LogRecord) -> None:
        if entry.msg.startswith("rehearsed"):
            self.recording.start()


def trainer_of(corpus: Path, out: Path, **changes: object) -> FlowTrainer:
    known = {"minutes": 5.0, "gpus": (), "steps": 20, "frames": 256, "dim": 32, "depth": 1, "heads": 1, "text_dim": 32}
    options = FlowOptions(data=corpus, out=out, no_compile=True, **(known | changes))  # type: ignore[arg-type]
    return FlowTrainer(options, ProcessGroup(), CPU)


@pytest.fixture(scope="module")
def call(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a call with a flow and its student."""
    folder = tmp_path_factory.mktemp("call")
    trainer = trainer_of(corpus, folder / "flow", student_minutes=5.0, average=0.5, muon_rate=0.1, adam_rate=0.01)
    trainer.train()
    trainer.become_student()
    trainer.train()
    shutil.move(folder / "flow" / "student", folder / "student")
    return folder


def weights_of(trainer: FlowTrainer) -> dict[str, Tensor]:
    return {name: parameter.detach().clone() for name, parameter in trainer.model.named_parameters()}


def test_a_rehearsal_leaves_weights_and_steps_as_they_were(corpus: Path, call: Path, tmp_path: Path) -> None:
    trainer = trainer_of(corpus, tmp_path, resume=call / "flow", rehearsal=corpus, student_minutes=1.0)
    for name, value in weights_of(trainer_of(corpus, tmp_path, resume=call / "flow")).items():
        assert torch.equal(weights_of(trainer)[name], value), name
    assert trainer.trained == 20
    assert trainer.teacher is None


def test_a_training_learns_from_the_only_speaker_of_its_corpus(tmp_path: Path) -> None:
    np.zeros(60_000, np.int16).tofile(tmp_path / "audio.i16")
    write_index(tmp_path, [30_000, 30_000], [0, 0], TEXTS[:2])
    assert next(trainer_of(tmp_path, tmp_path / "out").batches).tokens.any()


def test_a_rehearsed_training_waits_for_its_corpus(
    corpus: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    later, log = WhenRehearsed(tmp_path / "data"), logging.getLogger(flow_trainer.__name__)
    log.addHandler(later)
    with caplog.at_level(logging.INFO):
        made = trainer_of(tmp_path / "data", tmp_path / "out", rehearsal=corpus)
    log.removeHandler(later)
    later.recording.join()
    assert len(made.bank.counts) == 16


def test_a_corpus_that_never_comes_is_not_waited_for_without_end(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="still holds no corpus"):
        await_recordings(tmp_path, 0.0)


def test_a_corpus_has_no_index_if_writing_a_part_of_it_failed(tmp_path: Path) -> None:
    (tmp_path / "texts.json").mkdir()  # what cannot be written
    with pytest.raises(IsADirectoryError):
        write_index(tmp_path, [4], [0], ["one"])
    with pytest.raises(FileNotFoundError):
        await_recordings(tmp_path, 0.0)


def test_a_student_begins_with_what_an_earlier_one_learned(corpus: Path, call: Path, tmp_path: Path) -> None:
    trainer = trainer_of(corpus, tmp_path, resume=call / "flow", student_minutes=1.0, student_before=call)
    trainer.become_student()
    flow, student = load_dit(call / "flow"), load_dit(call / "student")
    began = weights_of(trainer)
    assert max(float((student[name] - flow[name]).abs().max()) for name in flow) > 0.01
    for name, value in student.items():
        torch.testing.assert_close(began[name], value, rtol=0, atol=2e-3)  # what float16 leaves of it


def test_a_student_does_not_begin_with_what_makes_it_worse(corpus: Path, call: Path, tmp_path: Path) -> None:
    shutil.copytree(call / "flow", tmp_path / "student")  # the difference points the other way
    shutil.copytree(call / "student", tmp_path / "flow")
    trainer = trainer_of(corpus, tmp_path / "out", resume=call / "flow", student_minutes=1.0, student_before=tmp_path)
    trainer.become_student()
    flow = load_dit(call / "flow")
    for name, value in weights_of(trainer).items():
        torch.testing.assert_close(value, flow[name], rtol=0, atol=2e-3)
