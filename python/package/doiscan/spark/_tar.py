"""Cuts a tar archive between its members."""

from __future__ import annotations

import re
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
            if _bears_on_size(header, extension):
                return None
            name = name or _name(header, extension)
        elif header.type in REGULAR_TYPES and header.type not in b"S":
            return at, name or header.name
        else:
            # Only regular files are inputs, so that other names may occur twice.
            is_known = header.type in _WITHOUT_DATA and header.size == 0
            return (at, f"{at}") if is_known else None
    return None


def _name(header: TarInfo, extension: bytes) -> bytes | None:
    """The name that an extension gives to the next member."""
    if header.type == GNUTYPE_LONGNAME:
        return extension
    found = re.search(rb"(?:^|\n)\d+ path=([^\n]*)", extension)
    return found[1] if found and header.type == XHDTYPE else None


def _bears_on_size(header: TarInfo, extension: bytes) -> bool:
    return header.type == XHDTYPE and (b" size=" in extension or b" GNU.sparse" in extension)


def _is_end(file: Reader, at: int, size: int) -> bool:
    """Whether nothing but the end of an archive follows."""
    return _END <= size - at <= _MOST and not any(file.range(at, size))
