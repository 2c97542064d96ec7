"""Prints as JSON how many features GDAL finds in each file, by path; null where it cannot open the file.

usage: gdal_counts.py FILE...
"""
import json
import sys

from osgeo import gdal

gdal.UseExceptions()
gdal.PushErrorHandler("CPLQuietErrorHandler")


def count(path):
    options = ["GEOM_POSSIBLE_NAMES=geom_wkt", "KEEP_GEOM_COLUMNS=NO"] if path.endswith(".csv") else []
    try:
        dataset = gdal.OpenEx("/vsizip/" + path if path.endswith(".zip") else path, gdal.OF_VECTOR, open_options=options)
    except RuntimeError:
        return None
    features = geometries = 0
    for i in range(dataset.GetLayerCount()):
        for feature in dataset.GetLayer(i):
            features += 1
            geometry = feature.GetGeometryRef()
            geometries += geometry is not None and not geometry.IsEmpty()
    return {"features": features, "geometries": geometries}


json.dump({path: count(path) for path in sys.argv[1:]}, sys.stdout)
