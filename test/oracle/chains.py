"""Judges chains of reprojections and steps (test/support/chains.ts), one a line of the standard input, with shapely, PROJ and its geodesics.

Prints for each chain [valid, within, off, area_off]: whether the results are valid and within the bounds of longitudes and latitudes, how far they
are from their place in metres, and how much their geodesic area differs, divided by the length of the outline.
"""
import json
import sys

from pyproj import CRS, Geod, Transformer
from shapely import wkt
from shapely.geometry import LineString, MultiPoint, Point, Polygon, shape
from shapely.ops import transform, unary_union
from shapely.validation import make_valid

GEOD = Geod(ellps="WGS84")
# Edges in degrees are straight there, not in the plane.
STEP_DEGREES = 0.05


def dense(coords):
    coords = [c[:2] for c in coords]
    result = [coords[0]]
    for (x1, y1), (x2, y2) in zip(coords, coords[1:]):
        n = max(1, int(max(abs(x1 - x2), abs(y1 - y2)) / STEP_DEGREES) + 1)
        n = min(n, 400)
        result += [(x1 + (x2 - x1) * i / n, y1 + (y2 - y1) * i / n) for i in range(1, n)]
        result.append((x2, y2))
    return result


def densified(g):
    if g.geom_type == "Polygon":
        return Polygon(dense(g.exterior.coords), [dense(h.coords) for h in g.interiors])
    if g.geom_type == "LineString":
        return LineString(dense(g.coords))
    if hasattr(g, "geoms"):
        return type(g)([densified(one) for one in g.geoms])
    return g


def stepped(g, step, argument):
    if step == "buffer":
        return g.buffer(argument, resolution=16)
    if step == "simplify":
        return g.simplify(argument)
    if step == "convex_hull":
        return g.convex_hull
    if step == "centroid":
        return g.centroid
    return g.envelope


def geodesic_area(g):
    """Of edges that are straight in longitude and latitude, and densified."""
    if g.geom_type == "Polygon":
        return abs(GEOD.geometry_area_perimeter(g)[0])
    return sum(geodesic_area(one) for one in getattr(g, "geoms", []))


def apart(want, got, tolerance):
    """How far two geometries are from one another, in metres; of areas, the mean distance of their outlines."""
    if want.is_empty or got.is_empty:
        return 0 if want.is_empty == got.is_empty else 1e9
    if want.area > 0:
        return want.symmetric_difference(got).area / want.length
    if want.length > 0:
        # A point where another one is missing is within the tolerance of it.
        outside = want.difference(got.buffer(tolerance)).length + got.difference(want.buffer(tolerance)).length
        return max(outside, abs(got.length - want.length) / 20)
    return want.hausdorff_distance(got)


def judged(chain):
    plane = CRS.from_string(chain["plane"])
    to_plane = Transformer.from_crs("EPSG:4326", plane, always_xy=True)
    want = stepped(wkt.loads(chain["wkt"]), *chain["planar"])
    valid, within, parts, area = True, True, [], 0
    for geometry in chain["geometries"]:
        g = shape(geometry)
        if g.is_empty:
            continue
        valid = valid and g.is_valid
        west, south, east, north = g.bounds
        within = within and west >= -180 and east <= 180 and south >= -90 and north <= 90
        g = densified(g)
        area += geodesic_area(g)
        parts.append(make_valid(transform(lambda x, y, z=None: to_plane.transform(x, y), g)))
    got = make_valid(unary_union(parts)) if parts else wkt.loads("POINT EMPTY")
    off = apart(want, got, chain["tolerance"])
    area_off = abs(area - want.area) / want.length if want.area > 0 else 0
    return [valid, within, off, area_off]


print(json.dumps([judged(json.loads(line)) for line in sys.stdin]))
