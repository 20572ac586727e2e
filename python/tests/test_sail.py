"""Sail, an engine without a JVM, runs the same scan: nothing leans on private parts of Spark."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import run

pytest.importorskip("pysail", reason="pysail is not installed")

SCRIPT = """
import json
import sys

from pysail.spark import SparkConnectServer
from pyspark.sql import SparkSession

import doiscan.spark

server = SparkConnectServer(port=0)
server.start(background=True)
session = SparkSession.builder.remote(f"sc://localhost:{server.listening_address[1]}").getOrCreate()
inputs, folder = sys.argv[1:]
report = doiscan.spark.scan(
    session,
    inputs,
    output=f"{folder}/list",
    counts=f"{folder}/counts",
    hits=f"{folder}/hits",
    rejects=f"{folder}/rejects",
    row_format="csv",
    unit_size=1024,
    partitions=3,
)
with open(f"{folder}/report.json", "w") as file:
    json.dump(report, file)
session.stop()
server.stop()
"""


def joined(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.glob("part-*")))


def test_sail_writes_the_bytes_of_the_command(command: str, sample: Path, tmp_path: Path) -> None:
    files = {name: tmp_path / f"{name}.csv" for name in ("counts", "hits", "rejects")}
    names = run(command, "scan", "-q", sample, *(f"--{name}={files[name]}" for name in ("hits", "rejects")))
    run(command, "scan", "-q", sample, "--counts", f"-o{files['counts']}", f"--stats={tmp_path}/stats.json")
    # A process of its own: a session of Spark Connect excludes one of Spark.
    subprocess.run([sys.executable, "-c", SCRIPT, sample, tmp_path], check=True, timeout=600)
    assert joined(tmp_path / "list") == names
    for name, path in files.items():
        assert joined(tmp_path / name) == path.read_bytes(), name
    report, record = (json.loads((tmp_path / f"{name}.json").read_text()) for name in ("report", "stats"))
    for name in ("files", "bytes", "candidates", "accepted", "rejected", "repaired", "distinct", "problems"):
        assert report[name] == record[name], name
