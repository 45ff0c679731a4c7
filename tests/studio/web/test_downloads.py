"""A name of a download sets only the name of its file."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.responses import Response
from werkzeug.http import parse_options_header

from studio.web.downloads import attachment, download_name


@pytest.mark.parametrize(
    ("name", "saved"),
    [
        ("act 2.csv", "act 2.csv"),
        ('a"; filename="evil.exe', 'a"; filename="evil.exe'),
        ("a; filename=evil.exe", "a; filename=evil.exe"),
        ("a\r\nset-cookie: a=b.csv", "a_set-cookie: a=b.csv"),
        ("../../etc/passwd", "_.._etc_passwd"),
        ("C:\\temp\\act.csv", "C:_temp_act.csv"),
        ("100%22.csv", "100%22.csv"),
        ("Akt über Ärger.csv", "Akt über Ärger.csv"),
        ("第一幕.csv", "第一幕.csv"),
        ("act\u202evsc.exe", "act_vsc.exe"),
        ("a\0b", "a_b"),
        ("...", "download"),
        ("", "download"),
        ("語" * 120 + ".csv", "語" * 65 + ".csv"),
    ],
)
def test_a_download_has_its_own_name(name: str, saved: str) -> None:
    header = attachment(name)["content-disposition"]
    kind, options = parse_options_header(header)
    assert (kind, options) == ("attachment", {"filename": saved})


@given(st.text())
def test_no_name_breaks_the_header(name: str) -> None:
    header = attachment(name)["content-disposition"]
    assert header.isascii() and header.isprintable()
    assert parse_options_header(header) == ("attachment", {"filename": download_name(name)})
    assert parse_options_header(header.partition("; filename*")[0])[1].keys() == {"filename"}
    assert header.count('"') == 2
    assert Response(headers=attachment(name)).raw_headers


def test_clients_without_the_encoded_name_get_a_plain_one() -> None:
    header = attachment('Café "1".csv')["content-disposition"].partition("; filename*")[0]
    assert header == 'attachment; filename="Cafe _1_.csv"'
