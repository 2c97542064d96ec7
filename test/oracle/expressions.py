"""Reads {"rows": [...], "pandas": [...], "polygons": [...], "lines": [...]} and answers with columns of pandas and measures of PROJ.

"pandas" are expressions on the columns of the frame `d`. Polygons and lines are GeoJSON; areas and lengths are those of
geographiclib, as PROJ's geod computes them, on WGS 84.
"""

import json
import sys

import numpy as np
import pandas as pd
from pyproj import Geod
from shapely.geometry import shape

asked = json.load(sys.stdin)
d = pd.DataFrame(asked["rows"])
if asked["rows"]:
    d["pop"] = d["pop"].astype("Int64")
    d["day"] = pd.to_datetime(d["date"])


def plain(value):
    if value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and np.isnan(value)):
        return None
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    return value.item() if hasattr(value, "item") else value


def column(expression):
    result = eval(expression, {"d": d, "np": np, "pd": pd})
    return [plain(value) for value in result]


geod = Geod(ellps="WGS84")


def measures(geometry):
    area, perimeter = geod.geometry_area_perimeter(geometry)
    # Holes have the other direction only if the file says so.
    if geometry.geom_type == "Polygon":
        rings = [geod.polygon_area_perimeter(*np.array(ring.coords).T[:2]) for ring in [geometry.exterior, *geometry.interiors]]
        area = abs(rings[0][0]) - sum(abs(one[0]) for one in rings[1:])
        perimeter = sum(one[1] for one in rings)
    return [abs(area), perimeter]


json.dump(
    {
        "pandas": [column(one) for one in asked["pandas"]],
        "polygons": [measures(shape(one)) for one in asked["polygons"]],
        "lines": [geod.geometry_length(shape(one)) for one in asked["lines"]],
    },
    sys.stdout,
)
