"""Draws random entities with ezdxf (seeded) and tells where ezdxf and GDAL see them: JSON on standard output.

Usage: dxf_shapes.py DRAWING SEED COUNT DISTANCE; DISTANCE is the greatest one of ezdxf's flattening.
"""
import json
import math
import random
import sys

import ezdxf
from ezdxf import path
from ezdxf.math import OCS, Vec3

drawing, seed, count, distance = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
rng = random.Random(seed)
doc = ezdxf.new("R2018")
msp = doc.modelspace()


def number(low=-20, high=20):
    return rng.uniform(low, high)


def position():
    return Vec3(number(), number(), number())


def normal():
    return rng.choice([Vec3(0, 0, 1), Vec3(0, 0, 1), Vec3(0, 0, -1), Vec3(number(), number(), number()), Vec3(0.001, -0.002, 1)]).normalize()


def list_of(make, low, high):
    return [make() for _ in range(rng.randint(low, high))]


def bulge_vertex():
    return (number(), number(), rng.choice([0, 0, number(-1, 1), number(-1, 1), number(-3, 3)]))


def lwpolyline():
    e = msp.add_lwpolyline(list_of(bulge_vertex, 2, 8), format="xyb", close=rng.random() < 0.5)
    e.dxf.extrusion = normal()
    e.dxf.elevation = rng.choice([0, number()])
    return e


def polyline2d():
    e = msp.add_polyline2d(list_of(bulge_vertex, 2, 8), format="xyb", close=rng.random() < 0.5)
    e.dxf.extrusion = normal()
    return e


def polyline3d():
    return msp.add_polyline3d(list_of(position, 2, 8), close=rng.random() < 0.5)


def arc():
    return msp.add_arc(position(), number(0.1, 20), *rng.choice([(number(0, 180), number(181, 360)), (number(-360, 360), number(-360, 360))]), dxfattribs={"extrusion": normal()})


def circle():
    return msp.add_circle(position(), number(0.1, 20), dxfattribs={"extrusion": normal()})


def ellipse():
    n = normal()
    axis = OCS(n).to_wcs(Vec3(number(), number(), 0))
    start = number(0, 6)
    return msp.add_ellipse(position(), axis, number(0.1, 1), start, start + number(0.1, 6.2), dxfattribs={"extrusion": n})


def spline():
    points = list_of(position, 4, 9)
    kind = rng.randint(0, 3)
    e = msp.add_spline(degree=3)
    if kind == 0:
        e.set_open_uniform(points, degree=rng.randint(2, 3))
    elif kind == 1:
        e.set_open_rational(points, [number(0.2, 5) for _ in points], degree=3)
    elif kind == 2:
        e.set_closed(points, degree=3)
    else:
        e.set_open_uniform(points, degree=1)
    return e


def helix():
    return msp.add_helix(number(1, 9), number(1, 9), rng.randint(1, 4), ccw=rng.random() < 0.5)


def solid():
    return msp.add_solid(list_of(position, 4, 4), dxfattribs={"extrusion": normal()})


def face3d():
    return msp.add_3dface(list_of(position, 4, 4))


def text():
    e = msp.add_text("x", dxfattribs={"extrusion": normal(), "insert": position()})
    if rng.random() < 0.5:
        e.set_pos(position(), align=rng.choice(["MIDDLE_CENTER", "TOP_RIGHT", "BOTTOM_LEFT"]))
    return e


def mline():
    return msp.add_mline(list_of(lambda: Vec3(number(), number(), 0), 3, 5), close=rng.random() < 0.3)


def image():
    e = msp.add_image(image_def, position(), (number(1, 9), number(1, 9)), rotation=number(0, 90))
    return e


def mesh():
    e = msp.add_mesh()
    with e.edit_data() as data:
        data.vertices = list_of(position, 5, 8)
        data.faces = [rng.sample(range(5), rng.randint(3, 4)) for _ in range(4)]
    return e


def hatch_polyline():
    e = msp.add_hatch()
    e.dxf.extrusion = normal()
    e.dxf.elevation = Vec3(0, 0, rng.choice([0, number()]))
    x, y = number(), number()
    ring = lambda r, n: [(x + r * math.cos(i * math.tau / n), y + r * math.sin(i * math.tau / n), rng.choice([0, 0.3])) for i in range(n)]
    e.paths.add_polyline_path(ring(20, rng.randint(3, 9)))
    if rng.random() < 0.5:
        e.paths.add_polyline_path(ring(5, rng.randint(3, 9)), flags=16)
    return e


def hatch_edges():
    """A slice of a disc whose outline is a line, an arc, an elliptical arc or a spline at each side."""
    e = msp.add_hatch()
    e.dxf.extrusion = normal()
    edges = e.paths.add_edge_path()
    r, ratio = number(5, 20), number(0.2, 0.9)
    start, end = number(0, 90), number(100, 200)
    at = lambda degrees, radius=r: Vec3(radius * math.cos(math.radians(degrees)), radius * math.sin(math.radians(degrees)))
    if rng.random() < 0.5:
        edges.add_arc((0, 0), r, start, end)
        first, last = at(start), at(end)
    else:
        edges.add_ellipse((0, 0), (r, 0), ratio, start, end)
        tool = edges.edges[0].construction_tool()
        first, last = tool.start_point, tool.end_point
    centre = at(number(-90, -30), 3)
    edges.add_line(last, centre)
    middle = (centre + first) / 2
    if rng.random() < 0.5:
        edges.add_line(centre, first)
    else:
        edges.add_spline(control_points=[centre, middle + Vec3(1, -2), middle + Vec3(3, 1), first], degree=3, knot_values=[0, 0, 0, 0, 1, 1, 1, 1])
    return e


def hatch_slot():
    """Clockwise arcs at both ends."""
    e = msp.add_hatch()
    edges = e.paths.add_edge_path()
    r, length = number(1, 5), number(2, 20)
    edges.add_line((0, r), (length, r))
    edges.add_arc((length, 0), r, -90, 90, ccw=False)
    edges.add_line((length, -r), (0, -r))
    edges.add_ellipse((0, 0), (0, r), 0.5, 0, 180, ccw=False) if rng.random() < 0.5 else edges.add_arc((0, 0), r, 90, 270, ccw=False)
    return e


def listed(points):
    return [[p.x, p.y, p.z] for p in map(Vec3, points)]


def outline(e):
    """Lines and rings as ezdxf has them, in the world."""
    kind = e.dxftype()
    if kind in ("ARC", "CIRCLE", "ELLIPSE", "SPLINE", "HELIX"):
        return [listed(e.flattening(distance))]
    if kind == "LWPOLYLINE" or (kind == "POLYLINE" and e.is_2d_polyline):
        points = []
        for part in e.virtual_entities():
            piece = listed([part.dxf.start, part.dxf.end] if part.dxftype() == "LINE" else part.flattening(distance))
            if points and math.dist(points[-1], piece[0]) > 1e-6:
                piece.reverse()
            points += piece
        return [points]
    if kind == "POLYLINE":
        points = listed(e.points())
        return [points + points[:1] if e.is_closed else points]
    if kind in ("SOLID", "3DFACE"):
        points = listed(e.wcs_vertices())
        return [points + points[:1]]
    if kind == "TEXT":
        point = e.dxf.insert if e.dxf.halign == 0 and e.dxf.valign == 0 else e.dxf.align_point
        return [listed([e.ocs().to_wcs(point)])]
    if kind == "IMAGE":
        points = listed(e.boundary_path_wcs())
        return [points + points[:1]]
    if kind == "MESH":
        faces = [[e.vertices[i] for i in face] for face in e.faces]
        return [listed(face + face[:1]) for face in faces]
    if kind == "MLINE":
        lines = []
        for k in range(len(e.vertices[0].line_params)):
            points = [Vec3(v.location) + Vec3(v.miter_direction) * v.line_params[k][0] for v in e.vertices]
            lines.append(listed(points + points[:1] if e.is_closed else points))
        return lines
    if kind == "HATCH":
        rings = []
        for boundary in path.from_hatch(e):
            points = listed(boundary.flattening(distance))
            rings.append(points + points[:1])
        return rings
    raise ValueError(kind)


def is_gdal_wrong(e):
    """
    Mlines are cut into their segments, periodic splines begin at 0 0, bulges of far more than 1 are drawn flatter and arcs
    over more than whole turns too long.
    """
    if e.dxftype() in ("MLINE", "SPLINE"):
        return e.dxftype() == "MLINE" or e.closed
    if e.dxftype() == "LWPOLYLINE":
        return any(abs(bulge) > 1 for _, _, bulge in e.get_points("xyb"))
    if e.dxftype() == "POLYLINE":
        return any(abs(vertex.dxf.bulge) > 1 for vertex in e.vertices)
    return e.dxftype() == "ARC" and not 0 <= e.dxf.start_angle < e.dxf.end_angle <= 360


image_def = doc.add_image_def("picture.png", (640, 360))
makers = [lwpolyline, polyline2d, polyline3d, arc, circle, ellipse, spline, helix, solid, face3d, text, mline, image, mesh, hatch_polyline, hatch_edges, hatch_slot]
entities = [make() for make in makers for _ in range(count)]
doc.saveas(drawing)
# What was written is what counts: coordinates are read back with the digits that they have there.
read = {e.dxf.handle: e for e in ezdxf.readfile(drawing).modelspace()}
told = {e.dxf.handle: {"ezdxf": outline(read[e.dxf.handle])} for e in entities}

try:
    from osgeo import gdal, ogr
except ImportError:
    ogr = None
if ogr is not None:
    gdal.UseExceptions()
    gdal.SetConfigOption("DXF_ENCODING", "UTF-8")
    gdal.PushErrorHandler("CPLQuietErrorHandler")
    source = ogr.Open(drawing)
    for feature in source.GetLayer(0):
        geometry = feature.GetGeometryRef()
        handle = feature.GetField("EntityHandle")
        if geometry is not None and handle in told and not is_gdal_wrong(read[handle]):
            told[handle]["gdal"] = json.loads(geometry.ExportToJson())
json.dump(told, sys.stdout)
