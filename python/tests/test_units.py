"""Files cut at every place lose and double nothing. No engine is needed for that."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

import doiscan
from doiscan.spark._store import files, make_folder, replacing
from doiscan.spark._units import Options, add, plan, scan_unit

OPTIONS = Options(case="upper", strict=False, max_length=2048, memory="64M")

TEXTS = {
    "text": b'see 10.1000/abc(d)e, v10.1234/x and https:\\/\\/doi.org\\/10.1000\\/xyz "10.1000/q." 192.10.1234/24',
    "list": b"10.1000/A,B.\n10.1000/C;\n",
    "a.csv": b'id,doi\n1,"10.1000/a,b"\n2,10.1000/c;d\n',
    "empty": b"",
    "letter.eml": b"""From: a@example.org
To: b@example.org
Subject: x
MIME-Version: 1.0
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: quoted-printable

see 10.1000/a=
bc and 10.1000/x=3Dy
""",
}


def scanned(inputs: list[str], unit_size: int) -> tuple[list[bytes], dict[str, Any]]:
    """The distinct names of all units, and the figures."""
    names: set[bytes] = set()
    sums: dict[str, Any] = {}
    for unit in plan(inputs, unit_size):
        for part, record in scan_unit(unit, OPTIONS):
            names.update(part)
            if record is not None:
                add(sums, json.loads(record))
    return sorted(names), sums


@pytest.mark.parametrize("name", TEXTS)
def test_every_size_of_units(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(TEXTS[name])
    report = doiscan.scan(path, allow_empty=True)
    expected = report.path.read_bytes().splitlines()
    for unit_size in range(1, len(TEXTS[name]) + 2):
        names, sums = scanned([str(path)], unit_size)
        assert names == expected, unit_size
        assert sums == {figure: report.stats[figure] for figure in sums}, unit_size


def test_the_sample(sample: Path) -> None:
    report = doiscan.scan(sample)
    for unit_size in (97, 1024, 1 << 20):
        names, sums = scanned([str(sample)], unit_size)
        assert names == report.path.read_bytes().splitlines()
        assert sums == {figure: report.stats[figure] for figure in sums}


def archive(form: int) -> bytes:
    """Members of all kinds: long names, an empty one, a folder, a link, packed ones, a damaged one."""
    members = {f"{'long/' * 40 * (n % 3)}é{n}.txt": TEXTS["text"] * n + b"10.1000/N%d" % n for n in range(7)}
    members["packed.gz"] = gzip.compress(TEXTS["list"] * 9)
    members["cut.gz"] = gzip.compress(TEXTS["text"])[:-9]
    members["empty"] = b""
    with io.BytesIO() as file:
        with tarfile.open(fileobj=file, mode="w", format=form) as tar:
            folder = tarfile.TarInfo("folder")
            folder.type = tarfile.DIRTYPE
            tar.addfile(folder)
            for name, data in members.items():
                info = tarfile.TarInfo(name)
                info.size = len(data)
                tar.addfile(info, io.BytesIO(data))
            link = tarfile.TarInfo("link")
            link.type, link.linkname = tarfile.SYMTYPE, "x/" * 90
            tar.addfile(link)
        return file.getvalue()


@pytest.mark.parametrize("form", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_archives_are_cut_between_their_members(form: int, tmp_path: Path) -> None:
    path = tmp_path / "some.tar"
    path.write_bytes(archive(form))
    with pytest.warns(doiscan.IncompleteWarning):
        report = doiscan.scan(path)
    counts = set()
    for unit_size in (1, 2_000, 5_000, 9_000, 1 << 20):
        names, sums = scanned([str(path)], unit_size)
        assert names == report.path.read_bytes().splitlines()
        assert sums == {figure: report.stats[figure] for figure in sums}
        units = plan([str(path)], unit_size)
        records = [record for unit in units for _, record in scan_unit(unit, OPTIONS) if record is not None]
        problems = [problem for record in records for problem in json.loads(record)["problems"]]
        assert problems == [vars(problem) for problem in report.problems] and len(problems) == 1
        counts.add(len(units))
    # One for each member, and fewer until there is one.
    assert len(counts) == 5 and {1, 12} <= counts


def test_an_archive_that_is_not_in_order_is_read_as_a_whole(tmp_path: Path) -> None:
    path, whole = tmp_path / "some.tar", archive(tarfile.GNU_FORMAT)
    end = len(whole.rstrip(b"\0")) + 512
    broken = bytearray(whole)
    broken[600] ^= 1
    with tarfile.open(fileobj=io.BytesIO(whole)) as tar:
        members = tar.getmembers()[-1].offset
    cases = [whole[: end - 3_000], whole[:members], whole + b"10.1000/AFTER", bytes(broken), whole[:members] + bytes(512)]
    for case in cases:
        path.write_bytes(case)
        assert len(plan([str(path)], 1)) == 1
    path.write_bytes(whole)
    assert len(plan([str(path)], 1)) == 12


def test_units_are_the_biggest_first_and_each_file_is_read_once() -> None:
    folder = str(ROOT / "testdata" / "sample")
    units = plan([folder, folder], 1000)
    sizes = [unit.end - unit.start for unit in units]
    assert sizes == sorted(sizes, reverse=True) and sum(sizes) == sum(size for _, size in files(folder))
    assert [unit.index for unit in units] == list(range(len(units)))


def test_files_of_a_uri(tmp_path: Path) -> None:
    """What is read through pyarrow.fs gives what the local path gives."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.txt").write_bytes(TEXTS["text"] * 20)
    (tmp_path / "cut.gz").write_bytes(gzip.compress(TEXTS["text"])[:-9])
    uri = f"file://{tmp_path}"
    assert sorted(files(uri)) == sorted((f"file://{path}", size) for path, size in files(str(tmp_path)))
    assert scanned([uri], 100) == scanned([str(tmp_path)], 100)
    with pytest.raises(doiscan.InputError, match="No such file"):
        plan([f"{uri}/none"], 100)
    make_folder(f"{uri}/out")
    with replacing(f"{uri}/out/part", "1") as file:
        file.write(b"x")
    assert (tmp_path / "out" / "part").read_bytes() == b"x"
    with pytest.raises(doiscan.OutputError, match="not empty"):
        make_folder(f"{uri}/out")
    with pytest.raises(RuntimeError), replacing(str(tmp_path / "out" / "other"), "1"):
        raise RuntimeError
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["part"]
