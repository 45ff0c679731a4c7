"""Llama and Qwen2 networks: equal to transformers' in logits and greedy tokens, with a cache and in a batch."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from engines.codec_lm.decode_state import DecodeState, Sampling
from engines.codec_lm.decoding import Decoder
from engines.codec_lm.hub_files import LanguageModelConfig, read_language_model
from engines.codec_lm.language_model import CodeTokens, LanguageModel
from engines.codec_lm.sampling import choose_from_scaled
from engines.codec_lm.token_network import code_logits
from engines.codec_lm.token_step import TokenStep
from engines.errors import BadCheckpoint
from tests.engines.codec_lm.hub_models import SIZES, write_model

TOKENS = CodeTokens(first=40, codes=16, steps=3, ends=(7, 9))
VOCABULARY, STEPS, LENGTH = 100, 200, 256
CPU = torch.device("cpu")


@dataclass(frozen=True)
class Pair:
    """A network of this project and the one of transformers with the same weights."""

    folder: Path
    ours: LanguageModel
    theirs: Any


@pytest.fixture(scope="module", params=["llama", "qwen2", "llama, head apart"])
def pair(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Pair:
    folder = tmp_path_factory.mktemp("model")
    family, _, apart = request.param.partition(", ")
    theirs = write_model(folder, family, VOCABULARY, tie_word_embeddings=not apart)
    ours = read_language_model(folder, TOKENS, positions=LENGTH).place(CPU, torch.float32).eval()
    return Pair(folder, ours, theirs)


def prompts() -> list[list[int]]:
    generator = torch.Generator().manual_seed(2)
    return [torch.randint(VOCABULARY, (8 + 5 * row,), generator=generator).tolist() for row in range(3)]


def rows_of(step: int) -> list[int]:
    """The tokens that may follow `step` codes."""
    first = TOKENS.first + step % TOKENS.steps * TOKENS.codes
    return [*range(first, first + TOKENS.codes), *TOKENS.ends]


@torch.inference_mode()
def greedy(model: Any, prompt: list[int], penalty: float) -> list[int]:
    """The likeliest codes that transformers' network generates, with its cache and its repetition penalty."""
    from transformers import RepetitionPenaltyLogitsProcessor

    penalise = RepetitionPenaltyLogitsProcessor(penalty)
    codes, spoken, tokens, cache = [], list[int](), torch.tensor([prompt]), None
    for step in range(STEPS):
        made = model(tokens, past_key_values=cache, use_cache=True)
        cache, scores = made.past_key_values, made.logits[:, -1]
        scores = penalise(torch.tensor([spoken]), scores) if spoken else scores
        codes.append(int(scores[0, rows_of(step)].argmax()))
        spoken.append(rows_of(step)[min(codes[-1], TOKENS.codes - 1)])
        tokens = torch.tensor([spoken[-1:]])
    return codes


@torch.inference_mode()
def started(network: LanguageModel, penalty: float, *, compile: bool = False) -> Decoder:
    state = DecodeState(network, len(prompts()), LENGTH)
    decoder = Decoder(TokenStep(network, state, compile), state, compile)
    for slot, prompt in enumerate(prompts()):
        x = network.embed(prompt)
        state.prefill(slot, x[:-1], 0)
        state.start_row(
            slot, x[-1], len(x) - 1, Sampling(seed=1, temperature=1e-4, top_p=1.0, repetition_penalty=penalty)
        )
    return decoder


def codes_of(decoder: Decoder) -> Tensor:
    """The (rows, steps) codes of a batch."""
    longest = max(map(len, prompts()))
    with torch.inference_mode():
        return torch.cat([decoder.step(len(prompts()), longest + step).value().clone() for step in range(STEPS)], 1)


@torch.inference_mode()
def test_logits_equal_those_of_transformers(pair: Pair) -> None:
    for prompt in prompts():
        wanted = pair.theirs(torch.tensor([prompt])).logits[0]
        state = DecodeState(pair.ours, 1, LENGTH)
        positions = torch.arange(len(prompt))[None]
        hidden = pair.ours.hidden_states(pair.ours.embed(prompt)[None], positions, state.cache[..., : len(prompt), :])[
            0
        ]
        for step in range(TOKENS.steps):
            made = code_logits(pair.ours, hidden, torch.full((len(prompt),), step))
            assert float((made - wanted[:, rows_of(step)]).abs().max()) < 1e-4


@pytest.mark.parametrize("penalty", [1.0, 1.3])
def test_greedy_codes_of_a_batch_equal_those_of_transformers(pair: Pair, penalty: float) -> None:
    made = codes_of(started(pair.ours, penalty))
    assert [row.tolist() for row in made] == [greedy(pair.theirs, prompt, penalty) for prompt in prompts()]


def test_candidates_are_those_of_transformers() -> None:
    from transformers import TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

    logits = 3 * torch.randn(4, 60, generator=torch.Generator().manual_seed(3))
    wanted = TopPLogitsWarper(0.8)(None, TopKLogitsWarper(12)(None, TemperatureLogitsWarper(0.6)(None, logits)))
    chosen = torch.zeros_like(logits, dtype=torch.bool)
    for seed in range(3_000):
        noise = torch.empty_like(logits).exponential_(generator=torch.Generator().manual_seed(seed))
        code = choose_from_scaled(logits, noise, torch.full((4, 1), 0.6), torch.full((4, 1), 0.8), top_k=12)
        chosen[torch.arange(4), code] = True
    likely = wanted.softmax(-1) > 0.01  # rarer candidates may be missing after 3,000 draws
    assert not (chosen & wanted.isinf()).any()
    assert (chosen | ~likely).all()


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"model_type": "gpt2"}, "gpt2"),
        ({"hidden_act": "gelu"}, "another activation"),
        ({"rope_parameters": {"rope_type": "yarn", "rope_theta": 1e4}}, "yarn"),
        ({"vocab_size": 60}, "too few for the codes"),
        ({"rope_parameters": [1]}, "does not describe"),
        ({"num_hidden_layers": 2}, "another architecture"),
        ({"intermediate_size": 64}, "does not have the size"),
    ],
)
def test_other_networks_are_refused(tmp_path: Path, changed: dict[str, Any], why: str) -> None:
    write_model(tmp_path, "llama", VOCABULARY)
    path = tmp_path / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changed}))
    with pytest.raises(BadCheckpoint, match=why):
        read_language_model(tmp_path, TOKENS, positions=LENGTH)


def test_a_missing_shard_and_a_damaged_index_are_named(tmp_path: Path) -> None:
    write_model(tmp_path, "qwen2", VOCABULARY)
    shard = sorted(tmp_path.glob("model-*.safetensors"))[-1]
    shard.unlink()
    with pytest.raises(BadCheckpoint, match=shard.name):
        read_language_model(tmp_path, TOKENS, positions=LENGTH)
    for index in ('{"weight_map": {"a": "../other.safetensors"}}', "{", "[]"):
        (tmp_path / "model.safetensors.index.json").write_text(index)
        with pytest.raises(BadCheckpoint, match=r"index\.json could not be read"):
            read_language_model(tmp_path, TOKENS, positions=LENGTH)


def test_configurations_of_transformers_4_and_5_are_read_alike() -> None:
    common = {**SIZES, "vocab_size": VOCABULARY, "model_type": "llama"}
    scaling = {
        "rope_type": "llama3", "factor": 32.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
        "original_max_position_embeddings": 8192,
    }  # fmt: skip
    older = LanguageModelConfig.from_mapping({**common, "rope_theta": 500_000.0, "rope_scaling": scaling})
    newer = LanguageModelConfig.from_mapping({**common, "rope_parameters": {**scaling, "rope_theta": 500_000.0}})
    assert older == newer
    assert older.stack.rope_scaling is not None
