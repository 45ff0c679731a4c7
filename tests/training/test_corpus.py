"""What the corpus's speakers are given to say, and what becomes of one whose synthesizer fails."""

import multiprocessing
import os
import threading
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from tests.waiting import PATIENCE_S
from training.corpus.recordings import read_recordings
from training.corpus.synthesis import CorpusOptions, SpeakerAudio, Task, tasks, write_corpus
from training.references import RATE_HZ

SENTENCES = {"gloss": [f"sentence number {number} of a long list of them all." for number in range(4000)]}


def said(seed: int) -> list[str]:
    return [line for _, _, lines in islice(tasks(SENTENCES, seed), 10) for line in lines]


def test_corpora_of_two_seeds_say_other_sentences() -> None:
    assert len(set(said(1)) & set(said(2))) < len(said(1)) / 4


def test_a_corpus_is_the_same_again_by_its_seed() -> None:
    assert said(1) == said(1)


def unruly(task: Task) -> tuple[int, SpeakerAudio]:
    """One speaker crashes its process, one never ends, the others say a second of silence."""
    _, number, lines = task
    if number == 0:
        os._exit(1)
    if number == 1:
        threading.Event().wait()
    return number, SpeakerAudio(np.zeros(RATE_HZ, np.int16), [RATE_HZ], lines[:1])


@pytest.mark.long
def test_a_speaker_who_crashes_and_one_who_hangs_are_left_out(tmp_path: Path) -> None:
    options = CorpusOptions(out=tmp_path, hours=3 / 3600, seed=1, workers=6, seconds=PATIENCE_S)
    # in an interpreter of its own: the corpus's workers are forks, which the threads and handlers of other tests would harm
    program = multiprocessing.get_context("spawn").Process(
        target=write_corpus, args=(options, {"game": ["Who goes there?"]}, unruly)
    )
    program.start()
    program.join()
    assert program.exitcode == 0
    assert {*read_recordings(tmp_path).speakers} <= {2, 3, 4, 5}
