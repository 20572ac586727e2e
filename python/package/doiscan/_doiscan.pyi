"""The native part of the package."""

from collections.abc import Iterator, Sequence
from os import PathLike
from typing import Any, final

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

    def __hash__(self) -> int: ...

@final
class Column:
    """A column in Arrow's memory layout, for everything that takes PyCapsules."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: int) -> Any: ...
    def __iter__(self) -> Iterator[Any]: ...
    def to_pylist(self) -> list[Any]: ...
    def to_pyarrow(self) -> Any: ...
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...

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
    def finish(self) -> tuple[Names, str, str | None]: ...

def command(arguments: Sequence[str]) -> int: ...
def start(arguments: Sequence[str]) -> Run: ...
def merge(lists: Sequence[str], operation: str, output: str | None) -> Names: ...
def diff(old: str, new: str) -> tuple[Names, Names, int]: ...
def find(
    text: str | bytes | bytearray,
    *,
    notation: str = "auto",
    strict: bool = False,
    join_lines: str = "auto",
    max_length: int = 2048,
) -> list[Match]: ...
def find_all(
    column: object,
    *,
    notation: str = "auto",
    strict: bool = False,
    join_lines: str = "auto",
    max_length: int = 2048,
    threads: int | None = None,
) -> Column: ...
def normalize(
    column: object, *, case: str = "upper", strict: bool = False, threads: int | None = None
) -> Column: ...
def check(column: object, *, strict: bool = False, threads: int | None = None) -> Column: ...
def convert(
    column: object,
    to: str,
    *,
    recommended: bool = False,
    which_ra: bool = False,
    resolver: str | None = None,
    scheme: str | None = None,
    binary: str | None = None,
    threads: int | None = None,
) -> Column: ...
def margins(max_length: int = 2048) -> tuple[int, int, int]: ...
def probe(name: str, head: bytes, tail: bytes) -> int | None: ...
def scan_range(
    window: bytes,
    start: int,
    end: int,
    notation: int,
    *,
    is_first: bool,
    is_lower: bool = False,
    strict: bool = False,
    max_length: int = 2048,
) -> tuple[Column, str]: ...
