"""`deploy/start` prepares the studio's writable folders and the kernels from the image."""

from pathlib import Path

from tests.deploy.starting import started


def test_every_cache_is_in_the_data_folder(tmp_path: Path) -> None:
    environment = started(tmp_path, STUDIO_DATA_DIR=tmp_path / "data")
    for name in ("HOME", "TRITON_CACHE_DIR"):
        assert Path(environment[name]).is_relative_to(tmp_path / "data")
    assert "STUDIO_FRAME_ANCESTORS" not in environment


def test_kernels_of_the_image_are_copied_to_the_volume_without_overwriting(tmp_path: Path) -> None:
    kernels = tmp_path / "data" / "kernels"
    for path, text in ((tmp_path / "kernels" / "triton", "image"), (kernels / "other", "volume")):
        path.mkdir(parents=True)
        (path / "kernel").write_text(text)
    (tmp_path / "kernels" / "other").mkdir()
    (tmp_path / "kernels" / "other" / "kernel").write_text("image")
    started(tmp_path, STUDIO_DATA_DIR=tmp_path / "data")
    found = {path.parent.name: path.read_text() for path in kernels.rglob("kernel")}
    assert found == {"triton": "image", "other": "volume"}
