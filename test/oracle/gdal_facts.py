"""Prints as JSON what GDAL finds in a vector file: layers, fields, CRS, and every row with its geometry as WKT.

usage: gdal_facts.py FILE [open option ...]
       gdal_facts.py     reads requests from standard input, one a line: JSON lists of a FILE and its open options
Shapefile zips are opened through /vsizip/. Warnings of GDAL go to the key "warnings".
"""
import json
import sys

from osgeo import gdal, ogr, osr

gdal.UseExceptions()
ogr.UseExceptions()
warnings = []
# GDAL before 3.7 knows GeoPackage up to 1.3; it says so of every 1.4 file, then reads it.
gdal.PushErrorHandler(lambda kind, number, text: "v1.4.0" in text or warnings.append(text))
gdal.SetConfigOption("OGR_ORGANIZE_POLYGONS", "DEFAULT")


def value(feature, index, kind):
    if not feature.IsFieldSetAndNotNull(index):
        return None
    if kind in (ogr.OFTInteger, ogr.OFTInteger64):
        return str(feature.GetFieldAsInteger64(index))
    if kind == ogr.OFTReal:
        return feature.GetFieldAsDouble(index)
    return feature.GetFieldAsString(index)


def authority(reference):
    if reference is None:
        return None
    reference = reference.Clone()
    reference.AutoIdentifyEPSG() if reference.GetAuthorityCode(None) is None else None
    code = reference.GetAuthorityCode(None)
    if code is None:
        matches = reference.FindMatches()
        code = matches[0][0].GetAuthorityCode(None) if matches and matches[0][1] >= 70 else None
    return code


def layer_facts(layer):
    definition = layer.GetLayerDefn()
    fields = [definition.GetFieldDefn(i) for i in range(definition.GetFieldCount())]
    rows = []
    for feature in layer:
        geometry = feature.GetGeometryRef()
        rows.append({
            "geometry": None if geometry is None else geometry.ExportToIsoWkt(),
            "values": [value(feature, i, field.GetType()) for i, field in enumerate(fields)],
        })
    return {
        "name": layer.GetName(),
        "fields": [{"name": f.GetName(), "type": f.GetTypeName(), "width": f.GetWidth(), "subtype": f.GetSubType()} for f in fields],
        "geometryType": ogr.GeometryTypeToName(layer.GetGeomType()),
        "epsg": authority(layer.GetSpatialRef()),
        "rows": rows,
    }


def file_facts(path, *options):
    warnings.clear()
    if path.endswith(".zip"):
        path = "/vsizip/" + path
    dataset = gdal.OpenEx(path, gdal.OF_VECTOR, open_options=list(options))
    layers = [layer_facts(dataset.GetLayer(i)) for i in range(dataset.GetLayerCount())]
    return {"layers": layers, "warnings": list(warnings)}


for request in [sys.argv[1:]] if len(sys.argv) > 1 else map(json.loads, sys.stdin):
    print(json.dumps(file_facts(*request)), flush=True)
