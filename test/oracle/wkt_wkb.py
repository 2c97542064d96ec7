"""Reads lines "WKT <tab> ISO WKB as hex" and answers each with what GDAL makes of the WKT: "ISO WKT <tab> ISO WKB"."""

import sys

from osgeo import ogr

ogr.UseExceptions()
for line in sys.stdin:
    text, wkb = line.rstrip("\n").split("\t")
    from_text = ogr.CreateGeometryFromWkt(text)
    from_wkb = ogr.CreateGeometryFromWkb(bytes.fromhex(wkb))
    same = from_text.ExportToIsoWkb() == from_wkb.ExportToIsoWkb()
    print(from_text.ExportToIsoWkt(), bytes(from_text.ExportToIsoWkb()).hex(), same, sep="\t")
