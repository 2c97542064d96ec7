"""Prints as JSON what GDAL and ezdxf find in drawings, by path; null where one of them cannot open it.

usage: dxf_facts.py FILE...
GDAL: one row per feature, blocks not merged: layer, text, handle, type, bounds. ezdxf: the entities of model space with
blocks taken apart, how many of each type, and the bounds of all but texts.
"""
import json
import math
import re
import sys

import ezdxf
from ezdxf import bbox, disassemble, recover
from osgeo import gdal

gdal.UseExceptions()
gdal.PushErrorHandler("CPLQuietErrorHandler")
# GDAL before 3.7 obeys $DWGCODEPAGE even where the format says UTF-8.
gdal.SetConfigOption("DXF_MERGE_BLOCK_GEOMETRIES", "NO")
TEXTS = {"TEXT", "MTEXT", "ATTRIB", "ATTDEF"}


def version(path):
    with open(path, "rb") as file:
        head = file.read(4096)
    found = re.search(rb"\$ACADVER.{1,20}?(AC\d{4})", head, re.DOTALL)
    return found[1].decode() if found else "AC1009"


def is_binary(path):
    with open(path, "rb") as file:
        return file.read(22) == b"AutoCAD Binary DXF\r\n\x1a\0"


def gdal_facts(path):
    gdal.SetConfigOption("DXF_ENCODING", "UTF-8" if version(path) >= "AC1021" else None)
    try:
        dataset = gdal.OpenEx(path, gdal.OF_VECTOR)
        rows = []
        for feature in dataset.GetLayer(0):
            geometry = feature.GetGeometryRef()
            # What GDAL gives for text fields may be no UTF-8.
            rows.append({
                "layer": feature.GetField("Layer"),
                "text": feature.GetField("Text"),
                "handle": feature.GetField("EntityHandle"),
                "subclasses": feature.GetField("SubClasses"),
                "type": None if geometry is None else geometry.GetGeometryName(),
                "bounds": bounds(geometry),
            })
        return rows
    except (RuntimeError, AttributeError, UnicodeDecodeError) as error:
        return {"error": str(error)}


def bounds(geometry):
    if geometry is None or geometry.IsEmpty():
        return None
    west, east, south, north = geometry.GetEnvelope()
    box = [west, south, east, north]
    return box if all(map(math.isfinite, box)) else None


def ezdxf_facts(path):
    try:
        doc = ezdxf.readfile(path) if is_binary(path) else recover.readfile(path)[0]
        counts = {}
        drawn = []
        for entity in disassemble.recursive_decompose(doc.modelspace()):
            counts[entity.dxftype()] = counts.get(entity.dxftype(), 0) + 1
            if entity.dxftype() not in TEXTS:
                drawn.append(entity)
        box = bbox.extents(drawn, flatten=0.001)
        return {
            "counts": counts,
            "bounds": [box.extmin.x, box.extmin.y, box.extmax.x, box.extmax.y] if box.has_data else None,
        }
    except Exception as error:  # whatever it fails with, it is no judge of this file
        return {"error": f"{type(error).__name__}: {error}"}


json.dump({path: {"gdal": gdal_facts(path), "ezdxf": ezdxf_facts(path)} for path in sys.argv[1:]}, sys.stdout)
