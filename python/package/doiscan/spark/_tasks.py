"""How work becomes tasks of an engine."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias
from zipimport import zipimporter

# Neither pyspark nor pyarrow is needed to import doiscan.
DataFrame: TypeAlias = Any
RecordBatch: TypeAlias = Any
Task: TypeAlias = Callable[[Iterable[RecordBatch]], Iterator[RecordBatch]]


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
