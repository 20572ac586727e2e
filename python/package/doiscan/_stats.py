"""The types of the figures of a scan, made from docs/stats.schema.json by tests/test_stats.py."""

from __future__ import annotations

from typing import Any, Literal, TypedDict


class Refusal(TypedDict, total=False):
    """Why the list was refused; null if it passed."""

    code: Literal["nothing-read", "empty", "max-drop", "gate"]
    message: str
    new_list: str | None
    old_list: str | None


class Input(TypedDict):
    """Figures of one input."""

    accepted: int
    bytes: int
    bytes_lost: int
    candidates: int
    distinct: int | None
    input: str
    problem: str | None
    rejected: dict[str, int]
    seconds: float


class InputsSameFirst(TypedDict):
    """One of `inputs_same_first`."""

    input: str
    same_as: str


class Gate(TypedDict):
    """One of `gates`."""

    expression: str
    fired: bool
    left: float | None
    note: str | None
    right: float | None


class Eidrs(TypedDict):
    """EIDRs; null without --eidr."""

    distinct: int
    found: int
    wrong_check: int
    wrong_shape: int


class Stats(TypedDict):
    """Figures of a scan."""

    accepted: int
    added: int | None
    bytes: int
    bytes_lost: int
    bytes_read: int | None
    bytes_skipped: int | None
    candidates: int
    complete: bool
    digest: dict[str, Any] | None
    distinct: int
    documents_without_text: int
    documents_without_text_first: list[str]
    earlier_outputs: int
    eidrs: Eidrs | None
    files: int
    gates: list[Gate]
    gigabytes_per_second: float
    inputs_changed: int | None
    inputs_empty: int
    inputs_empty_first: list[str]
    inputs_gone: int | None
    inputs_gone_first: list[str]
    inputs_new: int | None
    inputs_not_utf8: int
    inputs_not_utf8_first: list[str]
    inputs_read: int | None
    inputs_same: int
    inputs_same_first: list[InputsSameFirst]
    inputs_skipped: int | None
    inputs_without_fields: int
    inputs_without_fields_first: list[str]
    lists_read: int
    lists_read_first: list[str]
    outcome: Literal["passed", "failed", "accepted"]
    output_bytes: int
    peak_memory: int | None
    per_input: list[Input] | None
    problems_omitted: int
    refusal: Refusal | None
    rejected: dict[str, int]
    rejected_total: int
    removed: int | None
    repaired: dict[str, int]
    runs: int
    seconds: float
    short_dois: int | None
    spilled_bytes: int
    state_bytes: int | None
    tables_read_in_part: int
    tables_read_in_part_first: list[str]
    tables_without_values: int
    tables_without_values_first: list[str]
    threads: int
    unknown: int | None
    unknown_dois: int | None
    unknown_prefix: int | None
