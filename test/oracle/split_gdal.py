"""Compares the parts of split outputs with the features that GDAL selects by the same values.

Reads cases as JSON from standard input: [{"source", "layer", "field", "parts": [{"value", "path", "layer"}]}]. Prints for each
case the values whose part differs, and the number of features in all parts.
"""

import json
import sys

from osgeo import ogr

ogr.UseExceptions()


def features(layer):
    """Fields and geometries in their order, as Shapefile can hold them too: names of ten bytes, no multi geometry of one part."""
    rows = []
    for feature in layer:
        values = [
            feature.GetFieldAsString(i) if feature.IsFieldSetAndNotNull(i) else ""
            for i in range(feature.GetFieldCount())
        ]
        geometry = feature.GetGeometryRef()
        if geometry is not None and geometry.GetGeometryCount() == 1 and geometry.GetGeometryName().startswith("MULTI"):
            geometry = geometry.GetGeometryRef(0)
        rows.append([values, None if geometry is None else geometry.ExportToIsoWkt()])
    return rows


def condition(layer, field, value):
    if value is None:
        return f'"{field}" IS NULL'
    kind = layer.GetLayerDefn().GetFieldDefn(layer.GetLayerDefn().GetFieldIndex(field))
    if kind.GetSubType() == ogr.OFSTBoolean:
        return f'"{field}" = {1 if value == "true" else 0}'
    if kind.GetType() in (ogr.OFTInteger, ogr.OFTInteger64, ogr.OFTReal):
        return f'"{field}" = {value}'
    return "\"{}\" = '{}'".format(field, value.replace("'", "''"))


def compare(case):
    source = ogr.Open(case["source"])
    layer = source.GetLayerByName(case["layer"])
    total, different = 0, []
    for part in case["parts"]:
        layer.SetAttributeFilter(condition(layer, case["field"], part["value"]))
        expected = features(layer)
        output = ogr.Open(part["path"])
        found = features(output.GetLayerByName(part["layer"]))
        total += len(found)
        if found != expected:
            different.append([part["value"], expected[:2], found[:2]])
    layer.SetAttributeFilter(None)
    return {"different": different, "total": total, "source": layer.GetFeatureCount()}


json.dump([compare(case) for case in json.load(sys.stdin)], sys.stdout)
