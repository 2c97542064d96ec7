"""Times one operation of shapely on the features of a GeoPackage: transformations_shapely.py OPERATION FILE JSON.

Prints the seconds of wall and CPU time that the operation took, one feature after the other, as its users write it. Reading and
making shapely's geometries are not counted, and nothing is written.
"""

import json
import sys
import time

from osgeo import ogr
from shapely import wkb, wkt
from shapely.ops import unary_union

ogr.UseExceptions()


def read(path):
    source = ogr.Open(path)
    layer = source.GetLayer(0)
    return [wkb.loads(bytes(feature.GetGeometryRef().ExportToWkb())) for feature in layer]


def keys_of(path, field):
    source = ogr.Open(path)
    layer = source.GetLayer(0)
    return [feature.GetField(field) for feature in layer]


def main(operation, path, parameters):
    geometries = read(path)
    mask = wkt.loads(parameters["mask"]) if "mask" in parameters else None
    keys = keys_of(path, parameters["by"]) if "by" in parameters else None
    wall, cpu = time.perf_counter(), time.process_time()
    if operation == "buffer":
        results = [g.buffer(parameters["distance"], resolution=16) for g in geometries]
    elif operation == "union":
        results = unary_union(geometries)
    elif operation == "clip":
        results = [g.intersection(mask) for g in geometries if g.intersects(mask)]
    elif operation == "erase":
        results = [g.difference(mask) for g in geometries]
    elif operation == "dissolve":
        groups = {}
        for geometry, key in zip(geometries, keys):
            groups.setdefault(key, []).append(geometry)
        results = [unary_union(members) for members in groups.values()]
    else:
        raise ValueError(operation)
    print(json.dumps({"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}))
    return results


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], json.loads(sys.argv[3]))
