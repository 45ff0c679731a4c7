"""Hostile archives by the thousand, drawn from a seed: each kind of attack is a function that draws one of its kind."""

import bz2
import gzip
import io
import json
import lzma
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping
from functools import cache
from random import Random

import numpy as np
import soundfile

from tests.studio.archive.archives import (
    BASE,
    END,
    FOLDER,
    PAX,
    PAX_GLOBAL,
    SOUND,
    base,
    entry,
    packed,
    pax,
    sound,
    tar,
    tuned,
)

GZIP_HEAD = gzip.compress(b"")[:10]
OUTSIDE = "outside"  # folder beside the staging folder where attacks try to write
NAMES = ("reference.wav", "reference.txt", "metadata.json", "reference_original.flac", "portrait.png", "model.pt")
Attack = Callable[[Random, str], bytes]  # the second is the absolute path of OUTSIDE


def attacks(count: int, seed: int, outside: str) -> list[tuple[str, bytes]]:
    """`count` archives with the kind of each, all kinds in turn."""
    kinds = list(KINDS)
    return [
        (kinds[number % len(kinds)], KINDS[kinds[number % len(kinds)]](Random(f"{seed} {number}"), outside))
        for number in range(count)
    ]


def among(draw: Random, *evil: bytes) -> bytes:
    """An archive of a good champion with these entries somewhere in it."""
    entries = [entry(name, data) for name, data in base().items() if name not in _spared(draw)]
    at = draw.randrange(len(entries) + 1)
    return packed(*entries[:at], *evil, *entries[at:])


def _spared(draw: Random) -> tuple[str, ...]:
    return draw.choice([(), (), ("reference.txt",)])


def name(draw: Random) -> str:
    return draw.choice(NAMES)


def traversal(draw: Random, outside: str) -> bytes:
    up = "../" * draw.randint(1, 9)
    target = draw.choice([name(draw), f"{OUTSIDE}/{name(draw)}", "1/model.py", ".ssh/authorized_keys", ""])
    path = draw.choice(
        [up + target, f"ahri/{up}{target}", f"./{up}{target}", f"1/{up}{target}", f"{name(draw)}/{up}{target}"]
    )
    return among(draw, entry(path, b"evil", draw.choice([b"0", b"0", b"5", b"\0"])))


def split_traversal(draw: Random, outside: str) -> bytes:
    return among(draw, entry(name(draw), b"evil", prefix=b"../" * draw.randint(1, 9) + OUTSIDE.encode()))


def absolute(draw: Random, outside: str) -> bytes:
    path = draw.choice(
        [f"{outside}/{name(draw)}", f"//{name(draw)}", f"/{name(draw)}", f"///{outside}", "/etc/cron.d/x"]
    )
    return among(draw, entry(path[:100], b"evil"))


def link(draw: Random, outside: str) -> bytes:
    target = draw.choice([outside, f"{outside}/canary", "/etc/passwd", "../" * 4, "reference.wav", "."]).encode()
    kind = draw.choice([b"1", b"2"])
    named = draw.choice([name(draw), "1", "ahri", "1/model.py", f"x/{name(draw)}"])
    return among(draw, entry(named, b"", kind, linkname=target[:100]), entry(f"{named}/{name(draw)}"[:100], b"evil"))


def link_with_data(draw: Random, outside: str) -> bytes:
    return among(
        draw, entry(name(draw), b"evil" * draw.randint(1, 999), draw.choice([b"1", b"2"]), linkname=b"/etc/passwd")
    )


def device(draw: Random, outside: str) -> bytes:
    numbers = {"devmajor": b"%07o\0" % draw.randrange(300), "devminor": b"%07o\0" % draw.randrange(300)}
    return among(draw, entry(name(draw), b"", draw.choice([b"3", b"4", b"6", b"7"]), **numbers))


def unknown_kind(draw: Random, outside: str) -> bytes:
    kind = bytes(
        [draw.choice([byte for byte in range(1, 256) if bytes([byte]) not in (b"0", b"5", PAX, PAX_GLOBAL, b"X")])]
    )
    return among(draw, entry(name(draw), b"evil", kind))


def sparse(draw: Random, outside: str) -> bytes:
    size = draw.randrange(2**40)
    if draw.random() < 0.5:
        return among(draw, entry(name(draw), b"evil", b"S", prefix=b"%011o\0%011o\0" % (0, size) * 4))
    keys = ["GNU.sparse.major", "GNU.sparse.map", "GNU.sparse.name", "GNU.sparse.realsize", "GNU.sparse.numblocks"]
    records = {key: str(size).encode() for key in draw.sample(keys, draw.randint(1, 5))}
    return among(draw, pax(records, draw.choice([PAX, PAX_GLOBAL])), entry(name(draw), b"evil"))


def override(draw: Random, outside: str) -> bytes:
    records = {
        "path": draw.choice([f"{outside}/x", "../x", "reference.wav", ""]).encode(),
        "size": str(draw.choice([0, 1, 2**40, -1])).encode(),
        "linkpath": outside.encode(),
        "SCHILY.realsize": b"99999999999",
        "SUN.devmajor": b"1",
    }
    chosen = dict(draw.sample(sorted(records.items()), draw.randint(1, 4)))
    harmless = {"mtime": b"1.5"} if draw.random() < 0.5 else {}
    return among(draw, pax(harmless | chosen, draw.choice([PAX, PAX_GLOBAL, b"X"])), entry("portrait.png", b"evil"))


def broken_override(draw: Random, outside: str) -> bytes:
    body = draw.choice(
        [
            b"999999 path=x\n",
            b"-5 path=x\n",
            b"0 mtime=1\n",
            b"12 mtime=1\n",
            b"x mtime=1\n",
            b"10 mtime=12",
            b"mtime=1\n",
            b"7 mtime\n",
            draw.randbytes(draw.randint(1, 500)),
        ]
    )
    return among(draw, entry("pax", body, draw.choice([PAX, PAX_GLOBAL])))


def large_override(draw: Random, outside: str) -> bytes:
    if draw.random() < 0.5:
        return among(draw, entry("pax", b"", PAX, size=draw.choice([2**17, 2**31, 2**40, 2**62, -1])))
    return among(draw, pax({"comment": b"x" * draw.randint(2**16, 2**18)}))


def many_overrides(draw: Random, outside: str) -> bytes:
    return packed(*[pax({"comment": b"x" * draw.randrange(99)})] * draw.randint(256, 900), tar(base()))


def long_name(draw: Random, outside: str) -> bytes:
    target = draw.choice([f"{outside}/x", "../" * 50, "a" * 5_000]).encode()
    return among(draw, entry("././@LongLink", target, draw.choice([b"L", b"K"])), entry(name(draw), b"evil"))


def twice(draw: Random, outside: str) -> bytes:
    again = draw.choice(sorted(base()))
    entries = [entry(draw.choice(["", "./", "././"]) + one, data) for one, data in base().items()]
    entries.insert(draw.randrange(4), entry(draw.choice(["", "./"]) + again, b"evil"))
    return packed(*entries)


@cache
def _million() -> bytes:
    """A million entries of litter; nobody reads beyond the first hundreds."""
    return GZIP_HEAD + _repeatable(entry("._x") * 1_000) * 1_000


def many(draw: Random, outside: str) -> bytes:
    if draw.random() < 0.01:
        return _million()
    kinds = [entry("._x"), entry("./", kind=FOLDER), entry(".DS_Store", b"x" * 300), entry("__MACOSX/x", kind=FOLDER)]
    return packed(*draw.choices(kinds, k=draw.randint(260, 1_200)), tar(base()))


@cache
def _zeros() -> bytes:
    """A mebibyte of zeros in a kilobyte."""
    return _repeatable(bytes(2**20))


def _repeatable(data: bytes) -> bytes:
    """A piece of a deflate stream that looks back at nothing, so that it can be repeated."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    return deflate.compress(data) + deflate.flush(zlib.Z_FULL_FLUSH)


def bomb(draw: Random, outside: str) -> bytes:
    """Zeros by the gigabyte, or rather as many as it takes to be noticed; most only claim them, which takes no time."""
    if draw.random() < 0.8:
        return among(draw, entry("model.pt", b"PK", size=draw.choice([2**33, 2**40, 2**60])))
    size = draw.choice([2**26, 2**30, 6 * 2**30, 2**33])
    start = tar(base({"metadata.json": tuned()["metadata.json"]})) + entry("model.pt", b"PK", size=size)[:514]
    return GZIP_HEAD + _repeatable(start) + _zeros() * draw.randint(30, 90)


def litter_bomb(draw: Random, outside: str) -> bytes:
    return among(draw, entry("._x", size=draw.choice([2**21, 2**33, 2**60, -1])))


def claim(draw: Random, outside: str) -> bytes:
    """More than the member may have, whether it comes or not, or less than nothing."""
    if draw.random() < 0.2:
        return among(draw, entry(name(draw), b"x", length=b"-0000000001"))
    return among(draw, entry(name(draw), b"x", size=draw.choice([2**34, 2**62, 2**80, -1, -512, -(2**60)])))


def bad_number(draw: Random, outside: str) -> bytes:
    number = draw.choice([b"99999999999", b"0x10", b"1e3", b"\xb2\xb3", b"8", b"7 7"])
    return among(draw, entry(name(draw), b"evil", **{draw.choice(["length", "mode", "uid", "mtime"]): number}))


def bad_checksum(draw: Random, outside: str) -> bytes:
    return among(draw, entry(name(draw), b"evil", checksum=b"%06o\0 " % draw.randrange(600)))


def torn(draw: Random, outside: str) -> bytes:
    whole = packed(tar(base()))
    return whole[: draw.randrange(len(whole))]


def torn_inside(draw: Random, outside: str) -> bytes:
    whole = tar(base()) + END
    return gzip.compress(whole[: draw.randrange(len(whole) - 512)], 1)


def flipped(draw: Random, outside: str) -> bytes:
    whole = bytearray(gzip.compress(tar(base()) + END, 0))
    at = draw.randrange(15, len(whole))  # behind gzip's own date and the spare bits of a stored block
    whole[at] ^= 1 << draw.randrange(8)
    return bytes(whole)


def followed(draw: Random, outside: str) -> bytes:
    more = draw.choice([b"#!/bin/sh\n", packed(tar(base())), b"PK\x03\x04", bytes(2**17), draw.randbytes(9) + b"x"])
    if draw.random() < 0.5:
        return packed(tar(base()), end=END + more)
    return packed(tar(base())) + more


def other_file(draw: Random, outside: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("../" + name(draw), b"evil")
    plain = tar(base()) + END
    makers: list[Callable[[], bytes]] = [
        file.getvalue,
        lambda: bz2.compress(plain),
        lambda: lzma.compress(plain),
        lambda: plain,
        lambda: SOUND,
        lambda: b"",
        lambda: draw.randbytes(draw.randint(1, 2_000)),
        lambda: gzip.compress(packed(tar(base()))),
        lambda: gzip.compress(draw.randbytes(draw.randint(1, 5_000))),
        lambda: b"\x1f\x8b" + draw.randbytes(draw.randint(0, 2_000)),
        lambda: b"\x1f\x8b\x08\x00" + bytes(6) + draw.randbytes(draw.randint(0, 2_000)),
    ]
    return draw.choice(makers)()


def folder_as_file(draw: Random, outside: str) -> bytes:
    member = draw.choice(sorted(base()))
    return packed(tar(base({member: None})), entry(f"{member}/", kind=FOLDER), entry("portrait.png", b"x"))


def disguised(draw: Random, outside: str) -> bytes:
    """Names that look like a member's."""
    true = name(draw)
    at = draw.randrange(1, len(true))
    names = [
        true[:at] + draw.choice("\u200b\u200d\u202e\u2066\ufeff\u00ad\t\n\x01\x7f") + true[at:],
        true.replace("e", "\u0435", 1),
        true.replace("e", "e\u0301", 1),
        "".join(chr(ord(letter) + 0xFEE0) for letter in true),
        true.upper(),
        true.capitalize(),
        true + draw.choice([" ", ".", "\u2024", ":evil", "%00", "\\"]),
        true.replace(".", "\u2024"),
        f"..\\{true}",
        f"C:\\{true}",
        f"ahri\\{true}",
        f"\u202e/{true}",
        f"a\nb/{true}",
        f"\udcff\udcfe/{true}",
        f"{'x' * 200}/{true}"[-100:],
        f"ahri//{true}",
        f"ahri/./{true}",
        f"1/{true}/{true}",
        f"1/1/1/{true}",
    ]
    return among(draw, entry(draw.choice(names), b"evil"))


def two_folders(draw: Random, outside: str) -> bytes:
    first, second = draw.sample(["ahri", "yasuo", "2", "AHRI", ".hidden", "ahri "], 2)
    if draw.random() < 0.3:
        return packed(tar(base(), f"{first}/"), entry(f"{second}/", kind=FOLDER))
    parts = sorted(base().items())
    cut = draw.randrange(1, len(parts))
    return packed(tar(dict(parts[:cut]), draw.choice([f"{first}/", ""])), tar(dict(parts[cut:]), f"{second}/"))


def stranger(draw: Random, outside: str) -> bytes:
    names = [
        "setup.py",
        "1/__init__.py",
        "1/evil.so",
        "2/model.py",
        "model.pth",
        "config.json",
        ".bashrc",
        "1",
        "1/model.pt",
    ]
    return among(draw, entry(draw.choice(names), b"evil"))


def incomplete(draw: Random, outside: str) -> bytes:
    return packed(tar(base({draw.choice(sorted(base())): None})))


def bad_facts(draw: Random, outside: str) -> bytes:
    facts: Mapping[str, object] = json.loads(BASE)
    wrong = [
        b"",
        b"\xff\xfe",
        b"null",
        b"[" * draw.randint(1_000, 99_999),
        b'{"a":' * draw.randint(1_000, 30_000),
        b'{"champion_id": ' + b"9" * draw.randint(10, 9_999) + b"}",
        *(json.dumps(facts | change).encode() for change in _changes(draw)),
    ]
    return packed(tar(base({"metadata.json": draw.choice(wrong)})))


def _changes(draw: Random) -> list[dict[str, object]]:
    long = "x" * draw.randint(70, 9_999)
    ids = ["../x", "Ahri", "ahri\n", "a/b", "", None, 7, "a" * 65, "\u0430hri", ["ahri"], "-a", "con\0"]
    return [
        *({"champion_id": id} for id in ids),
        {"model_type": draw.choice(["", "BASE", None, 1, [], "pickle"])},
        {"name": draw.choice([long, 7, ["x"], {"a": 1}])},
        {"notes": long * 99},
        {"colour": draw.choice(["red", "#12", "url(x)", "#000000;x"])},
        {"votes": draw.choice([3, "x", {"won": "x"}, [1]])},
        {"consent": draw.choice(["yes", 1, {"by": 1, "statement": "x"}, {"by": "x"}])},
        {"model_type": "fine_tuned"},
        {"settings": {"steps": 10 ** draw.randint(309, 4_000)}},
        {"settings": {"seed": float("nan")}},
        {draw.choice(["licence", "engine"]): draw.choice(["\ud800", "x" * 9_999])},
        {"consent": {"by": draw.choice(["\ud800", long]), "at": "", "statement": "x"}},
    ]


def bad_words(draw: Random, outside: str) -> bytes:
    wrong = [
        b"",
        b" \n\t",
        b"\xff\xfe",
        "zw\u00f6lf".encode("utf-16"),
        b"a\0b",
        b"\x1b[2J",
        b"x" * 60_000,
        b"\xed\xa0\x80",
    ]
    return packed(tar(base({"reference.txt": draw.choice(wrong)})))


@cache
def _sounds() -> tuple[bytes, ...]:
    def made(samples: np.ndarray, rate: int, format: str, subtype: str) -> bytes:  # type: ignore[type-arg]
        file = io.BytesIO()
        soundfile.write(file, samples, rate, format=format, subtype=subtype)
        return file.getvalue()

    second = np.zeros(16_000)
    return (
        made(np.zeros(60 * 192_000), 8_000, "FLAC", "PCM_16"),  # a bomb: 24 minutes in some kilobytes
        made(np.full(16_000, np.nan), 8_000, "WAV", "FLOAT"),
        made(np.full(16_000, np.inf), 8_000, "WAV", "FLOAT"),
        made(np.full(16_000, 1e9), 8_000, "WAV", "FLOAT"),
        made(np.zeros((16_000, 40)), 8_000, "WAV", "PCM_16"),
        made(np.zeros(2_000), 1_000, "WAV", "PCM_16"),
        made(second, 8_000, "AIFF", "PCM_16"),
        made(second, 8_000, "OGG", "VORBIS"),
        made(second, 8_000, "CAF", "PCM_16"),
        made(second, 8_000, "WAV", "PCM_16")[:-999],
        made(second, 8_000, "FLAC", "PCM_16")[:-20],
        sound(0.0),
        sound(0.4),
        sound(150.0, 4_000),
    )


def bad_sound(draw: Random, outside: str) -> bytes:
    kinds = [
        draw.choice(_sounds()),
        draw.randbytes(draw.randint(0, 3_000)),
        SOUND[: draw.randrange(len(SOUND) - 100)],
        b"RIFF" + draw.randbytes(400),
        b"#EXTM3U\nfile:///etc/passwd\n",
        SOUND[:22] + struct.pack("<HI", draw.choice([0, 99, 60_000]), draw.choice([0, 1, 2**31])) + SOUND[28:],
    ]
    return packed(tar(base({"reference.wav": draw.choice(kinds)})))


@cache
def _long_sound() -> bytes:
    """As much sound as is taken, read to its end before something else is found to be wrong."""
    return packed(tar(base({"reference.wav": sound(80.0, 48_000), "portrait.png": b"<svg/>"})))


def long_sound(draw: Random, outside: str) -> bytes:
    """A long one now and then: each takes a while."""
    return _long_sound() if draw.random() < 0.1 else bad_sound(draw, outside)


def bad_original(draw: Random, outside: str) -> bytes:
    """Good sound of another kind, or none."""
    return packed(
        tar(base({"reference_original.flac": draw.choice([SOUND, *_sounds(), b"fLaC" + draw.randbytes(300)])}))
    )


def bad_picture(draw: Random, outside: str) -> bytes:
    picture = draw.choice(["portrait.png", "portrait.jpg", "portrait.webp"])
    wrong = [b"", b"<svg/>", b"<script>", b"GIF89a", b"RIFF1234WAVE", draw.randbytes(99)]
    return packed(tar(base({picture: draw.choice(wrong)})))


def contradiction(draw: Random, outside: str) -> bytes:
    two = {"portrait.png": b"\x89PNG\r\n\x1a\n", "portrait.jpg": b"\xff\xd8\xff"}
    return packed(tar(draw.choice([base({"model.pt": b"PK"}), tuned({"model.pt": None}), base(two)])))


def bad_weights(draw: Random, outside: str) -> bytes:
    evil = draw.choice([b"", b"cos\nsystem\n(S'touch x'\ntR.", b"\x80\x02", draw.randbytes(99) + b"x", b"\x7fELF"])
    return packed(tar(tuned({"model.pt": evil})))


def solaris(draw: Random, outside: str) -> bytes:
    return among(draw, entry("A", b"evil", draw.choice([b"A", b"D", b"M", b"N", b"V", b"I"])))


KINDS: Mapping[str, Attack] = {
    made.__name__: made
    for made in (
        *(traversal, split_traversal, absolute, link, link_with_data, device, unknown_kind, sparse, override),
        *(
            broken_override,
            large_override,
            many_overrides,
            long_name,
            twice,
            many,
            bomb,
            litter_bomb,
            claim,
            bad_number,
        ),
        *(bad_checksum, torn, torn_inside, flipped, followed, other_file, folder_as_file, disguised, two_folders),
        *(stranger, incomplete, bad_facts, bad_words, bad_sound, bad_original, bad_picture, contradiction, bad_weights),
        solaris,
        long_sound,
    )
}


def mutated(draw: Random) -> bytes:
    """A good archive with some bytes of its headers changed and their checksums put right: may be harmless."""
    blocks = [entry(one, data) for one, data in tuned().items()]
    for _ in range(draw.randint(1, 4)):
        which = draw.randrange(len(blocks))
        header = bytearray(blocks[which][:512])
        header[draw.randrange(345)] = draw.choice(
            [0, 32, 47, 46, 48, 49, 53, 55, 76, 103, 120, 128, 255, draw.randrange(256)]
        )
        header[148:156] = b" " * 8
        header[148:156] = b"%06o\0 " % sum(header)
        blocks[which] = bytes(header) + blocks[which][512:]
    return packed(*blocks)
