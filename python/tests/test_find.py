"""DOIs in one text."""

from __future__ import annotations

from pathlib import Path

import pytest

import doiscan


def test_offsets_of_str_count_characters_and_of_bytes_bytes() -> None:
    text = "é🦀 doi:10.1000/aé, 10.1000/b"
    found = doiscan.find(text)
    assert [match.doi for match in found] == ["10.1000/Aé", "10.1000/B"]
    assert [text[match.start : match.end] for match in found] == ["10.1000/aé", "10.1000/b"]
    assert [match.raw for match in found] == ["10.1000/aé", "10.1000/b"]
    data = text.encode()
    found = doiscan.find(data)
    assert [data[match.start : match.end] for match in found] == [match.raw for match in found]
    assert found[0].raw == "10.1000/aé".encode()
    assert doiscan.find(bytearray(data)) == found


@pytest.mark.parametrize(("encoding", "mark"), [("utf-16-le", b"\xff\xfe"), ("utf-16-be", b"\xfe\xff"), ("utf-16-le", b"")])
def test_bytes_of_utf16_are_read_as_a_file_of_them_is(encoding: str, mark: bytes, tmp_path: Path) -> None:
    text = "see \U0001f980 é doi:10.1000/aé, and 10.1000/b in all"
    data = mark + text.encode(encoding)
    (tmp_path / "text").write_bytes(data)
    found = doiscan.find(data)
    assert [match.doi for match in found] == ["10.1000/Aé", "10.1000/B"]
    assert [match.doi for match in found] == sorted(doiscan.scan(tmp_path / "text"))
    for match, name in zip(found, ["10.1000/aé", "10.1000/b"], strict=True):
        assert data[match.start : match.end] == match.raw == name.encode(encoding)
    # Half a character is left out.
    assert doiscan.find(data + b"x") == found
    rows = doiscan.find_all([data, b"doi:10.1000/c", None]).to_pylist()
    expected = [{"doi": m.doi, "start": m.start, "end": m.end, "raw": m.raw} for m in found]
    assert rows == [expected, [{"doi": "10.1000/C", "start": 4, "end": 13, "raw": b"10.1000/c"}], None]
    value = mark + "doi:10.1000/182".encode(encoding)
    assert doiscan.normalize([value]).to_pylist() == ["10.1000/182"]
    assert doiscan.check([value])[0]["valid"] is True
    assert doiscan.convert([value], "url").to_pylist() == ["https://doi.org/10.1000/182"]


def test_matches_are_values() -> None:
    one, other = doiscan.find("10.1000/a 10.1000/b")
    assert one == doiscan.find("10.1000/a")[0] and one != other
    assert len({one, other, doiscan.find("10.1000/a")[0]}) == 2
    match one:
        case doiscan.Match(doi, start, end):
            assert (doi, start, end) == ("10.1000/A", 0, 9)
        case _:
            raise AssertionError("a match has positions")
    with pytest.raises(AttributeError):
        one.doi = "x"  # type: ignore[misc]


def test_repairs_are_named_and_strict_has_none() -> None:
    text = '{"doi": "10.1000/a."}'
    assert doiscan.find(text)[0].repairs == ["trailing"]
    assert doiscan.find(text, strict=True)[0].repairs == []


@pytest.mark.parametrize(
    ("notation", "expected"),
    [("auto", "10.1000/A,B"), ("text", "10.1000/A"), ("value", "10.1000/A,B"), ("list", "10.1000/A,B")],
)
def test_notations(notation: str, expected: str) -> None:
    text = "10.1000/A,B\n10.1000/C\n"
    assert doiscan.find(text, notation=notation)[0].doi == expected  # type: ignore[arg-type]


def test_lone_surrogates_and_octets_that_are_no_utf8() -> None:
    text = "\ud800 10.1000/a"
    (found,) = doiscan.find(text)
    assert text[found.start : found.end] == found.raw == "10.1000/a"
    (found,) = doiscan.find(b"doi:10.1000/%2541")
    assert found.doi == "10.1000/%2541"


def test_wrong_arguments_are_errors() -> None:
    for value in (None, 1, ["10.1000/a"], object()):
        with pytest.raises(TypeError, match="expected str or bytes, not"):
            doiscan.find(value)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="notation: expected auto, text"):
        doiscan.find("", notation="xml")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="join_lines: expected"):
        doiscan.find("", join_lines="yes")  # type: ignore[arg-type]
    for length in (-1, 0, 1 << 21):
        with pytest.raises(ValueError, match="max_length: expected 1 to 1048576, not"):
            doiscan.find("", max_length=length)
