"""How work becomes tasks of an engine."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias
from zipimport import zipimporter

from .._errors import Error

# Neither pyspark nor pyarrow is needed to import doiscan.
DataFrame: TypeAlias = Any
RecordBatch: TypeAlias = Any
Task: TypeAlias = Callable[[Iterable[RecordBatch]], Iterator[RecordBatch]]


# Sessions whose workers have doiscan.
_prepared: set[str] = set()


def prepare(spark: Any) -> None:
    """Checks once for a session, with one task, that its workers can run doiscan.

    Workers of a local master use this interpreter, unless `PYSPARK_PYTHON` or `spark.pyspark.python` names
    another. Raises `Error` with the remedy. Engines without a SparkContext are not checked.
    """
    try:
        context = spark.sparkContext
        name = context.applicationId
    except Exception:
        return
    if name in _prepared:
        return
    chosen = os.environ.get("PYSPARK_PYTHON") or context.getConf().get("spark.pyspark.python")
    if context.master.startswith("local") and not chosen:
        context.pythonExec = sys.executable
    try:
        mapped(spark.range(1), _nothing, "id long").collect()
    except Exception as error:
        raise Error(_remedy(str(error), context.pythonExec)) from None
    _prepared.add(name)


def _nothing(batches: Iterable[RecordBatch]) -> Iterator[RecordBatch]:
    yield from batches


def _remedy(said: str, python: str) -> str:
    """What to do about the end of a task, in one sentence instead of its traces."""
    missing = re.search(r"No module named '(\w+)", said)
    if missing:
        return (
            f"the Python of the workers, {python}, has no {missing[1]}: run `{python} -m pip install"
            " 'doiscan[spark]'` on every worker, or name another interpreter in PYSPARK_PYTHON"
        )
    if "Cannot run program" in said:
        return f"the workers have no {python}: name their interpreter in PYSPARK_PYTHON"
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return f"the workers cannot run Python tasks: {lines[-1] if lines else 'no reason was given'}"


def mapped(frame: DataFrame, work: Task, schema: Any) -> DataFrame:
    """The rows that `work` makes of each partition of `frame`."""

    def task(batches: Iterable[RecordBatch]) -> Iterator[RecordBatch]:
        yield from work(batches)
        _forget_archives()

    return frame.mapInArrow(task, schema)


def _forget_archives() -> None:
    """Removes the importers of archives from Python's cache of importers.

    PySpark calls `importlib.invalidate_caches` before each task. Every importer of an archive in that
    cache then reads the archive's directory again, in Python code, and there is one for each package:
    for `pyspark.zip` 0.2 s altogether, as long as a task takes to scan 50 MB. An importer that is made
    anew uses the directory read before.
    """
    for path, importer in list(sys.path_importer_cache.items()):
        if isinstance(importer, zipimporter):
            del sys.path_importer_cache[path]
