"""Finds every DOI in text, in columns and in dumps of any size.

>>> import doiscan
>>> doiscan.find("see https://doi.org/10.1000/182")[0].doi
'10.1000/182'

`find` reads one text, `normalize`, `is_valid` and `check` one value, `find_all`, `normalize`, `check` and `convert` whole columns, and `scan` files,
folders and archives into one sorted list. `merge` and `diff` compare lists.
`Index` says which DOIs are known.
"""

from . import _interpreter as _interpreter  # First: it explains what the native module cannot.
from ._columns import Verdict, check, convert, find, find_all, is_valid, normalize
from ._doiscan import Column, Index, Match, __version__
from ._errors import (
    Error,
    IncompleteWarning,
    InputError,
    InternalError,
    ListRefused,
    OutputError,
)
from ._lists import Diff, DoiList, diff, merge
from ._scan import Note, Problem, Progress, Report, scan
from ._stats import Stats

__all__ = [
    "Column",
    "Diff",
    "DoiList",
    "Error",
    "IncompleteWarning",
    "Index",
    "InputError",
    "InternalError",
    "ListRefused",
    "Match",
    "Note",
    "OutputError",
    "Problem",
    "Progress",
    "Report",
    "Stats",
    "Verdict",
    "__version__",
    "check",
    "convert",
    "diff",
    "find",
    "find_all",
    "is_valid",
    "merge",
    "normalize",
    "scan",
]
