"""The examples of README.md and docs/start.md run and print what they say."""

from __future__ import annotations

import re
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


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 5
