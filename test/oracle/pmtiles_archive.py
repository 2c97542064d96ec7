"""What the PMTiles driver of GDAL finds in an archive, at its largest zoom: JSON. Run by a Python with pyogrio."""
import json
import sys

import pyogrio
from pyogrio.raw import read



def plain_value(value, dtype):
    """Numbers of NumPy, NaN where there is no value, and numbers for booleans."""
    if value is None or value != value:
        return None
    if dtype == "bool":
        return bool(value)
    return value.item() if hasattr(value, "item") else value


path = sys.argv[1]
layers = []
for name, geometry_type in pyogrio.list_layers(path):
    info = pyogrio.read_info(path, layer=name)
    meta, _, geometries, columns = read(path, layer=name)
    plain = [[plain_value(value, dtype) for value in column] for column, dtype in zip(columns, info["dtypes"])]
    layers.append({
        "name": str(name),
        "type": geometry_type,
        "crs": info["crs"],
        "zoom": info["dataset_metadata"]["ZOOM_LEVEL"],
        "bounds": list(info["total_bounds"]),
        "hasGeometries": all(geometry is not None for geometry in geometries),
        "rows": [dict(zip(map(str, meta["fields"]), row)) for row in zip(*plain)],
    })
print(json.dumps(layers))
