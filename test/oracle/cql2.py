"""Reads {"places": [...], "countries": [...], "sql": [...], "shapes": [[source, expression], ...]} and answers with the numbers of the rows,
from 1, for which each is true, and with the case folding of Unicode.

"places" are rows with "wkt"; "countries" are GeoJSON geometries. "sql" are conditions of SQLite on the columns of places, "shapes" expressions
of shapely on the geometry `g` of each row of a source.
"""

import json
import sqlite3
import sys
import unicodedata

from shapely import wkt
from shapely.geometry import LineString, MultiLineString, MultiPolygon, Point, Polygon, box, shape

asked = json.load(sys.stdin)
# Letters that Unicode does not decompose.
STROKED = str.maketrans("ØøŁłĐđ", "OoLlDd")


def without_accents(text):
    if text is None:
        return None
    return "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn").translate(STROKED)


database = sqlite3.connect(":memory:")
database.create_function("casei", 1, lambda text: None if text is None else text.casefold())
database.create_function("accenti", 1, without_accents)
database.execute("PRAGMA case_sensitive_like = true")
places = asked["places"]
columns = [name for name in places[0] if name != "wkt"]
database.execute(f'CREATE TABLE places ({", ".join(f"{json.dumps(name)}" for name in columns)})')
database.executemany(
    f'INSERT INTO places VALUES ({", ".join("?" for _ in columns)})', [[row[name] for name in columns] for row in places]
)
countries = [shape(one) for one in asked["countries"]]
sources = {
    "places": [wkt.loads(row["wkt"]) for row in places],
    "countries": countries,
    "borders": [one.boundary for one in countries],
}
names = {"box": box, "LineString": LineString, "MultiLineString": MultiLineString, "MultiPolygon": MultiPolygon, "Point": Point, "Polygon": Polygon}


def shapes(source, expression):
    holds = eval(f"lambda g: {expression}", names)
    return [i + 1 for i, geometry in enumerate(sources[source]) if holds(geometry)]


json.dump(
    {
        "sql": [[row[0] for row in database.execute(f"SELECT rowid FROM places WHERE {one} ORDER BY rowid")] for one in asked["sql"]],
        "shapes": [shapes(*one) for one in asked["shapes"]],
        "folding": [[chr(c), chr(c).casefold()] for c in range(0x110000) if chr(c).casefold() != chr(c)],
    },
    sys.stdout,
)
