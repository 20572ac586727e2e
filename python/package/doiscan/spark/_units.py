"""Units of work: parts of plain files and of tar archives, and whole files of every other kind."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import islice, repeat
from typing import Any, TypedDict

from .. import _doiscan
from .._errors import IncompleteWarning
from .._scan import scan as scan_files
from . import _tar
from ._store import Reader, as_local, as_local_part, files

# Bytes that are searched at a time.
_WINDOW = 8 * 1024 * 1024
# Names that are handed on at a time.
_NAMES = 64 * 1024
# Files that the planner looks at side by side.
_LOOKS = 16
# Last bytes of a file that tell an archive.
_TAIL = 22


class Options(TypedDict):
    """How the units are scanned."""

    case: str
    strict: bool
    max_length: int
    memory: str


@dataclass(frozen=True)
class Unit:
    """A part of a file, or all of it."""

    index: int
    path: str
    size: int
    start: int
    end: int
    notation: int | None
    """The notation of a plain file; `None` for a file, or members of an archive, read as a whole."""


def plan(inputs: Iterable[str], unit_size: int) -> list[Unit]:
    """The units of all files, the biggest first."""
    found = sorted({path: size for one in inputs for path, size in files(one)}.items())
    with ThreadPoolExecutor(_LOOKS) as pool:
        paths, sizes = (path for path, _ in found), (size for _, size in found)
        looks = list(pool.map(_look, paths, sizes, repeat(unit_size)))
    parts = [
        (path, size, start, end, notation)
        for (path, size), (notation, ranges) in zip(found, looks, strict=True)
        for start, end in ranges
    ]
    parts.sort(key=lambda part: (part[2] - part[3], part[0], part[2]))
    return [Unit(index, *part) for index, part in enumerate(parts)]


def _look(path: str, size: int, unit_size: int) -> tuple[int | None, list[tuple[int, int]]]:
    """The notation of a file that can be cut at any byte, and its parts."""
    head_len = _doiscan.margins()[2]
    with Reader(path) as file:
        head = file.range(0, min(size, head_len))
        notation = _doiscan.probe(path, head, file.range(max(0, size - _TAIL), size))
        if notation is not None:
            return notation, list(_parts(size, unit_size))
        return None, _tar.parts(file, size, unit_size) or [(0, size)]


def _parts(size: int, unit_size: int) -> Iterator[tuple[int, int]]:
    """Ranges of at most `unit_size` bytes; one for an empty file, which is counted too."""
    for start in range(0, max(size, 1), max(unit_size, 1)):
        yield start, min(start + unit_size, size)


def scan_unit(unit: Unit, options: Options) -> Iterator[tuple[list[bytes], str | None]]:
    """The names of a unit in parts, and at the end the record of what was seen in it."""
    scanned = _range(unit, unit.notation, options) if unit.notation is not None else None
    yield from scanned if scanned is not None else _whole(unit, options)


def _range(
    unit: Unit, notation: int, options: Options
) -> Iterator[tuple[list[bytes], str | None]]:
    behind, ahead, _ = _doiscan.margins(options["max_length"])
    sums: dict[str, Any] = {}
    with Reader(unit.path) as file:
        for start in range(unit.start, max(unit.end, unit.start + 1), _WINDOW):
            end = min(start + _WINDOW, unit.end)
            begin = max(0, start - behind)
            window = file.range(begin, min(unit.size, end + ahead))
            names, record = _doiscan.scan_range(
                window,
                start - begin,
                end - begin,
                notation,
                is_first=start == 0,
                is_lower=options["case"] == "lower",
                strict=options["strict"],
                max_length=options["max_length"],
            )
            add(sums, json.loads(record))
            yield names.to_pylist(), None
    yield [], json.dumps({"unit": unit.index, "problems": [], **sums})


def _whole(unit: Unit, options: Options) -> Iterator[tuple[list[bytes], str | None]]:
    with _local(unit) as local:
        with warnings.catch_warnings():
            # Problems are in the record.
            warnings.simplefilter("ignore", IncompleteWarning)
            report = scan_files(
                local,
                case="lower" if options["case"] == "lower" else "upper",
                strict=options["strict"],
                max_length=options["max_length"],
                memory=options["memory"],
                allow_empty=True,
                threads=1,
                progress=False,
            )
        with open(report.path, "rb") as file:
            while lines := list(islice(file, _NAMES)):
                yield [line.rstrip(b"\n") for line in lines], None
        problems = [{**vars(problem), "path": unit.path} for problem in report.problems]
        sums: dict[str, Any] = {}
        add(sums, report.stats)
        yield [], json.dumps({"unit": unit.index, "problems": problems, **sums})


def _local(unit: Unit) -> AbstractContextManager[str]:
    """A file with what is to be read: some members of an archive are one themselves."""
    if (unit.start, unit.end) == (0, unit.size):
        return as_local(unit.path)
    return as_local_part(unit.path, unit.start, unit.end, b"" if unit.end == unit.size else _tar.END)


_SUMS = ("files", "bytes", "bytes_lost", "candidates", "accepted", "rejected_total", "problems_omitted")
_TABLES = ("rejected", "repaired")


def add(sums: dict[str, Any], record: dict[str, Any]) -> None:
    """Adds the figures of a record that can be added up."""
    for name in _SUMS:
        sums[name] = sums.get(name, 0) + record[name]
    for name in _TABLES:
        table = sums.setdefault(name, {})
        for key, count in record[name].items():
            table[key] = table.get(key, 0) + count
