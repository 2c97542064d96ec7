"""What GDAL's MVT driver finds in tiles: a line of JSON for each path DIR/ZOOM-X-Y.pbf that is given."""
import json
import os
import sys

from osgeo import gdal, ogr

gdal.UseExceptions()
for path in sys.argv[1:]:
    zoom, x, y = os.path.basename(path)[:-4].split("-")
    # Features around the tile count, too.
    options = [f"Z={zoom}", f"X={x}", f"Y={y}", "CLIP=NO"]
    tile = gdal.OpenEx(f"MVT:{path}", gdal.OF_VECTOR, ["MVT"], open_options=options)
    features = []
    for i in range(tile.GetLayerCount()):
        layer = tile.GetLayer(i)
        for feature in layer:
            geometry = feature.GetGeometryRef()
            west, east, south, north = geometry.GetEnvelope()
            features.append({
                "layer": layer.GetName(),
                "properties": {key: value for key, value in feature.items().items() if key != "mvt_id"},
                "type": geometry.GetGeometryName(),
                "isValid": geometry.IsValid(),
                "box": [west, south, east, north],
            })
    print(json.dumps({"srs": tile.GetLayer(0).GetSpatialRef().GetAuthorityCode(None), "features": features}))
