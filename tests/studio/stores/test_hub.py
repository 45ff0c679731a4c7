"""A model repository as a store: the real client against the Hub's protocol. Xet, the Hub's other door, is not tried."""

import hashlib
import json
import logging
import math
import threading
import time
from collections.abc import Callable
from dataclasses import replace

import pytest
from huggingface_hub import ModelCard

from engines.errors import Cancelled
from studio.stores.backend import TransferSettings
from studio.stores.errors import NotAllowed, StoreError, StoreMissing, UnknownArchive, Unreachable
from studio.stores.store import Store
from tests.studio.stores.conftest import HASTY, PART, SIZE, TOKEN, Archive, Watching, made
from tests.studio.stores.hub_double import Hub
from tests.studio.stores.proxy import Proxy

Opened = Callable[..., Store]
PUT_LFS = "^/lfs/"
RANGE = r"resolve/\w+/ahri\.tar\.gz$"


def push(store: Store, archive: Archive, id: str = "ahri", until: float = 2.0) -> Watching:
    watching = Watching(until)
    store.push(id, archive.path, archive.facts, watching, watching.stop)
    return watching


def pull(store: Store, target) -> bytes:
    store.pull("ahri", target, lambda progress: None, threading.Event())
    return target.read_bytes()


@pytest.fixture
def sampled(archive: Archive, tmp_path) -> Archive:
    sample = tmp_path / "sample.flac"
    sample.write_bytes(b"fLaC" + bytes(range(256)))
    return Archive(archive.path, replace(archive.facts, sample=sample))


def test_an_archive_comes_back_byte_for_byte_with_what_is_known_of_it(
    repository: Opened, hub: Hub, archive: Archive, tmp_path
) -> None:
    push(repository(), archive)
    assert hub.files["ahri.tar.gz"] == archive.content
    held = repository().list()[0]
    facts = archive.facts
    assert (held.bytes, held.sha256, held.identity, held.licence) == (
        SIZE,
        facts.sha256,
        facts.identity,
        facts.licence,
    )
    assert held.changed_at is not None
    assert pull(repository(), tmp_path / "back.tar.gz") == archive.content


def test_one_commit_brings_the_archive_its_facts_its_sample_and_the_card(
    repository: Opened, hub: Hub, sampled: Archive
) -> None:
    push(repository(), sampled)
    assert len(hub.commits) == 2
    assert set(hub.files) == {".gitattributes", "README.md", "ahri.json", "ahri.tar.gz", "samples/ahri.flac"}
    assert json.loads(hub.files["ahri.json"])["sha256"] == sampled.facts.sha256
    assert sampled.facts.sample is not None
    assert hub.files["samples/ahri.flac"] == sampled.facts.sample.read_bytes()


def test_the_card_carries_the_licence_the_champions_and_an_audio_sample(
    repository: Opened, hub: Hub, sampled: Archive, tmp_path
) -> None:
    push(repository(), sampled)
    card = ModelCard(hub.files["README.md"].decode())
    assert card.data.license == "cc-by-nc-4.0"
    assert card.data.pipeline_tag == "text-to-speech"
    assert "/resolve/main/samples/ahri.flac" in card.text
    other = made(tmp_path, 2)
    push(repository(), Archive(other.path, replace(other.facts, licence="CC-BY-NC-SA-4.0")), "yasuo")
    card = ModelCard(hub.files["README.md"].decode())
    assert card.data.license == "other"
    assert [
        line.split("|")[3].strip() for line in card.text.splitlines() if line.startswith(("| ahri", "| yasuo"))
    ] == [
        "CC-BY-NC-4.0",
        "CC-BY-NC-SA-4.0",
    ]


def test_what_people_wrote_into_the_card_stays(repository: Opened, hub: Hub, archive: Archive) -> None:
    hub.commits.append(
        {**hub.files, "README.md": b"---\nlanguage: en\ntags: [mine]\n---\n\n# Our voices\n\nRead me.\n"}
    )
    push(repository(), archive)
    hub.commits.append({**hub.files, "README.md": hub.files["README.md"] + b"\nAfterword.\n"})
    push(repository(), archive, "yasuo")
    card = ModelCard(hub.files["README.md"].decode())
    assert card.data.language == "en"
    assert "mine" in card.data.tags
    assert card.text.index("Read me.") < card.text.index("| ahri") < card.text.index("Afterword.")
    assert card.text.count("| ahri") == card.text.count("| yasuo") == 1


def test_deleting_takes_everything_of_a_champion_and_leaves_the_others(
    repository: Opened, hub: Hub, sampled: Archive
) -> None:
    push(repository(), sampled)
    push(repository(), sampled, "yasuo")
    assert repository().plan_delete("ahri").action == "delete"
    repository().delete("ahri")
    assert [path for path in hub.files if "ahri" in path] == []
    assert "ahri" not in hub.files["README.md"].decode()
    assert [one.id for one in repository().list()] == ["yasuo"]
    with pytest.raises(UnknownArchive, match="has no archive ahri"):
        repository().delete("ahri")


def test_plans_say_what_would_happen_and_write_nothing(
    repository: Opened, archive: Archive, hub_proxy: Proxy, tmp_path
) -> None:
    store, other = repository(), made(tmp_path, 2)
    plans = [store.plan_push("ahri", archive.facts)]
    push(store, archive)
    written = len(hub_proxy.sent("POST", "")) + len(hub_proxy.sent("PUT", ""))
    plans += [store.plan_push("ahri", archive.facts), store.plan_push("ahri", other.facts), store.plan_pull("ahri")]
    assert [(plan.action, plan.bytes) for plan in plans] == [
        ("send", SIZE),
        ("nothing", 0),
        ("replace", SIZE),
        ("fetch", SIZE),
    ]
    assert len(hub_proxy.sent("POST", "")) + len(hub_proxy.sent("PUT", "")) == written


def test_the_same_content_is_not_sent_twice(repository: Opened, hub: Hub, archive: Archive) -> None:
    push(repository(), archive)
    push(repository(), archive)
    assert (len(hub.commits), hub.received) == (2, SIZE)
    push(repository(), archive, "twin")  # the Hub knows the bytes, whatever they are called
    assert (len(hub.commits), hub.received) == (3, SIZE)


@pytest.mark.parametrize("part_bytes", [0, 100_000])
def test_progress_says_how_many_bytes_are_through(
    repository: Opened, hub: Hub, archive: Archive, part_bytes: int
) -> None:
    hub.part_bytes = part_bytes
    reports = push(repository(), archive).reports
    fractions = [progress.fraction for progress in reports]
    assert fractions == sorted(fractions)
    assert len(set(fractions)) >= 7
    assert f"uploading ahri to hub: {SIZE // 1000} KB of {SIZE // 1000} KB" in [one.message for one in reports]
    assert hub.files["ahri.tar.gz"] == archive.content


def test_a_paused_push_commits_nothing(repository: Opened, hub: Hub, tmp_path) -> None:
    large, started = made(tmp_path, 3, 20_000_000), time.monotonic()
    with pytest.raises(Cancelled):
        push(repository(), large, until=0.05)
    assert time.monotonic() - started < 60
    assert len(hub.commits) == 1
    push(repository(), large)
    assert hub.files["ahri.tar.gz"] == large.content


def test_a_paused_pull_goes_on_where_it_stopped(
    repository: Opened, archive: Archive, hub_proxy: Proxy, tmp_path
) -> None:
    push(repository(), archive)
    watching, target = Watching(until=0.5), tmp_path / "back.tar.gz"
    with pytest.raises(Cancelled):
        repository().pull("ahri", target, watching, watching.stop)
    assert not target.exists()
    assert 0 < repository().plan_pull("ahri").bytes < SIZE / 2
    before = len(hub_proxy.sent("GET", RANGE))
    assert pull(repository(), target) == archive.content
    assert len(hub_proxy.sent("GET", RANGE)) - before <= 4  # of eight ranges


@pytest.mark.parametrize("kind", ["cut before", "cut down", "503"])
def test_a_download_broken_at_every_range_arrives(
    repository: Opened, archive: Archive, hub_proxy: Proxy, tmp_path, kind
) -> None:
    push(repository(), archive)

    def fault(method, target, seen):
        ranges = [one for one in seen if one.target.endswith("/ahri.tar.gz")]
        return kind if target.endswith("/ahri.tar.gz") and len(ranges) % 2 == 0 else None

    hub_proxy.fault = fault
    assert pull(repository(), tmp_path / "back.tar.gz") == archive.content
    asked = hub_proxy.sent("GET", RANGE)
    assert len([one for one in asked if one.fault]) == len(asked) / 2 > math.ceil(SIZE / PART) / 2


@pytest.mark.long
def test_a_download_that_stalls_goes_on_where_it_was(
    repository: Opened, archive: Archive, hub_proxy: Proxy, tmp_path
) -> None:
    push(repository(), archive)
    hub_proxy.fault = lambda method, target, seen: (
        "stall" if target.endswith("/ahri.tar.gz") and not any(one.fault for one in seen) else None
    )
    assert pull(repository(settings=HASTY), tmp_path / "back.tar.gz") == archive.content
    assert len(hub_proxy.sent("GET", RANGE)) == math.ceil(SIZE / PART) + 1


def test_a_byte_that_flips_on_the_way_down_is_noticed_and_the_archive_fetched_again(
    repository: Opened, archive: Archive, hub_proxy: Proxy, tmp_path
) -> None:
    push(repository(), archive)
    hub_proxy.fault = lambda method, target, seen: (
        "flip down" if target.endswith("/ahri.tar.gz") and not any(one.fault for one in seen) else None
    )
    assert pull(repository(), tmp_path / "back.tar.gz") == archive.content
    assert len(hub_proxy.sent("GET", RANGE)) == 2 * math.ceil(SIZE / PART)


def test_an_upload_that_is_cut_arrives_all_the_same(
    repository: Opened, hub: Hub, archive: Archive, hub_proxy: Proxy
) -> None:
    hub_proxy.fault = lambda method, target, seen: (
        "cut before" if method == "PUT" and not any(one.fault for one in seen) else None
    )
    push(repository(), archive)
    assert len(hub_proxy.sent("PUT", PUT_LFS)) == 2
    assert hub.files["ahri.tar.gz"] == archive.content


@pytest.mark.long
def test_an_upload_that_stalls_is_given_up_in_time(
    repository: Opened, hub: Hub, archive: Archive, hub_proxy: Proxy
) -> None:
    hub_proxy.fault = lambda method, target, seen: "stall" if method == "PUT" else None
    started = time.monotonic()
    with pytest.raises(Unreachable, match="check the network"):
        push(repository(settings=TransferSettings(part_bytes=PART, timeout_s=0.5, retry_for_s=1.0)), archive)
    assert time.monotonic() - started < 60
    assert len(hub.commits) == 1


def test_an_upload_whose_bytes_changed_on_the_way_is_not_committed(
    repository: Opened, hub: Hub, archive: Archive, hub_proxy: Proxy
) -> None:
    hub_proxy.fault = lambda method, target, seen: "flip up unseen" if method == "PUT" else None
    with pytest.raises(StoreError):
        push(repository(), archive)
    assert len(hub.commits) == 1


def test_two_who_push_at_the_same_moment_both_arrive(repository: Opened, hub: Hub, archive: Archive) -> None:
    theirs = hashlib.sha256(b"theirs").hexdigest()
    facts = {"sha256": theirs, "identity": "", "bytes": 6, "licence": "MIT"}

    def other(hub: Hub) -> None:
        hub.commits.append({**hub.files, "jinx.tar.gz": b"theirs", "jinx.json": json.dumps(facts).encode()})

    hub.before_commit.append(other)
    push(repository(), archive)
    assert [one.id for one in repository().list()] == ["ahri", "jinx"]
    assert "| jinx" in hub.files["README.md"].decode()
    assert hub.received == SIZE  # the bytes were there already


def test_facts_that_speak_of_another_archive_are_not_believed(repository: Opened, hub: Hub, archive: Archive) -> None:
    push(repository(), archive)
    hub.commits.append({**hub.files, "ahri.tar.gz": b"put there by hand"})
    held = repository().list()[0]
    assert (held.sha256, held.identity) == (hashlib.sha256(b"put there by hand").hexdigest(), "")


def refusal(act: Callable[[], object]) -> BaseException:
    with pytest.raises(Exception) as caught:
        act()
    return caught.value


def test_a_repository_that_is_not_there_is_said(repository: Opened) -> None:
    error = refusal(repository("studio/nothing").list)
    assert isinstance(error, StoreMissing)
    assert "studio/nothing does not exist on the Hub, or HF_TOKEN has no access" in str(error)


def test_a_token_that_may_only_read_is_refused_in_words(
    repository: Opened, hub: Hub, archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_reader")
    assert repository().list() == []
    error = refusal(lambda: push(repository(), archive))
    assert isinstance(error, NotAllowed)
    assert "write access" in str(error)
    assert len(hub.commits) == 1


def test_a_hub_that_cannot_be_reached_is_said_soon(repository: Opened, hub_proxy: Proxy) -> None:
    store = repository(settings=TransferSettings(timeout_s=0.5, retry_for_s=1.0))
    hub_proxy.close()
    started = time.monotonic()
    error = refusal(store.list)
    assert isinstance(error, Unreachable)
    assert "check the network" in str(error)
    assert time.monotonic() - started < 60


def test_a_hub_that_never_answers_is_given_up_in_time(repository: Opened, hub_proxy: Proxy) -> None:
    hub_proxy.fault = lambda method, target, seen: "stall"
    started = time.monotonic()
    error = refusal(repository(settings=TransferSettings(timeout_s=0.5, retry_for_s=1.0)).list)
    assert isinstance(error, Unreachable)
    assert time.monotonic() - started < 60


def test_the_token_is_in_no_message_log_repr_or_file(
    repository: Opened, archive: Archive, hub_proxy: Proxy, tmp_path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    store = repository()
    push(store, archive)
    hub_proxy.refusal = (400, json.dumps({"error": "no"}).encode())
    hub_proxy.fault = lambda method, target, seen: "refuse"
    shown, error = [repr(store), repr(vars(store)), caplog.text], refusal(store.list)
    while error is not None:
        shown.append(f"{error!r} {error}")
        error = error.__cause__
    shown += [path.read_text("utf-8", errors="replace") for path in tmp_path.rglob("*") if path.is_file()]
    assert [one for one in shown if TOKEN in one] == []
    assert f"Bearer {TOKEN}" in {one.headers.get("authorization") for one in hub_proxy.seen}  # it was used
