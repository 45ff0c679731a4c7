"""Split BCP 47 tags into parts."""

import re

ENGLISH = "en"
EXTENSION = re.compile(r"[-_](?=[0-9a-z][-_])", re.IGNORECASE)  # the separator before the first single-character subtag


def subtags(language: str) -> tuple[str, str]:
    """Return the primary subtag of a BCP 47 tag, and its script (HANS or HANT) or region; "" if the tag has neither."""
    primary, *others = without_extensions(language).replace("_", "-").split("-")
    chosen = (part.upper() for part in others if len(part) == 2 or part.lower() in ("hans", "hant"))
    return primary.lower(), next(chosen, "")


def without_extensions(language: str) -> str:
    """Return a BCP 47 tag without extensions and private use, such as de for de-x-dialect."""
    return EXTENSION.split(language, maxsplit=1)[0]
