"""The program of the README runs and prints what its comments say."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

import carom
from carom import _carom

README = Path(__file__).parent.parent / "README.md"


def test_the_program_of_the_readme(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    program = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)[0]
    assert len(program.strip().splitlines()) <= 12
    file = tmp_path / "program.py"
    file.write_text(program)
    runpy.run_path(str(file))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["0.25", "[0.", "0.5", "0.", "]", "[0.", "0.75", "0.", "]"]
    assert float(lines[1]) == pytest.approx(0.1)
    assert float(lines[2].split()[0]) == pytest.approx(0.5, abs=1e-3)
    assert len(README.read_text().splitlines()) <= 120


def test_everything_is_exported_and_documented() -> None:
    assert set(_carom.__all__) <= set(carom.__all__)
    for name in carom.__all__:
        item = getattr(carom, name)
        assert item.__doc__, name
        if isinstance(item, type) and not issubclass(item, Exception):
            for member, value in vars(item).items():
                if not member.startswith("_"):
                    assert value.__doc__, f"{name}.{member}"
