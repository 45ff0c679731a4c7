"""Packed champions are sent to the prefix that an endpoint serves."""

import hashlib
import shutil
from pathlib import Path
from typing import Any

import boto3
import pytest

from deploy.sagemaker.commands import main
from tests.deploy.sagemaker.updates import Updates
from tests.studio.archive.archives import EARLIER, base, files, pack_now, packed, tar, written
from tests.studio.stores.conftest import BUCKET

KEY = "f5tts-models/ahri.tar.gz"


@pytest.fixture
def bucket(updates: Updates, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STUDIO_DATA_DIR", str(tmp_path / "data"))
    client = boto3.client("s3")
    client.create_bucket(Bucket=BUCKET)
    return client


def keys(bucket: Any) -> list[str]:
    return [one["Key"] for one in bucket.list_objects_v2(Bucket=BUCKET).get("Contents", [])]


def synced(source: str) -> int:
    return main(["sync", source, f"s3://{BUCKET}/f5tts-models?addressing=path"])


@pytest.mark.parametrize("source", ["folder", "store"])
def test_archives_are_sent_once(
    bucket: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], source: str
) -> None:
    folder = tmp_path / "packed"
    folder.mkdir()
    pack_now(files(tmp_path / "members", base()), folder / "ahri.tar.gz")
    monkeypatch.setenv("STUDIO_STORES", f"archive_folder=folder:{folder}")
    said = []
    for _ in range(2):
        assert synced("archive_folder" if source == "store" else str(folder)) == 0
        said.append(capsys.readouterr().out.strip())
    assert (said[0].startswith("ahri was sent"), said[1]) == (True, "ahri is already there")
    assert keys(bucket) == [KEY]
    sent = bucket.get_object(Bucket=BUCKET, Key=KEY)["Body"].read()
    assert sent == (folder / "ahri.tar.gz").read_bytes()


@pytest.mark.parametrize("shim", ["earlier", "none", "a stranger's"])
def test_an_archive_is_sent_with_this_studios_code_for_triton(
    bucket: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], shim: str
) -> None:
    sent = tmp_path / "sent"
    sent.mkdir()
    if shim == "earlier":
        shutil.copyfile(EARLIER, sent / "ahri.tar.gz")
    else:
        foreign = {"1/model.py": b"import os", "config.pbtxt": b"x"} if shim == "a stranger's" else {}
        written(sent / "ahri.tar.gz", packed(tar(base(foreign))))
    assert (synced(str(sent)), synced(str(sent))) == (0, 0)
    assert capsys.readouterr().out.splitlines() == [
        "ahri was sent, with new files for Triton, 0.1 MB",
        "ahri is already there",
    ]
    expected = pack_now(files(tmp_path / "members", base()), tmp_path / "expected.tar.gz")
    assert hashlib.sha256(bucket.get_object(Bucket=BUCKET, Key=KEY)["Body"].read()).hexdigest() == expected.sha256


def test_an_archive_that_an_endpoint_could_not_load_is_not_sent(
    bucket: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "packed"
    folder.mkdir()
    pack_now(files(tmp_path / "members", base()), folder / "yasuo.tar.gz")  # the archive contains ahri
    assert synced(str(folder)) == 1
    assert "has another champion" in capsys.readouterr().err
    (folder / "yasuo.tar.gz").write_bytes(b"no archive")
    assert (synced(str(folder)), synced("nowhere"), keys(bucket)) == (1, 1, [])
    assert "neither a folder nor one of STUDIO_STORES" in capsys.readouterr().err
