"""Makes layers with a fixed seed, and joins and overlays them with geopandas.

second_sources.py make DIRECTORY COUNT   writes points, lines, polygons and others (polygons) as CSV with WKT
second_sources.py DIRECTORY              reads requests as lines of JSON, writes results as lines of JSON
"""
import json
import math
import random
import sys

import geopandas
import pandas
from shapely import wkt
from shapely.geometry import LineString, Point, Polygon

CRS = "EPSG:25832"


def star(rng, x, y, size):
    """A polygon with dents and, sometimes, a hole."""
    corners = rng.randint(4, 12)
    shell = [
        (x + math.cos(a) * r, y + math.sin(a) * r)
        for i in range(corners)
        for a, r in [(2 * math.pi * i / corners, size * rng.uniform(0.4, 1))]
    ]
    hole = [(x + size * 0.1 * dx, y + size * 0.1 * dy) for dx, dy in [(-1, -1), (1, -1), (1, 1), (-1, 1)]]
    return Polygon(shell, [hole] if rng.random() < 0.3 else [])


def make(directory, count):
    rng = random.Random(7)
    place = lambda: (500000 + rng.uniform(0, 1000), 5600000 + rng.uniform(0, 1000))
    layers = {
        "points": [Point(*place()) for _ in range(count)],
        "lines": [
            LineString([(x, y), (x + rng.uniform(-80, 80), y + rng.uniform(-80, 80)), (x + 20, y - 30)])
            for x, y in (place() for _ in range(count // 2))
        ],
        "polygons": [star(rng, *place(), rng.uniform(10, 90)) for _ in range(count // 4)],
        "others": [star(rng, *place(), rng.uniform(10, 90)) for _ in range(count // 5)],
    }
    # On borders and corners, and equal geometries.
    some = layers["polygons"][:10]
    layers["points"] += [Point(*p.exterior.coords[0]) for p in some]
    layers["points"] += [Point(*map(lambda a, b: (a + b) / 2, p.exterior.coords[0], p.exterior.coords[1])) for p in some]
    layers["others"] += some
    for name, shapes in layers.items():
        with open(f"{directory}/{name}.csv", "w") as file:
            file.write("n,code,value,geom_wkt\n")
            for n, shape in enumerate(shapes):
                file.write(f'{n},c{rng.randint(0, 40)},{rng.randint(0, 99)},"{shape.wkt}"\n')


layers = {}


def read(directory, name):
    if name not in layers:
        frame = pandas.read_csv(f"{directory}/{name}.csv")
        layers[name] = geopandas.GeoDataFrame(
            frame.drop(columns="geom_wkt"), geometry=frame["geom_wkt"].map(wkt.loads), crs=CRS
        )
    return layers[name]


def pairs(frame):
    return sorted([int(a), None if pandas.isna(b) else int(b)] for a, b in zip(frame["n_left"], frame["n_right"]))


def answer(directory, kind, left, right, what):
    a, b = read(directory, left), read(directory, right)
    if kind == "join":
        joined = a.merge(b.drop(columns="geometry"), on="code", how=what, suffixes=("_left", "_right"))
        return pairs(joined)
    if kind == "sjoin":
        return pairs(geopandas.sjoin(a, b, how="inner", predicate=what, lsuffix="left", rsuffix="right"))
    if kind == "nearest":
        found = []
        for n, shape in zip(a["n"], a.geometry):
            distances = b.distance(shape)
            least = distances.min()
            if what is None or least <= what:
                found += [[int(n), round(least, 6)]] * int((distances == least).sum())
        return sorted(found)
    result = geopandas.overlay(a, b, how=what, keep_geom_type=True)
    one, two = ("n_1", "n_2") if "n_1" in result else ("n", None)
    areas = {}
    for index, row in result.iterrows():
        key = [None if name is None or pandas.isna(row[name]) else int(row[name]) for name in (one, two)]
        areas[json.dumps(key)] = areas.get(json.dumps(key), 0) + (row.geometry.area or row.geometry.length)
    return areas


if sys.argv[1] == "make":
    make(sys.argv[2], int(sys.argv[3]))
else:
    for line in sys.stdin:
        print(json.dumps(answer(sys.argv[1], *json.loads(line))), flush=True)
