"""The package gives the answers of the command, for texts and values of all shapes."""

from __future__ import annotations

import json
import subprocess
from collections import defaultdict
from pathlib import Path
from typing import Any, get_args

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import run

import doiscan
from doiscan._columns import Form, Notation

NAMES = [
    "10.1000/182",
    "10.1000/abc.def",
    "10.1002/(SICI)1097-4571(199806)49:8<693::AID-ASI4>3.0.CO;2-O",
    "10.1016/S0140-6736(05)12345-6",
    "10.12/x",
    "10.10.1000/abc",
    "10.5240/7791-8534-2C23-9030-8610-6",
    "10.1002/tdm_license_1.1",
    "10.1930/31",
    "10.1000/é",
    "10.1000/456#789",
    "10.1000/a;b,c",
    "10.1101/656678v1.full",
    "10/f77",
    "10.1016/j.",
]
SHAPES = [
    "{}",
    " doi:{} ",
    "https://doi.org/{}?nosfx=y#top",
    "see {}, or DOI {}.",
    "https://example.org/doi/abs/{};jsessionid=1A2B.node1?x=y",
    "{}%3Bjsessionid=1A2B",
    "[{}](https://doi.org/{})",
    '{{"DOI":"{}","URL":"https:\\/\\/doi.org\\/{}"}}',
    "<doi>{}</doi>",
    "urn:doi:{}",
    "{};10.1000/zz",
    "{}\n10.1000/zz.",
    'a,{},"{}"',
    "1. Author. {}\r\n2. Other.",
    "{}/full.pdf",
    "\ufeff{}\u00a0",
]
TEXTS = [shape.replace("{{", "{").replace("}}", "}").replace("{}", name) for shape in SHAPES for name in NAMES]
BYTES = [text.encode() for text in TEXTS]

Found = list[tuple[str, int, int]]


def test_there_are_enough_texts() -> None:
    assert len(set(TEXTS)) >= 200


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file for each text."""
    folder = tmp_path_factory.mktemp("texts")
    for number, text in enumerate(BYTES):
        (folder / str(number)).write_bytes(text)
    return folder


def scanned(command: str, folder: Path, *options: str) -> list[list[dict[str, Any]]]:
    """The hits of `doiscan scan` in each file of a folder, in order."""
    rows = folder.with_name(f"{folder.name}.parquet")
    run(command, "scan", "-q", folder, "-o", rows.with_suffix(".txt"), "--hits", rows, *options)
    found: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in pq.read_table(rows).to_pylist():
        found[int(Path(row["input"].partition("!")[0]).stem)].append(row)
    return [sorted(found[number], key=lambda row: int(row["offset"])) for number in range(len(TEXTS))]


def places(hits: list[dict[str, Any]]) -> Found:
    return [(hit["doi"], hit["offset"], hit["offset"] + hit["length"]) for hit in hits]


def columns(values: list[Any], notation: Notation) -> list[Found]:
    """The DOIs that `find_all` returns for each value."""
    found = doiscan.find_all(values, notation=notation).to_pylist()
    return [[(match["doi"], match["start"], match["end"]) for match in row] for row in found]


@pytest.mark.parametrize("strict", [False, True])
def test_find_gives_the_matches_of_a_scan(command: str, files: Path, strict: bool) -> None:
    options = ["--strict"] if strict else []
    for text, hits in zip(BYTES, scanned(command, files, *options), strict=True):
        found = doiscan.find(text, strict=strict)
        assert [(match.doi, match.start, match.end) for match in found] == places(hits), text
        assert [",".join(match.repairs) for match in found] == [hit["repairs"] for hit in hits], text


@pytest.mark.parametrize("notation", ["text", "csv", "tsv", "list"])
def test_find_all_gives_the_matches_of_a_scan(command: str, files: Path, notation: Notation) -> None:
    hits = scanned(command, files, f"--format={notation}")
    for text, ours, theirs in zip(BYTES, columns(BYTES, notation), hits, strict=True):
        assert ours == places(theirs), text


def test_find_all_reads_a_value_of_one_line_as_one_of_a_parquet_file(command: str, tmp_path: Path) -> None:
    folder = tmp_path / "columns"
    folder.mkdir()
    for number, text in enumerate(TEXTS):
        pq.write_table(pa.table({"value": [text]}), folder / f"{number}.parquet")
    for text, found, hits in zip(TEXTS, columns(TEXTS, "auto"), scanned(command, folder), strict=True):
        if "\n" not in text:
            assert [doi for doi, _, _ in found] == [hit["doi"] for hit in hits], text


@pytest.mark.parametrize("notation", ["auto", "text", "value", "csv", "tsv", "list"])
def test_matches_do_not_overlap(notation: Notation) -> None:
    for text, found in zip(TEXTS, columns(TEXTS, notation), strict=True):
        ends = [0, *(end for _, _, end in found)]
        assert all(end <= start for end, (_, start, _) in zip(ends, found)), text


def test_no_match_has_the_session_of_an_address() -> None:
    for text, found in zip(TEXTS, columns(TEXTS, "text"), strict=True):
        assert not any("JSESSIONID" in doi for doi, _, _ in found), text


def answers(command: str, folder: Path, *line: str) -> list[dict[str, Any]]:
    """The rows of a command for all texts as values of a field."""
    values = folder / "values.jsonl"
    values.write_text("".join(json.dumps({"value": text}) + "\n" for text in TEXTS))
    options = ["-q", "--field=value", "--keep-columns", "--output-format=jsonl", str(values)]
    done = subprocess.run([command, *line, *options], capture_output=True, text=True)
    return [json.loads(row) for row in done.stdout.splitlines()]


@pytest.mark.parametrize("strict", [False, True])
def test_check_and_normalize_give_the_verdicts_of_the_command(command: str, tmp_path: Path, strict: bool) -> None:
    rows = answers(command, tmp_path, "check", *(["--strict"] if strict else []))
    names = doiscan.normalize(TEXTS, strict=strict)
    for text, ours, name, theirs in zip(TEXTS, doiscan.check(TEXTS, strict=strict), names, rows, strict=True):
        # The command judges cells, whose blanks around the value are no part of it.
        if text == text.strip():
            assert ours == {key: theirs[f"check_{key}"] for key in ("valid", "doi", "reason", "notes")}, text
        assert name == (None if "several-dois" in ours["notes"] else ours["doi"]), text


@pytest.mark.parametrize("form", [form for form in get_args(Form) if not form.startswith("eidr")])
def test_convert_gives_the_forms_of_the_command(command: str, tmp_path: Path, form: Form) -> None:
    rows = answers(command, tmp_path, "convert", f"--to={form}")
    assert doiscan.convert(TEXTS, form).to_pylist() == [row["converted"] for row in rows]
