"""Reads lines of curve WKT and answers each with GDAL's linear geometry and the curve itself, as hex:
"linear ISO WKB <tab> ISO little <tab> ISO big <tab> OGC little".

ADD_INTERMEDIATE_POINT=NO: by default GDAL takes odd numbers of steps and hides the middle of the arc in the last bits
of two of its vertices, to find it again when it writes curves.
"""

import sys

from osgeo import ogr

ogr.UseExceptions()


def hex_of(wkb):
    return bytes(wkb).hex()


for line in sys.stdin:
    curve = ogr.CreateGeometryFromWkt(line.rstrip("\n"))
    linear = curve.GetLinearGeometry(0, ["ADD_INTERMEDIATE_POINT=NO"])
    print(
        hex_of(linear.ExportToIsoWkb()),
        hex_of(curve.ExportToIsoWkb(ogr.wkbNDR)),
        hex_of(curve.ExportToIsoWkb(ogr.wkbXDR)),
        hex_of(curve.ExportToWkb(ogr.wkbNDR)),
        sep="\t",
    )
