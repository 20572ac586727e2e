"""Cuts a tar archive between its members."""

from __future__ import annotations

from tarfile import (
    BLOCKSIZE,
    GNUTYPE_LONGLINK,
    GNUTYPE_LONGNAME,
    NUL,
    REGULAR_TYPES,
    XHDTYPE,
    HeaderError,
    TarInfo,
)

from ._store import Reader

END = NUL * (2 * BLOCKSIZE)
"""What ends an archive, and makes an archive of some of its members."""

_WITHOUT_DATA = b"123456"
"""Links, devices, folders and pipes."""

_MOST = 1024 * 1024
"""Bytes of an extension, or of the padding at the end, that are read."""


def parts(file: Reader, size: int, unit_size: int) -> list[tuple[int, int]] | None:
    """Ranges of members, each of at most `unit_size` bytes unless it is one member.

    `None` if this is no archive whose every header is in order: what is wrong with it can only be said
    of the whole. Reads the headers alone, one after the other.
    """
    found: list[tuple[int, int]] = []
    start = at = 0
    while (end := _member(file, at, size)) is not None:
        if end - start > unit_size and at > start:
            found.append((start, at))
            start = at
        at = end
    if at == 0 or not _is_end(file, at, size):
        return None
    return [*found, (start, size)]


def _member(file: Reader, at: int, size: int) -> int | None:
    """Where the member whose headers begin at `at` ends, if it is in order."""
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
            if header.size > _MOST or _bears_on_size(header, file.range(data, data + header.size)):
                return None
        elif header.type in REGULAR_TYPES and header.type not in b"S":
            return at
        else:
            return at if header.type in _WITHOUT_DATA and header.size == 0 else None
    return None


def _bears_on_size(header: TarInfo, extension: bytes) -> bool:
    return header.type == XHDTYPE and (b" size=" in extension or b" GNU.sparse" in extension)


def _is_end(file: Reader, at: int, size: int) -> bool:
    """Whether nothing but the end of an archive follows."""
    return len(END) <= size - at <= _MOST and not any(file.range(at, size))
