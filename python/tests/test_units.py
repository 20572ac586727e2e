"""Files cut at every place lose and double nothing. No engine is needed for that."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import tarfile
import tempfile
import warnings
import zipfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from conftest import ROOT

import doiscan
from doiscan.spark import _job, _rows
from doiscan.spark._job import _moves, _place
from doiscan.spark._store import Reader, files, make_folder, replacing
from doiscan.spark._tar import parts
from doiscan.spark._unit import Options, Unit
from doiscan.spark._units import add, plan, scan_unit, whole

OPTIONS = Options(
    case="upper", strict=False, max_length=2048, memory="64M", limits=[], counts=False, hits=False, rejects=False,
    folder="/",
)

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


@pytest.fixture(autouse=True)
def _memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files in memory, where it takes no time to sync them."""
    if Path("/dev/shm").is_dir():
        monkeypatch.setattr(tempfile, "tempdir", "/dev/shm")


def rows_of(units: list[Unit], options: Options) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The rows of units and their records."""
    rows = [row for unit in units for batch in scan_unit(unit, options, 9) for row in batch.to_pylist()]
    records = [json.loads(row["record"]) for row in rows if row["record"] is not None]
    return [row for row in rows if row["record"] is None], records


def scanned(
    inputs: list[str], unit_size: int, options: Options = OPTIONS
) -> tuple[list[dict[str, Any]], dict[str, Any], list[dict[str, Any]]]:
    """The rows of all units, the figures, and the problems."""
    units = plan(inputs, unit_size, options["counts"])
    rows, records = rows_of(units, options)
    moves, broken = _moves(units, records)
    rows = [row for row in rows if row["unit"] not in broken]
    for row in rows:
        offset, line = moves.get(row["unit"], (0, 0))
        row["offset"] = (row.get("offset") or 0) + offset
        row["line"] = (row.get("line") or 0) + line
    records = [record for record in records if record["unit"] not in broken]
    for path, size in sorted({(unit.path, unit.size) for unit in units if unit.index in broken}):
        more, found = rows_of([whole(-1, path, size)], options)
        rows, records = rows + more, records + found
    sums: dict[str, Any] = {}
    for record in records:
        add(sums, record)
    problems = [problem for record in records for problem in record["problems"]]
    return rows, sums, sorted(problems, key=_place)


def names_of(rows: list[dict[str, Any]]) -> list[bytes]:
    """The lines of the lists of all units, sorted, each once."""
    return sorted({line for row in rows if row["names"] for line in row["names"].split(b"\n")[:-1]})


def check(path: Path, unit_size: int) -> None:
    """A scan in units has the names, figures, problems and rows of one scan."""
    options = Options(**{**OPTIONS, "hits": True, "rejects": True})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        report = doiscan.scan(
            path,
            hits=path.parent / "hits.parquet",
            rejects=path.parent / "rejects.parquet",
            allow_empty=True,
        )
    rows, sums, problems = scanned([str(path)], unit_size, options)
    assert names_of(rows) == report.path.read_bytes().splitlines(), unit_size
    assert sums == {name: figure for name, figure in report.stats.items() if name in sums}, unit_size
    assert problems == [vars(problem) for problem in report.problems]
    keys = {"hit": ("doi", "place", "offset"), "reject": ("place", "offset")}
    for kind, columns in (("hit", _rows.HITS), ("reject", _rows.REJECTS)):
        found = [row for row in rows if row["kind"] == kind]
        found.sort(key=lambda row: tuple(row[name] for name in keys[kind]))
        own = [{name: row[ours] for name, ours in columns.items()} for row in found]
        assert own == pq.read_table(path.parent / f"{kind}s.parquet").to_pylist(), (kind, unit_size)


@pytest.mark.parametrize("name", TEXTS)
def test_every_size_of_units(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(TEXTS[name])
    size = len(TEXTS[name])
    for unit_size in (1, 3, 8, 21, max(1, size - 1), size + 1):
        check(path, unit_size)


def test_cells_that_a_spreadsheet_runs_are_those_of_the_command() -> None:
    cells = ["=1", "-1,5", "+1.234,56", "-12%", "-2+3", "10.1000/a", "a,b", None, 5]
    text = io.BytesIO()
    writer = _rows.TableWriter(text, ["cell"], "csv")
    writer.write(pa.RecordBatch.from_arrays([pa.array(cells[:8])], names=["cell"]))
    expected = ["'=1", '"-1,5"', '"+1.234,56"', "-12%", "'-2+3", "10.1000/a", '"a,b"', '""']
    assert text.getvalue().decode().splitlines() == expected


def test_a_file_that_a_worker_lacks_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").write_bytes(b"doi:10.1000/a\n")
    monkeypatch.chdir(tmp_path)
    units = plan(["a.txt"], 100)
    _, (record,) = rows_of(units, Options(**{**OPTIONS, "folder": "/nowhere"}))
    (problem,) = record["problems"]
    assert problem["path"] == "a.txt" and problem["code"] == "not-found"
    assert problem["message"].endswith("on a worker; name files that every worker can read")
    rows, _ = rows_of(units, Options(**{**OPTIONS, "folder": str(tmp_path)}))
    assert names_of(rows) == [b"10.1000/A"]


def test_a_file_in_parts_that_vanishes_is_named_once(tmp_path: Path) -> None:
    text = b"doi:10.1000/a and more\n" * 20
    (tmp_path / "a.txt").write_bytes(text)
    (tmp_path / "b.gz").write_bytes(b"".join(gzip.compress(text) for _ in range(9)))
    units = plan([str(tmp_path)], 100)
    assert {unit.kind for unit in units} == {"text", "members"}
    for name in ("a.txt", "b.gz"):
        (tmp_path / name).unlink()
    _, records = rows_of(units, OPTIONS)
    moves, broken = _moves(units, records)
    assert moves == {} and broken == {unit.index for unit in units if unit.kind == "members"}
    report = _job._report(units, records, {"rows": 0, "bytes": 0})
    assert [Path(problem["path"]).name for problem in report["problems"]] == ["a.txt", "b.gz"]
    with pytest.raises(doiscan.InputError, match=r"no input could be read: .*a\.txt: .*b\.gz: "):
        _job._require_input(records)


def test_the_sample(sample: Path) -> None:
    report = doiscan.scan(sample)
    for unit_size in (97, 1024, 1 << 20):
        rows, sums, _ = scanned([str(sample)], unit_size)
        assert names_of(rows) == report.path.read_bytes().splitlines()
        assert sums == {name: figure for name, figure in report.stats.items() if name in sums}


@pytest.mark.parametrize("part", [1, 700, 1 << 20])
def test_the_parts_of_the_list(part: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of any size and bounds at any name give the list, whatever task gets a part."""
    monkeypatch.setattr(_rows, "_BLOCK", 60)
    monkeypatch.setattr(_job, "_PART", part)
    monkeypatch.setattr(_job, "_ADDED", 200)
    path = tmp_path / "some.txt"
    path.write_text("".join(f"10.{1000 + n % 7}/{n * 31 % 900}é,10.1000/A\n" for n in range(900)))
    batches = [batch for unit in plan([str(path)], 5_000) for batch in scan_unit(unit, OPTIONS, 9)]
    records = [json.loads(row) for batch in batches for row in batch.column("record").drop_null().to_pylist()]
    bounds = _job._bounds(records)
    assert bounds == sorted(set(bounds)) and (len(bounds) > 5) == (part < 1 << 20)
    blocks = [pa.record_batch([batch.column("names").drop_null()], ["names"]) for batch in batches]
    pieces = pa.Table.from_batches(_job._cutter(bounds)(blocks))
    out = tmp_path / "out"
    out.mkdir()
    task = pc.bit_wise_and(pieces.column("part"), 1)
    rows = [
        row
        for number in (0, 1)
        for batch in _job._list_writer(str(out))(pieces.filter(pc.equal(task, number)).to_batches())
        for row in batch.to_pylist()
    ]
    report = doiscan.scan(path)
    expected = report.path.read_bytes()
    assert b"".join(file.read_bytes() for file in sorted(out.iterdir())) == expected
    assert sum(row["rows"] for row in rows) == expected.count(b"\n")
    assert sum(row["bytes"] for row in rows) == len(expected)
    assert {len(list(out.iterdir())), len(rows)} == {len(bounds) + (pc.min(pieces.column("part")).as_py() == 0)}


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
    counts = set()
    for unit_size in (1, 2_000, 5_000, 9_000, 1 << 20):
        check(path, unit_size)
        counts.add(len(plan([str(path)], unit_size)))
    # One for each member, and fewer until there is one.
    assert len(counts) == 5 and {1, 12} <= counts


def test_a_pax_record_ends_where_its_length_says(tmp_path: Path) -> None:
    path, feed = tmp_path / "some.tar", "\n"

    def units(*headers: dict[str, str], is_unique: bool = False) -> int:
        with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as tar:
            for number, header in enumerate(headers):
                info = tarfile.TarInfo(f"m{number}")
                info.size, info.pax_headers = 10, header
                tar.addfile(info, io.BytesIO(b"10.1000/ab"))
        with Reader(str(path)) as file:
            return len(parts(file, path.stat().st_size, 1, is_unique) or [])

    comment = {"comment": "x\n11 size=10\n16 GNU.sparse=1\n10 path=a\ny"}
    assert units(comment, comment) == units(comment, comment, is_unique=True) == 2
    assert units({"path": "é\n1"}, {"path": "é\n2"}, is_unique=True) == 2
    assert units({"path": "é\n1"}, {"path": "é\n1"}, is_unique=True) == 0
    assert units({"size": "10"}) == units({"GNU.sparse.major": "1"}) == 0
    assert units(comment) == 1
    for length in (b"72", b"70", b"99", b"x1"):
        whole = path.read_bytes()
        at = whole.index(b" comment=")
        path.write_bytes(whole[: at - 2] + length + whole[at:])
        with Reader(str(path)) as file:
            assert parts(file, len(whole), 1, False) is None


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


def members() -> dict[str, bytes]:
    """Inputs of several kinds, one of them damaged, one with a name that must be escaped."""
    found = {f"{n}.txt": TEXTS["text"] * n + b" 10.1000/N%d" % n for n in range(9)}
    found |= {"empty": b"", "a\\x41,\n.csv": TEXTS["a.csv"], "cut.gz": gzip.compress(TEXTS["text"])[:-9]}
    return found


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2])
def test_zip_archives_are_cut_between_their_members(method: int, tmp_path: Path) -> None:
    with io.BytesIO() as file:
        with zipfile.ZipFile(file, "w", method) as archive:
            for name, data in members().items():
                archive.writestr(name, data)
        sound = file.getvalue()
    first = sound.index(b"PK\3\4", 4)
    broken = bytearray(sound)
    broken[first] ^= 1
    path = tmp_path / "some.zip"
    # A program in front, data behind, and a member whose header is lost.
    for case in (sound, b"#! 10.1000/FRONT\n" * 9 + sound, sound + b"10.1000/BEHIND", bytes(broken)):
        path.write_bytes(case)
        counts = set()
        for unit_size in (1, 300, 1_000, 1 << 20):
            check(path, unit_size)
            counts.add(len(plan([str(path)], unit_size)))
        assert {1, len(members())} <= counts and len(counts) == 4


def test_an_archive_with_a_name_twice_is_cut_unless_inputs_are_counted(tmp_path: Path) -> None:
    zipped, tarred = tmp_path / "some.zip", tmp_path / "some.tar"
    with zipfile.ZipFile(zipped, "w") as archive, tarfile.open(tarred, "w") as tar:
        for n in range(3):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                archive.writestr("long/" * 30 + "a", b"10.1000/%d" % n)
            info = tarfile.TarInfo("long/" * 30 + "a")
            info.size = 9
            tar.addfile(info, io.BytesIO(b"10.1000/%d" % n))
    for path in (zipped, tarred):
        assert [len(plan([str(path)], 1, is_unique)) for is_unique in (False, True)] == [3, 1]


def streams(count: int = 40) -> list[bytes]:
    """Streams of bzip2. DOIs lie across their ends."""
    text = b"".join(TEXTS["text"] + b"%d\n" % n for n in range(400))
    step = len(text) // count
    return [bz2.compress(text[at : at + step]) for at in range(0, len(text), step)]


def test_multistream_files_are_cut_between_their_streams(tmp_path: Path) -> None:
    path = tmp_path / "some.txt.bz2"
    path.write_bytes(b"".join(streams()))
    for unit_size in (150, 777, 1024, 3_000, 1 << 20):
        check(path, unit_size)
    assert len(plan([str(path)], 777)) > 4
    damaged = bytearray(path.read_bytes())
    damaged[len(damaged) // 2] ^= 0xFF
    for case in (damaged, path.read_bytes()[:-5], path.read_bytes() + b"tail", path.read_bytes() + bytes(9)):
        path.write_bytes(case)
        for unit_size in (200, 1024):
            check(path, unit_size)


def test_units_that_do_not_follow_one_another_are_read_as_one_file() -> None:
    units = [Unit(n, "x.bz2", 30, n * 10, n * 10 + 10, "members", 0, b"") for n in range(3)]

    def moved(*found: tuple[int | None, int, int | None]) -> tuple[dict[int, tuple[int, int]], set[int]]:
        records = [
            {"unit": n, "begin": begin, "end": end, "length": length, "lines": 7, "zero": 4 if n else 0}
            for n, (begin, end, length) in enumerate(found)
        ]
        return _moves(units, records)

    assert moved((0, 12, 100), (12, 25, 90), (25, 30, 9)) == ({1: (96, 7), 2: (186, 14)}, set())
    # No member starts in the second unit.
    assert moved((0, 25, 100), (None, 10, None), (25, 30, 9)) == ({2: (96, 14)}, set())
    everything = {0, 1, 2}
    # A gap, damage, an end that is missing, and a false start within the last member.
    assert moved((0, 12, 100), (13, 25, 90), (25, 30, 9))[1] == everything
    assert moved((0, 12, 100), (12, 25, None), (25, 30, 9))[1] == everything
    assert moved((0, 12, 100), (12, 25, 90), (25, 29, 9))[1] == everything
    assert moved((0, 12, 100), (12, 30, 90), (25, 30, 9))[1] == everything


def test_other_compressed_files_with_members_are_cut_too(tmp_path: Path) -> None:
    path = tmp_path / "table.csv.gz"
    lines = [b"%d,10.1000/A;%d\n" % (n, n) for n in range(2_000)]
    parts = [b"".join(lines[at : at + 100]) for at in range(0, 2_000, 100)]
    path.write_bytes(b"".join(gzip.compress(part) for part in [b"id,doi\n", *parts]))
    for unit_size in (100, 1024, 5_000):
        check(path, unit_size)
    assert len(plan([str(path)], 1024)) > 5
    path.write_bytes(gzip.compress(b"".join(lines)))
    assert len(plan([str(path)], 1024)) == 1
    # An archive, encoded text, and less than what decides the notation are read as a whole.
    for content in (archive(tarfile.GNU_FORMAT), TEXTS["text"].decode().encode("utf-16") * 99, b"10.1000/A\n"):
        half = len(content) // 2
        path.write_bytes(gzip.compress(content[:half]) + gzip.compress(content[half:]))
        assert len(plan([str(path)], 10)) == 1


def test_parquet_files_are_cut_between_row_groups(tmp_path: Path) -> None:
    path = tmp_path / "some.parquet"
    table = pa.table({"doi": [f"10.1000/{n},é" for n in range(900)], "other": ["10.1000/o"] * 900})
    pq.write_table(table, path, row_group_size=100)
    counts = []
    for unit_size in (1, 3_000, 1 << 20):
        check(path, unit_size)
        counts.append(len(plan([str(path)], unit_size)))
    assert counts[0] == 9 and counts[-1] == 1
    path.write_bytes(path.read_bytes()[:-1])
    assert len(plan([str(path)], 1)) == 1


def test_limits_of_unpacking_are_those_of_the_scan(tmp_path: Path) -> None:
    path = tmp_path / "long.parquet"
    pq.write_table(pa.table({"doi": ["10.1000/a" + " " * 3_000_000]}), path, compression="none")
    for limits, problems in ([], []), (["--max-window=1M"], ["raise --max-window"]):
        _, (record,) = rows_of(plan([str(path)], 1 << 20), Options(**{**OPTIONS, "limits": limits}))
        found = [problem["message"].rsplit("; ")[-1] for problem in record["problems"]]
        assert found == problems and record["accepted"] == 1 - len(problems)


def test_units_are_the_biggest_first_and_each_file_is_read_once() -> None:
    folder = str(ROOT / "testdata" / "sample")
    units = plan([folder, folder], 1000)
    sizes = [unit.end - unit.start for unit in units]
    assert sizes == sorted(sizes, reverse=True) and sum(sizes) == sum(size for _, size, _ in files(folder))
    assert [unit.index for unit in units] == list(range(len(units)))


def test_each_file_is_read_once_however_it_is_linked(tmp_path: Path) -> None:
    (tmp_path / "in/deep").mkdir(parents=True)
    (tmp_path / "other").mkdir()
    (tmp_path / "other/b.txt").write_text("10.1000/b")
    (tmp_path / "in/deep/a.txt").write_text("10.1000/a")
    for name, leads_to in [("c.txt", "deep/a.txt"), ("other", "../other"), ("loop", "."), ("none", "nowhere")]:
        (tmp_path / "in" / name).symlink_to(leads_to)
    folder = str(tmp_path / "in")
    paths = [unit.path for unit in plan([folder, f"{folder}/deep/../deep/a.txt"], 1 << 20)]
    assert sorted(paths) == [f"{folder}/c.txt", f"{folder}/none", f"{folder}/other/b.txt"]
    batches = [batch for unit in plan([folder], 1 << 20) for batch in scan_unit(unit, OPTIONS, 4)]
    assert any("No such file" in str(batch.to_pylist()) for batch in batches)


def test_files_of_a_uri(tmp_path: Path) -> None:
    """What is read through pyarrow.fs gives what the local path gives."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.txt").write_bytes(TEXTS["text"] * 20)
    (tmp_path / "cut.gz").write_bytes(gzip.compress(TEXTS["text"])[:-9])
    (tmp_path / "some.tar").write_bytes(archive(tarfile.PAX_FORMAT))
    (tmp_path / "some.bz2").write_bytes(b"".join(streams()))
    with zipfile.ZipFile(tmp_path / "some.zip", "w") as zipped:
        zipped.comment = b"comment"
        for name, data in members().items():
            zipped.writestr(name, data)
    pq.write_table(pa.table({"doi": ["10.1000/a", "b"] * 99}), tmp_path / "some.parquet", row_group_size=9)
    uri = f"file://{tmp_path}"
    assert sorted(files(uri)) == sorted((f"file://{path}", size, "") for path, size, _ in files(str(tmp_path)))
    options = Options(**{**OPTIONS, "hits": True, "rejects": True})
    remote, local = (json.loads(json.dumps(scanned([path], 100, options), default=repr)) for path in (uri, str(tmp_path)))
    assert json.loads(json.dumps(remote).replace("file://", "")) == local
    assert [len(plan([f"{uri}/some.{kind}"], 100)) for kind in ("tar", "zip", "parquet")] == [12, 12, 22]
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
