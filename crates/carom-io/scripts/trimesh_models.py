"""Compares carom's readers with those of trimesh, on a folder of models.

Usage: trimesh_models.py CAROM FOLDER
CAROM is the program; FOLDER holds model files, such as the folder `models` of trimesh's sources.
Needs the Python packages trimesh, numpy, scipy, networkx, lxml and pillow. No model is kept here.

Compared are triangles, bounds, area, whether every edge has two triangles, and the volume if that
is so and no facet is turned: all of the parts together in the world. A difference is printed with
both values. The exit status is 1 if there is a difference whose reason is not in REASONS.
"""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import trimesh

ENDINGS = {".obj", ".stl", ".ply", ".off", ".3mf", ".dae", ".gltf", ".glb", ".urdf"}

# A difference of this part of the value is none: both sum in f64, in another order.
CLOSE = 1e-9

# Why files differ: name, and the kinds of difference that the reason explains.
BENT = "a polygon that is not flat: trimesh cuts it into a fan or by its shorter diagonal, carom notes it"
SINGLE = "the library behind trimesh rounds the coordinates of COLLADA to f32"
REASONS = {
    "blue_cube.dae": (["min", "max", "area", "volume"], SINGLE),
    "cube_invalid_shininess.dae": (["min", "max", "area", "volume"], SINGLE),
    "duck.dae": (["min", "max", "area", "watertight"], SINGLE + "; two of its bent polygons cross in projection"),
    "counterXP.3MF": (["area"], "its matrices have six digits, and trimesh makes them rotations"),
    "fuze_ascii.ply": (["refused by carom"], "its faces have words that its header does not declare"),
    "negative_indices.obj": (["refused by trimesh"], "trimesh fails on vertex numbers that count back"),
    "notenoughindices.obj": (["refused by carom"], "it has a face of two corners, which trimesh leaves out"),
    "pins.glb": (["area"], "trimesh rounds the matrices of nodes to f32 and makes them rotations"),
    "quadknot.obj": (["area", "volume"], BENT),
    "suzanne.ply": (["area"], BENT),
    "target.obj": (["area"], BENT),
    "wallhole.obj": (["area", "watertight"], "trimesh closes the hole of a polygon: it makes a fan"),
}


def sealed(vertices, triangles):
    """Whether each edge has two triangles, with equal positions as one vertex."""
    _, place = np.unique(vertices + 0.0, axis=0, return_inverse=True)
    triangles = place.reshape(-1)[triangles]
    edges = np.sort(triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    _, counts = np.unique(edges, axis=0, return_counts=True)
    return bool((counts == 2).all())


def by_trimesh(path):
    """What trimesh reads, or why not."""
    try:
        scene = trimesh.load_scene(path, process=False, maintain_order=True)
        meshes = [m for m in scene.dump() if isinstance(m, trimesh.Trimesh) and len(m.faces)]
    except BaseException as error:  # Readers raise anything.
        return f"{type(error).__name__}: {error}"
    if not meshes:
        return "no triangles"
    # A mesh with vertices without a triangle has bounds of its triangles alone here.
    corners = [np.asarray(m.vertices, dtype=np.float64)[m.faces] for m in meshes]
    flat = np.concatenate(corners)
    cross = np.cross(flat[:, 1] - flat[:, 0], flat[:, 2] - flat[:, 0])
    return {
        "triangles": len(flat),
        "min": flat.reshape(-1, 3).min(axis=0).tolist(),
        "max": flat.reshape(-1, 3).max(axis=0).tolist(),
        "area": float(np.linalg.norm(cross, axis=1).sum() / 2),
        "volume": float(np.einsum("ij,ij->i", flat[:, 0], np.cross(flat[:, 1], flat[:, 2])).sum() / 6),
        # trimesh parts a mesh by its materials; carom does not.
        "watertight": sealed(flat.reshape(-1, 3), np.arange(3 * len(flat)).reshape(-1, 3)),
        "watertight parts": all(sealed(np.asarray(m.vertices, dtype=np.float64), m.faces) for m in meshes),
    }


def by_carom(program, path):
    """What carom reads, or why not."""
    run = subprocess.run(
        [program, "info", "--json", "--keep-going", str(path)], capture_output=True, text=True, timeout=600
    )
    if not run.stdout.strip():
        lines = run.stderr.replace(str(path), path.name).strip().splitlines()
        return next((line for line in lines if line.startswith("error")), lines[-1])
    answer = json.loads(run.stdout)
    parts = [part for file in answer["files"] for part in file["parts"]]
    if not parts:
        return "no triangles"
    return {
        "triangles": sum(part["triangles"] for part in parts),
        "min": np.min([part["min"] for part in parts], axis=0).tolist(),
        "max": np.max([part["max"] for part in parts], axis=0).tolist(),
        "area": sum(part["area"] for part in parts),
        "volume": sum(part["volume"] or 0.0 for part in parts),
        "watertight": all(part["watertight"] for part in parts),
        "flipped": sum(part["flipped_edges"] for part in parts),
        "parts": len(parts),
        "unread": answer["unread"],
    }


def differences(ours, theirs):
    """The members that differ."""
    size = max(np.abs(theirs["max"] + theirs["min"]).max(), 1e-300)
    found = []
    is_sealed = theirs["watertight" if ours["parts"] == 1 else "watertight parts"]
    for key, unit in [("min", size), ("max", size), ("area", size**2), ("volume", size**3)]:
        if key == "volume" and not (is_sealed and ours["watertight"] and ours["flipped"] == 0):
            # The volume of an open or turned mesh goes by the point that it is seen from.
            continue
        if np.abs(np.subtract(ours[key], theirs[key])).max() > CLOSE * unit:
            found.append(key)
    found += ["triangles"] if ours["triangles"] != theirs["triangles"] else []
    return found + (["watertight"] if ours["watertight"] != is_sealed else [])


def main(program, folder):
    paths = sorted(p for p in Path(folder).rglob("*") if p.is_file() and p.suffix.lower() in ENDINGS)
    equal, refused, explained, open_ones = 0, 0, 0, 0
    for path in paths:
        ours, theirs = by_carom(program, path), by_trimesh(path)
        if isinstance(ours, str) and isinstance(theirs, str):
            refused += 1
            continue
        if isinstance(ours, str) or isinstance(theirs, str):
            found = ["refused by carom" if isinstance(ours, str) else "refused by trimesh"]
        else:
            found = differences(ours, theirs)
        if not found:
            equal += 1
            continue
        kinds, reason = REASONS.get(path.name, ((), ""))
        is_explained = set(found) <= set(kinds)
        explained += is_explained
        open_ones += not is_explained
        print(f"{path.name}: {reason if is_explained else 'UNEXPLAINED'}")
        for key in found:
            if isinstance(ours, str) or isinstance(theirs, str):
                print(f"  {key}: {ours if isinstance(ours, str) else theirs}")
            else:
                print(f"  {key}: carom {ours[key]}, trimesh {theirs[key]}")
    print(
        f"{len(paths)} files: {equal} equal, {refused} refused by both, "
        f"{explained} differ with a reason, {open_ones} without"
    )
    return 1 if open_ones else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
