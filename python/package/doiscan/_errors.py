"""What can go wrong."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any


class Error(Exception):
    """Any failure of doiscan. `path` and `line` name the place, if there is one."""

    path: str | None
    line: int | None

    def __init__(
        self,
        message: str,
        *,
        path: str | bytes | os.PathLike[str] | None = None,
        line: int | None = None,
    ) -> None:
        super().__init__(message)
        self.path = None if path is None else os.fsdecode(path)
        self.line = line


class InputError(Error):
    """An input or a list cannot be read as requested."""


class OutputError(Error):
    """A list or a temporary file cannot be written. An old list is unchanged."""


class ListRefused(Error):
    """A new list did not pass `fail_on`, `max_drop` or another gate. The old list is unchanged.

    `stats` has the figures of the run. The new list is kept beside the old one, as `failed`.
    """

    stats: dict[str, Any]

    def __init__(
        self, message: str, *, path: str | None = None, stats: dict[str, Any] | None = None
    ) -> None:
        super().__init__(message, path=path)
        # `pickle` gives only the message, and sets the attributes afterwards.
        self.stats = stats or {}

    @property
    def gates(self) -> list[str]:
        """The conditions of `fail_on` that are true."""
        return [gate["expression"] for gate in self.stats.get("gates", ()) if gate["fired"]]

    @property
    def failed(self) -> Path | None:
        """The file of the refused list, if it was kept."""
        failed = None if self.path is None else Path(self.path + ".failed")
        return failed if failed is not None and failed.exists() else None


class InternalError(Error):
    """A defect of doiscan. Please report it."""


class IncompleteWarning(UserWarning):
    """Inputs could not be read completely: `Report.problems` names them."""


# Messages name the classes as users import them.
for _class in (Error, InputError, OutputError, ListRefused, InternalError, IncompleteWarning):
    _class.__module__ = "doiscan"
