"""Check that a studio with STUDIO_VISITORS=listen accepts only the owner, keys of programs, and links."""

from pathlib import Path
from typing import Any

import httpx
import pytest

from studio.settings import Settings
from tests.engines.metronome import Metronome
from tests.studio.house import served, studio_of, web
from tests.studio.web.test_ownership import basic

KEY = "sixteen-characters"
OPEN = ["/health", "/ping", "/listen/unknown"]
CLOSED = [
    "/",
    "/docs",
    "/metrics",
    "/studio/takes",
    "/studio/telemetry",
    "/v1/voices",
    "/studio/listening-sessions",
    "/listen",
    "/healthzz",
    "/pingx",
    "/studio/login-x",
]


def statuses(tmp_path: Path, paths: list[str], headers: dict[str, str], **settings: Any) -> dict[str, int]:
    chosen = Settings(data_dir=tmp_path / "data", login="ann:secret", visitors="listen", **settings)
    with studio_of(tmp_path, Metronome(), settings=chosen) as studio, served(web(studio)) as url:
        return {path: httpx.get(url + path, headers=headers, timeout=60.0).status_code for path in paths}


def test_a_visitor_reaches_links_and_health_checks_only(tmp_path: Path) -> None:
    found = statuses(tmp_path, OPEN + CLOSED, {})
    assert {found[path] for path in OPEN} == {200}
    assert {found[path] for path in CLOSED} == {401}


def test_the_owner_reaches_everything(tmp_path: Path) -> None:
    found = statuses(tmp_path, ["/studio/takes", "/v1/voices"], {"authorization": basic("ann:secret")})
    assert set(found.values()) == {200}


@pytest.mark.parametrize(("key", "status"), [(KEY, 200), ("a-wrong-key-of-16-chars", 401)])
def test_programs_need_a_key(tmp_path: Path, key: str, status: int) -> None:
    headers = {"authorization": f"Bearer {key}"}
    found = statuses(tmp_path, ["/v1/voices", "/invocations", "/studio/takes"], headers, api_keys=f"game:{KEY}")
    assert found == {"/v1/voices": status, "/invocations": 405, "/studio/takes": 401}


def test_without_a_login_nobody_else_can_become_the_owner(tmp_path: Path) -> None:
    chosen = Settings(data_dir=tmp_path / "data", host="0.0.0.0", visitors="listen")
    with studio_of(tmp_path, Metronome(), settings=chosen) as studio, served(web(studio)) as url:
        refused = httpx.get(f"{url}/studio/takes", timeout=60.0)
    assert refused.status_code == 403 and "open your link" in refused.json()["detail"]
