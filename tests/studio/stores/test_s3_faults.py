"""Between here and the bucket everything breaks once, at every part: all of it arrives, and little is sent twice."""

import math
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from engines.errors import Cancelled
from studio.stores.backend import TransferSettings
from studio.stores.errors import Damaged, Unreachable
from studio.stores.store import Store
from tests.studio.stores.conftest import BUCKET, HASTY, PART, PREFIX, SIZE, Archive, Watching, line
from tests.studio.stores.proxy import Kind, Proxy, Seen

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[3]
PARTS = math.ceil(SIZE / PART)
OBJECT = f"{PREFIX}ahri.tar.gz"
RANGE = r"\.tar\.gz$"  # a GET that asks for bytes of the object
Opened = Callable[..., Store]
Fault = Callable[[str, str, list[Seen]], Kind | None]


def once_each(kind: Kind, method: str, part: str) -> Fault:
    """This fault the first time a request of this method and target comes, for every different target."""

    def fault(asked: str, target: str, seen: list[Seen]) -> Kind | None:
        fits = asked == method and re.search(part, target)
        return kind if fits and not any(one.method == method and one.target == target for one in seen) else None

    return fault


def every_other(kind: Kind, method: str, part: str) -> Fault:
    """This fault at the first, third, fifth … of the requests that fit."""

    def fault(asked: str, target: str, seen: list[Seen]) -> Kind | None:
        before = [one for one in seen if one.method == method and re.search(part, one.target)]
        return kind if asked == method and re.search(part, target) and len(before) % 2 == 0 else None

    return fault


def is_range(method: str, target: str) -> bool:
    return method == "GET" and re.search(RANGE, target) is not None


def push(store: Store, archive: Archive) -> Watching:
    watching = Watching()
    store.push("ahri", archive.path, archive.facts, watching, watching.stop)
    return watching


def content(s3) -> bytes:
    return s3.get_object(Bucket=BUCKET, Key=OBJECT)["Body"].read()


@pytest.mark.parametrize("kind", ["cut before", "cut after", "503", "flip up", "flip up unseen"])
def test_an_upload_broken_at_every_part_arrives_and_sends_each_part_at_most_twice(
    bucket: Opened, s3, archive: Archive, proxy: Proxy, kind: Kind
) -> None:
    proxy.fault = once_each(kind, "PUT", "partNumber")
    push(bucket(), archive)
    assert content(s3) == archive.content
    parts = proxy.sent("PUT", "partNumber")
    assert [one.fault for one in parts].count(kind) == PARTS  # each was broken once
    assert len(parts) == 2 * PARTS  # and sent once more, and nothing else was
    assert len(s3.list_multipart_uploads(Bucket=BUCKET).get("Uploads", [])) == 0


def test_an_upload_that_stalls_goes_on_and_sends_that_part_again(
    bucket: Opened, s3, archive: Archive, proxy: Proxy
) -> None:
    proxy.fault = once_each("stall", "PUT", "partNumber=[18]")
    push(bucket(settings=HASTY), archive)
    assert content(s3) == archive.content
    assert len(proxy.sent("PUT", "partNumber")) == PARTS + 2


def test_a_download_that_stalls_goes_on_where_it_was(
    bucket: Opened, archive: Archive, proxy: Proxy, tmp_path: Path
) -> None:
    push(bucket(), archive)
    stalls = {0, 8}  # first and last
    proxy.fault = lambda method, target, seen: (
        "stall"
        if is_range(method, target) and len([s for s in seen if is_range(s.method, s.target)]) in stalls
        else None
    )
    bucket(settings=HASTY).pull("ahri", tmp_path / "back.tar.gz", lambda progress: None, threading.Event())
    assert (tmp_path / "back.tar.gz").read_bytes() == archive.content
    assert len(proxy.sent("GET", RANGE)) == PARTS + 2


@pytest.mark.parametrize("kind", ["cut before", "cut down", "503"])
def test_a_download_broken_at_every_range_arrives_and_fetches_little_twice(
    bucket: Opened, archive: Archive, proxy: Proxy, tmp_path: Path, kind: Kind
) -> None:
    push(bucket(), archive)
    proxy.fault = every_other(kind, "GET", RANGE)
    bucket().pull("ahri", tmp_path / "back.tar.gz", lambda progress: None, threading.Event())
    assert (tmp_path / "back.tar.gz").read_bytes() == archive.content
    asked = proxy.sent("GET", RANGE)
    broken = [one for one in asked if one.fault]
    assert len(broken) == len(asked) / 2 > PARTS / 2
    wanted = sum(_range_bytes(one) for one in asked)
    assert wanted <= SIZE + len(broken) * PART


def _range_bytes(seen: Seen) -> int:
    start, end = seen.headers["range"].removeprefix("bytes=").split("-")
    return int(end) - int(start) + 1


@pytest.mark.parametrize("kind", ["cut before", "cut after", "503"])
@pytest.mark.parametrize(
    ("method", "part"), [("POST", "uploads"), ("POST", "uploadId"), ("GET", "uploadId"), ("HEAD", "ahri")]
)
def test_what_is_asked_around_the_parts_may_break_too(
    bucket: Opened, s3, archive: Archive, proxy: Proxy, kind: Kind, method: str, part: str
) -> None:
    proxy.fault = once_each(kind, method, part)
    push(bucket(), archive)
    assert content(s3) == archive.content
    assert any(one.fault for one in proxy.sent(method, part))
    assert len(proxy.sent("PUT", "partNumber")) == PARTS


def test_an_upload_completed_by_a_request_whose_answer_was_lost_has_arrived(
    bucket: Opened, s3, archive: Archive, proxy: Proxy
) -> None:
    """Some services have forgotten the upload when they are asked to complete it once more."""
    proxy.refusal = (404, b"<Error><Code>NoSuchUpload</Code><Message>gone</Message></Error>")

    def fault(method: str, target: str, seen: list[Seen]) -> Kind | None:
        if method != "POST" or "uploadId" not in target:
            return None
        return "refuse" if any(one.target == target for one in seen if one.method == "POST") else "cut after"

    proxy.fault = fault
    push(bucket(), archive)
    assert [one.fault for one in proxy.sent("POST", "uploadId")] == ["cut after", "refuse"]
    assert content(s3) == archive.content


def test_a_byte_that_flips_on_the_way_down_is_noticed_and_the_archive_fetched_again(
    bucket: Opened, archive: Archive, proxy: Proxy, tmp_path: Path
) -> None:
    push(bucket(), archive)
    proxy.fault = lambda method, target, seen: (
        "flip down" if is_range(method, target) and not any(one.fault for one in seen) else None
    )
    bucket().pull("ahri", tmp_path / "back.tar.gz", lambda progress: None, threading.Event())
    assert (tmp_path / "back.tar.gz").read_bytes() == archive.content
    assert len(proxy.sent("GET", RANGE)) == 2 * PARTS


def test_bytes_that_flip_every_time_end_in_a_sentence_and_no_archive(
    bucket: Opened, archive: Archive, proxy: Proxy, tmp_path: Path
) -> None:
    push(bucket(), archive)
    proxy.fault = lambda method, target, seen: "flip down" if is_range(method, target) else None
    with pytest.raises(Damaged, match="wrong SHA-256 after 2 downloads"):
        bucket().pull("ahri", tmp_path / "back.tar.gz", lambda progress: None, threading.Event())
    assert not (tmp_path / "back.tar.gz").exists()


@pytest.mark.parametrize(("kind", "raised"), [("503", Unreachable), ("flip up unseen", Damaged)])
def test_a_store_that_never_recovers_is_given_up_in_time_and_the_parts_are_kept(
    bucket: Opened, s3, archive: Archive, proxy: Proxy, kind: Kind, raised: type[Exception]
) -> None:
    proxy.fault = lambda method, target, seen: kind if "partNumber=4" in target else None
    started = time.monotonic()
    with pytest.raises(raised, match="try again"):
        push(bucket(settings=TransferSettings(part_bytes=PART, timeout_s=0.5, retry_for_s=1.5)), archive)
    assert time.monotonic() - started < 15
    assert bucket().list() == []
    proxy.fault = lambda method, target, seen: None
    proxy.seen.clear()
    push(bucket(), archive)
    assert content(s3) == archive.content
    assert len(proxy.sent("PUT", "partNumber")) == PARTS - 3


def test_pausing_ends_every_wait_at_once(bucket: Opened, archive: Archive, proxy: Proxy) -> None:
    proxy.fault = lambda method, target, seen: "503" if "partNumber=3" in target else None
    watching, ended = Watching(), []

    def work() -> None:
        try:
            bucket().push("ahri", archive.path, archive.facts, watching, watching.stop)
        except Cancelled:
            ended.append(time.monotonic())

    thread = threading.Thread(target=work)
    thread.start()
    while len(proxy.sent("PUT", "partNumber=3")) < 5:  # it waits longer after every refusal
        time.sleep(0.01)
    stopped = time.monotonic()
    watching.stop.set()
    thread.join(5)
    assert ended
    assert ended[0] - stopped < 1.0  # less than the wait it was in


CHILD = """
import sys, threading
from pathlib import Path
from studio.stores.backend import TransferSettings
from studio.stores.entry import ArchiveFacts
from studio.stores.factory import open_stores
from studio.stores.places import parse_stores
line, transfers, path, sha256, identity, work = sys.argv[1:]
settings = TransferSettings(part_bytes={part}, timeout_s=60)
store = open_stores(parse_stores([line]), Path(transfers), settings)["bucket"]
facts = ArchiveFacts(sha256=sha256, identity=identity, bytes={size}, licence="CC-BY-NC-4.0")
if work == "push":
    store.push("ahri", Path(path), facts, lambda progress: None, threading.Event())
else:
    store.pull("ahri", Path(path), lambda progress: None, threading.Event())
"""


def killed(archive: Archive, proxy: Proxy, path: Path, transfers: Path, work: str, reached: Callable[[], bool]) -> None:
    """A process that transfers until the store stalls, and is then killed in the middle of it."""
    code = CHILD.format(part=PART, size=SIZE)
    given = [line(proxy.url), str(transfers), str(path), archive.facts.sha256, archive.facts.identity, work]
    child = subprocess.Popen([sys.executable, "-c", code, *given], cwd=ROOT)
    try:
        deadline = time.monotonic() + 60
        while not reached():
            assert child.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.02)
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait()


def test_a_killed_push_goes_on_in_a_new_process_and_sends_one_part_again(
    bucket: Opened, s3, archive: Archive, proxy: Proxy, tmp_path: Path
) -> None:
    proxy.fault = lambda method, target, seen: "stall" if "partNumber=5" in target else None
    killed(
        archive, proxy, archive.path, tmp_path / "transfers", "push", lambda: bool(proxy.sent("PUT", "partNumber=5"))
    )
    proxy.fault = lambda method, target, seen: None
    assert bucket().list() == []
    push(bucket(), archive)
    assert content(s3) == archive.content
    assert sum(one.body_bytes for one in proxy.sent("PUT", "partNumber")) <= SIZE + PART


def test_a_killed_pull_goes_on_in_a_new_process_and_fetches_one_part_again(
    bucket: Opened, archive: Archive, proxy: Proxy, tmp_path: Path
) -> None:
    push(bucket(), archive)
    proxy.fault = lambda method, target, seen: (
        "stall" if is_range(method, target) and sum(is_range(one.method, one.target) for one in seen) == 4 else None
    )
    target, stalled = tmp_path / "back.tar.gz", lambda: any(one.fault == "stall" for one in proxy.seen)
    killed(archive, proxy, target, tmp_path / "transfers", "pull", stalled)
    proxy.fault = lambda method, target, seen: None
    assert not target.exists()
    bucket().pull("ahri", target, lambda progress: None, threading.Event())
    assert target.read_bytes() == archive.content
    assert sum(_range_bytes(one) for one in proxy.sent("GET", RANGE)) <= SIZE + PART
