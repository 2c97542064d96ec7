"""Calculates a field as users of geopandas do: expressions_geopandas.py OPERATION INPUT OUTPUT.

"area": ellipsoidal areas, by pyproj.Geod of each polygon; "arithmetic": an expression of numpy on columns. Prints the seconds of wall
time of the operation alone; reading and writing are in the time of the whole process.
"""

import sys
import time

import geopandas
from pyproj import Geod

operation, source, target = sys.argv[1:]
frame = geopandas.read_file(source)
started = time.perf_counter()
if operation == "area":
    geod = Geod(ellps="WGS84")
    frame["x"] = frame.geometry.apply(lambda one: abs(geod.geometry_area_perimeter(one)[0]))
else:
    frame["x"] = (frame["levels"] * 3.5 + frame["height"] / 2) ** 2 - frame["levels"]
print(time.perf_counter() - started)
frame.to_file(target, driver="GPKG")
