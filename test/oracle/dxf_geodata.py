"""Prints as JSON what ezdxf finds in the GEODATA object of a drawing, and the number of errors and fixes of its audit.

usage: dxf_geodata.py FILE
"""
import json
import sys

import ezdxf

doc = ezdxf.readfile(sys.argv[1])
auditor = doc.audit()
geodata = doc.modelspace().get_geodata()
found = {"errors": len(auditor.errors), "fixes": len(auditor.fixes), "geodata": None}
if geodata is not None:
    epsg, is_xy = geodata.get_crs()
    found["geodata"] = {
        "epsg": epsg,
        "is_xy": is_xy,
        "type": geodata.dxf.coordinate_type,
        "scale": round(geodata.dxf.horizontal_unit_scale, 12),
    }
print(json.dumps(found))
