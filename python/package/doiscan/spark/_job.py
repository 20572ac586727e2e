"""A whole scan as a job of Spark."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import Any, Literal, TypeAlias

from .. import _doiscan
from .._errors import InputError, InternalError
from .._lists import StrPath
from .._scan import Paths, paths_of
from ._store import make_folder, replacing
from ._units import Options, Unit, add, plan, scan_unit

SparkSession: TypeAlias = Any
RecordBatch: TypeAlias = Any

_UNITS = "index long, path string, size long, start long, end long, notation int"
_NAMES = "doi binary, record string"
_PARTS = "rows long, bytes long, record string"


def scan(
    spark: SparkSession,
    inputs: Paths,
    *,
    output: StrPath,
    partitions: int | None = None,
    unit_size: int = 64 * 1024 * 1024,
    case: Literal["upper", "lower"] = "upper",
    strict: bool = False,
    max_length: int = 2048,
    memory: str = "512M",
) -> dict[str, Any]:
    """Find every DOI in files and folders and write one sorted list as the parts of a folder.

    The files `part-*` of `output`, one after the other in the order of their names, are the bytes that
    `doiscan scan` writes. `_doiscan.json` has the figures and the problems, which are also returned, and
    `_SUCCESS` is written last. `output` must not exist or be empty.

    Plain files are cut into units of `unit_size` bytes, and tar archives between members; every other
    file is one unit. A task reads a unit with `memory` for its names. `partitions` is the number of tasks
    that scan, and the most parts of the list; Spark chooses by default.
    """
    target = os.fspath(output)
    paths = paths_of(inputs)
    if unit_size < 1 or (partitions is not None and partitions < 1):
        raise ValueError("unit_size and partitions: expected at least 1")
    units = plan(paths, unit_size)
    if not units:
        raise InputError(f"no input: {', '.join(paths)} contains no files")
    make_folder(target)
    options = Options(case=case, strict=strict, max_length=max_length, memory=memory)
    scanned = _spread(spark, units, partitions).mapInArrow(_scanner(options), _NAMES)
    # The partial aggregate of distinct() keeps repeats out of the shuffle.
    distinct = scanned.distinct()
    ranges = (partitions, "doi") if partitions is not None else ("doi",)
    ordered = distinct.repartitionByRange(*ranges).sortWithinPartitions("doi")
    parts = ordered.mapInArrow(_writer(target), _PARTS).collect()
    report = _report(units, parts)
    for name, text in (("_doiscan.json", json.dumps(report, indent=2) + "\n"), ("_SUCCESS", "")):
        with replacing(f"{target}/{name}", "driver") as file:
            file.write(text.encode())
    return report


def _spread(spark: SparkSession, units: list[Unit], partitions: int | None) -> Any:
    """The units as rows, dealt to partitions from the biggest on."""
    rows = [(u.index, u.path, u.size, u.start, u.end, u.notation) for u in units]
    frame = spark.createDataFrame(rows, _UNITS)
    return frame.repartition(min(len(units), partitions or len(units)), "index")


def _scanner(
    options: Options,
) -> Callable[[Iterable[RecordBatch]], Iterator[RecordBatch]]:
    """The work on the units of a task: names, and a record without a name for each unit."""

    def work(batches: Iterable[RecordBatch]) -> Iterator[RecordBatch]:
        pa = import_module("pyarrow")
        for batch in batches:
            for row in batch.to_pylist():
                for names, record in scan_unit(Unit(**row), options):
                    dois = pa.array(names if record is None else [None], pa.binary())
                    records = pa.array([record] * len(dois), pa.string())
                    yield pa.RecordBatch.from_arrays([dois, records], names=["doi", "record"])

    return work


def _writer(
    target: str,
) -> Callable[[Iterable[RecordBatch]], Iterator[RecordBatch]]:
    """Writes the names of a partition as a part of the list, and passes records on."""

    def work(batches: Iterable[RecordBatch]) -> Iterator[RecordBatch]:
        pa = import_module("pyarrow")
        context = import_module("pyspark").TaskContext.get()
        part, attempt = context.partitionId(), context.taskAttemptId()
        rows = size = 0
        records: list[str] = []
        with replacing(f"{target}/part-{part:05}", str(attempt)) as file:
            for batch in batches:
                dois = batch.column("doi")
                records.extend(batch.column("record").filter(dois.is_null()).to_pylist())
                names = dois.drop_null().to_pylist()
                text = b"".join(name + b"\n" for name in names)
                file.write(text)
                rows, size = rows + len(names), size + len(text)
        columns = [[rows, *([0] * len(records))], [size, *([0] * len(records))], [None, *records]]
        types = [pa.int64(), pa.int64(), pa.string()]
        arrays = [pa.array(column, kind) for column, kind in zip(columns, types, strict=True)]
        yield pa.RecordBatch.from_arrays(arrays, names=["rows", "bytes", "record"])

    return work


def _report(units: list[Unit], parts: Iterable[Any]) -> dict[str, Any]:
    """The figures of all units. A unit that is missing or twice there is a defect."""
    figures: dict[str, Any] = {}
    problems: list[dict[str, Any]] = []
    seen: list[int] = []
    distinct = size = 0
    for part in parts:
        distinct, size = distinct + part["rows"], size + part["bytes"]
        if part["record"] is not None:
            record = json.loads(part["record"])
            add(figures, record)
            problems.extend(record["problems"])
            seen.append(record["unit"])
    if sorted(seen) != list(range(len(units))):
        raise InternalError(f"internal error: {len(units)} units but {len(seen)} records")
    problems.sort(key=_place)
    return {
        "version": _doiscan.__version__,
        "complete": not problems,
        **figures,
        "distinct": distinct,
        "output_bytes": size,
        "problems": problems,
    }


def _place(problem: dict[str, Any]) -> tuple[str, str]:
    member = "" if problem["member"] is None else f"!{problem['member']}"
    return f"{problem['path']}{member}", problem["message"]
