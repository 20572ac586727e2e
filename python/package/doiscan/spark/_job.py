"""A whole scan as a job of Spark, or of an engine with its DataFrames."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import Any, Literal, TypeAlias
from uuid import uuid4

from .. import _doiscan
from .._errors import InputError, InternalError
from .._lists import StrPath
from .._scan import Paths, paths_of
from . import _rows
from ._rows import RowFormat, TableWriter
from ._store import make_folder, replacing
from ._units import Options, Unit, add, plan, scan_unit, whole

SparkSession: TypeAlias = Any
DataFrame: TypeAlias = Any
RecordBatch: TypeAlias = Any
Task: TypeAlias = Callable[[Iterable[RecordBatch]], Iterator[RecordBatch]]

_UNITS = (
    "index long, path string, size long, start long, end long, kind string, tail long, head binary"
)
_PARTS = "part int, rows long, bytes long, first binary, last binary, record string"


def scan(
    spark: SparkSession,
    inputs: Paths,
    *,
    output: StrPath,
    counts: StrPath | None = None,
    hits: StrPath | None = None,
    rejects: StrPath | None = None,
    row_format: RowFormat = "parquet",
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

    `counts`, `hits` and `rejects` are folders for the tables that `doiscan scan` writes with `--counts`,
    `--hits` and `--rejects`, with the same rows in the same order. With `row_format="csv"` their parts,
    one after the other, are the bytes of the command.

    Files of more than `unit_size` bytes are cut where their format permits. A task reads a unit with
    `memory` for its names. `partitions` is the number of tasks that scan; Spark chooses by default.
    """
    target = os.fspath(output)
    paths = paths_of(inputs)
    if unit_size < 1 or (partitions is not None and partitions < 1):
        raise ValueError("unit_size and partitions: expected at least 1")
    if row_format not in ("parquet", "csv"):
        raise ValueError(f"row_format: expected parquet or csv, not {row_format!r}")
    named = {"counts": counts, "hits": hits, "rejects": rejects}
    folders = {name: os.fspath(path) for name, path in named.items() if path is not None}
    units = plan(paths, unit_size, is_unique=counts is not None)
    if not units:
        raise InputError(f"no input: {', '.join(paths)} contains no files")
    for folder in (target, *folders.values()):
        make_folder(folder)
    options = Options(
        case=case,
        strict=strict,
        max_length=max_length,
        memory=memory,
        counts=counts is not None,
        hits=hits is not None,
        rejects=rejects is not None,
    )
    scanned = _Scanned(spark, units, options, partitions)
    frame, records = scanned.settled()
    order = _Order(spark)
    parts, found = _write_list(frame, target, order)
    report = _report(scanned.units, [*records, *found], parts)
    for name, folder in folders.items():
        _write_rows(frame, name, folder, row_format, report, order)
    scanned.release()
    _finish(target, "_doiscan.json", json.dumps(report, indent=2) + "\n")
    for folder in (*folders.values(), target):
        _finish(folder, "_SUCCESS", "")
    return report


def _finish(folder: str, name: str, text: str) -> None:
    with replacing(f"{folder}/{name}", "driver") as file:
        file.write(text.encode())


class _Scanned:
    """The rows of all units."""

    def __init__(
        self, spark: SparkSession, units: list[Unit], options: Options, partitions: int | None
    ) -> None:
        self._spark, self._options, self._partitions = spark, options, partitions
        self._columns = _rows.columns(options)
        self._kept: list[DataFrame] = []
        self.units = units

    def settled(self) -> tuple[DataFrame, list[dict[str, Any]]]:
        """The rows, and the records of units unless they are among the rows.

        The records are needed before the rows if they tell where the parts of an input begin, or
        whether they are parts. The rows are kept on disk meanwhile, where the engine can.
        """
        frame = self._scan(self.units)
        has_rows = len(self._columns) > 3
        if not has_rows and all(unit.kind != "members" for unit in self.units):
            return frame, []
        frame = self._keep(frame)
        records = _records(frame)
        moves, broken = _moves(self.units, records)
        if moves or broken:
            frame = frame.mapInArrow(_mover(moves, broken), _rows.schema(self._columns))
        if broken:
            # A scan of the whole file reports the damage, and knows which members count.
            files = sorted({(unit.path, unit.size) for unit in self.units if unit.index in broken})
            again = [whole(len(self.units) + at, *file) for at, file in enumerate(files)]
            rescanned = self._keep(self._scan(again))
            records = [record for record in records if record["unit"] not in broken]
            records += _records(rescanned)
            self.units = [unit for unit in self.units if unit.index not in broken] + again
            frame = frame.union(rescanned)
        return frame.where("record is null"), records

    def release(self) -> None:
        """Frees what was kept."""
        for frame in self._kept:
            frame.unpersist()

    def _scan(self, units: list[Unit]) -> DataFrame:
        rows = [(u.index, u.path, u.size, u.start, u.end, u.kind, u.tail, u.head) for u in units]
        frame = self._spark.createDataFrame(rows, _UNITS)
        count = min(len(units), self._partitions or len(units))
        schema = _rows.schema(self._columns)
        return frame.repartition(count, "index").mapInArrow(_scanner(self._options), schema)

    def _keep(self, frame: DataFrame) -> DataFrame:
        level = import_module("pyspark.storagelevel").StorageLevel.DISK_ONLY
        self._kept.append(frame.persist(level))
        return self._kept[-1]


def _scanner(options: Options) -> Task:
    """The work on the units of a task."""

    def work(batches: Iterable[RecordBatch]) -> Iterator[RecordBatch]:
        for batch in batches:
            for row in batch.to_pylist():
                yield from scan_unit(Unit(**row), options)

    return work


def _records(frame: DataFrame) -> list[dict[str, Any]]:
    rows = frame.where("record is not null").select("record").collect()
    return [json.loads(row["record"]) for row in rows]


def _moves(
    units: list[Unit], records: list[dict[str, Any]]
) -> tuple[dict[int, tuple[int, int]], set[int]]:
    """What to add to offsets and lines of a unit, and the units of files that were cut wrongly."""
    of_unit = {record["unit"]: record for record in records}
    files: dict[str, list[Unit]] = defaultdict(list)
    for unit in units:
        if unit.is_shared:
            files[unit.path].append(unit)
    moves: dict[int, tuple[int, int]] = {}
    broken: set[int] = set()
    for parts in files.values():
        lines = length = end = 0
        parts.sort(key=lambda unit: unit.start)
        for unit in parts:
            record = of_unit[unit.index]
            if unit.kind == "text":
                moves[unit.index] = 0, lines
            elif record["begin"] is not None:
                if record["begin"] != end or record["length"] is None:
                    end = -1
                    break
                moves[unit.index] = length - record["zero"], lines
                length, end = length + record["length"], record["end"]
            lines += record.get("lines", 0)
        if parts[0].kind == "members" and end != parts[0].size:
            broken.update(unit.index for unit in parts)
    return {unit: move for unit, move in moves.items() if any(move)}, broken


def _mover(moves: dict[int, tuple[int, int]], dropped: set[int]) -> Task:
    """Counts offsets and lines from the begin of the input, and leaves out the rows of some units."""

    def work(batches: Iterable[RecordBatch]) -> Iterator[RecordBatch]:
        pa, pc = import_module("pyarrow"), import_module("pyarrow.compute")
        for batch in batches:
            units = batch.column("unit")
            if dropped:
                kept = pc.invert(pc.is_in(units, value_set=pa.array(sorted(dropped), pa.int32())))
                batch = batch.filter(kept)
                units = batch.column("unit")
            if "offset" in batch.schema.names and batch.num_rows > 0:
                found = [moves.get(unit, (0, 0)) for unit in units.to_pylist()]
                for at, name in enumerate(("offset", "line")):
                    added = pa.array([move[at] for move in found], pa.int64())
                    index = batch.schema.get_field_index(name)
                    batch = batch.set_column(index, name, pc.add(batch.column(name), added))
            yield batch

    return work


class _Order:
    """How rows are sorted over all partitions.

    An engine may leave out a sort whose result goes to a function, because DataFrames have no order.
    Spark keeps it. Where it is left out, as by Sail, one task sorts all rows.
    """

    def __init__(self, spark: SparkSession) -> None:
        # Only Spark itself has a session that is not of Spark Connect.
        is_spark = ".connect." not in f"{type(spark).__module__}."
        self._is_kept = is_spark or _is_sort_kept(spark)

    def sorted(self, frame: DataFrame, keys: list[str]) -> DataFrame:
        """Rows in partitions that follow one another, with the number of their partition."""
        functions = import_module("pyspark.sql.functions")
        rows = frame.sort(*keys) if self._is_kept else frame.repartition(1)
        return rows.select(functions.spark_partition_id().alias("part"), "*")

    def task(self, keys: list[str], work: Task) -> Task:
        """Work on the rows of a partition in their order."""
        if self._is_kept:
            return work

        def sort_first(batches: Iterable[RecordBatch]) -> Iterator[RecordBatch]:
            rows = list(batches)
            if rows:
                table = import_module("pyarrow").Table.from_batches(rows)
                rows = table.sort_by([(key, "ascending") for key in keys]).to_batches()
            yield from work(rows)

        return sort_first


def _is_sort_kept(spark: SparkSession) -> bool:
    """Whether a function receives sorted rows in their order. Asks the engine with a few rows."""

    def is_sorted(batches: Iterable[RecordBatch]) -> Iterator[RecordBatch]:
        pa = import_module("pyarrow")
        rows = [number for batch in batches for number in batch.column("number").to_pylist()]
        yield pa.RecordBatch.from_arrays([pa.array([rows == sorted(rows)])], names=["is_sorted"])

    numbers = spark.createDataFrame([(number * 37 % 64,) for number in range(64)], "number long")
    found = numbers.repartition(4).sort("number").mapInArrow(is_sorted, "is_sorted boolean").collect()
    return all(row["is_sorted"] for row in found)


def _write_list(
    frame: DataFrame, target: str, order: _Order
) -> tuple[dict[str, int], list[dict[str, Any]]]:
    """Writes the list, and returns its figures and the records among the rows."""
    rows = frame.where("kind = 'name' or kind = 'count'") if "kind" in frame.columns else frame
    # The partial aggregate of distinct() keeps repeats out of the shuffle.
    ordered = order.sorted(rows.select("doi", "record").distinct(), ["doi"])
    parts = _collected(ordered.mapInArrow(order.task(["doi"], _list_writer(target)), _PARTS))
    if not any(part["rows"] for part in parts):
        _finish(target, "part-00000", "")
    found = [json.loads(part["record"]) for part in parts if part["record"] is not None]
    figures = {name: sum(part[name] for part in parts) for name in ("rows", "bytes")}
    return figures, found


def _collected(frame: DataFrame) -> list[Any]:
    """The parts that were written. An engine whose partitions are not in order is a defect."""
    parts: list[Any] = frame.collect()
    written = sorted((part for part in parts if part["first"] is not None), key=lambda p: int(p["part"]))
    for part, following in zip(written, written[1:]):
        if bytes(part["last"]) > bytes(following["first"]):
            raise InternalError("internal error: the engine has not sorted the rows over all partitions")
    return parts


def _list_writer(target: str) -> Task:
    """Writes the names of a partition as a part of the list, and passes records on."""

    def work(batches: Iterable[RecordBatch]) -> Iterator[RecordBatch]:
        rows = size = 0
        part = first = last = None
        records: list[str] = []
        with _File(target, "") as file:
            for batch in batches:
                dois = batch.column("doi")
                records.extend(batch.column("record").filter(dois.is_null()).to_pylist())
                names = dois.drop_null().to_pylist()
                if names:
                    part = batch.column("part")[0].as_py()
                    text = b"".join(name + b"\n" for name in names)
                    file.opened(part).write(text)
                    rows, size = rows + len(names), size + len(text)
                    first, last = names[0] if first is None else first, names[-1]
        yield _part_rows(part, (rows, size), (first, last), records)

    return work


def _part_rows(
    part: int | None, figures: tuple[int, int], ends: tuple[Any, Any], records: list[str]
) -> RecordBatch:
    """A row for a part that was written, and one for each record."""
    pa = import_module("pyarrow")
    none = [None] * len(records)
    zeros = [0] * len(records)
    columns = [
        pa.array([part, *none], pa.int32()),
        pa.array([figures[0], *zeros], pa.int64()),
        pa.array([figures[1], *zeros], pa.int64()),
        pa.array([ends[0], *none], pa.binary()),
        pa.array([ends[1], *none], pa.binary()),
        pa.array([None, *records], pa.string()),
    ]
    return pa.RecordBatch.from_arrays(
        columns, names=["part", "rows", "bytes", "first", "last", "record"]
    )


class _File:
    """The file of a part, made with its first row. It is put in place when it is complete."""

    def __init__(self, folder: str, suffix: str, first: int = 0) -> None:
        self._folder, self._suffix, self._first = folder, suffix, first
        self._context: Any = None
        self._file: Any = None

    def opened(self, part: int) -> Any:
        """The file."""
        if self._context is None:
            path = f"{self._folder}/part-{part + self._first:05}{self._suffix}"
            self._context = replacing(path, uuid4().hex)
            self._file = self._context.__enter__()
        return self._file

    def __enter__(self) -> _File:
        return self

    def __exit__(self, *error: Any) -> None:
        if self._context is not None:
            self._context.__exit__(*error)


def _write_rows(
    frame: DataFrame, name: str, folder: str, form: RowFormat, report: dict[str, Any], order: _Order
) -> None:
    """Writes one of the tables, and checks its sums."""
    functions = import_module("pyspark.sql.functions")
    if name == "counts":
        names, key = _rows.COUNTS, ["doi"]
        rows = _counted(frame.where("kind = 'count'"), functions)
    else:
        names = _rows.HITS if name == "hits" else _rows.REJECTS
        key = ["doi", "place", "offset"] if name == "hits" else ["place", "offset"]
        rows = frame.where(f"kind = '{name[:-1]}'")
    ordered = order.sorted(rows.select(*dict.fromkeys([*key, *names.values()])), key)
    write = order.task(key, _table_writer(folder, names, key[0], form))
    parts = _collected(ordered.mapInArrow(write, _PARTS))
    if form == "csv":
        _finish(folder, "part-00000.csv", _rows.header(names).decode())
    expected = {"counts": "distinct", "hits": "accepted", "rejects": "rejected_total"}[name]
    if (found := sum(part["rows"] for part in parts)) != report[expected]:
        raise InternalError(f"internal error: {found} rows of {name}, but {report[expected]} {expected}")


def _counted(rows: DataFrame, functions: Any) -> DataFrame:
    """A row for each DOI from those of all units."""
    first = functions.min(functions.struct("place", "offset", "input", "raw", "name")).alias("first")
    number = functions.sum("number").alias("number")
    # Parts of one input are one input.
    of_owner = rows.groupBy("doi", "owner").agg(number, functions.max("inputs").alias("inputs"), first)
    of_doi = of_owner.groupBy("doi").agg(
        functions.sum("number").alias("number"),
        functions.sum("inputs").alias("inputs"),
        functions.min("first").alias("first"),
    )
    return of_doi.select("doi", "number", "inputs", "first.*")


def _table_writer(folder: str, names: dict[str, str], key: str, form: RowFormat) -> Task:
    """Writes the rows of a partition as a part of a table. The header of CSV is a part of its own."""

    def work(batches: Iterable[RecordBatch]) -> Iterator[RecordBatch]:
        pa = import_module("pyarrow")
        rows = 0
        part = first = last = None
        with _File(folder, f".{form}", 1 if form == "csv" else 0) as file:
            writer: TableWriter | None = None
            for batch in batches:
                if batch.num_rows > 0:
                    part, keys = batch.column("part")[0].as_py(), batch.column(key)
                    columns = [batch.column(ours) for ours in names.values()]
                    writer = writer or TableWriter(file.opened(part), names, form)
                    writer.write(pa.RecordBatch.from_arrays(columns, names=list(names)))
                    rows += batch.num_rows
                    first, last = keys[0].as_py() if first is None else first, keys[-1].as_py()
            if writer is not None:
                writer.close()
        yield _part_rows(part, (rows, 0), (first, last), [])

    return work


def _report(
    units: list[Unit], records: Iterable[dict[str, Any]], written: dict[str, int]
) -> dict[str, Any]:
    """The figures of all units. A unit that is missing or counted twice is a defect."""
    figures: dict[str, Any] = {}
    problems: list[dict[str, Any]] = []
    seen: list[int] = []
    for record in records:
        add(figures, record)
        problems.extend(record["problems"])
        seen.append(record["unit"])
    if sorted(seen) != sorted(unit.index for unit in units):
        raise InternalError(f"internal error: {len(units)} units but {len(seen)} records")
    problems.sort(key=_place)
    return {
        "version": _doiscan.__version__,
        "complete": not problems,
        **figures,
        "distinct": written["rows"],
        "output_bytes": written["bytes"],
        "problems": problems,
    }


def _place(problem: dict[str, Any]) -> tuple[str, str]:
    member = "" if problem["member"] is None else f"!{problem['member']}"
    return f"{problem['path']}{member}", problem["message"]
