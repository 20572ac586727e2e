"""Keywords as flags of the command, and flags as keywords."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from typing import Any, cast

# Flags whose keywords have other names.
_NAMES = {"column": "columns", "mandatory": "recommended=False"}


def arguments(options: dict[str, Any]) -> Iterator[str]:
    """Keywords as flags of the command."""
    for name, value in options.items():
        flag = "--column" if name == "columns" else "--" + name.replace("_", "-")
        is_one = isinstance(value, (str, os.PathLike)) or not isinstance(value, Iterable)
        items: list[object] = [value] if is_one else list(cast("Iterable[object]", value))
        for item in items:
            if item is True:
                yield flag
            elif item is not None and item is not False:
                path = isinstance(item, os.PathLike)
                yield f"{flag}={os.fspath(cast('os.PathLike[str]', item)) if path else item}"


def keywords(message: str) -> str:
    """A message of the command in one line, which names keywords in place of flags."""

    def keyword(flag: re.Match[str]) -> str:
        return _NAMES.get(flag[1], flag[1].replace("-", "_"))

    return re.sub(r"--([a-z][a-z0-9-]*)(?:[ =]<[^>]*>)?", keyword, re.sub(r"\n\s*", " ", message))
