"""Scans of files, folders and archives."""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from itertools import groupby
from typing import Any, Literal, TypeAlias, Union, cast

from . import _doiscan
from ._columns import JoinLines
from ._errors import Error, IncompleteWarning, InputError, ListRefused
from ._flags import arguments, keywords
from ._lists import DoiList, StrPath
from ._stats import Stats

Paths: TypeAlias = Union[StrPath, Iterable[StrPath]]

# Seconds between two looks at a running scan.
_PAUSE = 0.1
# Seconds that a cancelled scan is given to remove its files. It ends without replacing any later.
_PATIENCE = 5.0
# The keywords of `scan` that name files to write.
_FILES = "output", "short_doi", "eidr", "hits", "rejects", "per_input", "unknown", "added", "removed"
# Problems that a warning names.
_NAMED = 5


@dataclass(frozen=True)
class Problem:
    """An input that could not be read, or not to its end."""

    path: str
    """The input file."""
    member: str | None
    """The member of an archive, with `!` in front of each inner member."""
    offset: int | None
    """The byte, if the problem has a place."""
    code: str
    """What happened, for programs, such as `truncated`."""
    message: str
    """What happened, for people."""

    def __str__(self) -> str:
        member = "" if self.member is None else f"!{self.member}"
        return f"{self.path}{member}: {self.message}"


@dataclass(frozen=True)
class Note:
    """Something else about the inputs that the command says."""

    kind: str
    """What it is about, for programs, such as `inputs-empty`."""
    message: str
    """The sentence of the command."""

    def __str__(self) -> str:
        return keywords(self.message)


@dataclass(frozen=True)
class Progress:
    """How far a scan is."""

    total: int
    """Bytes of all inputs, as far as their sizes are known."""
    done: int
    """Bytes that were read, compressed or not."""
    found: int
    """DOIs found, repeats included."""
    is_writing: bool
    """Whether all inputs are read and the list is being written."""
    input: str
    """The input that was opened last."""


class Report(DoiList):
    """The list of a scan, the figures and the problems."""

    def __init__(
        self,
        names: _doiscan.Names,
        stats: Stats,
        problems: list[Problem],
        notes: list[Note],
        files: dict[str, str],
    ) -> None:
        super().__init__(names)
        self._files = files
        self.stats = stats
        """The figures, named as in the record of `--stats`."""
        self.problems = problems
        """Inputs that could not be read, or not to their ends."""
        self.notes = notes
        """What the command says besides: of empty inputs, and of files that were not read."""

    @property
    def complete(self) -> bool:
        """Whether every input was read to its end."""
        return not self.problems

    def rows(self, keyword: str = "output") -> Any:
        """A file of the scan as a `pyarrow.dataset.Dataset`, whose rows are read when they are needed.

        `keyword` names the file as in `scan`, such as `"hits"`, `"per_input"`, or `"output"` for the list.
        It must be a Parquet file.
        """
        path = self._files.get(keyword)
        if path is None or not path.endswith(".parquet"):
            raise ValueError(f"{keyword}: expected a file of the scan that ends in .parquet")
        return import_module("pyarrow.dataset").dataset(path, format="parquet")


def scan(
    paths: Paths = (),
    *,
    output: StrPath | None = None,
    files_from: Paths = (),
    glob: str | Iterable[str] = (),
    pre: StrPath | None = None,
    pre_glob: str | Iterable[str] = (),
    pre_timeout: int | None = None,
    columns: str | int | Iterable[str | int] = (),
    field: str | Iterable[str] = (),
    own: bool = False,
    cited: bool = False,
    sheet: str | int | None = None,
    format: Literal[
        "auto", "csv", "tsv", "text", "list", "mail", "html", "pdf", "code", "marc"
    ] = "auto",
    output_format: Literal["lines", "csv", "tsv", "jsonl", "parquet", "xlsx"] | None = None,
    delimiter: Literal[",", ";", "|"] | None = None,
    bom: bool = False,
    case: Literal["upper", "lower"] | None = None,
    counts: bool = False,
    spelling: bool = False,
    hits: StrPath | None = None,
    rejects: StrPath | None = None,
    per_input: StrPath | None = None,
    short_doi: StrPath | None = None,
    eidr: StrPath | None = None,
    strict: bool = False,
    join_lines: JoinLines = "auto",
    max_length: int | None = None,
    names: StrPath | None = None,
    known: Paths = (),
    unknown: StrPath | Literal["reject"] | None = None,
    allow_empty: bool = False,
    max_drop: float | str | None = None,
    fail_on: str | Iterable[str] = (),
    accept: bool = False,
    state: StrPath | None = None,
    trust: Literal["times", "content"] | None = None,
    added: StrPath | None = None,
    removed: StrPath | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
    temp_dir: Paths = (),
    io: Literal["auto", "mmap", "read"] | None = None,
    max_ratio: int | None = None,
    max_unpacked: int | str | None = None,
    max_window: int | str | None = None,
    max_depth: int | None = None,
    progress: Callable[[Progress], object] | bool | None = None,
) -> Report:
    r"""Find every DOI in files, folders and archives and write one sorted list.

    >>> import doiscan, pathlib
    >>> _ = pathlib.Path("dump.jsonl").write_text('{"DOI": "10.1000\\/182"}\n{"DOI": "10.1000\\/183"}\n')
    >>> report = doiscan.scan("dump.jsonl", output="dois.txt")
    >>> len(report), report.stats["candidates"], report.problems
    (2, 2, [])
    >>> print(pathlib.Path("dois.txt").read_text(), end="")
    10.1000/182
    10.1000/183

    The keywords are the options of `doiscan scan`, and `doiscan scan --help` explains them; so do
    `DOISCAN_MEMORY` and the other variables set defaults. Without `output` the list goes to a temporary
    file that is removed with the report.

    `progress` is called with a `Progress` ten times a second. By default a bar is drawn by tqdm, if it is
    installed, in a terminal or a notebook; `False` draws none. An exception in the callback, such as
    `KeyboardInterrupt`, ends the scan, and old files stay as they were.

    With `state`, a folder, only inputs that are new or changed since the last scan with it are read, and the list
    is as if all were. `added` and `removed` are files for the DOIs that came and went. A scan whose list one of the
    gates `fail_on` refuses, such as `"distinct < 0.98 * last.distinct"`, raises `ListRefused` and keeps the old list,
    unless `accept` is set.

    >>> _ = doiscan.scan("dump.jsonl", output="dois.txt", state="nightly", fail_on="problems > 0")
    >>> report = doiscan.scan("dump.jsonl", output="dois.txt", state="nightly")
    >>> report.stats["added"], report.stats["removed"]
    (0, 0)

    Inputs that cannot be read are named in `Report.problems` and by an `IncompleteWarning`. What the command says
    besides, such as that inputs are empty, is in `Report.notes`, and one `UserWarning` for each kind. Raises
    `InputError` when there is nothing to read, `OutputError`, `ListRefused` and `ValueError`.
    """
    options = dict(locals())
    inputs = paths_of(options.pop("paths"))
    del options["progress"]
    for name in ("files_from", "known", "temp_dir"):
        options[name] = paths_of(options[name])
    if not (inputs or options["files_from"]):
        raise ValueError("paths: expected at least one file or folder")
    files: dict[str, str] = {}
    for name in _FILES:
        if options[name] is not None:
            files[name] = os.fspath(options[name])
            if files[name] == "-":
                raise ValueError(f"{name}: expected a file, not standard output")
    if join_lines == "auto":
        # It has no meaning beside --strict.
        del options["join_lines"]
    try:
        run = _doiscan.start([*arguments(options), "--", *inputs])
    except ValueError as error:
        raise ValueError(keywords(str(error))) from None
    with _watcher(progress) as watch:
        _wait(run, watch)
    return _report(run, inputs, files)


def paths_of(paths: Paths) -> list[str]:
    """One path or several as a list."""
    if isinstance(paths, (str, os.PathLike)):
        return [os.fspath(paths)]
    # To iterate over them gives numbers, and lines.
    if isinstance(paths, (bytes, bytearray)) or hasattr(paths, "read"):
        raise TypeError(f"expected paths, not {type(paths).__name__}; find reads a text in memory")
    if not isinstance(cast("object", paths), Iterable):
        raise TypeError(f"expected paths, not {type(paths).__name__}")
    found = [os.fspath(path) for path in paths]
    if any(not isinstance(path, str) for path in cast("list[object]", found)):
        raise TypeError("expected paths as str or os.PathLike, not bytes; os.fsdecode converts them")
    return found


def _wait(run: _doiscan.Run, watch: Callable[[Progress], object] | None) -> None:
    try:
        while not run.wait(_PAUSE):
            if watch is not None:
                watch(Progress(*run.progress()))
        if watch is not None:
            watch(Progress(*run.progress()))
    except BaseException:
        run.cancel()
        run.wait(_PATIENCE)
        raise


def _report(run: _doiscan.Run, inputs: list[str], files: dict[str, str]) -> Report:
    try:
        names, record, refusal, said = run.finish()
    except Error as error:
        error.args = (keywords(str(error)),)
        if error.path is None and isinstance(error, InputError) and len(inputs) == 1:
            error.path = inputs[0]
        raise
    notes = [Note(*note) for note in said]
    for _, alike in groupby(notes, lambda note: note.kind):
        warnings.warn("; ".join(map(str, alike)), UserWarning, stacklevel=3)
    figures: dict[str, Any] = json.loads(record)
    problems = [Problem(**problem) for problem in figures.pop("problems")]
    stats = cast("Stats", figures)
    if refusal is not None:
        fired = [gate for gate in stats["gates"] if gate["fired"]]
        sides = [f"{gate['expression']} ({_figure(gate['left'])} and {_figure(gate['right'])})" for gate in fired]
        reasons = ["; ".join(sides), named(problems)]
        message = keywords(": ".join([refusal, *filter(None, reasons)]))
        if not fired and stats["files"] == 0:
            raise InputError(message, path=problems[0].path if problems else None)
        raise ListRefused(message, path=os.fspath(names.path), stats=figures)
    if problems:
        message = f"the list is incomplete, see Report.problems: {named(problems)}"
        warnings.warn(message, IncompleteWarning, stacklevel=3)
    return Report(names, stats, problems, notes, files)


def _figure(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.12g}"


def named(problems: list[Problem]) -> str:
    """The first problems in one line."""
    first = "; ".join(str(problem) for problem in problems[:_NAMED])
    more = f"; and {len(problems) - _NAMED} more" if len(problems) > _NAMED else ""
    return first + more


@contextmanager
def _watcher(
    progress: Callable[[Progress], object] | bool | None,
) -> Generator[Callable[[Progress], object] | None]:
    """Whatever is to hear of the progress."""
    if callable(progress):
        yield progress
        return
    is_wanted = progress if progress is not None else _is_watched()
    bar = _bar() if is_wanted else None
    if bar is None:
        yield None
        return

    def watch(state: Progress) -> None:
        bar.total = max(state.total, state.done)
        bar.n = state.done
        bar.set_postfix_str(f"{state.found:,} DOIs", refresh=False)
        bar.refresh()

    try:
        yield watch
    finally:
        bar.close()


def _is_watched() -> bool:
    """Whether somebody sees a bar: in a terminal or a notebook."""
    return "ipykernel" in sys.modules or bool(sys.stderr and sys.stderr.isatty())


def _bar() -> Any:
    """A bar of tqdm, if it is installed."""
    try:
        tqdm = import_module("tqdm.auto").tqdm
    except ImportError:
        return None
    return tqdm(unit="B", unit_scale=True, leave=False)
