"""What GEOS says of pairs of polygons before and after they were made valid: a line of JSON for each pair of lines of WKT."""
import json
import sys

from osgeo import ogr

ogr.UseExceptions()
for line in sys.stdin:
    before, after = (ogr.CreateGeometryFromWkt(text) for text in line.rstrip("\n").split("\t"))
    # By even-odd, the usual repair leaves out what is covered twice: only what is wider than a unit counts as a difference.
    difference = before.Buffer(0).SymDifference(after).Buffer(-1) if after.IsValid() else None
    print(json.dumps({
        "wasValid": before.IsValid(),
        "isValid": after.IsValid(),
        "isEmpty": after.IsEmpty(),
        "moved": None if difference is None else difference.Area(),
    }))
