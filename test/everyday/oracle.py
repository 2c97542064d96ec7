"""Makes the inputs of the everyday jobs in the folder of the first argument. Then answers requests, one JSON value per line:
what GDAL reads in a file, what ezdxf reads in a drawing, rows of a query, and a conversion by ogr2ogr."""
import json
import math
import sys
import zipfile
from pathlib import Path

import ezdxf
import ezdxf.bbox
from osgeo import gdal, ogr, osr

# The extent of a text needs no font files.
ezdxf.options.use_matplotlib = False
gdal.UseExceptions()
ogr.UseExceptions()
osr.UseExceptions()
# Errors are raised; warnings, as of a newer GeoPackage version, are not of interest.
gdal.PushErrorHandler('CPLQuietErrorHandler')
# Drawings of geomill are UTF-8 and say so by their version; GDAL before 3.7 reads $DWGCODEPAGE instead.
gdal.SetConfigOption('DXF_ENCODING', 'UTF-8')
folder = Path(sys.argv[1])

# A corner of a town in each system: Perth, Wilhelmshaven, Paris, London, Zagreb, Hanover.
TOWNS = {28350: (392000, 6465000), 25832: (471000, 5933000), 2154: (652000, 6862000),
         27700: (530000, 180000), 3765: (459000, 5074000), 31467: (3550000, 5800000)}
LAND_USE = ['residential', 'commercial', 'park', 'road']
COLOURS = ['#ff0000', '#00ff00', '#0000ff', '3']
OWNERS = ['Größe', 'Straße', 'Łódź', 'Île', 'Çay', "O'Brien"]


def crs_of(code):
    crs = osr.SpatialReference()
    crs.ImportFromEPSG(code)
    crs.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
    return crs


def box(west, south, east, north):
    return f'(({west} {south},{east} {south},{east} {north},{west} {north},{west} {south})'


def add_layer(data, name, code, kind, fields, rows):
    """Fields: name to OGR type. Rows: values in the order of the fields, then the geometry as WKT."""
    options = ['ENCODING=UTF-8'] if data.GetDriver().GetName() == 'ESRI Shapefile' else []
    layer = data.CreateLayer(name, crs_of(code) if code else None, kind, options)
    for field, type in fields.items():
        layer.CreateField(ogr.FieldDefn(field, type))
    layer.StartTransaction()
    for row in rows:
        feature = ogr.Feature(layer.GetLayerDefn())
        for i, value in enumerate(row[:-1]):
            if value is not None:
                feature.SetField(i, value)
        feature.SetGeometry(ogr.CreateGeometryFromWkt(row[-1]))
        layer.CreateFeature(feature)
    layer.CommitTransaction()


def write(name, layers, driver='GPKG'):
    data = ogr.GetDriverByName(driver).CreateDataSource(str(folder / name))
    for layer in layers:
        add_layer(data, *layer)


def write_shapefiles(name, layers):
    """A zip with one shapefile for each layer."""
    unpacked = folder / f'{name}.files'
    write(f'{name}.files', layers, 'ESRI Shapefile')
    with zipfile.ZipFile(folder / name, 'w', zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(unpacked.iterdir()):
            archive.write(file, file.name)


def parcels(code):
    x, y = TOWNS[code]
    rows = []
    for i in range(12):
        west, south = x + i % 4 * 120, y + i // 4 * 120
        hole = ',' + box(west + 30, south + 30, west + 60, south + 60)[1:] if i % 5 == 0 else ''
        wkt = f'POLYGON {box(west, south, west + 110, south + 110)}{hole})'
        rows.append((f'{i:05d}', LAND_USE[i % 4], OWNERS[i % 6], COLOURS[i % 4], f'2023-{i + 1:02d}-15', wkt))
    fields = dict.fromkeys(['parcel_id', 'landuse', 'owner', 'colour', 'surveyed'], ogr.OFTString)
    return ('parcels', code, ogr.wkbPolygon, fields, rows)


def roads():
    rows = []
    for i in range(12):
        y = 5933000 + i * 200
        opened = f'{2014 + i}/03/01' if i % 6 else None
        wkt = f'LINESTRING (470000 {y},471500 {y + 50},473000 {y})'
        rows.append((i, 'ABLK'[i % 4], 1 + i % 4, opened, f'Road {i}' if i % 5 else None, wkt))
    for i in range(4):
        x = 470300 + i * 600
        rows.append((100 + i, 'K', 1, None, 'Kirchweg', f'LINESTRING ({x} 5932900,{x} 5936100)'))
    fields = {'rid': ogr.OFTInteger, 'class': ogr.OFTString, 'lanes': ogr.OFTInteger,
              'opened': ogr.OFTDate, 'name': ogr.OFTString}
    return ('roads', 25832, ogr.wkbLineString, fields, rows)


def municipalities():
    a = 'POLYGON ((470500 5933200,472500 5933300,472600 5935500,470600 5935400,470500 5933200))'
    b = f'POLYGON {box(472700, 5933000, 473500, 5936000)})'
    return ('municipalities', 25832, ogr.wkbPolygon, {'name': ogr.OFTString}, [('Muni A', a), ('Muni B', b)])


def counties():
    """Nine areas with jagged borders that the neighbours share position for position."""
    def line(x0, y0, x1, y1):
        normal = (0, 1) if y0 == y1 else (1, 0)
        steps = [(i / 40, 300 * math.sin(i * 2.4) * (i % 40 > 0)) for i in range(41)]
        return [(x0 + t * (x1 - x0) + w * normal[0], y0 + t * (y1 - y0) + w * normal[1]) for t, w in steps]

    rows = []
    for i in range(9):
        w, s = 400000 + i % 3 * 20000, 5900000 + i // 3 * 20000
        e, n = w + 20000, s + 20000
        ring = line(w, s, e, s)[:-1] + line(e, s, e, n)[:-1] + line(w, n, e, n)[:0:-1] + line(w, s, w, n)[::-1]
        rows.append((i, 'POLYGON ((' + ','.join(f'{x} {y}' for x, y in ring) + '))'))
    return ('counties', 25832, ogr.wkbPolygon, {'nr': ogr.OFTInteger}, rows)


def grid():
    """100 parcels without gaps, in fractions of a metre as surveys have them, and a mask over six of ten columns."""
    def corner(i, j):
        return 471000 + i * 500 + .1 * (i * 7 % 5), 5933000 + j * 500 + .1 * (j * 3 % 7)

    rows = [(10 * i + j, f'POLYGON {box(*corner(i, j), *corner(i + 1, j + 1))})') for i in range(10) for j in range(10)]
    mask = f'POLYGON {box(*corner(0, 0), *corner(6, 10))})'
    parcels = ('cadastre', 25832, ogr.wkbPolygon, {'nr': ogr.OFTInteger}, rows)
    return parcels, ('mask', 25832, ogr.wkbPolygon, {'name': ogr.OFTString}, [('Town', mask)])


def months():
    """Monthly files: a field more from month 2 on, and another type of a field in month 3."""
    text, real = ogr.OFTString, ogr.OFTReal
    layers = []
    for month in (1, 2, 3):
        fields = {'ID': ogr.OFTInteger, 'VALUE': text if month == 3 else real}
        values = ['1.5', 'n/a', '3'] if month == 3 else [1.5 * month, 2, 3]
        if month > 1:
            fields['STATION'] = text
        rows = [(i + 1, value, *(['abc'[i]] if month > 1 else []), f'POINT ({8.5 + i / 10} {53.5 + month / 100})')
                for i, value in enumerate(values)]
        layers.append((f'obs_{month:02d}', 4326, ogr.wkbPoint, fields, rows))
    return layers


def draw_plans():
    """A floor plan in millimetres from a corner of the building, and a site in feet."""
    plan = ezdxf.new('R2010', units=4)
    plan.layers.add('WALLS', color=1)
    space = plan.modelspace()
    space.add_lwpolyline([(0, 0), (12500, 0), (12500, 8000), (0, 8000)], close=True, dxfattribs={'layer': 'WALLS'})
    space.add_line((0, 4000), (12500, 4000), dxfattribs={'layer': 'WALLS'})
    space.add_circle((6000, 2000), 450, dxfattribs={'layer': 'COLUMNS'})
    plan.saveas(folder / 'floorplan.dxf')
    site = ezdxf.new('R2010', units=2)
    site.modelspace().add_line((980000, 200000), (981000, 200000))
    site.modelspace().add_point((980500, 200500))
    site.saveas(folder / 'site-feet.dxf')


def make_inputs():
    for code in TOWNS:
        write_shapefiles(f'parcels-{code}.zip', [parcels(code)])
    write('city.gpkg', [roads(), municipalities(), parcels(25832)])
    write('roads.gpkg', [roads()])
    write('municipalities.gpkg', [municipalities()])
    write('counties.gpkg', [counties()])
    parcels_of_grid, mask = grid()
    write('cadastre.gpkg', [parcels_of_grid])
    write('mask.gpkg', [mask])
    protected = f'POLYGON {box(471050, 5933050, 471300, 5933200)})'
    write('protected.gpkg', [('protected', 25832, ogr.wkbPolygon, {'name': ogr.OFTString}, [('Marsh', protected)])])
    write('wells.gpkg', [('wells', 25832, ogr.wkbPoint, {'name': ogr.OFTString, 'depth': ogr.OFTReal},
                          [('W1', 12.5, 'POINT (471000 5933000)'), ('W2', 8, 'POINT (471100 5933100)')])])
    solids = ['MULTIPOLYGON Z (((8 50 1,8.1 50 2,8.1 50.1 3,8 50 1)),((8.2 50 1,8.3 50 2,8.3 50.1 3,8.2 50 1)))',
              'MULTIPOLYGON Z (((9 50 5,9.2 50 5,9.2 50.2 5,9 50.2 5,9 50 5),'
              '(9.05 50.05 5,9.05 50.1 5,9.1 50.1 5,9.1 50.05 5,9.05 50.05 5)))']
    write('solids.gpkg', [('solids', 4326, ogr.wkbMultiPolygon25D, {'nr': ogr.OFTInteger}, list(enumerate(solids)))])
    write('swapped.gpkg', [('cities', 4326, ogr.wkbPoint, {'name': ogr.OFTString},
                            [('Perth', 'POINT (-31.95 115.86)'), ('Hobart', 'POINT (-42.88 147.33)')])])
    for layer in months():
        write_shapefiles(f'{layer[0]}.zip', [layer])
    write_shapefiles('year.zip', months())
    write_shapefiles('no-crs.zip', [('sites', None, ogr.wkbPoint, {'nr': ogr.OFTInteger},
                                     [(1, 'POINT (530000 180000)'), (2, 'POINT (531190 180710)')])])
    draw_plans()


def layer_facts(layer):
    definition = layer.GetLayerDefn()
    crs = layer.GetSpatialRef()
    fields = {field.GetName(): field.GetTypeName()
              for field in map(definition.GetFieldDefn, range(definition.GetFieldCount()))}
    features = []
    for feature in layer:
        geometry = feature.GetGeometryRef()
        values = {name: feature.GetFieldAsString(i) if kind in ('Date', 'DateTime') and feature.IsFieldSetAndNotNull(i)
                  else feature.GetField(i) for i, (name, kind) in enumerate(fields.items())}
        features.append({'values': values} if geometry is None else {
            'values': values, 'wkt': geometry.ExportToIsoWkt(), 'valid': geometry.IsValid(),
            'area': geometry.Area() if geometry.GetDimension() == 2 else 0})
    return {'name': layer.GetName(), 'epsg': crs.GetAuthorityCode(None) if crs else None,
            'kind': ogr.GeometryTypeToName(definition.GetGeomType()), 'fields': fields, 'features': features}


def read(path):
    data = gdal.OpenEx(path, gdal.OF_VECTOR)
    return [layer_facts(data.GetLayer(i)) for i in range(data.GetLayerCount())]


def rows(path, sql):
    data = gdal.OpenEx(path, gdal.OF_VECTOR)
    # In the plain dialect, a GeoPackage runs the query itself, without tables of other files.
    is_gpkg = data.GetDriver().ShortName == 'GPKG'
    result = data.ExecuteSQL(sql, dialect='INDIRECT_SQLITE' if is_gpkg else 'SQLITE')
    names = [result.GetLayerDefn().GetFieldDefn(i).GetName() for i in range(result.GetLayerDefn().GetFieldCount())]
    return [[feature.GetField(name) for name in names] for feature in result]


def drawing(path):
    document = ezdxf.readfile(path)
    space = document.modelspace()
    box = ezdxf.bbox.extents(space)
    layers = [{'name': layer.dxf.name, 'rgb': layer.rgb, 'color': layer.color} for layer in document.layers]
    entities = [{'type': entity.dxftype(), 'layer': entity.dxf.layer, 'rgb': entity.rgb, 'color': entity.dxf.color,
                 **({'text': entity.dxf.text, 'at': list(entity.get_placement()[1])[:2]} if entity.dxftype() == 'TEXT' else {})}
                for entity in space]
    return {'errors': len(document.audit().errors), 'units': document.header['$INSUNITS'], 'layers': layers,
            'entities': entities, 'extent': [box.extmin.x, box.extmin.y, box.extmax.x, box.extmax.y]}


def ogr2ogr(out, source, options):
    gdal.VectorTranslate(out, source, options=options)
    return read(out)


ANSWERS = {'read': read, 'rows': rows, 'drawing': drawing, 'ogr2ogr': ogr2ogr}

make_inputs()
print('null', flush=True)
for request in sys.stdin:
    name, *arguments = json.loads(request)
    try:
        print(json.dumps(ANSWERS[name](*arguments)), flush=True)
    except Exception as error:
        print(json.dumps({'error': f'{name} {arguments}: {error}'}), flush=True)
