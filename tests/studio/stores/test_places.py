"""STUDIO_STORES: read in full, or refused in a sentence that shows no credential."""

import subprocess
import sys
from pathlib import Path

import pytest

from studio.stores.factory import open_stores
from studio.stores.places import KINDS, FolderPlace, HubPlace, S3Place, WrongStores, parse_stores

ROOT = Path(__file__).parents[3]


def test_each_kind_of_store_is_read() -> None:
    written = ["shelf=folder:/srv/voices", "bucket=s3://champions/f5tts-models/", "hub=hf://studio/voices"]
    assert parse_stores(written) == (
        FolderPlace("shelf", Path("/srv/voices")),
        S3Place(name="bucket", bucket="champions", prefix="f5tts-models/"),
        HubPlace("hub", "studio/voices"),
    )


def test_each_bucket_has_an_endpoint_and_ways_of_its_own() -> None:
    options = "endpoint=https://s3.example.com:9000/&region=auto&profile=minio&addressing=path&checksum=when_required"
    assert parse_stores([f"b=s3://voices?{options}"]) == (
        S3Place(
            name="b",
            bucket="voices",
            endpoint="https://s3.example.com:9000",
            region="auto",
            profile="minio",
            addressing="path",
            checksum="when_required",
        ),
    )


def test_a_place_tells_a_person_of_what_kind_it_is_and_where() -> None:
    endpoint = "endpoint=https://s3.example.com:9000/path&profile=minio"
    written = ["shelf=folder:/srv/voices", "own=s3://voices/a", f"b=s3://voices?{endpoint}", "hub=hf://studio/voices"]
    assert [(place.title, place.address) for place in parse_stores(written)] == [
        ("folder", "/srv/voices"),
        ("S3", "s3://voices/a/"),
        ("S3", "s3://voices/ at s3.example.com:9000"),
        ("Hugging Face Hub", "hf://studio/voices"),
    ]


def test_the_form_that_a_refusal_names_for_each_kind_is_one_that_is_read() -> None:
    with pytest.raises(WrongStores) as caught:
        parse_stores(["shelf"])
    forms = [kind.form for kind in KINDS]
    assert all(f"name={form}" in str(caught.value) for form in forms)
    assert [type(place) for form in forms for place in parse_stores([f"name={form}"])] == list(KINDS)


@pytest.mark.parametrize("written", ["b=s3://voices/a/b", "b=s3://voices/a/b/", "b=s3://voices//a/b"])
def test_a_prefix_is_a_folder(written: str) -> None:
    place = parse_stores([written])[0]
    assert isinstance(place, S3Place)
    assert place.prefix == "a/b/"


@pytest.mark.parametrize(
    ("written", "message"),
    [
        (["shelf"], "write each store as"),
        (["Shelf=folder:/srv"], "write each store as"),
        (["../x=folder:/srv"], "write each store as"),
        (["shelf=folder:srv"], "absolute"),
        (["shelf=ftp://host/x"], "unknown kind of store"),
        (["hub=hf://voices"], "write a repository of the Hugging Face Hub as hub=hf://owner/repo"),
        (["hub=hf://a/b/c"], "write a repository of the Hugging Face Hub as hub=hf://owner/repo"),
        (["b=s3://voices?endpoint=minio:9000"], "write the endpoint as"),
        (["b=s3://voices?endpoint=http://minio:port"], "the endpoint as"),
        (["shelf=folder:~nobody-of-this-name/x"], "absolute"),
        (["b=s3://voices?addressing=dns"], "addressing must be one of"),
        (["b=s3://voices?checksum=never"], "checksum must be one of"),
        (["b=s3://voices?colour=red"], "unknown option colour"),
        (["a=folder:/a", "a=folder:/b"], "two stores have the name a"),
    ],
)
def test_what_is_no_store_is_refused_saying_what_to_write(written: list[str], message: str) -> None:
    with pytest.raises(WrongStores, match=message):
        parse_stores(written)


@pytest.mark.parametrize(
    "written",
    [
        "b=s3://KEYCANARY:hunter2@voices/x",
        "b=s3://voices?endpoint=https://KEYCANARY:hunter2@s3.example.com",
        "b=s3://voices?endpoint=https://s3.example.com?key=hunter2",
        "b=s3://[KEYCANARY:hunter2@voices",
        "b=s3://voices?addressing=hunter2",
        "b=hf://hunter2@a/b",
        "b=https://u:hunter2@host",
    ],
)
def test_a_credential_in_the_setting_is_refused_and_not_repeated(written: str) -> None:
    with pytest.raises(WrongStores) as caught:
        parse_stores([written])
    assert "hunter2" not in str(caught.value)
    assert "KEYCANARY" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_opening_stores_creates_nothing_and_asks_nobody(tmp_path: Path) -> None:
    written = ["shelf=folder:/nowhere", "bucket=s3://voices?endpoint=http://127.0.0.1:9", "hub=hf://studio/voices"]
    stores = open_stores(parse_stores(written), tmp_path / "transfers")
    assert list(stores) == ["shelf", "bucket", "hub"]
    assert list(tmp_path.iterdir()) == []


def test_who_has_no_bucket_pays_for_no_client() -> None:
    code = "import sys, studio.stores; print([n for n in ('boto3', 'huggingface_hub') if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=True, text=True)
    assert done.stdout.strip() == "[]"
