"""Write the table of all settings into docs/configuration.md: `python -m studio.settings_reference`."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import NoneType
from typing import Any, Literal, get_args, get_origin

from pydantic import SecretStr
from pydantic.fields import FieldInfo

from studio.settings import PREFIX, Settings

PAGE = Path(__file__).parents[1] / "docs" / "configuration.md"
BEGIN, END = "<!-- settings: begin -->", "<!-- settings: end -->"
HEADER = ("| setting | values | default | effect |", "|---|---|---|---|")

SECTIONS: Mapping[str, Sequence[str]] = {
    "Where the studio listens": ("host", "port", "socket", "page"),
    "Folders and stores": ("data_dir", "archives_dir", "stores"),
    "Engines and checkpoints": (
        "engines",
        "f5_checkpoint",
        "f5_vocoder",
        "f5_languages",
        "s1_checkpoint",
        "s1_languages",
        "orpheus_checkpoint",
        "orpheus_codec",
        "orpheus_languages",
        "spark_checkpoint",
        "spark_languages",
    ),
    "Device, memory and speed": (
        "device",
        "compile",
        "quantize",
        "cpu_precision",
        "s1_encoder",
        "orpheus_encoder",
        "spark_encoder",
        "threads",
        "max_batch",
        "memory_budget_gb",
        "weights_budget_gb",
    ),
    "Text": ("stage_directions",),
    "Speech recognition": ("ears", "recognizer"),
    "Queue": ("queue_size", "gpu_concurrency", "request_timeout_s", "step_timeout_s"),
    "Access": ("login", "allowed_hosts", "frame_ancestors", "trusted_proxies", "root_path"),
    "Programs": (
        "api_keys",
        "api_requests_per_minute",
        "api_characters_per_minute",
        "api_streams",
        "cors_origins",
        "aliases",
    ),
    "Logs and metrics": ("log_format", "cloudwatch_metrics"),
    "Uploads and visitors": (
        "max_upload_mb",
        "max_weights_mb",
        "visitors",
        "visitor_days",
        "visitor_mb",
        "visitors_gb",
    ),
}
REST = "Further settings"
# Units, by the end of the name.
UNITS = {
    "_mb": "MB",
    "_gb": "GB",
    "_s": "seconds",
    "_days": "days",
    "_requests_per_minute": "requests a minute",
    "_characters_per_minute": "characters a minute",
    "api_streams": "answers",
    "queue_size": "requests",
    "gpu_concurrency": "requests",
    "max_batch": "rows",
    "threads": "threads",
}


def table() -> str:
    """Return a table for each section; settings of no section come last."""
    listed = {name for names in SECTIONS.values() for name in names}
    rest = [name for name in Settings.model_fields if name not in listed]
    sections = {**SECTIONS, **({REST: rest} if rest else {})}
    return "\n\n".join("\n".join((f"## {title}\n", *HEADER, *_rows(names))) for title, names in sections.items())


def filled(page: str) -> str:
    """Return the page with the current tables between its two marks. Raises ValueError without the marks."""
    before, begin, after = page.partition(BEGIN)
    _, end, after = after.partition(END)
    if not (begin and end):
        raise ValueError(f"the marks {BEGIN} and {END} are missing; put both back into the page")
    return f"{before}{BEGIN}\n\n{table()}\n\n{END}{after}"


def _rows(names: Sequence[str]) -> Iterator[str]:
    for name in names:
        field = Settings.model_fields[name]
        effect = (field.description or "").replace("\n", " ")
        yield f"| `{PREFIX}{name.upper()}` | {_values(name, field)} | {_default(field)} | {effect} |"


def _values(name: str, field: FieldInfo) -> str:
    unit = next((unit for end, unit in UNITS.items() if name.endswith(end)), "")
    kind: Any = next(part for part in (get_args(field.annotation) or [field.annotation]) if part is not NoneType)
    if get_origin(field.annotation) is Literal:
        return ", ".join(f"`{value}`" for value in get_args(field.annotation))
    if field.annotation is bool:
        return "`on`, `off`"
    if kind in (int, float):
        return unit or "number"
    if get_origin(field.annotation) in (tuple, Mapping) or "Mapping" in str(field.annotation):
        return "list, separated by commas"
    return {Path: "path", SecretStr: "secret"}.get(kind, "text")


def _default(field: FieldInfo) -> str:
    default: Any = field.default
    if isinstance(default, bool):
        return "`on`" if default else "`off`"
    if isinstance(default, tuple):
        default = ",".join(default)
    if isinstance(default, SecretStr):
        default = default.get_secret_value()
    return f"`{default}`" if default or default == 0 else "–"


def main() -> int:
    """Write the page and return the exit status."""
    PAGE.write_text(filled(PAGE.read_text("utf-8")), "utf-8")
    sys.stdout.write(f"{PAGE} is up to date\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
