"""A small vocabulary in the format of openaudio-s1-mini: all bytes, and merges that occur in given texts."""

from base64 import b64encode
from collections.abc import Iterable
from pathlib import Path

from tokenizers import Tokenizer, models, pre_tokenizers, trainers

MERGES = 2500


def learn(texts: Iterable[str]) -> dict[bytes, int]:
    """Return the ranks of all bytes and of the merges that are most frequent in the texts.

    The texts are not split into words, so merges also cross marks, spaces and digits: a tokenizer that splits a text in
    another way than upstream makes other tokens.
    """
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=256 + MERGES, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    held = tokenizer.get_vocab()
    learned = [bytes(map(_bytes_by_sign().__getitem__, token)) for token in sorted(held, key=held.__getitem__)]
    single = [bytes([each]) for each in range(256)]
    return {token: rank for rank, token in enumerate([*single, *(each for each in learned if len(each) > 1)])}


def _bytes_by_sign() -> dict[str, int]:
    """Return the byte that each sign of the byte-level alphabet stands for, as defined by GPT-2."""
    shown = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    hidden = [each for each in range(256) if each not in shown]
    return {chr(each): each for each in shown} | {chr(256 + number): each for number, each in enumerate(hidden)}


def save(folder: Path, ranks: dict[bytes, int], special: list[str]) -> None:
    """Write the vocabulary with upstream's own class."""
    from fish_speech.tokenizer import FishTokenizer

    folder.mkdir(parents=True, exist_ok=True)
    plain = folder / "bytes.tiktoken"
    plain.write_text("".join(f"{b64encode(token).decode()} {rank}\n" for token, rank in ranks.items()))
    FishTokenizer(str(plain), special).save_pretrained(str(folder))
    plain.unlink()
