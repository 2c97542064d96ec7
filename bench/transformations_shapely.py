"""Times one operation of shapely or geopandas on the features of a GeoPackage: transformations_shapely.py OPERATION FILE JSON.

Prints the seconds of wall and CPU time that the operation took, one feature after the other, as its users write it. Reading and
making shapely's geometries are not counted, and nothing is written.
"""

import json
import sys
import tempfile
import time

from osgeo import ogr
from shapely import wkb, wkt
from shapely.geometry import LineString, Point
from shapely.ops import polygonize, transform, unary_union

ogr.UseExceptions()


def read(path):
    source = ogr.Open(path)
    layer = source.GetLayer(0)
    return [wkb.loads(bytes(feature.GetGeometryRef().ExportToWkb())) for feature in layer]


def keys_of(path, field):
    source = ogr.Open(path)
    layer = source.GetLayer(0)
    return [feature.GetField(field) for feature in layer]


def swapped(x, y):
    return y, x


def rounded(x, y):
    return [round(one) for one in x], [round(one) for one in y]


# As users of geopandas write them: on columns where it has the operation, else on one geometry after the other. Reading and
# writing are counted here, as they are most of the work.
FRAME_OPERATIONS = {
    "calculate": lambda d: d.assign(v=(d.height * 2.5 + d.levels).round(2)),
    "cast": lambda d: d.assign(height=d.height.astype(str), levels=d.levels.astype(float)),
    "rename": lambda d: d.rename(columns={"kind": "class"}),
    "drop": lambda d: d.drop(columns=["kind", "built"]),
    "sort": lambda d: d.sort_values(["kind", "height"], ascending=[True, False], kind="stable"),
    "distinct": lambda d: d.drop_duplicates(["kind", "levels"]),
    "check": lambda d: d.assign(valid=d.geometry.is_valid),
    "snap": lambda d: [transform(rounded, g) for g in d.geometry],
    "vertices": lambda d: [Point(p) for g in d.geometry for ring in [g.exterior, *g.interiors] for p in ring.coords],
    "polygons_to_lines": lambda d: d.geometry.boundary,
    "lines_to_polygons": lambda d: list(polygonize(d.geometry)),
    "points_to_line": lambda d: d.groupby("kind").geometry.apply(lambda g: LineString(list(g))),
    "affine": lambda d: d.geometry.rotate(30).scale(2, 2),
    "swap_xy": lambda d: [transform(swapped, g) for g in d.geometry],
}


def time_frame(operation, path):
    import geopandas

    wall, cpu = time.perf_counter(), time.process_time()
    data = geopandas.read_file(path)
    result = FRAME_OPERATIONS[operation](data)
    if not isinstance(result, geopandas.GeoDataFrame):
        result = geopandas.GeoDataFrame(geometry=list(result), crs=data.crs)
    with tempfile.TemporaryDirectory() as directory:
        result.to_file(f"{directory}/out.gpkg", driver="GPKG")
        print(json.dumps({"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}))


def main(operation, path, parameters):
    if operation in FRAME_OPERATIONS:
        return time_frame(operation, path)
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
