"""DOIs in Series of pandas: `import doiscan.pandas` adds `.doi` to them. Results keep the index.

>>> import pandas as pd
>>> import doiscan.pandas
>>> links = pd.Series(["https://doi.org/10.1000/abc", "10.1000"], index=["a", "b"])
>>> links.doi.normalize().fillna("none").to_dict()
{'a': '10.1000/ABC', 'b': 'none'}
>>> links.doi.check().loc["b", "reason"]
'separator: expected "/", found the end at byte 8'

The keywords are those of the functions of `doiscan`. Names and reasons are of the type `string`, verdicts `boolean`, and places
`int64`, whatever the values are.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, TypeAlias

import doiscan
from doiscan._columns import Form

# pandas has no types.
_pandas: Any = import_module("pandas")
Series: TypeAlias = Any
DataFrame: TypeAlias = Any


@_pandas.api.extensions.register_series_accessor("doi")
class DoiSeries:
    """The functions of `doiscan` as methods of a Series."""

    def __init__(self, series: Series) -> None:
        self._series = series

    def _values(self) -> object:
        """The values for Arrow, without a copy if pandas keeps them so; else with None for each missing one."""
        dtype = self._series.dtype
        storage = "pyarrow" if isinstance(dtype, _pandas.ArrowDtype) else getattr(dtype, "storage", "")
        if storage == "pyarrow" and hasattr(self._series, "__arrow_c_stream__"):
            return self._series
        return self._series.astype(object).where(self._series.notna(), None).tolist()

    def _series_of(self, column: doiscan.Column) -> Series:
        return _pandas.Series(
            column.to_pylist(), index=self._series.index, name=self._series.name, dtype="string"
        )

    def find_all(self, **keywords: Any) -> DataFrame:
        """A row for each DOI in the texts: `doi`, `start`, `end`, `raw`, with the index of its text.

        A missing value has no row, as a text without a DOI has none.
        """
        found = doiscan.find_all(self._values(), **keywords).to_pylist()
        rows = [match for matches in found for match in matches or ()]
        index = self._series.index.repeat([len(matches or ()) for matches in found])
        types = {"doi": "string", "start": "int64", "end": "int64", "raw": "string"}
        return _pandas.DataFrame(rows, index=index, columns=list(types)).astype(types)

    def normalize(self, **keywords: Any) -> Series:
        """The canonical DOI of each value, or NA."""
        return self._series_of(doiscan.normalize(self._values(), **keywords))

    def check(self, **keywords: Any) -> DataFrame:
        """The verdict on each value: `valid`, `doi`, `reason` and `notes`."""
        verdicts = doiscan.check(self._values(), **keywords).to_pylist()
        types = {"valid": "boolean", "doi": "string", "reason": "string", "notes": "object"}
        rows: list[dict[str, Any]] = [verdict or dict.fromkeys(types) for verdict in verdicts]
        return _pandas.DataFrame(rows, index=self._series.index, columns=list(types)).astype(types)

    def is_valid(self, **keywords: Any) -> Series:
        """Whether each value is one DOI, or NA for a missing value. As a filter, NA is False."""
        return self.check(**keywords)["valid"].rename(self._series.name)

    def convert(self, to: Form, **keywords: Any) -> Series:
        """Each value in another form, or NA."""
        return self._series_of(doiscan.convert(self._values(), to, **keywords))
