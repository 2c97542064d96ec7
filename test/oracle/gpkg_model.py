"""Makes a GeoPackage with a data model (`make PATH`), or prints what GDAL finds of the model in files as JSON (`facts PATH ...`)."""
import json, sys
from osgeo import gdal, ogr, osr
gdal.UseExceptions(); gdal.PushErrorHandler("CPLQuietErrorHandler")

def field(layer, name, kind, **facts):
    definition = ogr.FieldDefn(name, kind)
    for fact, value in facts.items(): getattr(definition, "Set" + fact)(value)
    layer.CreateField(definition)

def make(path):
    ds = gdal.GetDriverByName("GPKG").Create(path, 0, 0, 0, gdal.GDT_Unknown)
    ds.SetMetadataItem("source", "survey of 2020")
    ds.AddFieldDomain(ogr.CreateCodedFieldDomain("kind", "kinds of road", ogr.OFTInteger, ogr.OFSTNone, {"1": "path", "2": "it's", "3": None}))
    ds.AddFieldDomain(ogr.CreateRangeFieldDomain("lanes", "lanes of it", ogr.OFTInteger, ogr.OFSTNone, 1, True, 8, False))
    ds.AddFieldDomain(ogr.CreateGlobFieldDomain("code", "capitals", ogr.OFTString, ogr.OFSTNone, "[A-Z]*"))
    srs = osr.SpatialReference(); srs.ImportFromEPSG(25832)
    layer = ds.CreateLayer("roads", srs, ogr.wkbPoint, options=["IDENTIFIER=All roads", "DESCRIPTION=roads of the town"])
    layer.SetMetadataItem("scale", "1:1000")
    field(layer, "kind", ogr.OFTInteger, DomainName="kind")
    field(layer, "lanes", ogr.OFTInteger, DomainName="lanes", Nullable=0, Default="2")
    field(layer, "code", ogr.OFTString, DomainName="code", Width=20, Unique=1)
    field(layer, "made", ogr.OFTDateTime, Default="CURRENT_TIMESTAMP")
    field(layer, "day", ogr.OFTDate, Default="CURRENT_DATE")
    field(layer, "text", ogr.OFTString, Default="'it''s; DROP TABLE roads'", Nullable=0)
    field(layer, "real", ogr.OFTReal, Default="1.5")
    field(layer, "wide", ogr.OFTInteger64, Nullable=0, Unique=1)
    field(layer, "q\"uo'te", ogr.OFTString, Width=5, DomainName="kind")
    for i in range(5):
        f = ogr.Feature(layer.GetLayerDefn()); f.SetGeometry(ogr.CreateGeometryFromWkt(f"POINT({500000 + i} 5500000)"))
        f["kind"] = i % 3 + 1; f["lanes"] = i + 1; f["code"] = f"A{i}"; f["text"] = "v"; f["real"] = i / 2; f["wide"] = i + 2**40; layer.CreateFeature(f)
    table = ds.CreateLayer("owners", None, ogr.wkbNone, options=["IDENTIFIER=The owners", "DESCRIPTION=who owns a road"])
    field(table, "name", ogr.OFTString, Nullable=0, Width=30)
    field(table, "kind", ogr.OFTInteger, DomainName="kind", Default="3")
    for name in ("Ann", "Bob"):
        f = ogr.Feature(table.GetLayerDefn()); f["name"] = name; f["kind"] = 1; table.CreateFeature(f)
    ds = None

def domain(ds, name):
    d = ds.GetFieldDomain(name) if name else None
    if d is None: return None
    kind = d.GetDomainType()
    content = d.GetEnumeration() if kind == ogr.OFDT_CODED else [d.GetMinAsDouble(), d.GetMaxAsDouble(), d.IsMinInclusive(), d.IsMaxInclusive()] if kind == ogr.OFDT_RANGE else d.GetGlob()
    return [name, kind, d.GetFieldType(), d.GetDescription(), content]

def facts(path):
    ds = gdal.OpenEx(path, gdal.OF_VECTOR); found = {"": ds.GetMetadata()}
    for i in range(ds.GetLayerCount()):
        layer = ds.GetLayer(i); d = layer.GetLayerDefn(); fields = [d.GetFieldDefn(j) for j in range(d.GetFieldCount())]
        found[layer.GetName()] = {
            "metadata": layer.GetMetadata(), "type": layer.GetGeomType(), "key": layer.GetFIDColumn(),
            "fields": [[f.GetName(), f.GetTypeName(), f.GetSubType(), f.GetWidth(), f.IsNullable(), f.IsUnique(), f.GetDefault(), f.GetAlternativeName(), domain(ds, f.GetDomainName())] for f in fields],
            "rows": [[f.GetFID(), f.GetGeometryRef() and f.GetGeometryRef().ExportToWkt(), [f.GetField(j) for j in range(len(fields))]] for f in layer],
        }
    return found

if sys.argv[1] == "make": make(sys.argv[2])
else: print(json.dumps([facts(path) for path in sys.argv[2:]]))
