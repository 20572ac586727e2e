"""`python -m doiscan.spark scan INPUT... -o OUT`, and the same for `spark-submit`."""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from importlib import import_module

from doiscan import Error
from doiscan.spark import scan


def main() -> int:
    """Run the command of this process and return its exit status, as `doiscan scan` does."""
    parser = argparse.ArgumentParser(prog="python -m doiscan.spark", description=scan.__doc__)
    commands = parser.add_subparsers(required=True, metavar="scan")
    command = commands.add_parser("scan", help="find every DOI in files and folders")
    command.add_argument("inputs", nargs="+", metavar="INPUT", help="a file, a folder or a URI")
    command.add_argument("-o", "--output", required=True, metavar="OUT", help="the folder for the list")
    for name in ("counts", "hits", "rejects"):
        command.add_argument(f"--{name}", metavar="OUT", help=f"the folder for the {name}")
    command.add_argument("--row-format", choices=["parquet", "csv"], default="parquet")
    command.add_argument("--master", metavar="URL", help="the cluster; default: set by spark-submit")
    command.add_argument("--remote", metavar="URL", help="a Spark Connect server, such as Sail")
    command.add_argument("--partitions", type=int, metavar="N", help="the number of tasks that scan")
    command.add_argument("--case", choices=["upper", "lower"], default="upper")
    command.add_argument("--strict", action="store_true", help="repair nothing")
    for name, unit in (("ratio", "N"), ("unpacked", "SIZE"), ("window", "SIZE")):
        command.add_argument(f"--max-{name}", metavar=unit, help="a limit of unpacking, as of doiscan scan")
    command.add_argument("--allow-empty", action="store_true", help="write an empty list if nothing can be read")
    options = vars(parser.parse_args())
    inputs, master, remote = (options.pop(name) for name in ("inputs", "master", "remote"))
    # The problems and the notes are printed.
    warnings.simplefilter("ignore", UserWarning)
    builder = import_module("pyspark.sql").SparkSession.builder.appName("doiscan")
    if master:
        builder = builder.master(master)
    if remote:
        builder = builder.remote(remote)
    session = builder.getOrCreate()
    try:
        report = scan(session, inputs, **options)
    except (Error, OSError, ValueError) as error:
        print(f"doiscan: {error}", file=sys.stderr)
        return 2
    finally:
        session.stop()
    for problem in report["problems"]:
        member = "" if problem["member"] is None else f"!{problem['member']}"
        print(f"doiscan: {problem['path']}{member}: {problem['message']}", file=sys.stderr)
    for note in report["notes"]:
        print(f"doiscan: {note['message']}", file=sys.stderr)
    print(json.dumps({name: report[name] for name in ("distinct", "accepted", "files", "bytes")}))
    return 3 if report["problems"] else 0


if __name__ == "__main__":
    sys.exit(main())
