"""A plugin of pytest that puts carom in the place of fcl, embree and rtree, or of Coal.

`CAROM_EXAM` is "fcl" for `carom.fcl` alone, "trimesh" for `carom.trimesh` as well, or "coal".
"""

from __future__ import annotations

import os
import sys
import types
from typing import Any

import carom.coal
import carom.fcl
import carom.trimesh

sys.modules["fcl"] = carom.fcl
# Whatever would import these fails, so that no answer can come from them.
sys.modules["rtree"] = None  # type: ignore[assignment]

sys.modules["coal"] = carom.coal

if os.environ.get("CAROM_EXAM") == "trimesh":
    # A module that looks like embree, so that trimesh offers its tests of it.
    embree = types.ModuleType("embreex")
    embree.__version__ = "4.0.0"  # type: ignore[attr-defined]
    scene = types.ModuleType("embreex.rtcore_scene")
    construction = types.ModuleType("embreex.mesh_construction")
    construction.TriangleMesh = None  # type: ignore[attr-defined]
    embree.rtcore_scene = scene  # type: ignore[attr-defined]
    embree.mesh_construction = construction  # type: ignore[attr-defined]
    for module in (embree, scene, construction):
        sys.modules[module.__name__] = module

    carom.trimesh.install()
else:
    sys.modules["embreex"] = None  # type: ignore[assignment]


def pytest_report_header(config: Any) -> str:
    """Names the package that answers."""
    return f"carom from {carom.__file__}"
