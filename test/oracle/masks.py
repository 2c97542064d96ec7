"""Judges clip and erase by shapely: what is left of each feature, with the mask as its edges are in its own CRS.

Reads a JSON line {"data", "mask", "layer", "where", "crs", "operation"}; prints {"id": area} of what is left.
"""
import json
import sys

from osgeo import ogr, osr
from shapely import wkb
from shapely.ops import unary_union

ogr.UseExceptions()


def reference(definition):
    system = osr.SpatialReference()
    system.SetFromUserInput(definition)
    system.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
    return system


def judge(data, mask, layer, where, crs, operation):
    source = ogr.Open(mask)
    polygons = source.GetLayerByName(layer) if layer else source.GetLayer(0)
    if where:
        polygons.SetAttributeFilter(where)
    from_crs, to_crs = reference(crs), reference("EPSG:25832")
    moves = None if from_crs.IsSame(to_crs) else osr.CoordinateTransformation(from_crs, to_crs)
    parts = []
    for feature in polygons:
        geometry = feature.GetGeometryRef().Clone()
        if moves:
            geometry.Segmentize(0.0001 if from_crs.IsGeographic() else 10)
            geometry.Transform(moves)
        parts.append(wkb.loads(bytes(geometry.ExportToWkb())))
    area = unary_union(parts)
    left = {}
    parcels = ogr.Open(data)
    for feature in parcels.GetLayer(0):
        whole = wkb.loads(bytes(feature.GetGeometryRef().ExportToWkb()))
        rest = whole.intersection(area) if operation == "clip" else whole.difference(area)
        left[feature.GetField("parcel")] = rest.area
    return left


for line in sys.stdin:
    print(json.dumps(judge(**json.loads(line))), flush=True)
