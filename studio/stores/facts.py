"""The file `{id}.json`, which holds the metadata of an archive in folders and on the Hub."""

import json
from typing import Any

from studio.stores.entry import ArchiveFacts

FACTS = ("sha256", "identity", "bytes", "licence")


def facts_json(facts: ArchiveFacts) -> bytes:
    return (json.dumps({name: getattr(facts, name) for name in FACTS}, indent=2, sort_keys=True) + "\n").encode()


def read_facts(written: bytes) -> ArchiveFacts | None:
    """Parse the file. Return None for any other content, because the file is optional."""
    try:
        read: Any = json.loads(written)
        known = {name: read[name] for name in FACTS}
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    texts = all(isinstance(known[name], str) for name in ("sha256", "identity", "licence"))
    return ArchiveFacts(**known) if texts and isinstance(known["bytes"], int) else None
