"""Files of any file system that pyarrow knows: local paths, hdfs://, s3://, gs://, abfs://.

A package with the feature `remote` reads s3://, gs://, az:// and web addresses itself, in ranges.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

from .. import _doiscan
from .._errors import InputError, OutputError

# Bytes that are copied at a time.
_COPIED = 8 * 1024 * 1024

_SCHEMES = {"s3a": "s3", "s3n": "s3", "abfss": "abfs"}


def is_remote(path: str) -> bool:
    """Whether a path is a URI."""
    return "://" in path


def address(path: str) -> str | None:
    """The address by which the scanner reads a URI without a copy, if it does.

    Parameters of s3:// URIs are for pyarrow.
    """
    if not is_remote(path):
        return None
    scheme, rest = path.split("://", 1)
    scheme = _SCHEMES.get(scheme, scheme)
    found = f"{scheme}://{rest}"
    return found if not (scheme == "s3" and "?" in rest) and _doiscan.is_address(found) else None


def absolute(path: str) -> str:
    """The path of a file for workers, whose working folder is another."""
    return path if is_remote(path) else os.path.abspath(path)


def _open(path: str) -> tuple[Any, str]:
    """The file system of a URI and the path in it."""
    scheme, rest = path.split("://", 1)
    fs = import_module("pyarrow.fs")
    pair: tuple[Any, str] = fs.FileSystem.from_uri(f"{_SCHEMES.get(scheme, scheme)}://{rest}")
    return pair


def files(path: str) -> Iterator[tuple[str, int, str]]:
    """The files that a path names or that lie below it, with their sizes and versions.

    The version is empty where nothing tells it.
    """
    if (named := address(path)) is not None:
        begin = path[: len(path) - len(named.split("://", 1)[1])]
        for found, size, version in _doiscan.inputs_at(named):
            yield begin + found.split("://", 1)[1], size, version
        return
    listed = _remote_files(path) if is_remote(path) else _local_files(path)
    yield from ((found, size, "") for found, size in listed)


def check_version(path: str, version: str) -> None:
    """Raises `OSError` if a file is not of the version that was listed."""
    if version and [found for _, _, found in files(path)] != [version]:
        raise OSError(f"{path}: the file changed after it was listed")


def _remote_files(path: str) -> Iterator[tuple[str, int]]:
    system, inner = _open(path)
    fs = import_module("pyarrow.fs")
    info = system.get_file_info(inner)
    if info.type == fs.FileType.NotFound:
        raise _not_found(path)
    if info.is_file:
        yield path, info.size
        return
    prefix = path[: len(path) - len(inner)] if path.endswith(inner) else path.split("://")[0] + "://"
    for found in system.get_file_info(fs.FileSelector(inner, recursive=True)):
        if found.is_file:
            yield prefix + found.path, found.size


def _not_found(path: str) -> InputError:
    hint = "; patterns are not expanded: name files and folders" if set(path) & set("*?[{") else ""
    return InputError(f"{path}: No such file or directory{hint}", path=path)


def _local_files(path: str) -> Iterator[tuple[str, int]]:
    if os.path.isfile(path):
        yield path, os.path.getsize(path)
        return
    if not os.path.isdir(path):
        raise _not_found(path)

    for found in _below(path, frozenset()):
        # The scan names a link that leads nowhere.
        is_lost = not os.path.exists(found)
        if is_lost or os.path.isfile(found):
            yield found, 0 if is_lost else os.path.getsize(found)


def _below(folder: str, above: frozenset[object]) -> Iterator[str]:
    """Everything below a folder that is no folder. Links are followed, except to a folder around them."""
    here = identity(folder)
    if here in above:
        return
    try:
        with os.scandir(folder) as listing:
            entries = list(listing)
    except OSError as error:
        raise InputError(f"{error.filename}: {error.strerror}", path=error.filename) from None
    for entry in entries:
        if entry.is_dir():
            yield from _below(entry.path, above | {here})
        else:
            yield entry.path


def identity(path: str) -> object:
    """What tells a file from all others, however it is named."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return path
    return status.st_dev, status.st_ino


class Reader:
    """Reads ranges of one file."""

    def __init__(self, path: str) -> None:
        self._file: Any = None
        named = address(path)
        self._ranges = _doiscan.Ranges(named) if named is not None else None
        if self._ranges is not None:
            return
        if is_remote(path):
            system, inner = _open(path)
            self._file = system.open_input_file(inner)
        else:
            self._file = open(path, "rb")

    def range(self, start: int, end: int) -> bytes:
        """The bytes from `start` to `end`. Fewer are an error: the file has changed."""
        read = self._read(start, end)
        if len(read) != end - start:
            raise OSError(f"the file changed: expected {end - start} bytes at byte {start}, found {len(read)}")
        return read

    def _read(self, start: int, end: int) -> bytes:
        if self._ranges is not None:
            return self._ranges.range(start, end)
        self._file.seek(start)
        read: bytes = self._file.read(end - start)
        return read

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()


@contextmanager
def as_local(path: str, size: int, ranges: list[tuple[int, int]] | None) -> Generator[str]:
    """What the scanner reads in place of a file: the file itself, or its address, or a local copy.

    The copy has the name, the size and these bytes of the file. Bytes outside of `ranges` may be missing.
    `None` stands for all of them.
    """
    read = address(path) if is_remote(path) else path
    if read is not None:
        yield read
        return
    with TemporaryDirectory(prefix="doiscan-") as folder:
        local = os.path.join(folder, PurePosixPath(path).name)
        with Reader(path) as source, open(local, "wb") as target:
            target.truncate(size)
            for start, end in ranges if ranges is not None else [(0, size)]:
                target.seek(start)
                for at in range(start, min(end, size), _COPIED):
                    target.write(source.range(at, min(at + _COPIED, end, size)))
        yield local


def make_folder(path: str) -> None:
    """Makes a folder for output. One that holds anything is an error."""
    if is_remote(path):
        system, inner = _open(path)
        fs = import_module("pyarrow.fs")
        if system.get_file_info(fs.FileSelector(inner, recursive=True, allow_not_found=True)):
            raise OutputError(f"{path}: exists and is not empty", path=path)
        system.create_dir(inner)
        return
    try:
        os.makedirs(path, exist_ok=True)
        is_used = bool(os.listdir(path))
    except OSError as error:
        raise OutputError(f"{path}: {error.strerror}", path=path) from None
    if is_used:
        raise OutputError(f"{path}: exists and is not empty", path=path)


@contextmanager
def replacing(path: str, attempt: str) -> Generator[Any]:
    """A new file that is put in place when it is complete. `attempt` tells writers of one file apart."""
    if is_remote(path):
        system, inner = _open(path)
        # Object stores show a file when it is closed; elsewhere it is renamed.
        is_store = system.type_name in ("s3", "gcs", "abfs")
        folder, name = os.path.split(inner)
        written = inner if is_store else f"{folder}/.{name}.{attempt}"
        with system.open_output_stream(written, compression=None) as file:
            yield file
        if not is_store:
            system.move(written, inner)
        return
    folder, name = os.path.split(path)
    written = os.path.join(folder, f".{name}.{attempt}")
    try:
        with open(written, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(written, path)
    except BaseException:
        if os.path.exists(written):
            os.remove(written)
        raise
