"""Sorted lists of DOIs, and what is made of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, Union

from . import _doiscan

if TYPE_CHECKING:
    # pyarrow has no types.
    RecordBatchReader: TypeAlias = Any

StrPath: TypeAlias = Union[str, "os.PathLike[str]"]


class DoiList:
    """A sorted list of distinct DOIs in a file.

    It is iterated in the order of the names, it is a path for `open`, `merge`, `diff` and `scan`, and a
    stream of record batches with the column `doi` for everything that takes Arrow:
    `polars.DataFrame(list)`. If it was written to no file of yours, the file is removed with the object.
    """

    def __init__(self, names: _doiscan.Names) -> None:
        self._names = names

    @property
    def path(self) -> Path:
        """The file."""
        return Path(self._names.path)

    def __fspath__(self) -> str:
        return os.fspath(self._names.path)

    def __len__(self) -> int:
        return len(self._names)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __bool__(self) -> bool:
        return True

    def dois(self) -> RecordBatchReader:
        """Stream the list as a `pyarrow.RecordBatchReader` with the column `doi`. Needs pyarrow."""
        return import_module("pyarrow").RecordBatchReader.from_stream(self)

    def __arrow_c_schema__(self) -> object:
        return self._names.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._names.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self)} DOIs in {self.path}>"


@dataclass(frozen=True)
class Diff:
    """What changed from one list to another."""

    added: DoiList
    """The DOIs that only the new list has."""
    removed: DoiList
    """The DOIs that only the old list has."""
    kept: int
    """How many DOIs both have."""


def merge(
    lists: Iterable[StrPath],
    *,
    operation: Literal["union", "intersection", "difference"] = "union",
    output: StrPath | None = None,
) -> DoiList:
    r"""Merge lists into one: their union, their intersection, or the first without the others.

    What is not a sorted list is sorted or scanned first: a folder, an archive, a table, a PDF. If a part of
    it cannot be read, `InputError` is raised; `scan` it, which says what, and merge the list.

    >>> import doiscan, pathlib
    >>> _ = pathlib.Path("a.txt").write_text("10.1000/A\n10.1000/B\n")
    >>> _ = pathlib.Path("b.txt").write_text("10.1000/B\n10.1000/C\n")
    >>> len(doiscan.merge(["a.txt", "b.txt"]))
    3
    >>> list(doiscan.merge(["a.txt", "b.txt"], operation="difference"))
    ['10.1000/A']
    """
    if isinstance(lists, (str, os.PathLike)):
        raise TypeError("lists: expected several paths, not one; put it in a list")
    # The objects are held until the end: their files may be temporary.
    held = list(lists)
    paths = [os.fspath(path) for path in held]
    target = None if output is None else os.fspath(output)
    return DoiList(_doiscan.merge(paths, operation, target))


def diff(old: StrPath, new: StrPath) -> Diff:
    r"""Compare two lists, or anything that `merge` takes.

    >>> import doiscan, pathlib
    >>> _ = pathlib.Path("old.txt").write_text("10.1000/A\n10.1000/B\n")
    >>> _ = pathlib.Path("new.txt").write_text("10.1000/B\n10.1000/C\n")
    >>> changes = doiscan.diff("old.txt", "new.txt")
    >>> len(changes.added), len(changes.removed), changes.kept
    (1, 1, 1)
    """
    added, removed, kept = _doiscan.diff(os.fspath(old), os.fspath(new))
    return Diff(DoiList(added), DoiList(removed), kept)
