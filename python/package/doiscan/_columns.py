"""DOIs in one text and in columns of text."""

from __future__ import annotations

from typing import Literal, TypeAlias, TypedDict, overload

from . import _doiscan
from ._doiscan import Column, Match
from ._flags import arguments, keywords
from ._lists import StrPath

Case: TypeAlias = Literal["upper", "lower"]
Notation: TypeAlias = Literal["auto", "text", "value", "csv", "tsv", "list"]
JoinLines: TypeAlias = Literal["auto", "never"]
Form: TypeAlias = Literal[
    "plain",
    "lower",
    "doi",
    "info",
    "urn",
    "url",
    "html",
    "eidr-canonical",
    "eidr-plain",
    "eidr-compact",
    "eidr-full",
    "eidr-urn",
    "eidr-urn-colon",
    "eidr-u",
    "eidr-s",
    "eidr-info",
    "eidr-url",
    "eidr-doi",
]


class Verdict(TypedDict):
    """What `check` says of one value."""

    valid: bool
    doi: str | None
    reason: str | None
    notes: list[str]


def find(
    text: str | bytes | bytearray,
    *,
    notation: Notation = "auto",
    case: Case = "upper",
    strict: bool = False,
    join_lines: JoinLines = "auto",
    max_length: int = 2048,
    names: StrPath = "built-in",
) -> list[Match]:
    r"""Find the DOIs in one text, in any notation.

    Offsets count characters of a `str` and bytes of `bytes`, so that
    `text[match.start:match.end] == match.raw`.

    >>> import doiscan
    >>> doiscan.find(r'{"URL": "https:\/\/doi.org\/10.1000\/xyz123"}')
    [Match(doi='10.1000/XYZ123', start=28, end=43, raw='10.1000\\/xyz123', repairs=[])]
    >>> [match.doi for match in doiscan.find(b"doi:10.1000/182, (see 10.1000/183).")]
    ['10.1000/182', '10.1000/183']

    `notation` is `auto`, as the command judges a file without a name, `text`, `value` (each line is
    one value, such as a cell), `csv`, `tsv` or `list`. With `strict` no damage is undone. `case="lower"` writes
    the names as Crossref and OpenAlex do. `names` is a model of `doiscan learn`, `built-in` or `none`.
    """
    return _doiscan.find(
        text,
        notation=notation,
        case=case,
        strict=strict,
        join_lines=join_lines,
        max_length=max_length,
        names=names,
    )


def find_all(
    column: object,
    *,
    notation: Notation = "auto",
    case: Case = "upper",
    strict: bool = False,
    join_lines: JoinLines = "auto",
    max_length: int = 2048,
    names: StrPath = "built-in",
    threads: int | None = None,
) -> Column:
    """Find the DOIs in each value of a column, on all cores.

    `column` is anything with `__arrow_c_array__` or `__arrow_c_stream__` (pyarrow, Polars, pandas,
    arro3), or a sequence of `str` or `bytes`. The result is an Arrow array of the same length and type
    `list<struct<doi, start, end, raw>>`; a missing value stays missing. Arrow columns are not copied.

    >>> import doiscan
    >>> doiscan.find_all(["doi:10.1000/182", None, "nothing"]).to_pylist()
    [[{'doi': '10.1000/182', 'start': 4, 'end': 15, 'raw': '10.1000/182'}], None, []]

    With `notation="auto"` a value of one line is read as one of a Parquet column is: a DOI that fills it is kept
    whole. A value of several lines is running text, and a DOI that a line end cuts is joined.
    """
    return _doiscan.find_all(
        column,
        notation=notation,
        case=case,
        strict=strict,
        join_lines=join_lines,
        max_length=max_length,
        names=names,
        threads=threads,
    )


@overload
def normalize(  # type: ignore[overload-overlap]  # pyright: ignore[reportOverlappingOverload]
    column: str | bytes,
    *,
    case: Case = "upper",
    strict: bool = False,
    names: StrPath = "built-in",
    threads: int | None = None,
) -> str | None: ...
@overload
def normalize(
    column: object,
    *,
    case: Case = "upper",
    strict: bool = False,
    names: StrPath = "built-in",
    threads: int | None = None,
) -> Column: ...
def normalize(
    column: object,
    *,
    case: Case = "upper",
    strict: bool = False,
    names: StrPath = "built-in",
    threads: int | None = None,
) -> Column | str | None:
    """Return the canonical DOI of one value or of each value, or null where there is none, or more than one.

    >>> import doiscan
    >>> doiscan.normalize("https://doi.org/10.1000/abc")
    '10.1000/ABC'
    >>> doiscan.normalize(["https://doi.org/10.1000/abc", "doi:10.1000/abc.", "?"]).to_pylist()
    ['10.1000/ABC', '10.1000/ABC', None]

    A value is one identifier in any notation; of a damaged value it is the likely DOI, and with
    `strict` null. `case="lower"` joins with Crossref and OpenAlex. `names` is a model of `doiscan learn`, `built-in` or
    `none`.
    """
    if isinstance(column, (str, bytes)):
        one = _doiscan.normalize([column], case=case, strict=strict, names=names, threads=1)
        doi: str | None = one[0]
        return doi
    return _doiscan.normalize(column, case=case, strict=strict, names=names, threads=threads)


def is_valid(value: str | bytes, *, strict: bool = False, names: StrPath = "built-in") -> bool:
    """Whether one value is a DOI, in any notation. `check` says why not.

    >>> import doiscan
    >>> doiscan.is_valid("doi:10.1000/182"), doiscan.is_valid("see 10.1000/182")
    (True, False)
    """
    if not isinstance(value, (str, bytes)):  # pyright: ignore[reportUnnecessaryIsInstance]
        kind = type(value).__name__
        raise TypeError(f"expected one str or bytes, not {kind}; check(column) tells it of each value")
    return check(value, strict=strict, names=names)["valid"]


@overload
def check(  # type: ignore[overload-overlap]  # pyright: ignore[reportOverlappingOverload]
    column: str | bytes,
    *,
    strict: bool = False,
    names: StrPath = "built-in",
    threads: int | None = None,
) -> Verdict: ...
@overload
def check(
    column: object,
    *,
    strict: bool = False,
    names: StrPath = "built-in",
    threads: int | None = None,
) -> Column: ...
def check(
    column: object,
    *,
    strict: bool = False,
    names: StrPath = "built-in",
    threads: int | None = None,
) -> Column | Verdict:
    """Judge one value or each value as `doiscan check` does: `valid`, `doi`, `reason` and `notes`.

    >>> import doiscan
    >>> doiscan.check("see 10.1000/abc")["reason"]
    'does not begin with 10.: found "s" at byte 1'
    >>> doiscan.check(["doi:10.1000/abc."])[0]
    {'valid': True, 'doi': '10.1000/ABC', 'reason': None, 'notes': ['repaired']}

    `names` is a model of `doiscan learn`, `built-in` or `none`:

    >>> doiscan.check(["10.5281/zenodo.3924803/data.zip"], names="none")[0]["doi"]
    '10.5281/ZENODO.3924803/DATA.ZIP'
    """
    if isinstance(column, (str, bytes)):
        one = _doiscan.check([column], strict=strict, names=names, threads=1)
        verdict: Verdict = one[0]
        return verdict
    return _doiscan.check(column, strict=strict, names=names, threads=threads)


def convert(
    column: object,
    to: Form,
    *,
    recommended: bool = True,
    which_ra: bool = False,
    resolver: str | None = None,
    scheme: str | None = None,
    binary: Literal["hex", "base64", "base64url", "base64url-padded"] | None = None,
    threads: int | None = None,
) -> Column:
    """Write each value in another form, as `doiscan convert` does; null where it has none.

    A name is converted as it is written: where values come from text, `normalize` them first. In an address,
    the query (`?x=y`) and the fragment are no part of the name. URLs encode also what is only recommended,
    unless `recommended` is false.

    >>> import doiscan
    >>> doiscan.convert(["10.1000/456#789", "nothing"], to="url").to_pylist()
    ['https://doi.org/10.1000/456%23789', None]
    """
    options = {
        "to": to,
        "mandatory": not recommended,
        "which_ra": which_ra,
        "resolver": resolver,
        "scheme": scheme,
        "binary": binary,
    }
    try:
        return _doiscan.convert(column, [*arguments(options)], threads=threads)
    except ValueError as error:
        raise ValueError(keywords(str(error))) from None
