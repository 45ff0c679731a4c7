"""A Hugging Face Space: the contents of its repository, and a studio behind the Space's proxy and frame."""

import subprocess
import sys
from argparse import ArgumentTypeError
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import yaml
from pydantic import ValidationError

from deploy.context import ROOT
from deploy.spaces.__main__ import space_id
from deploy.spaces.publishing import README
from studio.champions.library import Library
from studio.settings import Settings
from tests.deploy.starting import started
from tests.engines.metronome import Metronome
from tests.studio.champions.voices import keep
from tests.studio.house import ENGINE, ready, served, studio_of, web
from tests.studio.programs import LINE, SPEECH

SPACE = "ann-studio.hf.space"
PROXIED = {
    "host": SPACE,
    "x-forwarded-for": "203.0.113.7, 10.0.0.1",
    "x-forwarded-proto": "https",
    "x-forwarded-host": SPACE,
}
OWN_PAGE = {"origin": f"https://{SPACE}", "sec-fetch-site": "same-origin"}
LOGIN = {"user": "ann", "password": "s3cret"}
KEPT = {".dockerignore", "Dockerfile", "LICENSE", "README.md", "app.py", "assets", "deploy", "engines", "studio"}
KEPT |= {"requirements.txt", "requirements-triton.txt"}
COLOURS = {"red", "yellow", "green", "blue", "indigo", "purple", "pink", "gray"}


@pytest.fixture(scope="module")
def space(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Provide the address of a studio with the settings of a Space's container."""
    folder = tmp_path_factory.mktemp("space")
    given = started(folder, SPACE_HOST=SPACE)
    settings = Settings(
        data_dir=folder / "data",
        engines=(ENGINE,),
        host="0.0.0.0",
        login=":".join(LOGIN.values()),
        frame_ancestors=given["STUDIO_FRAME_ANCESTORS"],
        trusted_proxies=given["STUDIO_TRUSTED_PROXIES"],
    )
    with studio_of(folder, Metronome(), settings=settings) as studio, served(web(studio)) as url:
        with httpx.Client(base_url=url) as client:
            ready(client)
        keep(Library(settings.data_dir), engine=ENGINE, settings={})
        yield url


@pytest.fixture
def visitor(space: str) -> Iterator[httpx.Client]:
    """Provide a browser that sends the studio's cookies explicitly, because they were set over HTTPS at the proxy."""
    with httpx.Client(base_url=space, headers=PROXIED | OWN_PAGE) as client:
        yield client


def test_a_visitor_speaks_and_the_owner_logs_in(visitor: httpx.Client) -> None:
    assert visitor.post(SPEECH, json=LINE).content.startswith(b"RIFF")
    assert visitor.delete("/studio/champions/ahri").status_code == 401
    answer = visitor.post("/studio/login", json=LOGIN)
    owner = {"cookie": answer.headers["set-cookie"].partition(";")[0]}
    assert visitor.get("/studio/me", headers=owner).json()["owner"] is True
    assert visitor.delete("/studio/champions/ahri", headers=owner).status_code == 200


def test_hugging_faces_page_shows_the_studio_and_no_other_sites_does(visitor: httpx.Client) -> None:
    policy = visitor.get("/health").headers["content-security-policy"]
    assert policy.endswith("; frame-ancestors 'self' https://huggingface.co")


def test_within_that_page_a_browser_sends_the_cookies(visitor: httpx.Client) -> None:
    given = [visitor.get("/health"), visitor.post("/studio/login", json=LOGIN), visitor.post("/studio/logout")]
    cookies = [cookie for answer in given for cookie in answer.headers.get_list("set-cookie")]
    assert len(cookies) >= 3
    assert all(cookie.endswith("; HttpOnly; SameSite=None; Secure; Partitioned") for cookie in cookies), cookies


def test_a_page_of_another_site_still_sends_no_login(visitor: httpx.Client) -> None:
    owner = {"cookie": visitor.post("/studio/login", json=LOGIN).headers["set-cookie"].partition(";")[0]}
    for elsewhere in (
        {"sec-fetch-site": "cross-site"},
        {"origin": "https://huggingface.co", "sec-fetch-site": "cross-site"},
    ):
        assert visitor.post("/studio/logout", headers=owner | elsewhere).status_code == 403


@pytest.mark.parametrize("site", ["huggingface.co", "https://a.example; script-src *", "https://a.example/page", "*"])
def test_an_invalid_site_may_not_frame_the_studio(site: str) -> None:
    with pytest.raises(ValidationError, match="https://name"):
        Settings(frame_ancestors=site)


def test_the_front_matter_is_valid_for_a_docker_space() -> None:
    _, front, text = README.read_text("utf-8").split("---\n", 2)
    read = yaml.safe_load(front)
    assert (read["sdk"], read["app_port"]) == ("docker", Settings(data_dir=Path()).port)
    assert {read["colorFrom"], read["colorTo"]} <= COLOURS
    assert len(read["short_description"]) <= 60 and text.strip()


@pytest.mark.parametrize("name", ["studio", "ann/stu dio", "ann/studio/more"])
def test_an_invalid_space_name_is_refused(name: str) -> None:
    with pytest.raises(ArgumentTypeError):
        space_id(name)


def test_its_repository_has_the_files_of_the_image_and_nothing_private(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "deploy.spaces", "ann/studio", "--dry-run"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    paths = {line.split(maxsplit=1)[1] for line in listed.splitlines()[:-1]}
    assert {"Dockerfile", "README.md", "requirements.txt", "app.py", "deploy/start"} <= paths
    assert {path.partition("/")[0] for path in paths} == KEPT
    assert not any("__pycache__" in path or "heldout" in path or ".env" in path for path in paths)


def test_its_proxy_reports_the_scheme_and_the_visitor(visitor: httpx.Client) -> None:
    """Gradio's page builds addresses with the scheme, and wrong logins are counted per visitor."""
    assert visitor.get("/studio/me/").headers["location"] == f"https://{SPACE}/studio/me"
    for number in range(5):
        answer = visitor.post("/studio/login", json=LOGIN | {"password": f"wrong {number}"})
    assert answer.status_code == 429
    other = {"x-forwarded-for": "203.0.113.8, 10.0.0.1"}
    assert visitor.post("/studio/login", json=LOGIN | {"password": "x"}, headers=other).status_code == 401
