"""Indexes of known names."""

from __future__ import annotations

import pathlib
import pickle
import subprocess
import sys

import doiscan
import pytest

NAMES = ["10.1000/182", "10.1016/J.CELL.2009.01.042", "10.1038/NATURE12373"]


@pytest.fixture
def known(tmp_path: pathlib.Path) -> pathlib.Path:
    names = tmp_path / "all.txt"
    names.write_text("".join(name + "\n" for name in NAMES))
    made = tmp_path / "known.doix"
    command = [sys.executable, "-m", "doiscan", "index", "-q", str(names), "-o", str(made)]
    subprocess.run(command, check=True)
    return made


def test_values_are_known_or_have_near_names(known: pathlib.Path) -> None:
    index = doiscan.Index(known)
    values = ["doi:10.1000/182", "10.1016/j.cell.2009.01.42", None, "nothing", "10.1038/nature12373", "1O.1000/182"]
    assert index.known(values).to_pylist() == [True, False, None, None, True, None]
    near = index.nearest(values, case="lower").to_pylist()
    assert near == [[], ["10.1016/j.cell.2009.01.042"], None, None, [], ["10.1000/182"]]
    assert "https://doi.org/10.1038/nature12373" in index
    assert "10.1038/nature" not in index
    assert index.known([]).to_pylist() == []
    many = index.known(["10.1000/182", "10.1000/183"] * 50_000, threads=2).to_pylist()
    assert many == [True, False] * 50_000
    assert pickle.loads(pickle.dumps(index)).known(values).to_pylist() == index.known(values).to_pylist()


def test_a_value_with_several_dois_is_neither_known_nor_unknown(known: pathlib.Path) -> None:
    index = doiscan.Index(known)
    values = [f"{NAMES[0]}{mark}{NAMES[2]}" for mark in (";", " ", "; ", ", ", "|", "\n", " and doi:")]
    assert index.known(values).to_pylist() == [None] * len(values)
    assert index.nearest(values).to_pylist() == [None] * len(values)
    assert [value in index for value in values] == [False] * len(values)
    assert [verdict["notes"] for verdict in doiscan.check(values)] == [["several-dois"]] * len(values)


def test_a_damaged_or_missing_index_is_an_error(known: pathlib.Path, tmp_path: pathlib.Path) -> None:
    bad = tmp_path / "bad.doix"
    content = bytearray(known.read_bytes())
    content[len(content) // 2] ^= 4
    bad.write_bytes(content)
    with pytest.raises(doiscan.InputError, match="damaged"):
        doiscan.Index(bad).known(NAMES)
    with pytest.raises(doiscan.InputError, match="No such file"):
        doiscan.Index(tmp_path / "none")
    # One sound index does not hide the damage of another.
    with pytest.raises(doiscan.InputError):
        doiscan.Index(known, bad).known(["10.1000/999"])


def test_a_scan_takes_known_names(known: pathlib.Path, tmp_path: pathlib.Path) -> None:
    text = tmp_path / "t.txt"
    text.write_text("see 10.1000/182.The and 10.1000/x")
    unknown = tmp_path / "u.parquet"
    report = doiscan.scan(text, known=known, unknown=unknown)
    assert list(report) == ["10.1000/182", "10.1000/X"]
    assert (report.stats["unknown"], report.stats["unknown_dois"]) == (1, 1)
    assert report.rows("unknown").to_table().column("doi").to_pylist() == ["10.1000/X"]
    assert list(doiscan.scan(text, known=[known], unknown="reject")) == ["10.1000/182"]
