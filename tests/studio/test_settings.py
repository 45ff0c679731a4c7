"""Settings: typed, from the environment, and never silently wrong."""

from pathlib import Path

import pytest

from studio.settings import Settings, WrongSettings


@pytest.fixture(autouse=True)
def _bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_bare_machine_gets_a_loopback_studio_with_both_embedded_voices() -> None:
    settings = Settings.load()
    assert (settings.host, settings.port, settings.engines) == ("127.0.0.1", 7860, ("f5", "s1"))
    assert settings.f5_checkpoint == "embedded"
    assert settings.on_loopback


def test_lists_are_written_with_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDIO_ENGINES", "f5, s1")
    monkeypatch.setenv("STUDIO_ALLOWED_HOSTS", "one,two")
    settings = Settings.load()
    assert (settings.engines, settings.allowed_hosts) == (("f5", "s1"), ("one", "two"))


def test_the_environment_wins_over_the_env_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("STUDIO_PORT=9000\nSTUDIO_HOST=0.0.0.0\nHF_TOKEN=other\n", "utf-8")
    monkeypatch.setenv("STUDIO_PORT", "9001")
    settings = Settings.load()
    assert (settings.port, settings.host) == (9001, "0.0.0.0")
    assert not settings.on_loopback


def test_an_empty_value_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDIO_PORT", "")
    assert Settings.load().port == 7860


def test_an_unknown_key_is_refused_naming_the_nearest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDIO_CHECKPOINT_F5", "embedded")
    with pytest.raises(WrongSettings, match=r"STUDIO_CHECKPOINT_F5 .*did you mean STUDIO_(F5|S1)_CHECKPOINT"):
        Settings.load()


def test_a_key_that_is_like_no_other_is_refused_without_a_guess(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDIO_XYZZY", "1")
    with pytest.raises(WrongSettings, match="STUDIO_XYZZY is not a setting; remove it"):
        Settings.load()


def test_an_unknown_key_in_the_env_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("STUDIO_PROT=9000\n", "utf-8")
    with pytest.raises(WrongSettings, match="did you mean STUDIO_PORT"):
        Settings.load()


def test_constructing_settings_refuses_unknown_keys_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDIO_PROT", "1")
    with pytest.raises(ValueError, match="did you mean STUDIO_PORT"):
        Settings()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("STUDIO_PORT", "seventy"),
        ("STUDIO_PORT", "70000"),
        ("STUDIO_COMPILE", "yes"),
        ("STUDIO_QUANTIZE", "int2"),
        ("STUDIO_DEVICE", "gpu"),
        ("STUDIO_DEVICE", "cuda:"),
        ("STUDIO_DEVICE", "cuda:one"),
        ("STUDIO_DEVICE", "cpu:1"),
        ("STUDIO_GPU_CONCURRENCY", "-1"),
        ("STUDIO_GPU_CONCURRENCY", "many"),
        ("STUDIO_QUEUE_SIZE", "0"),
        ("STUDIO_REQUEST_TIMEOUT_S", "-1"),
        ("STUDIO_ENGINES", ","),
        ("STUDIO_MAX_UPLOAD_MB", "0"),
    ],
)
def test_a_wrong_value_is_refused_naming_its_key(monkeypatch: pytest.MonkeyPatch, key: str, value: str) -> None:
    monkeypatch.setenv(key, value)
    with pytest.raises(WrongSettings, match=key):
        Settings.load()


@pytest.mark.parametrize("device", ["auto", "cpu", "mps", "cuda", "cuda:1"])
def test_a_device_is_taken_by_its_name(monkeypatch: pytest.MonkeyPatch, device: str) -> None:
    monkeypatch.setenv("STUDIO_DEVICE", device)
    assert Settings.load().device == device


@pytest.mark.parametrize("origins", ["*", "https://game.example/play", "game.example", "https://game.example,null"])
def test_sites_that_are_no_origins_are_refused(monkeypatch: pytest.MonkeyPatch, origins: str) -> None:
    monkeypatch.setenv("STUDIO_CORS_ORIGINS", origins)
    with pytest.raises(WrongSettings, match=r"STUDIO_CORS_ORIGINS: .*https://name"):
        Settings.load()


def test_origins_may_have_a_port(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDIO_CORS_ORIGINS", "https://game.example, http://127.0.0.1:8080,http://[::1]:8080")
    assert len(Settings.load().cors_origins) == 3


def test_apps_that_run_in_a_browser_have_origins_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDIO_CORS_ORIGINS", "app://obsidian.md,tauri://localhost,chrome-extension://abcdef")
    assert len(Settings.load().cors_origins) == 3


def test_secrets_are_shown_neither_in_errors_nor_in_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDIO_LOGIN", "hunter2hunter2")
    with pytest.raises(WrongSettings) as caught:
        Settings.load()
    assert "hunter2" not in str(caught.value)
    assert "user:password" in str(caught.value)
    monkeypatch.setenv("STUDIO_LOGIN", "anna:hunter2")
    assert "hunter2" not in repr(Settings.load())


@pytest.mark.parametrize("keys", ["0123456789abcdef", "game:short", "game:0123456789abcdef,game:0123456789abcdeg"])
def test_api_keys_that_are_unnamed_short_or_named_alike_are_refused_unshown(
    monkeypatch: pytest.MonkeyPatch, keys: str
) -> None:
    monkeypatch.setenv("STUDIO_API_KEYS", keys)
    with pytest.raises(WrongSettings, match="STUDIO_API_KEYS: ") as caught:
        Settings.load()
    assert "0123456789" not in str(caught.value) and "short" not in str(caught.value)
