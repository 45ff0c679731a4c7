"""A bucket as a store, with a real S3 server and nothing in the way."""

import hashlib
import logging
import threading
from collections.abc import Callable

import pytest

from engines.errors import Cancelled
from studio.stores.errors import Damaged, NotAllowed, StoreFull, StoreMissing, UnknownArchive, Unreachable
from studio.stores.factory import open_delivery_stores, open_stores
from studio.stores.places import parse_stores
from studio.stores.store import Store
from tests.studio.stores.conftest import (
    BUCKET,
    KEY,
    PART,
    PREFIX,
    SECRET,
    SETTINGS,
    SIZE,
    Archive,
    Watching,
    line,
    made,
)
from tests.studio.stores.proxy import Proxy

OBJECT = f"{PREFIX}ahri.tar.gz"
Opened = Callable[..., Store]


def push(store: Store, archive: Archive, id: str = "ahri", until: float = 2.0) -> Watching:
    watching = Watching(until)
    store.push(id, archive.path, archive.facts, watching, watching.stop)
    return watching


def content(s3, key: str = OBJECT) -> bytes:
    return s3.get_object(Bucket=BUCKET, Key=key)["Body"].read()


def test_an_archive_comes_back_byte_for_byte_with_what_is_known_of_it(
    bucket: Opened, s3, archive: Archive, tmp_path
) -> None:
    push(bucket(), archive)
    assert content(s3) == archive.content
    held = bucket().pull("ahri", tmp_path / "back.tar.gz", lambda progress: None, threading.Event())
    assert (tmp_path / "back.tar.gz").read_bytes() == archive.content
    facts = archive.facts
    assert (held.sha256, held.identity, held.licence) == (facts.sha256, facts.identity, facts.licence)


def test_the_bucket_is_listed_by_prefix_with_what_is_known_of_each(bucket: Opened, s3, archive: Archive) -> None:
    store = bucket()
    push(store, archive, "yasuo")
    push(store, archive)
    for key in (f"{PREFIX}notes.txt", f"{PREFIX}deeper/jinx.tar.gz", "jinx.tar.gz", f"{PREFIX}Jinx.tar.gz"):
        s3.put_object(Bucket=BUCKET, Key=key, Body=b"not an archive of this store")
    misnamed, *held = store.list()
    assert (misnamed.id, misnamed.bytes) == ("Jinx.tar.gz", 28) and "jinx.tar.gz" in misnamed.note
    assert [one.id for one in held] == ["ahri", "yasuo"]
    assert {(one.bytes, one.sha256, one.identity) for one in held} == {
        (SIZE, archive.facts.sha256, archive.facts.identity)
    }
    assert all(one.changed_at is not None for one in held)


def test_more_archives_than_a_page_holds_are_listed(bucket: Opened, s3, proxy: Proxy) -> None:
    for number in range(11):
        s3.put_object(Bucket=BUCKET, Key=f"{PREFIX}v{number}.tar.gz", Body=b"x")
    assert len(bucket().list()) == 11
    assert len(proxy.sent("GET", "list-type=2")) == 3


def test_plans_say_what_would_happen_and_send_nothing(bucket: Opened, archive: Archive, proxy: Proxy, tmp_path) -> None:
    store, other = bucket(), made(tmp_path, 2)
    assert (store.plan_push("ahri", archive.facts).action, store.plan_push("ahri", archive.facts).bytes) == (
        "send",
        SIZE,
    )
    push(store, archive)
    before = len(proxy.sent("PUT", "")) + len(proxy.sent("POST", ""))
    assert (store.plan_push("ahri", archive.facts).action, store.plan_push("ahri", archive.facts).bytes) == (
        "nothing",
        0,
    )
    assert (store.plan_push("ahri", other.facts).action, store.plan_push("ahri", other.facts).bytes) == (
        "replace",
        SIZE,
    )
    assert (store.plan_pull("ahri").action, store.plan_pull("ahri").bytes) == ("fetch", SIZE)
    assert (store.plan_delete("ahri").action, store.plan_delete("ahri").bytes) == ("delete", 0)
    assert len(proxy.sent("PUT", "")) + len(proxy.sent("POST", "")) == before
    assert proxy.sent("DELETE", "") == []


def test_the_same_content_is_not_sent_twice(bucket: Opened, archive: Archive, proxy: Proxy) -> None:
    push(bucket(), archive)
    proxy.seen.clear()
    push(bucket(), archive)
    assert proxy.sent("PUT", "") + proxy.sent("POST", "") == []


@pytest.mark.long
def test_a_paused_push_goes_on_in_another_process_with_the_parts_that_are_missing(
    bucket: Opened, s3, archive: Archive, proxy: Proxy
) -> None:
    with pytest.raises(Cancelled):
        push(bucket(), archive, until=0.5)
    assert bucket().list() == []
    left = bucket().plan_push("ahri", archive.facts)
    assert 0 < left.bytes < SIZE
    assert "remaining" in left.sentence
    push(bucket(), archive)
    assert content(s3) == archive.content
    assert sum(one.body_bytes for one in proxy.sent("PUT", "partNumber")) <= SIZE + PART


def test_a_paused_pull_goes_on_where_it_stopped(bucket: Opened, archive: Archive, proxy: Proxy, tmp_path) -> None:
    push(bucket(), archive)
    watching, target = Watching(until=0.5), tmp_path / "back.tar.gz"
    with pytest.raises(Cancelled):
        bucket().pull("ahri", target, watching, watching.stop)
    assert not target.exists()
    assert 0 < bucket().plan_pull("ahri").bytes < SIZE / 2
    first = len(proxy.sent("GET", "ahri"))
    bucket().pull("ahri", target, lambda progress: None, threading.Event())
    assert target.read_bytes() == archive.content
    assert len(proxy.sent("GET", "ahri")) - first <= 4  # of eight ranges


def test_progress_says_how_many_bytes_are_through(bucket: Opened, archive: Archive) -> None:
    reports = push(bucket(), archive).reports
    fractions = [progress.fraction for progress in reports]
    assert fractions == sorted(fractions)
    assert len(set(fractions)) >= 8
    assert f"uploading ahri to bucket: {SIZE // 1000} KB of {SIZE // 1000} KB" in [one.message for one in reports]


def test_an_archive_that_changed_while_its_push_was_paused_leaves_no_parts_of_the_old_one(
    bucket: Opened, s3, archive: Archive, tmp_path
) -> None:
    with pytest.raises(Cancelled):
        push(bucket(), archive, until=0.5)
    other = made(tmp_path, 2)
    push(bucket(), other)
    assert content(s3) == other.content
    assert s3.list_multipart_uploads(Bucket=BUCKET).get("Uploads", []) == []


def test_an_upload_the_bucket_swept_meanwhile_begins_anew(bucket: Opened, s3, archive: Archive) -> None:
    with pytest.raises(Cancelled):
        push(bucket(), archive, until=0.5)
    for one in s3.list_multipart_uploads(Bucket=BUCKET)["Uploads"]:
        s3.abort_multipart_upload(Bucket=BUCKET, Key=one["Key"], UploadId=one["UploadId"])
    assert bucket().plan_push("ahri", archive.facts).bytes == SIZE
    push(bucket(), archive)
    assert content(s3) == archive.content


def test_a_torn_record_of_an_upload_only_costs_the_parts(bucket: Opened, s3, archive: Archive, tmp_path) -> None:
    with pytest.raises(Cancelled):
        push(bucket(), archive, until=0.5)
    record = tmp_path / "transfers" / "bucket" / "ahri.upload.json"
    record.write_bytes(record.read_bytes()[:-20])
    push(bucket(), archive)
    assert content(s3) == archive.content


def test_an_object_that_others_put_there_is_fetched_and_its_hash_is_given(
    bucket: Opened, s3, archive: Archive, tmp_path
) -> None:
    s3.put_object(Bucket=BUCKET, Key=OBJECT, Body=archive.content)
    watching = Watching()
    held = bucket().pull("ahri", tmp_path / "back.tar.gz", watching, watching.stop)
    assert held.sha256 == hashlib.sha256(archive.content).hexdigest()
    assert "SHA-256 not verified" in watching.reports[-1].message


def test_an_object_that_is_not_what_its_hash_says_is_not_handed_on(
    bucket: Opened, s3, archive: Archive, proxy: Proxy, tmp_path
) -> None:
    s3.put_object(Bucket=BUCKET, Key=OBJECT, Body=archive.content, Metadata={"sha256": "0" * 64})
    with pytest.raises(Damaged, match="upload the champion to the store again"):
        bucket().pull("ahri", tmp_path / "back.tar.gz", lambda progress: None, threading.Event())
    assert not (tmp_path / "back.tar.gz").exists()
    assert len(proxy.sent("GET", "ahri")) == 2 * 8  # fetched twice, no more
    assert list((tmp_path / "transfers" / "bucket").glob("*.part")) == []


def test_an_object_replaced_while_it_is_fetched_is_not_mixed_with_the_new_one(
    bucket: Opened, s3, archive: Archive, tmp_path
) -> None:
    push(bucket(), archive)
    other, target = made(tmp_path, 2), tmp_path / "back.tar.gz"

    def replaced(progress) -> None:
        s3.put_object(Bucket=BUCKET, Key=OBJECT, Body=other.content, Metadata={"sha256": other.facts.sha256})

    with pytest.raises(Damaged, match="was replaced in bucket during the download"):
        bucket().pull("ahri", target, replaced, threading.Event())
    assert not target.exists()
    bucket().pull("ahri", target, lambda progress: None, threading.Event())
    assert target.read_bytes() == other.content


def test_deleting_removes_the_object_and_only_that(bucket: Opened, s3, archive: Archive) -> None:
    store = bucket()
    push(store, archive)
    push(store, archive, "yasuo")
    store.delete("ahri")
    assert [one.id for one in store.list()] == ["yasuo"]
    with pytest.raises(UnknownArchive, match="has no archive ahri"):
        store.delete("ahri")


@pytest.mark.parametrize("checksum", ["when_supported", "when_required"])
def test_checksums_are_sent_as_the_endpoint_needs_them(
    bucket: Opened, s3, archive: Archive, proxy: Proxy, checksum: str
) -> None:
    push(bucket(f"&checksum={checksum}"), archive)
    parts = proxy.sent("PUT", "partNumber")
    assert all("content-md5" in part.headers for part in parts)
    assert {"x-amz-checksum-crc32" in part.headers for part in parts} == {checksum == "when_supported"}
    assert content(s3) == archive.content


@pytest.mark.parametrize(
    ("addressing", "url"),
    [("path", f"http://s3.example.test/{BUCKET}?"), ("virtual", f"http://{BUCKET}.s3.example.test/?")],
)
def test_buckets_are_addressed_as_the_endpoint_needs_it(
    proxy: Proxy, tmp_path, monkeypatch: pytest.MonkeyPatch, addressing: str, url: str
) -> None:
    monkeypatch.setenv("HTTP_PROXY", proxy.url)  # no such host needs to exist
    proxy.fault = lambda method, target, seen: "refuse"
    written = line("http://s3.example.test").replace("addressing=path", f"addressing={addressing}")
    store = open_stores(parse_stores([written]), tmp_path / "transfers", SETTINGS)["bucket"]
    with pytest.raises(NotAllowed):
        store.list()
    assert proxy.seen[-1].target.startswith(url)


def refusal(act: Callable[[], object]) -> Exception:
    with pytest.raises(Exception) as caught:
        act()
    return caught.value


def test_a_bucket_that_is_not_there_is_said(proxy: Proxy, archive: Archive, tmp_path) -> None:
    places = parse_stores([line(proxy.url, "no-such-bucket")])
    store = open_stores(places, tmp_path / "transfers", SETTINGS)["bucket"]
    for act in (store.list, lambda: store.plan_pull("ahri"), lambda: push(store, archive)):
        error = refusal(act)
        assert isinstance(error, StoreMissing)
        assert "no-such-bucket" in str(error)
        assert error.__cause__ is not None


def test_missing_credentials_are_said(bucket: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    error = refusal(bucket().list)
    assert isinstance(error, NotAllowed)
    assert "AWS_PROFILE" in str(error)


def test_an_unknown_profile_is_said(bucket: Opened) -> None:
    error = refusal(bucket("&profile=nobody").list)
    assert isinstance(error, NotAllowed)
    assert "AWS_PROFILE" in str(error)


@pytest.mark.long
def test_an_endpoint_nobody_listens_at_is_said_soon(tmp_path) -> None:
    places = parse_stores([line("http://127.0.0.1:9")])
    store = open_stores(places, tmp_path / "transfers", SETTINGS)["bucket"]
    error = refusal(store.list)
    assert isinstance(error, Unreachable)
    assert "check the network" in str(error)


@pytest.mark.parametrize(
    ("status", "code", "kind", "message"),
    [
        (403, "AccessDenied", NotAllowed, "have no permission"),
        (403, "InvalidAccessKeyId", NotAllowed, "have no permission"),
        (400, "ExpiredToken", NotAllowed, "have no permission"),
        (403, "RequestTimeTooSkewed", NotAllowed, "clock"),
        (507, "XMinioStorageFull", StoreFull, "free some space"),
    ],
)
def test_what_a_service_refuses_is_said_and_not_tried_again(
    bucket: Opened, archive: Archive, proxy: Proxy, status: int, code: str, kind: type[Exception], message: str
) -> None:
    proxy.refusal = (status, f"<Error><Code>{code}</Code><Message>{KEY} {SECRET}</Message></Error>".encode())
    proxy.fault = lambda method, target, seen: "refuse" if method == "PUT" else None
    error = refusal(lambda: push(bucket(), archive))
    assert isinstance(error, kind)
    assert message in str(error)
    assert SECRET not in str(error)
    assert KEY not in str(error)
    assert len(proxy.sent("PUT", "")) == 1


def test_credentials_are_in_no_message_log_repr_or_file(
    bucket: Opened, archive: Archive, proxy: Proxy, tmp_path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    logging.getLogger("studio").setLevel(logging.DEBUG)
    store = bucket()
    with pytest.raises(Cancelled):
        push(store, archive, until=0.5)
    shown = [repr(store), repr(vars(store)), repr(store.plan_push("ahri", archive.facts)), caplog.text]
    proxy.fault = lambda method, target, seen: "503"
    error: BaseException | None = refusal(store.list)
    while error is not None:
        shown.append(f"{error!r} {error}")
        error = error.__cause__
    files = [path for path in (tmp_path / "transfers").rglob("*") if path.is_file()]
    assert any(path.name == "ahri.upload.json" for path in files)
    shown += [path.read_text("utf-8", errors="replace") for path in files]
    assert [one for one in shown if KEY in one or SECRET in one] == []


def test_the_credentials_come_from_the_providers_own_chain(
    bucket: Opened, s3, proxy: Proxy, monkeypatch: pytest.MonkeyPatch, tmp_path
) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    (tmp_path / "shared").write_text(
        "[minio]\naws_access_key_id = AKIAFROMPROFILE\naws_secret_access_key = x\n", "utf-8"
    )
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "shared"))
    assert bucket("&profile=minio").list() == []
    assert "AKIAFROMPROFILE" in proxy.seen[-1].headers["authorization"]


def test_a_delivery_lies_under_a_prefix_of_its_own_and_is_no_champion(
    bucket: Opened, s3, proxy: Proxy, archive: Archive, tmp_path
) -> None:
    deliveries = open_delivery_stores(parse_stores([line(proxy.url)]), tmp_path / "state", SETTINGS)["bucket"]
    push(deliveries, archive, "act-2")
    assert deliveries.address("act-2") == f"s3://{BUCKET}/{PREFIX}deliveries/act-2.zip"
    kept = s3.get_object(Bucket=BUCKET, Key=f"{PREFIX}deliveries/act-2.zip")
    assert (kept["Body"].read() == archive.content, kept["ContentType"]) == (True, "application/zip")
    assert ([one.id for one in deliveries.list()], list(bucket().list())) == (["act-2"], [])
