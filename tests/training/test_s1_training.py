"""The training of the embedded S1 voice, at the smallest size that still does every step."""

from pathlib import Path

import numpy as np
import pytest
import torch

from engines.originals import fish_codec
from engines.runtime.weights import read
from tests.training.coding import decode_codes, encode_clip
from training.corpus.recordings import write_index
from training.parallel import ProcessGroup
from training.pipeline import pack_codec
from training.s1.codec import ctc, losses, weights
from training.s1.codec.options import CodecOptions
from training.s1.codec.trainer import CodecTrainer
from training.s1.language import checkpoint, prompts
from training.s1.language.batches import BatchBuilder, TokenItem
from training.s1.language.dual_ar import LanguageModel, Shape
from training.s1.language.options import LanguageOptions
from training.s1.language.sampling import Sampler, sample
from training.s1.language.trainer import LanguageTrainer

pytestmark = pytest.mark.long

CPU = torch.device("cpu")
TEXTS = ["one two", "it's three", "four, five?", "six seven"]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sixteen tones of four speakers."""
    folder, rng = tmp_path_factory.mktemp("corpus"), np.random.default_rng(0)
    lengths = rng.integers(20_000, 30_000, 16)
    tones = [np.sin(np.arange(size) * rng.uniform(0.02, 0.2)) * 9000 for size in lengths]
    np.concatenate(tones).astype(np.int16).tofile(folder / "audio.i16")
    write_index(folder, lengths.tolist(), np.repeat(np.arange(4), 4).tolist(), TEXTS * 4)
    return folder


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shipped codec's configuration with few channels."""
    text = fish_codec.read_text()
    for large, little in (
        ("encoder_dim: 16", "encoder_dim: 2"),
        ("decoder_dim: 384", "decoder_dim: 32"),
        ("_dim: 256", "_dim: 32"),
        (" dim: 256", " dim: 32"),
        ("intermediate_size: 512", "intermediate_size: 32"),
        ("n_head: 4", "n_head: 1"),
        ("head_dim: 64", "head_dim: 32"),
    ):
        text = text.replace(large, little)
    path = tmp_path_factory.mktemp("config") / "codec.yaml"
    path.write_text(text)
    return path


def codec_options(corpus: Path, out: Path, **changes: object) -> CodecOptions:
    known = {"minutes": 5.0, "total_minutes": 5.0, "gpus": (), "batch": 2, "crop_frames": 16, "open_steps": 2}
    known |= {"letters_batch": 2, "letters_frames": 32, "no_compile": True, "steps": 6}
    return CodecOptions(data=corpus, out=out, **(known | changes))  # type: ignore[arg-type]


def train_codec(options: CodecOptions) -> CodecTrainer:
    trainer = CodecTrainer(options, ProcessGroup(), CPU)
    trainer.train()
    return trainer


@pytest.fixture(scope="module")
def codec(corpus: Path, small: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("codec")
    train_codec(codec_options(corpus, out, config=small))
    return out


@pytest.fixture(scope="module")
def language(corpus: Path, codec: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("language")
    LanguageTrainer(language_options(corpus, codec, out), ProcessGroup(), CPU).train()
    return out


def language_options(corpus: Path, codec: Path, out: Path, **changes: object) -> LanguageOptions:
    known = {"minutes": 5.0, "total_minutes": 5.0, "gpus": (), "steps": 2, "positions": 256, "fast_frames": 32}
    known |= {"depth": 2, "spoken": 1, "spoken_frames": 60, "no_compile": True, "head_steps": 4}
    return LanguageOptions(data=corpus, codec=codec, out=out, **(known | changes))  # type: ignore[arg-type]


def test_codec_training_goes_on_from_its_full_state(corpus: Path, codec: Path, tmp_path: Path) -> None:
    trainer = CodecTrainer(codec_options(corpus, tmp_path, resume=codec, done_minutes=1.0), ProcessGroup(), CPU)
    assert trainer.step == 6
    assert trainer.codebooks is not None
    assert trainer.optimizer.adam.state


def test_codec_training_goes_on_from_carried_weights_alone(corpus: Path, codec: Path, tmp_path: Path) -> None:
    for shard in codec.glob("codec-*"):
        (tmp_path / shard.name).write_bytes(shard.read_bytes())
    trainer = CodecTrainer(codec_options(corpus, tmp_path / "out", resume=tmp_path), ProcessGroup(), CPU)
    assert trainer.step == 6
    trainer.advance()


def test_codec_training_goes_on_from_an_exported_checkpoint(corpus: Path, codec: Path, tmp_path: Path) -> None:
    weights.export(codec, tmp_path, packed=True)
    trainer = CodecTrainer(codec_options(corpus, tmp_path / "out", resume=tmp_path), ProcessGroup(), CPU)
    own = dict(trainer.model.named_parameters())
    for name, value in weights.read_state(codec).items():
        torch.testing.assert_close(own[name].detach(), value, rtol=0, atol=float(value.abs().max()) / 100)
    assert trainer.codebooks is not None
    trainer.advance()


def test_a_codec_keeps_nothing_of_its_rehearsal(corpus: Path, codec: Path, tmp_path: Path) -> None:
    for shard in codec.glob("codec-*"):
        (tmp_path / shard.name).write_bytes(shard.read_bytes())
    trainer = CodecTrainer(
        codec_options(corpus, tmp_path / "out", resume=tmp_path, rehearsal=corpus), ProcessGroup(), CPU
    )
    own = dict(trainer.model.named_parameters())
    for name, value in weights.read_state(tmp_path).items():
        assert torch.equal(own[name].detach(), value), name
    assert (trainer.step, trainer.steps_here, trainer.warm_steps) == (6, 0, 0)
    trainer.train()
    assert trainer.step == 12


def test_a_packed_codec_and_its_head_are_gone_on_from(corpus: Path, codec: Path, tmp_path: Path) -> None:
    pack_codec(codec, tmp_path)
    trainer = CodecTrainer(codec_options(corpus, tmp_path / "out", resume=tmp_path), ProcessGroup(), CPU)
    assert (trainer.step, trainer.head_steps) == (6, 0)
    own = dict(trainer.head.named_parameters())
    for name, value in weights.read_state(codec, "head").items():
        torch.testing.assert_close(own[name].detach(), value, rtol=0, atol=float(value.abs().max()) / 100)
    trainer.advance()


def test_a_new_ctc_head_learns_before_the_codec_learns_from_it(corpus: Path, codec: Path, tmp_path: Path) -> None:
    weights.export(codec, tmp_path, packed=True)
    trainer = CodecTrainer(codec_options(corpus, tmp_path / "out", resume=tmp_path), ProcessGroup(), CPU)
    trainer.letters_loss().backward()
    assert any(parameter.grad.any() for parameter in trainer.head.parameters() if parameter.grad is not None)
    assert not any(parameter.grad.any() for parameter in trainer.model.parameters() if parameter.grad is not None)


def test_a_decoder_trained_alone_sounds_otherwise_from_the_same_codes(
    corpus: Path, codec: Path, tmp_path: Path
) -> None:
    train_codec(
        codec_options(corpus, tmp_path, resume=codec, done_minutes=0.0, decoder_only=True, adversarial_from=0.0)
    )
    before, after = weights.load(codec), weights.load(tmp_path)
    tone = np.sin(np.arange(24_000) * 0.05).astype(np.float32) * 0.3
    codes = encode_clip(before, tone)
    assert np.array_equal(codes, encode_clip(after, tone))
    assert np.abs(decode_codes(before, codes) - decode_codes(after, codes)).max() > 1e-4


def test_a_muffled_copy_is_further_in_cepstra_than_a_quieter_one() -> None:
    noise = torch.randn(2, 24_000, generator=torch.Generator().manual_seed(0)) * 0.1
    muffled = torch.nn.functional.avg_pool1d(noise[:, None], 8, 1)[:, 0]
    real = noise[:, : muffled.shape[1]]
    assert losses.cepstral_distance(real, real, 24_000) == 0
    assert losses.cepstral_distance(muffled, real, 24_000) > losses.cepstral_distance(real * 0.9, real, 24_000)


def test_a_codec_step_that_is_not_finite_changes_nothing(corpus: Path, codec: Path, tmp_path: Path) -> None:
    trainer = CodecTrainer(codec_options(corpus, tmp_path, resume=codec), ProcessGroup(), CPU)
    before = [parameter.clone() for parameter in trainer.optimizer.parameters]
    crop = trainer.crops.draw
    trainer.crops.draw = lambda *size: crop(*size) * torch.nan  # type: ignore[method-assign]
    trainer.advance()
    assert all(torch.equal(old, new) for old, new in zip(before, trainer.optimizer.parameters, strict=True))


def test_packed_codec_speaks_as_the_trained_one_through_upstreams_classes(codec: Path, tmp_path: Path) -> None:
    weights.export(codec, tmp_path, packed=True)
    theirs = fish_codec.build(fish_codec.read_config(tmp_path / "codec.yaml"))
    found = theirs.load_state_dict(read(tmp_path / "codec.safetensors"), strict=False)
    assert not set(dict(theirs.named_parameters())) & set(found.missing_keys)
    ours = weights.load(codec)
    codes = torch.randint(0, 1024, (1, 7, 12), generator=torch.Generator().manual_seed(0))
    with torch.inference_mode():
        made = theirs.eval().decode(codes, torch.tensor([12]))[0][0, 0].numpy()
    own = decode_codes(ours, codes[0].T.numpy())
    assert np.abs(own - made).max() < 0.1 * np.abs(own).max()


def test_language_training_goes_on_from_its_full_state(
    corpus: Path, codec: Path, language: Path, tmp_path: Path
) -> None:
    trainer = LanguageTrainer(language_options(corpus, codec, tmp_path, resume=language), ProcessGroup(), CPU)
    assert trainer.trained == 2
    trainer.train()
    assert trainer.trained == 4


def test_language_training_goes_on_from_an_exported_checkpoint(
    corpus: Path, codec: Path, language: Path, tmp_path: Path
) -> None:
    checkpoint.export(language, codec, tmp_path, packed=True)
    trainer = LanguageTrainer(language_options(corpus, codec, tmp_path / "out", resume=tmp_path), ProcessGroup(), CPU)
    own = dict(trainer.model.named_parameters())
    for name, value in checkpoint.read_state(language).items():
        torch.testing.assert_close(own[name].detach(), value, rtol=0, atol=float(value.abs().max()) / 100)


def test_a_corpus_is_encoded_once_for_a_codec(corpus: Path, codec: Path, language: Path, tmp_path: Path) -> None:
    stores = list(corpus.glob("codes-*.npy"))
    assert len(stores) == 1
    written = stores[0].stat().st_mtime_ns
    LanguageTrainer(language_options(corpus, codec, tmp_path, resume=language), ProcessGroup(), CPU)
    assert stores[0].stat().st_mtime_ns == written


def test_upstream_loads_the_exported_folder_and_predicts_the_same_codes(
    codec: Path, language: Path, tmp_path: Path
) -> None:
    fish_codec.prepare_imports()
    from fish_speech import content_sequence as sequence
    from fish_speech.models.text2semantic import llama

    checkpoint.export(language, codec, tmp_path)
    theirs = llama.BaseTransformer.from_pretrained(str(tmp_path), load_weights=True).float().eval()
    heard = np.random.default_rng(0).integers(0, 1024, (9, 7)).astype(np.int16)
    parts = sequence.ContentSequence(modality="interleave")
    spoken = sequence.VQPart(codes=torch.from_numpy(heard.T.astype(np.int64)))
    parts.append([sequence.TextPart(text="it's one."), spoken], add_end=True, speaker=0)
    parts.append([sequence.TextPart(text="two, three?")], speaker=0)
    rows = parts.encode_for_inference(theirs.tokenizer, num_codebooks=7)[0]
    ours = prompts.prompt("two, three?", [("it's one.", heard)], 7)
    assert np.array_equal(rows.T.numpy(), ours)
    theirs.setup_caches(1, 4096, torch.float32)
    model = checkpoint.load(language)
    with torch.no_grad():
        found = theirs.forward_generate(rows[None].long(), torch.arange(len(ours)))
        hidden = model(torch.from_numpy(ours.astype(np.int64))[None])[0][:, -1:]
        codes = torch.arange(7)[None] * 100
        wanted = model.fast_logits(hidden[:, 0], codes)
        theirs.forward_generate_fast(found.hidden_states, torch.tensor([0]))
        steps = [
            theirs.forward_generate_fast(theirs.fast_embeddings(codes[:, i]), torch.tensor([i + 1])) for i in range(6)
        ]
    close = {"rtol": 2e-2, "atol": 2e-3}
    torch.testing.assert_close(found.logits[0], model.semantic_logits(hidden)[0], **close)
    torch.testing.assert_close(torch.cat(steps, 1)[0], wanted[0], **close)


def test_sampling_by_position_follows_the_whole_forward_pass() -> None:
    torch.manual_seed(0)
    model = LanguageModel(
        Shape(n_layer=2, dim=64, n_head=2, n_local_heads=1, intermediate_size=64, num_codebooks=3)
    ).eval()
    heard = np.random.default_rng(0).integers(0, 1024, (5, 3)).astype(np.int16)
    wanted = [prompts.prompt("one.", [("two.", heard)], 3), prompts.prompt("a longer line.", [], 3)]
    made = sample(Sampler(model, seed=3, temperature=1e-4), wanted, 6)
    for prompt, codes in zip(wanted, made, strict=True):
        assert len(codes) == 6
        rows = np.concatenate((prompt, prompts.code_rows(codes)[:-1]))
        with torch.no_grad():
            hidden = model(torch.from_numpy(rows.astype(np.int64))[None])[0]
            best = model.semantic_logits(hidden)[0, len(prompt) - 1 : -1, prompts.SEMANTIC :].argmax(-1)
            other = model.fast_logits(hidden[0, len(prompt) - 1 : -1], torch.from_numpy(codes.astype(np.int64)))
        assert best.tolist() == codes[:, 0].tolist()
        assert other.argmax(-1).tolist() == codes[:, 1:].tolist()


def test_alignment_finds_each_letter_where_it_is_spoken() -> None:
    letters = ctc.classes_of("ab a")
    logits = torch.zeros(1, 20, ctc.CLASSES)
    logits[..., 0] = 5
    for place, letter in zip((2, 3, 9, 14), letters, strict=True):
        logits[0, place, letter] = 12
    reached = ctc.align(logits, torch.tensor([10]), torch.tensor([letters]), torch.tensor([4]))
    assert reached[0].tolist() == [0, 2, 2, 2, 3, 3, 3, 4, 4, 4]
    assert ctc.best_path(logits, [10]) == [letters]


def test_references_in_rooms_are_read_as_recorded_and_nothing_learns_to_speak_so(
    corpus: Path, codec: Path, tmp_path: Path
) -> None:
    options = language_options(corpus, codec, tmp_path, augment=0.5, plain=True, rooms=1.0, seed=2)
    trainer = LanguageTrainer(options, ProcessGroup(), CPU)
    tokens = trainer.tokens
    assert len(tokens.texts) == 2 * 4 * len(TEXTS)
    item = TokenItem((0, 1), 512)
    batch = BatchBuilder(tokens, 16, noise=0.0, rooms=1.0).build([item], 512, np.random.default_rng(0))
    first, count = 1 + len(tokens.texts[0].encode()) + 1, int(tokens.counts[0])
    assert np.array_equal(batch.rows[0, first : first + count, 1:].numpy(), tokens.recorded[:count])
    assert not np.array_equal(tokens.recorded, tokens.codes)
    learned = set(batch.places[batch.weights > 0].tolist())
    assert learned
    assert min(learned) > first + count
