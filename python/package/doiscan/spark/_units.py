"""Units of work: parts of files that can be cut, and whole files of every other kind."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import pairwise, repeat
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

from .. import _doiscan
from .._flags import keywords
from . import _rows, _tar
from ._store import Reader, as_local, check_version, files, identity, is_remote
from ._unit import Options, Unit

RecordBatch: TypeAlias = Any

# Bytes in which line feeds are counted at a time.
_WINDOW = 8 * 1024 * 1024
# Files that the planner looks at side by side.
_LOOKS = 16
# Last bytes of a file that tell an archive.
_TAIL = 22
# First bytes of a compressed file, in which its second member is looked for.
_SECOND = 8 * 1024 * 1024
# Bytes after a unit in which members that follow it are looked for.
_MORE = 16 * 1024 * 1024
# Seconds between two looks at a running scan.
_PAUSE = 1.0


def plan(inputs: Iterable[str], unit_size: int, is_unique: bool = False) -> list[Unit]:
    """The units of all files, the largest first.

    If `is_unique`, no two units of an archive have members of the same name.
    """
    found: dict[object, tuple[str, int, str]] = {}
    for file in sorted(file for one in inputs for file in files(one)):
        found.setdefault(identity(file[0]), file)
    with ThreadPoolExecutor(_LOOKS) as pool:
        paths, sizes = (path for path, _, _ in found.values()), (size for _, size, _ in found.values())
        looks = list(pool.map(_look, paths, sizes, repeat(unit_size), repeat(is_unique)))
    parts = [
        (path, size, start, end, look.kind if len(look.ranges) > 1 else "whole", look.tail, look.head, version)
        for (path, size, version), look in zip(found.values(), looks, strict=True)
        for start, end in look.ranges
    ]
    parts.sort(key=lambda part: (part[2] - part[3], part[0], part[2]))
    return [Unit(index, *part) for index, part in enumerate(parts)]


def whole(index: int, path: str, size: int, version: str = "") -> Unit:
    """The unit of a file that is not cut."""
    return Unit(index, path, size, 0, size, "whole", 0, b"", version)


@dataclass(frozen=True)
class _Look:
    """How a file is cut."""

    kind: str
    ranges: list[tuple[int, int]]
    tail: int = 0
    head: bytes = b""


def _look(path: str, size: int, unit_size: int, is_unique: bool) -> _Look:
    uncut = _Look("whole", [(0, size)])
    if size <= unit_size:
        return uncut
    with Reader(path) as file:
        head = file.range(0, min(size, _doiscan.margins()[2]))
        kind = _doiscan.kind(path, head, file.range(max(0, size - _TAIL), size))
        if kind == "text":
            return _Look(kind, list(_even(size, unit_size)))
        if kind == "tar":
            return _Look(kind, _tar.parts(file, size, unit_size, is_unique) or [(0, size)])
        if kind in ("zip", "parquet"):
            tail = _tail(kind, file, size)
            with as_local(path, size, [(0, len(head)), (tail, size)]) as local:
                starts = _doiscan.cuts(local, unit_size, is_unique)
            return _Look(kind, list(pairwise([*starts, size])), tail) if starts else uncut
        if kind == "members":
            with as_local(path, size, [(0, _SECOND)]) as local:
                first = _doiscan.members_head(path, local)
            return _Look(kind, list(_even(size, unit_size)), 0, first) if first else uncut
    return uncut


def _even(size: int, unit_size: int) -> Iterator[tuple[int, int]]:
    """Ranges of at most `unit_size` bytes."""
    for start in range(0, size, max(unit_size, 1)):
        yield start, min(start + unit_size, size)


def _tail(kind: str, file: Reader, size: int) -> int:
    """Where the directory of a zip archive or the footer of a Parquet file begins, or before that."""

    def number(data: bytes, at: int, length: int) -> int:
        return int.from_bytes(data[at : at + length], "little")

    if kind == "parquet":
        return max(0, size - 8 - number(file.range(max(0, size - 8), size), 0, 4))
    # The end record, a comment of up to 64 KiB, and the ZIP64 records in front of it.
    last = file.range(max(0, size - _TAIL - 65_535 - 76), size)
    end = last.rfind(b"PK\5\6")
    length, at = number(last, end + 12, 4), size - len(last) + end
    large = last.rfind(b"PK\6\6", 0, max(end, 0))
    if large >= 0:
        length, at = number(last, large + 40, 8), size - len(last) + large
    return min(max(0, at - length), size - len(last))


def scan_unit(unit: Unit, options: Options, samples: int) -> Iterator[RecordBatch]:
    """The rows of a unit, and at the end the record of what was seen in it, with up to `samples` names."""
    begin = unit.index, _rows.columns(options)
    path = unit.path if is_remote(unit.path) else os.path.join(options["folder"], unit.path)
    if not is_remote(path) and not os.path.exists(path):
        message = "No such file or directory (os error 2)"
        if unit.size > 0:
            message += " on a worker; name files that every worker can read"
        problem = {"path": unit.path, "member": None, "offset": None, "code": "not-found", "message": message}
        yield _rows.of_record(*begin, json.dumps({"unit": unit.index, "problems": [problem]}))
        return
    with ExitStack() as stack:
        folder = stack.enter_context(TemporaryDirectory(prefix="doiscan-"))
        local = stack.enter_context(as_local(path, unit.size, _ranges(unit, options)))
        record: dict[str, Any] = {"unit": unit.index, "problems": []}
        part = None if unit.kind == "whole" else (unit.start, unit.end)
        if unit.kind == "members":
            source, local = local, os.path.join(folder, _inner_name(unit.path))
            part = _decode(unit, source, local, options, record)
            if part is None:
                check_version(unit.path, unit.version)
                yield _rows.of_record(*begin, json.dumps(record))
                return
        stats, notes = _run(local, part, folder, options)
        problems = [{**problem, "path": unit.path} for problem in stats.pop("problems")]
        notes = [(kind, message.replace(local, unit.path)) for kind, message in notes]
        record |= {"problems": problems, "notes": notes}
        add(record, stats)
        if part is not None and unit.has_lines and (options["hits"] or options["rejects"]):
            record["lines"] = _line_feeds(local, *part)
        # All that was read is of the version that is there before and after.
        check_version(unit.path, unit.version)
        sample = _rows.Sample()
        yield from _rows.of_unit(*begin, folder, _rows.Naming(unit, local), options, sample)
        record |= {"list_bytes": sample.size, "sample": sample.names(samples)}
        yield _rows.of_record(*begin, json.dumps(record))


def _ranges(unit: Unit, options: Options) -> list[tuple[int, int]] | None:
    """The bytes that are read to scan a unit."""
    if unit.kind == "whole":
        return None
    behind, ahead, head = _doiscan.margins(options["max_length"])
    after = {"text": ahead, "members": _MORE}.get(unit.kind, 0)
    start = max(0, unit.start - (behind if unit.kind == "text" else 0))
    ranges = [(0, head), (start, unit.end + after)]
    return [*ranges, (unit.tail, unit.size)] if unit.kind in ("zip", "parquet") else ranges


def _inner_name(path: str) -> str:
    return PurePosixPath(_doiscan.inner_name(path)).name


def _decode(
    unit: Unit, source: str, target: str, options: Options, record: dict[str, Any]
) -> tuple[int, int] | None:
    """Writes the content of the members of a unit to a file, and returns the part to scan.

    The unit owns what starts between 256 bytes after the begin of its first member and 256 bytes
    after the end of its last, so no member in front of it is needed. The first bytes of the input
    precede them, because they decide how it is scanned.
    """
    start, end, length = _doiscan.decode_members(
        source, unit.start, unit.end, unit.head, target, max_length=options["max_length"]
    )
    record |= {"begin": start, "end": end, "length": length, "lines": 0}
    if start is None or length is None:
        add(record, {})
        return None
    behind = _doiscan.margins()[0]
    head = 0 if start == 0 else len(unit.head)
    # What the rows call 0.
    record["zero"] = head
    size = os.path.getsize(target)
    return min(head + behind, size) if head else 0, min(head + length + behind, size)


def check_options(options: Options) -> None:
    """Raises `ValueError` if no scan takes these options."""
    with TemporaryDirectory(prefix="doiscan-") as folder:
        empty = os.path.join(folder, "empty")
        Path(empty).touch()
        try:
            _run(empty, None, folder, options)
        except ValueError as error:
            raise ValueError(keywords(str(error))) from None


def _run(
    path: str, part: tuple[int, int] | None, folder: str, options: Options
) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """Scans a file, or a part of it, into files of `folder`, and returns the record and the notes."""
    arguments = [
        f"--output={os.path.join(folder, _rows.list_name(options))}",
        f"--case={options['case']}",
        f"--max-length={options['max_length']}",
        f"--memory={options['memory']}",
        "--allow-empty",
        "--threads=1",
    ]
    arguments += options["limits"]
    arguments += ["--strict"] if options["strict"] else []
    arguments += ["--counts"] if options["counts"] else []
    arguments += [f"--hits={folder}/hits.parquet"] if options["hits"] else []
    arguments += [f"--rejects={folder}/rejects.parquet"] if options["rejects"] else []
    run = _doiscan.start([*arguments, "--", path], part)
    while not run.wait(_PAUSE):
        pass
    _, record, _, notes = run.finish()
    return json.loads(record), notes


def _line_feeds(path: str, start: int, end: int) -> int:
    with Reader(path) as file:
        windows = (file.range(at, min(at + _WINDOW, end)) for at in range(start, end, _WINDOW))
        return sum(window.count(b"\n") for window in windows)


_SUMS = ("files", "bytes", "bytes_lost", "candidates", "accepted", "rejected_total", "problems_omitted")
_TABLES = ("rejected", "repaired")


def add(sums: dict[str, Any], record: dict[str, Any]) -> None:
    """Adds the figures of a record that can be added up."""
    for name in _SUMS:
        sums[name] = sums.get(name, 0) + record.get(name, 0)
    for name in _TABLES:
        table = sums.setdefault(name, {})
        for key, count in record.get(name, {}).items():
            table[key] = table.get(key, 0) + count
