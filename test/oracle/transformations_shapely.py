"""Reads {"features": {name: [WKT, ...]}, "asks": [[operation, name, parameters], ...]} and answers each with figures by shapely.

Answers: {"areas": [...]} of features or groups of them, or {"wkt": [...]}; null where nothing is left.
"""

import json
import sys

from shapely import wkt
from shapely.ops import unary_union

JOIN = {"round": 1, "mitre": 2, "bevel": 3}
CAP = {"round": 1, "flat": 2, "square": 3}


def parts(geometry):
    return list(geometry.geoms) if hasattr(geometry, "geoms") else [geometry]


def figures(geometries):
    return {"areas": [None if g is None or g.is_empty else g.area for g in geometries]}


def answer(operation, geometries, parameters):
    if operation == "buffer":
        style = {"join_style": JOIN[parameters["join"]], "cap_style": CAP[parameters["cap"]]}
        return figures([g.buffer(parameters["distance"], resolution=parameters["segments"], mitre_limit=5, **style) for g in geometries])
    if operation in ("clip", "erase"):
        mask = wkt.loads(parameters["mask"])
        act = (lambda g: g.intersection(mask)) if operation == "clip" else (lambda g: g.difference(mask))
        results = [act(g) for g in geometries]
        # Touching leaves lines and points of a polygon, which are no part of an area.
        return {
            "areas": [r.area if r.area > 0 else None for r in results],
            "lengths": [r.length for r in results],
        }
    if operation == "union":
        return {"areas": sorted(p.area for p in parts(unary_union(geometries)))}
    if operation == "dissolve":
        groups = {}
        for geometry, key in zip(geometries, parameters["keys"]):
            groups.setdefault(key, []).append(geometry)
        return figures([unary_union(members) for members in groups.values()])
    if operation == "centroid":
        return {"points": [[g.centroid.x, g.centroid.y] for g in geometries]}
    if operation == "convex_hull":
        return figures([g.convex_hull for g in geometries])
    if operation == "envelope":
        return figures([g.envelope for g in geometries])
    raise ValueError(operation)


asked = json.load(sys.stdin)
layers = {name: [wkt.loads(text) for text in texts] for name, texts in asked["features"].items()}
print(json.dumps([answer(operation, layers[name], parameters) for operation, name, parameters in asked["asks"]]))
