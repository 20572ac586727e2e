"""The package in a notebook."""

from __future__ import annotations

from pathlib import Path

import nbclient
import nbformat

CELLS = [
    """
from pathlib import Path
import doiscan
_ = Path("dump.txt").write_text("doi:10.1000/182 and doi:10.1000/183")
doiscan.check(["10.1000/182", "10.1000"])
""",
    """
report = doiscan.scan("dump.txt")
len(report)
""",
    """
try:
    doiscan.scan("dump.txt", output="list.txt", fail_on="distinct < 100")
except doiscan.ListRefused as refused:
    print(refused)
""",
]


def test_a_notebook_shows_tables_a_bar_and_errors(tmp_path: Path) -> None:
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    table, scan, refused = (cell["outputs"] for cell in notebook["cells"])
    assert "<th>reason</th>" in table[-1]["data"]["text/html"]
    assert scan[-1]["data"]["text/plain"] == "2"
    # The bar: tqdm draws it on standard error if the notebook has no widgets.
    assert any("DOIs" in output.get("text", "") or "data" in output for output in scan[:-1])
    printed = [output["text"] for output in refused if output.get("name") == "stdout"]
    assert len(printed) == 1 and "distinct < 100" in printed[0], refused
