"""Runs the tests of python-fcl, trimesh and Coal with carom in the place of what they test.

    python exams/run.py [--fcl FOLDER] [--trimesh FOLDER] [--coal FOLDER]

pip fetches the source packages. That of trimesh lacks its models and a module of its tests, so
`generic.py` stands in, and tests that need other models are skipped. A folder is a checkout of the
project, whose tests and models are used instead. The tests of Coal are run from a checkout alone.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
TRIMESH = ["test_collision.py", "test_ray.py", "test_proximity.py", "test_bounds.py"]

# What fails although carom is right; exams/README.md has the proofs.
KNOWN = {
    "test_collision.py::CollisionTest::test_collision",
    "test_bounds.py::BoundsTest::test_obb_mesh_large",
    "test_proximity.py::NearestTest::test_returns_correct_point_in_ambiguous_cases",
}


def fetch(package: str, folder: Path) -> Path:
    """Fetches a source package and returns the unpacked folder."""
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:"]
    subprocess.run([*pip, "--dest", str(folder), package], check=True)
    archive = next(folder.glob(f"*{package.replace('-', '?')}*.tar.gz"))
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")
    return folder / archive.name.removesuffix(".tar.gz")


def run(files: list[Path], shim: str, folder: Path, stand_in: bool) -> dict[str, str]:
    """Runs test files and returns the outcome of each test: passed, failed or skipped."""
    paths = [str(HERE), str(HERE / "stand_in")] if stand_in else [str(HERE)]
    known = os.environ.get("PYTHONPATH")
    environment = {
        **os.environ,
        "CAROM_EXAM": shim,
        "PYTHONPATH": os.pathsep.join([*paths, *([known] if known else [])]),
    }
    command = [sys.executable, "-m", "pytest", "-q", "-rA", "--tb=line", "--color=no"]
    command += ["-p", "places", "-p", "no:cacheprovider", "--rootdir", str(folder)]
    done = subprocess.run(
        [*command, *map(str, files)],
        check=False,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )
    lines = re.findall(r"^(PASSED|FAILED|ERROR|SKIPPED) (\S+)", done.stdout, re.MULTILINE)
    skipped = re.findall(r"^SKIPPED \[(\d+)\] (\S+?):\d+: (.*)", done.stdout, re.MULTILINE)
    outcomes = {name.rsplit("/", 1)[-1]: kind.lower() for kind, name in lines if "::" in name}
    for i, (count, place, why) in enumerate(skipped):
        outcomes[f"{Path(place).name}: {why} ({i})"] = f"skipped {count}"
    if not outcomes:
        print(done.stdout[-3000:], done.stderr[-3000:])
    else:
        for line in re.findall(r"^.*(?:Error|assert).*$", done.stdout, re.MULTILINE)[:40]:
            print("   ", line[:160])
    return outcomes


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fcl", type=Path, help="a checkout of python-fcl")
    parser.add_argument("--trimesh", type=Path, help="a checkout of trimesh")
    parser.add_argument("--coal", type=Path, help="a checkout of Coal")
    arguments = parser.parse_args()
    rows: list[tuple[str, str, dict[str, str]]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fcl = arguments.fcl or fetch("python-fcl", folder)
        tests = sorted([*fcl.glob("test/test_*.py"), *fcl.glob("tests/test_*.py")])
        rows.append((fcl.name, "carom.fcl", run(tests, "fcl", fcl, False)))
        trimesh = arguments.trimesh or fetch("trimesh", folder)
        tests = trimesh / "tests"
        stand_in = not (tests / "generic.py").exists()
        for shim in ("fcl", "trimesh"):
            files = [tests / file for file in (TRIMESH[:1] if shim == "fcl" else TRIMESH)]
            label = "carom.fcl under trimesh.collision" if shim == "fcl" else "carom.trimesh"
            rows.append((trimesh.name, label, run(files, shim, trimesh, stand_in)))
        if arguments.coal is not None:
            tests = arguments.coal.absolute() / "test" / "python_unit"
            names = ["api", "collision", "geometric_shapes", "pickling"]
            files = [tests / f"{name}.py" for name in names]
            rows.append((arguments.coal.name, "carom.coal", run(files, "coal", folder, False)))
            # A plain program without test functions.
            program = (
                f"import places, runpy; runpy.run_path({str(tests / 'collision_manager.py')!r})"
            )
            environment = {**os.environ, "CAROM_EXAM": "coal", "PYTHONPATH": str(HERE)}
            done = subprocess.run([sys.executable, "-c", program], check=False, env=environment)
            passed = "passed" if done.returncode == 0 else "failed"
            rows[-1][2]["collision_manager.py"] = passed
    print(f"{'tests':<22} {'with':<36} {'passed':>7} {'failed':>7} {'skipped':>8}")
    is_good = True
    for suite, label, outcomes in rows:
        n = {kind: 0 for kind in ("passed", "failed", "skipped")}
        for kind in outcomes.values():
            word, _, count = kind.partition(" ")
            n["failed" if word == "error" else word] += int(count or 1)
        print(f"{suite:<22} {label:<36} {n['passed']:>7} {n['failed']:>7} {n['skipped']:>8}")
        for test, kind in outcomes.items():
            if kind in ("failed", "error"):
                proof = "see README.md" if test in KNOWN else "NOT KNOWN"
                print(f"    {test}: {proof}")
                is_good &= test in KNOWN
        is_good &= 0 < n["passed"]
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
