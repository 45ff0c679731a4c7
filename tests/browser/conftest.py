"""Fixtures: a studio with speech and a studio with tones, one Chromium, and a new session for each test."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import soundfile
from playwright.sync_api import Browser, Playwright, expect, sync_playwright

from tests.browser.serving import PATIENCE_S, ROOT, Served, serving
from tests.browser.visiting import CHROMIUM, DESKTOP, FLAGS, Visitor, visiting
from tests.engines.quick import QUICK

expect.set_options(timeout=1000 * PATIENCE_S)
FOLDER = Path(__file__).parent
SHIPPED = sorted((ROOT / "assets" / "voices" / "references").glob("*.flac"))


@pytest.hookimpl(tryfirst=True)  # before pytest selects by marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as `browser` all tests of this folder without the mark `gate`, so that `make test` does not run them."""
    for item in items:
        if item.path.is_relative_to(FOLDER) and not item.get_closest_marker("gate"):
            item.add_marker("browser")


@pytest.fixture(scope="session")
def speech_studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A studio with the embedded voices and speech recognition."""
    folder = tmp_path_factory.mktemp("shelf")
    with serving(tmp_path_factory.mktemp("studio"), STUDIO_STORES=f"shelf=folder:{folder}") as served:
        yield served


@pytest.fixture(scope="session")
def tone_studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A studio whose engines play tones at once, without speech recognition."""
    stores = f"shelf=folder:{tmp_path_factory.mktemp('shelf')}"
    data = tmp_path_factory.mktemp("tones")
    with serving(data, engines=QUICK, STUDIO_STORES=stores, STUDIO_EARS="off") as served:
        yield served


@pytest.fixture
def studio(request: pytest.FixtureRequest) -> Served:
    """The studio with tones if the test or its module is marked `tones` and not `speech`; else the studio with speech."""
    tones = request.node.get_closest_marker("tones") and not request.node.get_closest_marker("speech")
    served: Served = request.getfixturevalue("tone_studio" if tones else "speech_studio")
    return served


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as running:
        yield running


@pytest.fixture(scope="session")
def browser(playwright: Playwright, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """With a profile of its own, whose cache spares it to fetch and compile the same scripts for every visitor."""
    profile = tmp_path_factory.mktemp("profile")
    first = playwright.chromium.launch_persistent_context(
        profile, executable_path=CHROMIUM, args=FLAGS, viewport=DESKTOP
    )
    assert first.browser is not None
    yield first.browser
    first.close()


@pytest.fixture
def visitor(browser: Browser, studio: Served) -> Iterator[Visitor]:
    """Somebody who opens the studio for the first time."""
    with visiting(browser, studio) as first:
        first.open()
        yield first


@pytest.fixture
def voice(tmp_path: Path) -> Path:
    """A recording of a person's own: a shipped sample at another level, so that it is a clip nobody knows yet."""
    samples, rate = soundfile.read(SHIPPED[0], dtype="float32")
    path = tmp_path / "my voice.wav"
    soundfile.write(path, 0.7 * samples, rate, subtype="PCM_16")
    return path


@pytest.fixture
def story(tmp_path: Path) -> Path:
    """A clip long enough to have more than one good part: five shipped samples, a second apart."""
    sounds = [soundfile.read(path, dtype="float32") for path in SHIPPED[:5]]
    rate = sounds[0][1]
    gap = np.zeros(rate, np.float32)
    path = tmp_path / "story.wav"
    soundfile.write(path, np.concatenate([piece for sound, _ in sounds for piece in (sound, gap)]), rate)
    return path


@pytest.fixture(scope="session")
def microphone(playwright: Playwright, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A browser whose microphone hears a shipped sample; Chromium reads only WAV."""
    sound = tmp_path_factory.mktemp("microphone") / "sample.wav"
    soundfile.write(sound, *soundfile.read(SHIPPED[0]))
    fake = ["--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream"]
    flags = [*FLAGS, *fake, f"--use-file-for-fake-audio-capture={sound}"]
    browser = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
    yield browser
    browser.close()
