"""The DOIs in a column of a DataFrame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any, cast

from .._columns import JoinLines, Notation, find_all
from ._tasks import DataFrame, RecordBatch, Task, mapped, prepare


def dois(
    df: DataFrame,
    column: str,
    *,
    keep: str | Iterable[str] = (),
    notation: Notation = "auto",
    strict: bool = False,
    join_lines: JoinLines = "auto",
    max_length: int = 2048,
) -> DataFrame:
    """Find the DOIs in a column of text or binary values: a row for each, in the order of `df`.

    The result has the columns `keep` of `df`, such as an identifier, and `doi`, `start`, `end` and `raw`
    as `doiscan.find_all` returns them.
    """
    types = import_module("pyspark.sql.types")
    keep = [keep] if isinstance(keep, str) else list(dict.fromkeys(keep))
    if not isinstance(cast("object", column), str):
        raise TypeError(f"column: expected the name of a column, not {type(column).__name__}")
    fields = {field.name: field for field in df.schema.fields}
    for name in (column, *keep):
        if name not in fields:
            raise ValueError(f"the DataFrame has no column {name!r}; it has {', '.join(fields)}")
    if not isinstance(fields[column].dataType, (types.StringType, types.BinaryType)):
        kind = fields[column].dataType.simpleString()
        raise TypeError(f"column {column!r}: expected string or binary, not {kind}; cast or explode it first")
    found = [
        types.StructField("doi", types.StringType(), False),
        types.StructField("start", types.LongType(), False),
        types.StructField("end", types.LongType(), False),
        types.StructField("raw", fields[column].dataType, False),
    ]
    taken = [field.name for field in found if field.name in keep]
    if taken:
        raise ValueError(f"keep: {taken[0]!r} is also a column of the result; rename it first")
    schema = types.StructType([*(fields[name] for name in keep), *found])
    options: dict[str, Any] = {
        "notation": notation,
        "strict": strict,
        "join_lines": join_lines,
        "max_length": max_length,
    }
    # Wrong options are an error here, not in the tasks.
    find_all([], **options)
    prepare(df.sparkSession)
    # Without quotes, a full stop in a name would select a field.
    wanted = ["`{}`".format(name.replace("`", "``")) for name in dict.fromkeys([*keep, column])]
    return mapped(df.select(*wanted), _finder(column, tuple(keep), options), schema)


def _finder(column: str, keep: tuple[str, ...], options: dict[str, Any]) -> Task:
    """The work on the rows of a partition. Spark has a task for each core, so it has one thread."""

    def find(batches: Iterable[RecordBatch]) -> Iterator[RecordBatch]:
        pa, pc = import_module("pyarrow"), import_module("pyarrow.compute")
        for batch in batches:
            found = pa.array(find_all(batch.column(column), threads=1, **options))
            rows, matches = pc.list_parent_indices(found), pc.list_flatten(found)
            kept = [batch.column(name).take(rows) for name in keep]
            names = [*keep, "doi", "start", "end", "raw"]
            yield pa.RecordBatch.from_arrays([*kept, *matches.flatten()], names=names)

    return find
