"""What the corpus's speakers are given to say."""

from itertools import islice

from training.corpus.synthesis import tasks

SENTENCES = {"gloss": [f"sentence number {number} of a long list of them all." for number in range(4000)]}


def said(seed: int) -> list[str]:
    return [line for _, _, lines in islice(tasks(SENTENCES, seed), 10) for line in lines]


def test_corpora_of_two_seeds_say_other_sentences() -> None:
    assert len(set(said(1)) & set(said(2))) < len(said(1)) / 4


def test_a_corpus_is_the_same_again_by_its_seed() -> None:
    assert said(1) == said(1)
