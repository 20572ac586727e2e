"""DOIs in expressions of Polars: `import doiscan.polars` adds `.doi` to them.

>>> import polars as pl
>>> import doiscan.polars
>>> frame = pl.DataFrame({"link": ["https://doi.org/10.1000/abc", "10.1000", None]})
>>> frame.select(pl.col("link").doi.normalize())["link"].to_list()
['10.1000/ABC', None, None]
>>> frame.filter(pl.col("link").doi.is_valid()).height
1

The keywords are those of the functions of `doiscan`. A group of threads of doiscan reads each batch, without a copy.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, cast

import polars as pl

import doiscan
from doiscan._columns import Form

_NAME = pl.String()
_TEXTS: tuple[Any, ...] = (pl.String, pl.Categorical, pl.Enum, pl.Null)
_MATCHES = pl.List(
    pl.Struct({"doi": pl.String, "start": pl.Int64, "end": pl.Int64, "raw": pl.String})
)
_VERDICT = pl.Struct(
    {"valid": pl.Boolean, "doi": pl.String, "reason": pl.String, "notes": pl.List(pl.String)}
)


@pl.api.register_expr_namespace("doi")
class DoiExpressions:
    """The functions of `doiscan` as expressions."""

    def __init__(self, expression: pl.Expr) -> None:
        self._expression = expression

    def _map(self, function: Callable[[Any], Any], made: pl.DataType) -> pl.Expr:
        def batch(values: Any) -> pl.Series:
            if values.dtype not in _TEXTS:
                raise TypeError(f"column {values.name!r}: expected strings, found {values.dtype}; cast it to pl.String first")
            return pl.Series(values.name, function(values.cast(pl.String)), dtype=made)

        return self._expression.map_batches(batch, made, is_elementwise=True)

    def find_all(self, **keywords: Any) -> pl.Expr:
        """The DOIs in each text: a list of structs of `doi`, `start`, `end` and `raw`, null for a missing value."""
        return self._map(partial(doiscan.find_all, **keywords), _MATCHES)

    def normalize(self, **keywords: Any) -> pl.Expr:
        """The canonical DOI of each value, or null."""
        return self._map(partial(doiscan.normalize, **keywords), _NAME)

    def check(self, **keywords: Any) -> pl.Expr:
        """The verdict on each value: a struct of `valid`, `doi`, `reason` and `notes`."""
        return self._map(partial(doiscan.check, **keywords), _VERDICT)

    def is_valid(self, **keywords: Any) -> pl.Expr:
        """Whether each value is one DOI; a missing value stays missing."""

        def valid(values: pl.Series) -> pl.Series:
            verdicts = cast("Any", doiscan.check(values, **keywords))
            return pl.Series(verdicts, dtype=_VERDICT).struct.field("valid")

        return self._map(valid, pl.Boolean())

    def convert(self, to: Form, **keywords: Any) -> pl.Expr:
        """Each value in another form, or null."""
        return self._map(partial(doiscan.convert, to=to, **keywords), _NAME)
