"""Layers for bench/second-sources.ts, and the same operations by geopandas and pandas, as their users write them.

second_sources.py make DIRECTORY                  makes the inputs
second_sources.py run DIRECTORY OPERATION         reads, computes and writes; prints the seconds of the parts
second_sources.py compare DIRECTORY OPERATION     compares what geomill and this wrote; ends with status 1 if they differ
"""
import json
import math
import sys
import time

import geopandas
import numpy
import pandas
from shapely.geometry import Polygon

CRS = "EPSG:25832"
EAST, NORTH = 500000, 5600000


def cell(x, y, width, height):
    """A cell of a grid with 100 positions, whose borders are bent as those of its neighbours are."""
    steps = [i / 25 for i in range(25)]
    ring = [(x + width * t, y) for t in steps] + [(x + width, y + height * t) for t in steps]
    ring += [(x + width - width * t, y + height) for t in steps] + [(x, y + height - height * t) for t in steps]
    return Polygon([(a + 3 * math.sin(b / 7), b + 3 * math.cos(a / 9)) for a, b in ring])


def grid(columns, rows, width, height, shape=cell):
    return [shape(EAST + i * width, NORTH + j * height, width, height) for i in range(columns) for j in range(rows)]


def parcel(x, y, width, height):
    return Polygon([(x, y), (x + 23, y + 1), (x + width, y + 12), (x + width, y + 24), (x + 10, y + height), (x, y + height)])


def make(directory):
    random = numpy.random.default_rng(1)
    for name, field, shapes in [
        ("zones-3000", "zone", grid(60, 50, 100, 100)),
        ("zones-1000", "zone", grid(40, 25, 150, 200)),
        ("parcels", "parcel", grid(250, 200, 24, 25, parcel)),
    ]:
        frame = geopandas.GeoDataFrame({field: range(len(shapes))}, geometry=shapes, crs=CRS)
        frame.to_file(f"{directory}/{name}.gpkg", driver="GPKG")
    many = 1_000_000
    x, y = EAST + random.random(many) * 6000, NORTH + random.random(many) * 5000
    points = pandas.DataFrame({"n": range(many), "x": x.round(3), "y": y.round(3)})
    points.to_csv(f"{directory}/points.csv", index=False)
    half = many // 2
    features = points[:half].assign(key=random.permutation(half))
    features.to_csv(f"{directory}/features.csv", index=False)
    names = [f"name {i}" for i in range(half)]
    table = pandas.DataFrame({"key": random.permutation(half), "pop": random.integers(0, 9999, half), "name": names})
    table.to_csv(f"{directory}/table.csv", index=False)


def run(directory, operation):
    begin = time.perf_counter()
    if operation == "join":
        left, right = pandas.read_csv(f"{directory}/features.csv"), pandas.read_csv(f"{directory}/table.csv")
    elif operation == "spatial_join":
        table = pandas.read_csv(f"{directory}/points.csv")
        left = geopandas.GeoDataFrame(table[["n"]], geometry=geopandas.points_from_xy(table.x, table.y), crs=CRS)
        right = geopandas.read_file(f"{directory}/zones-3000.gpkg")
    else:
        left, right = (geopandas.read_file(f"{directory}/{name}.gpkg") for name in ("parcels", "zones-1000"))
    read = time.perf_counter()
    if operation == "join":
        result = left.merge(right, on="key", how="left")
    elif operation == "spatial_join":
        result = geopandas.sjoin(left, right, how="left")
    else:
        result = geopandas.overlay(left, right)
    computed = time.perf_counter()
    if operation == "overlay":
        result.to_file(f"{directory}/peer.gpkg", driver="GPKG")
    elif operation == "spatial_join":
        result.assign(x=result.geometry.x, y=result.geometry.y).drop(columns=["geometry", "index_right"]).to_csv(
            f"{directory}/peer.csv", index=False
        )
    else:
        result.to_csv(f"{directory}/peer.csv", index=False)
    end = time.perf_counter()
    print(json.dumps({"read": read - begin, "operation": computed - read, "total": end - begin}))


def compare(directory, operation):
    if operation == "ogr_join":
        ours, peer = (
            geopandas.read_file(f"{directory}/{name}.gpkg", layer="features").sort_values("n") for name in ("ours", "peer")
        )
        same = all((ours[name].fillna(-1).values == peer[name].fillna(-1).values).all() for name in ("n", "pop", "name"))
        return same and bool((ours.geometry.values == peer.geometry.values).all())
    if operation == "overlay":
        both = [geopandas.read_file(f"{directory}/{name}.gpkg") for name in ("ours", "peer")]
        ours, peer = (frame.assign(size=frame.area).groupby(["parcel", "zone"])["size"].sum() for frame in both)
        # A piece that only one of them has is a sliver.
        return bool((ours.sub(peer, fill_value=0).abs() < 1e-5).all())
    ours, peer = (pandas.read_csv(f"{directory}/{name}.csv").sort_values("n") for name in ("ours", "peer"))
    columns = ["n", "zone"] if operation == "spatial_join" else ["n", "pop", "name"]
    return all((ours[name].fillna(-1).values == peer[name].fillna(-1).values).all() for name in columns)


if sys.argv[1] == "make":
    make(sys.argv[2])
elif sys.argv[1] == "run":
    run(sys.argv[2], sys.argv[3])
elif not compare(sys.argv[2], sys.argv[3]):
    sys.exit(f"{sys.argv[3]}: the outputs differ")
