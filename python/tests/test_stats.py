"""The types of figures are those of the record."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from conftest import ROOT

import doiscan
from doiscan import _stats

_NAMES = {"integer": "int", "number": "float", "string": "str", "boolean": "bool", "null": "None"}


def _module() -> str:
    """The text of `_stats.py`, made from the schema of the record."""
    record = json.loads((ROOT / "docs" / "stats.schema.json").read_text(encoding="utf-8"))
    defined, scan = record["$defs"], record["$defs"]["scan"]
    scan["required"].append("complete")
    scan["properties"]["complete"] = record["properties"]["complete"]
    classes: dict[str, dict[str, Any]] = {}

    def type_of(name: str, schema: dict[str, Any]) -> str:
        if "$ref" in schema:
            name = schema["$ref"].rpartition("/")[2]
            return type_of(name, defined[name])
        if "enum" in schema:
            return f"Literal[{', '.join(map(json.dumps, schema['enum']))}]"
        kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        return " | ".join(_NAMES.get(kind) or inner(name, kind, schema) for kind in kinds)

    def inner(name: str, kind: str, schema: dict[str, Any]) -> str:
        if kind == "array":
            schema["items"].setdefault("description", f"one of `{name}`")
            return f"list[{type_of(name.removesuffix('s'), schema['items'])}]"
        if name == "digest":
            return "dict[str, Any]"  # The page of a command.
        if "properties" not in schema:
            return f"dict[str, {type_of(name, schema['additionalProperties'])}]"
        classes.setdefault(name, schema)
        return name.title().replace("_", "")

    type_of("stats", scan)
    done: dict[str, str] = {}
    while left := [name for name in classes if name not in done]:
        for name in left:
            schema = classes[name]
            total = "" if set(schema["required"]) == set(schema["properties"]) else ", total=False"
            rows = [f"    {key}: {type_of(key, of)}\n" for key, of in sorted(schema["properties"].items())]
            title = schema.get("description", "the figures of a scan").removeprefix("the ")
            title = f'    """{title[0].upper()}{title[1:]}."""\n\n'
            done[name] = f"class {name.title().replace('_', '')}(TypedDict{total}):\n{title}{''.join(rows)}"
    head = '"""The types of the figures of a scan, made from docs/stats.schema.json by tests/test_stats.py."""\n\n'
    head += "from __future__ import annotations\n\nfrom typing import Any, Literal, TypedDict\n\n\n"
    return head + "\n\n".join(done[name] for name in reversed(done))


def test_the_types_are_those_of_the_schema() -> None:
    """`DOISCAN_WRITE_STATS=1` writes them."""
    path = Path(__file__).parents[1] / "package" / "doiscan" / "_stats.py"
    if os.environ.get("DOISCAN_WRITE_STATS"):
        path.write_text(_module(), encoding="utf-8")
    assert path.read_text(encoding="utf-8") == _module()


def test_a_scan_has_these_figures(sample: Path) -> None:
    assert set(doiscan.scan(sample).stats) == set(_stats.Stats.__annotations__)
