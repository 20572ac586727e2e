"""Cuts a tar archive between its members."""

from __future__ import annotations

import re
from collections.abc import Iterator
from tarfile import (
    BLOCKSIZE,
    GNUTYPE_LONGLINK,
    GNUTYPE_LONGNAME,
    REGULAR_TYPES,
    XHDTYPE,
    HeaderError,
    TarInfo,
)

from ._store import Reader

_END = 2 * BLOCKSIZE
"""The fewest zeros that end an archive."""

_WITHOUT_DATA = b"123456"
"""Links, devices, folders and pipes."""

_MOST = 1024 * 1024
"""Bytes of an extension, or of the padding at the end, that are read."""

_LENGTH = re.compile(rb"(\d{1,7}) ")
"""The begin of a PAX record."""


def parts(
    file: Reader, size: int, unit_size: int, is_unique: bool
) -> list[tuple[int, int]] | None:
    """Ranges of members, each of at most `unit_size` bytes unless it is one member.

    `None` if a header is not in order, because only a scan of the whole archive reports that, or if
    `is_unique` and two members have the same name. Reads only the headers, one after the other.
    """
    found: list[tuple[int, int]] = []
    names: set[bytes | str] = set()
    members = start = at = 0
    while (member := _member(file, at, size)) is not None:
        end, name = member
        if is_unique:
            members += 1
            names.add(name)
        if end - start > unit_size and at > start:
            found.append((start, at))
            start = at
        at = end
    if at == 0 or not _is_end(file, at, size) or len(names) < members:
        return None
    return [*found, (start, size)]


def _member(file: Reader, at: int, size: int) -> tuple[int, bytes | str] | None:
    """The end and the name of the member whose headers begin at `at`, if it is in order."""
    name: bytes | str | None = None
    while at + BLOCKSIZE <= size:
        try:
            header = TarInfo.frombuf(file.range(at, at + BLOCKSIZE), "utf-8", "surrogateescape")
        except HeaderError:
            return None
        data = at + BLOCKSIZE
        at = data + -(-header.size // BLOCKSIZE) * BLOCKSIZE
        if header.size < 0 or at > size:
            return None
        if header.type in (XHDTYPE, GNUTYPE_LONGNAME, GNUTYPE_LONGLINK):
            if header.size > _MOST:
                return None
            extension = file.range(data, data + header.size)
            if header.type == GNUTYPE_LONGNAME:
                name = name or extension
            elif header.type == XHDTYPE:
                try:
                    records = list(_records(extension))
                except ValueError:
                    return None
                if any(key == b"size" or key.startswith(b"GNU.sparse") for key, _ in records):
                    return None
                name = name or next((value for key, value in records if key == b"path"), None)
        elif header.type in REGULAR_TYPES and header.type not in b"S":
            return at, name or header.name
        else:
            # Only regular files are inputs, so that other names may occur twice.
            is_known = header.type in _WITHOUT_DATA and header.size == 0
            return (at, f"{at}") if is_known else None
    return None


def _records(extension: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The keys and values in PAX records. Only its length ends a record, because a value may contain
    line feeds.

    Raises:
        ValueError: A record is not `LENGTH KEY=VALUE` with a line feed.
    """
    at = 0
    while at < len(extension) and extension[at]:
        length = _LENGTH.match(extension, at)
        if length is None:
            raise ValueError("no length")
        end = at + int(length[1])
        key, equals, value = extension[length.end() : end].partition(b"=")
        if end > len(extension) or not equals or not value.endswith(b"\n"):
            raise ValueError("a wrong length")
        yield key, value[:-1]
        at = end


def _is_end(file: Reader, at: int, size: int) -> bool:
    """Whether nothing but the end of an archive follows."""
    return _END <= size - at <= _MOST and not any(file.range(at, size))
