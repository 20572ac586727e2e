"""The examples of README.md, docs/start.md and docs/duckdb-polars.md run and print what they say."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

import pytest

PYTHON = Path(__file__).parents[1]
PAGES = (PYTHON / "README.md", PYTHON.parent / "docs" / "start.md")
EXAMPLE = re.compile(r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", re.DOTALL)
EXAMPLES = [found for page in PAGES for found in EXAMPLE.findall(page.read_text())]


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_examples(
    number: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, expected = EXAMPLES[number]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dump.jsonl").write_text('{"DOI": "10.1000\\/182"}\n{"DOI": "10.1000\\/183"}\n')
    exec(compile(code, f"example {number + 1}", "exec"), {})
    assert capsys.readouterr().out.rstrip() == expected.rstrip()


def test_a_page_of_recipes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(PYTHON.parent / "testdata" / "sample", tmp_path / "exports")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    recipes = EXAMPLE.findall((PYTHON.parent / "docs" / "duckdb-polars.md").read_text())
    names: dict[str, object] = {}
    for number, (code, expected) in enumerate(recipes):
        exec(compile(code, f"recipe {number + 1}", "exec"), names)
        assert capsys.readouterr().out.rstrip() == expected.rstrip(), code
    assert len(recipes) > 5


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 5
