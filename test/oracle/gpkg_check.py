"""Prints as JSON what is wrong with each GeoPackage, by path: {path: [complaint, ...]}; an empty list is a clean file.

usage: gpkg_check.py FILE...

Asked are SQLite (integrity_check, foreign_key_check, rtreecheck), GDAL's copy of the OGC validator with its extra checks,
GDAL reading every layer whole (any warning is a complaint), and the envelopes of the geometries against RTree, contents
and counts: queries by extent must find what a full scan finds.
"""
import json
import re
import sqlite3
import sys

from osgeo import gdal, ogr
from osgeo_utils.samples import validate_gpkg

# Up to GDAL 3.6 at least the validator takes bit 3 of the header's flags for the empty flag, which is bit 4 (12-128r19,
# table 7); it says this of GDAL's own files too. The flag is checked below.
WRONG_VERDICT = "Inconsistent empty_flag vs geometry content"

gdal.UseExceptions()
ogr.UseExceptions()
# GDAL before 3.7 knows GeoPackage up to 1.3; it says so of every 1.4 file, then reads it.
warnings = []


# The standard has UTC and milliseconds; geomill cuts neither offsets nor finer fractions off (GDAL writes offsets, too).
# GDAL reads both with a warning, and no leap second that has an offset.
OFFSET_OR_FINER = re.compile(
    r"Non-conformant content .*T\d\d:\d\d:\d\d\.(\d{4,}Z|\d{3,}[+-]\d\d:\d\d), successfully parsed"
    r"|Invalid content .*T\d\d:\d\d:60\.\d+[+-]\d\d:\d\d"
)


def on_warning(_kind, _number, text):
    if "v1.4.0" not in text and not OFFSET_OR_FINER.search(text):
        warnings.append(text)


gdal.PushErrorHandler(on_warning)


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def envelopes(db, table, column, key):
    """Row id -> (min x, max x, min y, max y) of every geometry with a position."""
    found, sizes = {}, [0, 32, 48, 48, 64]
    for fid, blob in db.execute(f"SELECT {quoted(key)}, {quoted(column)} FROM {quoted(table)} WHERE {quoted(column)} IS NOT NULL"):
        geometry = ogr.CreateGeometryFromWkb(bytes(blob[8 + sizes[blob[3] >> 1 & 7]:]))
        if bool(blob[3] & 16) != geometry.IsEmpty():
            warnings.append(f"{table} {fid}: empty flag {blob[3] & 16} for {geometry.ExportToIsoWkt()}")
        if not geometry.IsEmpty():
            found[fid] = geometry.GetEnvelope()
    return found


def check_index(db, table, column, key, boxes):
    name = f"rtree_{table}_{column}"
    if not db.execute("SELECT count(*) FROM sqlite_master WHERE name = ?", (name,)).fetchone()[0]:
        return [f"{table}: no RTree"]
    bad = []
    verdict = db.execute("SELECT rtreecheck(?)", (name,)).fetchone()[0]
    if verdict != "ok":
        bad.append(f"{name}: rtreecheck says {verdict}")
    cells = {row[0]: row[1:] for row in db.execute(f"SELECT id, minx, maxx, miny, maxy FROM {quoted(name)}")}
    if cells.keys() != boxes.keys():
        bad.append(f"{name}: {len(cells)} entries for {len(boxes)} geometries")
    for fid, (a, b, c, d) in boxes.items():
        minx, maxx, miny, maxy = cells.get(fid, (a, b, c, d))
        if not (minx <= a and b <= maxx and miny <= c and d <= maxy):
            bad.append(f"{name}: entry {fid} {cells[fid]} does not hold {(a, b, c, d)}")
        # An RTree holds 32-bit floats, which end at 3.4e38.
        if any(abs(q) < 3e38 and abs(p - q) > 3e-7 * abs(q) + 1e-37 for p, q in zip((minx, maxx, miny, maxy), (a, b, c, d))):
            bad.append(f"{name}: entry {fid} {cells[fid]} is far from {(a, b, c, d)}")
    for at in list(boxes.values())[:: max(1, len(boxes) // 8)]:
        w, e, s, n = at
        by_index = {row[0] for row in db.execute(
            f"SELECT id FROM {quoted(name)} WHERE maxx >= ? AND minx <= ? AND maxy >= ? AND miny <= ?", (w, e, s, n))}
        by_scan = {fid for fid, (a, b, c, d) in boxes.items() if b >= w and a <= e and d >= s and c <= n}
        if not by_scan <= by_index:
            bad.append(f"{name}: a query for {at} misses {sorted(by_scan - by_index)[:3]}")
    return bad


def check_layers(path):
    bad = []
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    verdict = db.execute("PRAGMA integrity_check").fetchall()
    if verdict != [("ok",)]:
        bad.append(f"integrity_check: {verdict[:3]}")
    if db.execute("PRAGMA foreign_key_check").fetchall():
        bad.append("foreign_key_check finds rows")
    if db.execute("PRAGMA application_id").fetchone()[0] != 0x47504B47 or db.execute("PRAGMA user_version").fetchone()[0] != 10400:
        bad.append("the header does not say GeoPackage 1.4")
    if db.execute("PRAGMA journal_mode").fetchone()[0] == "wal":
        bad.append("the file is left in WAL mode")
    layers = db.execute("SELECT c.table_name, column_name, min_x, max_x, min_y, max_y FROM gpkg_contents c "
                        "JOIN gpkg_geometry_columns USING (table_name)").fetchall()
    for table, column, *extent in layers:
        key = next(row[1] for row in db.execute(f"PRAGMA table_info({quoted(table)})") if row[5] == 1)
        boxes = envelopes(db, table, column, key)
        bad += check_index(db, table, column, key, boxes)
        true = [pick(box[i] for box in boxes.values()) if boxes else None for i, pick in enumerate((min, max, min, max))]
        if boxes and (None in extent or any(abs(a - b) > 1e-9 * max(1, abs(b)) for a, b in zip(extent, true))):
            bad.append(f"{table}: contents say {extent}, the geometries {true}")
        told = db.execute("SELECT feature_count FROM gpkg_ogr_contents WHERE table_name = ?", (table,)).fetchone()
        count = db.execute(f"SELECT count(*) FROM {quoted(table)}").fetchone()
        if told != count:
            bad.append(f"{table}: gpkg_ogr_contents says {told}, it has {count}")
    db.close()
    return bad


def check(path):
    warnings.clear()
    bad = check_layers(path)
    errors = validate_gpkg.check(path, abort_at_first_error=False, extra_checks=True, verbose=False)
    bad += [f"validator, requirement {requirement}: {text}" for requirement, text in errors if text != WRONG_VERDICT]
    dataset = gdal.OpenEx(path, gdal.OF_VECTOR)
    for i in range(dataset.GetLayerCount()):
        layer = dataset.GetLayer(i)
        layer.GetSpatialRef()
        rows = sum(1 for _ in layer)
        if rows != layer.GetFeatureCount():
            bad.append(f"{layer.GetName()}: GDAL counts {layer.GetFeatureCount()} and reads {rows}")
    dataset = None
    return bad + [f"warning: {text}" for text in dict.fromkeys(warnings)]


def complaints(path):
    try:
        return check(path)
    except Exception as error:  # A file that GDAL or SQLite cannot open is a complaint like any other.
        return [f"{type(error).__name__}: {error}"]


json.dump({path: complaints(path) for path in sys.argv[1:]}, sys.stdout)
