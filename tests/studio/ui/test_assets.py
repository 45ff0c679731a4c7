"""The page's own files: kept by browsers as long as they are the same, and found by a page that was opened before an update."""

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from studio.ui.assets import ASSETS, ROOT, STYLES, VERSION, head, mount_assets

FILE = "js/studio.js"


@pytest.fixture
def client() -> TestClient:
    application = FastAPI()
    mount_assets(application)
    return TestClient(application)


def test_a_file_of_this_version_is_kept_for_good(client: TestClient) -> None:
    answer = client.get(f"{ROOT}/{FILE}")
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"


def test_a_page_of_an_earlier_version_finds_its_files_but_keeps_none(client: TestClient) -> None:
    answer = client.get(f"{ROOT.replace(VERSION, 'earlier')}/{FILE}")
    assert answer.content == client.get(f"{ROOT}/{FILE}").content
    assert answer.headers["cache-control"] == "no-cache"


def test_the_page_asks_for_this_version_alone(client: TestClient) -> None:
    assert head().count("/studio/assets/") == head().count(ROOT) > 50


def test_scripts_and_styles_find_their_neighbours_from_where_they_lie() -> None:
    named = [
        path.name
        for path in ASSETS.rglob("*")
        if path.suffix in (".js", ".css") and "/studio/assets" in path.read_text()
    ]
    assert named == []


def test_every_style_is_in_the_one_that_the_page_asks_for(client: TestClient) -> None:
    style = client.get(f"{ROOT}/css/studio.css")
    assert style.headers["content-type"] == "text/css; charset=utf-8"
    assert style.headers["cache-control"] == "public, max-age=31536000, immutable"
    files = list((ASSETS / "css").glob("*.css"))
    assert sorted(STYLES) == sorted(file.stem for file in files)
    assert all(file.read_text("utf-8") in style.text for file in files)


def test_scripts_and_styles_travel_compressed(client: TestClient) -> None:
    assert client.get(f"{ROOT}/{FILE}").headers["content-encoding"] == "gzip"
