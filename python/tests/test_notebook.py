"""The notebook runs from top to bottom, and draws its plots."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

NOTEBOOK = Path(__file__).parent.parent / "examples" / "clearance.ipynb"


def cells() -> list[str]:
    content = json.loads(NOTEBOOK.read_text())
    code = [cell for cell in content["cells"] if cell["cell_type"] == "code"]
    # Outputs would be out of date at the next change.
    assert all(cell["outputs"] == [] for cell in code)
    return ["".join(cell["source"]) for cell in code]


def test_the_cells_run_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    matplotlib.use("Agg")
    names: dict[str, Any] = {}
    for number, cell in enumerate(cells()):
        exec(compile(cell, f"cell {number}", "exec"), names)  # noqa: S102
    printed = capsys.readouterr().out
    assert 0.05 < names["blocked"].mean() < 0.5 and "first contact at" in printed
    # The fingers meet the pin: a gap of the plots' width, and a time within the last half.
    first = names["first"]
    assert 2.0 < first.safe_until < 3.0
    assert len(names["plt"].get_fignums()) == 2
    names["plt"].close("all")


def test_a_kernel_runs_it() -> None:
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    nbformat = pytest.importorskip("nbformat")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    pictures = [output for output in outputs if "image/png" in output.get("data", {})]
    assert len(pictures) == 2
