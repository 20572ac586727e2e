"""The examples of README.md run and print what they say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"
EXAMPLES = re.findall(r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", README.read_text(), re.DOTALL)


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
    exec(compile(code, f"README.md, example {number + 1}", "exec"), {})
    assert capsys.readouterr().out.rstrip() == expected.rstrip()


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 5
