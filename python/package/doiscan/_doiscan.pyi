"""The native part of the package."""

from collections.abc import Iterator, Sequence
from os import PathLike
from typing import Any, final, overload

__version__: str

@final
class Match:
    """One DOI that was found: its canonical name and its place in the text."""

    __match_args__ = ("doi", "start", "end", "raw", "repairs")
    @property
    def doi(self) -> str:
        """The canonical name, in upper case."""

    @property
    def start(self) -> int:
        """Where it begins: a character of a `str`, a byte of `bytes`."""

    @property
    def end(self) -> int:
        """Where it ends."""

    @property
    def raw(self) -> str | bytes:
        """Its spelling in the text."""

    @property
    def repairs(self) -> list[str]:
        """The kinds of damage that were undone, such as `trailing`."""

    def __new__(
        cls, doi: str, start: int, end: int, raw: str | bytes, repairs: Sequence[str]
    ) -> Match: ...
    def __getnewargs__(self) -> tuple[str, int, int, str | bytes, list[str]]: ...
    def __hash__(self) -> int: ...

@final
class Column:
    """A column in Arrow's memory layout, for everything that takes PyCapsules. `pickle` needs pyarrow."""

    def __new__(cls, values: object) -> Column: ...
    def __reduce__(self) -> tuple[type[Column], tuple[Any]]: ...
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> Column: ...
    def __iter__(self) -> Iterator[Any]: ...
    def _repr_html_(self) -> str: ...
    def to_pylist(self) -> list[Any]: ...
    def to_pyarrow(self) -> Any: ...
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...

@final
class Index:
    """Indexes of known DOIs, which `doiscan index` made of lists. They are mapped, not loaded.

    >>> import doiscan, pathlib, subprocess, sys
    >>> _ = pathlib.Path("all.txt").write_text("10.1000/182\\n10.1016/J.CELL.2009.01.042\\n")
    >>> command = [sys.executable, "-m", "doiscan", "index", "-q", "all.txt", "-o", "known.doix"]
    >>> _ = subprocess.run(command, check=True)
    >>> index = doiscan.Index("known.doix")
    >>> "https://doi.org/10.1000/182" in index
    True
    >>> index.known(["10.1000/182", "10.1016/j.cell.2009.01.42", "nothing"]).to_pylist()
    [True, False, None]
    >>> index.nearest(["10.1000/182", "10.1016/j.cell.2009.01.42", "nothing"]).to_pylist()
    [[], ['10.1016/J.CELL.2009.01.042'], None]

    A value is one identifier in any notation, as for `normalize`. A damaged index raises `InputError`.
    """

    def __new__(cls, *paths: str | PathLike[str]) -> Index: ...
    def __getnewargs__(self) -> tuple[PathLike[str], ...]: ...
    def __contains__(self, value: str | bytes) -> bool:
        """Whether any of the indexes has the one DOI of `value`."""

    def known(self, column: object, *, threads: int | None = None) -> Column:
        """Whether the DOI of each value is known; null where there is none, or more than one."""

    def nearest(
        self, column: object, *, case: str = "upper", threads: int | None = None
    ) -> Column:
        """The nearest known DOIs of each value, at most three, the most likely first; none if it is known.

        For a value without a DOI they are those that it may mean, as `doiscan check --known` tells
        (`1O.1000/182`); null if there are none, or if the value has more than one DOI."""

@final
class Names:
    @property
    def path(self) -> PathLike[str]: ...
    @property
    def is_temporary(self) -> bool: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[str]: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...

@final
class Run:
    def wait(self, seconds: float) -> bool: ...
    def cancel(self) -> None: ...
    def progress(self) -> tuple[int, int, int, bool, str]: ...
    def finish(self) -> tuple[Names, str, str | None, list[tuple[str, str]]]: ...

@final
class Ranges:
    def __new__(cls, path: str) -> Ranges: ...
    def range(self, start: int, end: int) -> bytes: ...

def is_address(path: str) -> bool: ...
def inputs_at(path: str) -> list[tuple[str, int, str]]: ...
def command(arguments: Sequence[str]) -> int: ...
def start(arguments: Sequence[str], part: tuple[int, int] | None = None) -> Run: ...
def merge(lists: Sequence[str], operation: str, output: str | None) -> Names: ...
@final
class Union:
    def __new__(cls) -> Union: ...
    def add(self, lines: bytes) -> None: ...
    def take(self) -> tuple[bytes, int]: ...

def diff(old: str, new: str) -> tuple[Names, Names, int]: ...
def find(
    text: str | bytes | bytearray,
    *,
    notation: str = "auto",
    case: str = "upper",
    strict: bool = False,
    join_lines: str = "auto",
    max_length: int = 2048,
    names: str | PathLike[str] = "built-in",
) -> list[Match]: ...
def find_all(
    column: object,
    *,
    notation: str = "auto",
    case: str = "upper",
    strict: bool = False,
    join_lines: str = "auto",
    max_length: int = 2048,
    names: str | PathLike[str] = "built-in",
    threads: int | None = None,
) -> Column: ...
def normalize(
    column: object,
    *,
    case: str = "upper",
    strict: bool = False,
    names: str | PathLike[str] = "built-in",
    threads: int | None = None,
) -> Column: ...
def check(
    column: object,
    *,
    strict: bool = False,
    names: str | PathLike[str] = "built-in",
    threads: int | None = None,
) -> Column: ...
def convert(column: object, arguments: list[str], *, threads: int | None = None) -> Column: ...
def margins(max_length: int = 2048) -> tuple[int, int, int]: ...
def kind(name: str, head: bytes, tail: bytes) -> str: ...
def cuts(path: str, size: int, is_unique: bool) -> list[int] | None: ...
def members_head(name: str, path: str) -> bytes | None: ...
def decode_members(
    path: str, start: int, until: int, head: bytes, out: str, *, max_length: int = 2048
) -> tuple[int | None, int, int | None]: ...
def inner_name(name: str) -> PathLike[str]: ...
def list_key(doi: str) -> bytes: ...
def is_formula(cell: str) -> bool: ...
def remove_folders() -> None: ...
