"""ipc-toolkit's answers about a cloth, and the processor time that they take on one thread.

Started by the bench phase `deform`, which skips it where the package ipctk is missing. Reads a folder with the
files before.f32, after.f32 (positions) and faces.u32 (triangles), then one question a line from the standard
input, and writes one line of JSON for each:
    candidates D     pairs whose boxes, grown by D / 2, touch, at present
    step             pairs whose boxes over the step touch
    within D         the least distance of the pairs nearer than D, if there are any
    free             the part of the step before the first contact
    crossings        whether the cloth crosses itself at present
"""

import json
import sys
import time

import ipctk
import numpy


def read(folder, name, kind):
    return numpy.fromfile(f"{folder}/{name}", dtype=kind).reshape(-1, 3)


def main():
    folder = sys.argv[1]
    ipctk.set_num_threads(1)
    ipctk.set_logger_level(ipctk.LoggerLevel.error)
    before = read(folder, "before.f32", "<f4").astype(float)
    after = read(folder, "after.f32", "<f4").astype(float)
    faces = read(folder, "faces.u32", "<u4").astype(numpy.int32)
    mesh = ipctk.CollisionMesh(before, ipctk.edges(faces), faces)

    def candidates(distance):
        found = ipctk.Candidates()
        found.build(mesh, after, 0.5 * distance, ipctk.LBVH())
        return [len(found.ee_candidates), len(found.fv_candidates)]

    def step():
        found = ipctk.Candidates()
        found.build(mesh, before, after, 0.0, ipctk.LBVH())
        return [len(found.ee_candidates), len(found.fv_candidates)]

    def within(distance):
        found = ipctk.NormalCollisions()
        found.build(mesh, after, distance, 0.0, ipctk.LBVH())
        # It keeps squares of distances.
        return [found.compute_minimum_distance(mesh, after) ** 0.5] if len(found) else []

    def free():
        return [ipctk.compute_collision_free_stepsize(mesh, before, after, 0.0, ipctk.LBVH(), ipctk.AdditiveCCD())]

    def crossings():
        return [float(ipctk.has_intersections(mesh, after, ipctk.LBVH()))]

    questions = {f.__name__: f for f in (candidates, step, within, free, crossings)}
    print(json.dumps({"version": ipctk.__version__}), flush=True)
    for line in sys.stdin:
        name, *numbers = line.split()
        start = time.process_time_ns()
        answer = questions[name](*map(float, numbers))
        print(json.dumps({"ns": time.process_time_ns() - start, "answer": answer}), flush=True)


main()
