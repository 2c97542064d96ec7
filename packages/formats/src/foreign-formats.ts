/**
 * Formats that are recognised only to reject them with a good message. The signatures of registered formats are tried
 * first, so an entry has no effect once its format is supported.
 */
import type { Signature } from './format.ts';

export interface ForeignFormat extends Signature {
  /** How to convert it to a supported format. */
  readonly advice: string;
  /** How to get a file of it from a supported format. */
  readonly outputAdvice: string;
  readonly extensions: readonly string[];
  /** Beginnings of names of data sources that are no files, as other programs write them, in lower case. */
  readonly prefixes?: readonly string[];
}

type Advice = Pick<ForeignFormat, 'advice' | 'outputAdvice'>;

/** A format that GDAL reads and writes. */
const gdal = (extension: string): Advice => ({
  advice: `convert it with 'ogr2ogr out.gpkg in${extension}', or export it as GeoPackage from QGIS`,
  outputAdvice: `write a .gpkg and convert that with 'ogr2ogr out${extension} in.gpkg'`,
});
const DRAWING: Advice = {
  advice: 'save the drawing as DXF',
  outputAdvice: 'write a .dxf, which CAD programs open and save in this format',
};
const SPREADSHEET: Advice = {
  advice: 'save it as .xlsx, or the sheet as CSV (UTF-8)',
  outputAdvice: 'write a .xlsx, which spreadsheets open',
};
const DATABASE: Advice = {
  advice: "convert it with 'ogr2ogr out.gpkg in.sqlite'; rename it to .gpkg only if it is a GeoPackage",
  outputAdvice: 'write a .gpkg, which is a SQLite database, too',
};
const SHAPEFILE_PART: Advice = {
  advice: 'use its .shp, or a .zip of all its files',
  outputAdvice: 'write a .zip, which contains all its files',
};
const OSM: Advice = {
  advice:
    "convert it with 'ogr2ogr out.gpkg in.osm.pbf' (layers points, lines, multipolygons and others), or use an extract as shapefile or GeoPackage",
  outputAdvice: 'write a .geojson, which editors of OpenStreetMap open',
};
const ARCHIVE: Advice = {
  advice: 'unpack it and convert the files in it, or pack them as .zip',
  outputAdvice: 'write the format itself, or .zip for shapefiles',
};
const POINT_CLOUD: Advice = {
  advice: "convert its points to CSV first, such as with 'pdal translate in.las out.csv'",
  outputAdvice: 'write a .csv, which programs for point clouds read',
};
const ACCESS: Advice = {
  advice: "export its tables as CSV, or convert it with 'ogr2ogr out.gpkg in.mdb'",
  outputAdvice: 'write a .csv or .xlsx, which Access imports',
};
const DATABASE_SERVER: Advice = {
  advice: "export the table with 'ogr2ogr out.gpkg PG:dbname=NAME TABLE', or with COPY as CSV",
  outputAdvice: "write a .gpkg and import that with 'ogr2ogr PG:dbname=NAME out.gpkg'",
};
const WEB_SERVICE: Advice = {
  advice: 'download the layer as GeoJSON (outputFormat=application/json), or use the URL of that download',
  outputAdvice: 'write a file and publish that',
};
const RASTER: Advice = {
  advice: 'geomill converts vector data',
  outputAdvice: 'geomill converts vector data',
};

export const FOREIGN_FORMATS: readonly ForeignFormat[] = [
  { found: 'GML', ...gdal('.gml'), extensions: ['.gml'], pattern: /opengis\.net\/gml/, member: /\.gml$/i },
  {
    found: 'a zip archive of drawings',
    advice: 'unpack it and convert each drawing (.dwg)',
    outputAdvice: 'write a .dxf',
    extensions: ['.dwg.zip'],
    member: /\.dwg$/i,
  },
  { found: 'DXB', ...DRAWING, extensions: ['.dxb'], magic: 'AutoCAD DXB' },
  { found: 'DGN', ...DRAWING, extensions: ['.dgn'] },
  {
    found: 'XLS or another old Office document',
    ...SPREADSHEET,
    extensions: ['.xls'],
    magic: '\xd0\xcf\x11\xe0',
  },
  { found: 'ODS', ...SPREADSHEET, extensions: ['.ods'], member: /^content\.xml$/ },
  { found: 'a SpatiaLite database', ...DATABASE, extensions: ['.sqlite', '.db'] },
  {
    found: 'one file of a shapefile without the others',
    ...SHAPEFILE_PART,
    extensions: ['.shx', '.prj'],
  },
  {
    found: 'OpenStreetMap XML',
    ...OSM,
    extensions: ['.osm', '.osm.bz2', '.osc'],
    pattern: /<osm(?:Change)?\b/,
    member: /\.osm$/i,
  },
  {
    found: 'OpenStreetMap PBF',
    ...OSM,
    extensions: ['.pbf'],
    pattern: /^\0{3}.\n\tOSMHeader/s,
    member: /\.pbf$/i,
  },
  {
    found: 'MBTiles',
    advice: 'use the data from which the tiles were made: tiles are generalised',
    outputAdvice: 'write a .pmtiles, which has the same tiles',
    extensions: ['.mbtiles'],
  },
  {
    found: 'Arrow or Feather',
    advice: "write it as GeoParquet, such as with 'gdf.to_parquet(...)' of GeoPandas",
    outputAdvice: 'write a .parquet, which Arrow reads',
    extensions: ['.arrow', '.feather', '.arrows', '.ipc'],
    magic: 'ARROW1\0\0',
  },
  {
    found: 'a LAS or LAZ point cloud',
    ...POINT_CLOUD,
    extensions: ['.las', '.laz', '.e57', '.pcd'],
    pattern: /^LASF\0/,
  },
  {
    found: 'an Access database or Esri personal geodatabase',
    ...ACCESS,
    extensions: ['.mdb', '.accdb'],
    magic: '\0\x01\0\0Standard ',
  },
  {
    found: 'a PDF',
    advice: "ask for the data of the map, or convert a GeoPDF with 'ogr2ogr out.gpkg in.pdf'",
    outputAdvice: 'convert to .gpkg or .dxf and print that from QGIS or a CAD program',
    extensions: ['.pdf'],
    magic: '%PDF',
  },
  { found: 'a RAR archive', ...ARCHIVE, extensions: ['.rar'], magic: 'Rar!\x1a' },
  { found: 'a 7-Zip archive', ...ARCHIVE, extensions: ['.7z'], magic: '7z\xbc\xaf' },
  {
    found: 'a tar archive',
    ...ARCHIVE,
    extensions: ['.tar', '.tar.gz', '.tgz', '.tar.bz2', '.tar.xz', '.tar.zst'],
    pattern: /^.{257}ustar/s,
  },
  {
    found: 'a file compressed with bzip2, xz or zstd',
    advice: 'unpack it, or compress it with gzip',
    outputAdvice: 'write .gz',
    extensions: ['.bz2', '.xz', '.zst'],
    pattern: /^(?:BZh|\xfd7zXZ|\x28\xb5\x2f\xfd)/,
  },
  { found: 'an ArcInfo export', ...gdal('.e00'), extensions: ['.e00'], pattern: /^EXP\s+\d/ },
  { found: 'a GDAL virtual format', ...gdal('.vrt'), extensions: ['.vrt'], pattern: /<OGRVRTDataSource/ },
  {
    found: 'a project of QGIS or ArcGIS, which has no data',
    advice: 'use the files that its layers name',
    outputAdvice: 'write a .gpkg and add it to the project',
    extensions: ['.qgs', '.qgz', '.mxd', '.aprx', '.lyr', '.lyrx', '.mpkx', '.lpkx'],
    pattern: /<!DOCTYPE qgis/,
  },
  {
    found: 'a database server',
    ...DATABASE_SERVER,
    extensions: [],
    prefixes: ['pg:', 'postgresql:', 'postgres:', 'mysql:', 'mssql:', 'oci:', 'odbc:'],
  },
  { found: 'a web service', ...WEB_SERVICE, extensions: [], prefixes: ['wfs:', 'oapif:', 'wms:', 'carto:'] },
  {
    found: 'a path of GDAL',
    advice: 'write the path or URL of the file itself',
    outputAdvice: 'write the path of a file',
    extensions: [],
    prefixes: ['/vsi', 'gpkg:', 'esri:', 'geojson:'],
  },
  { found: 'TIFF', ...RASTER, extensions: ['.tif', '.tiff'], pattern: /^(?:II\*\0|MM\0\*)/ },
  { found: 'JPEG', ...RASTER, extensions: ['.jpg', '.jpeg'], magic: '\xff\xd8\xff' },
  { found: 'PNG', ...RASTER, extensions: ['.png'], magic: '\x89PNG' },
];

/** Kinds of files that are checked last. */
export const GENERAL_KINDS: readonly Signature[] = [
  { found: 'a zip archive; unpack it', magic: 'PK\x03\x04' },
  { found: 'an empty zip archive', magic: 'PK\x05\x06' },
  { found: 'a gzip file; unpack it', magic: '\x1f\x8b' },
  { found: 'text in UTF-16; save it as UTF-8', pattern: /^(?:\xff\xfe|\xfe\xff)/ },
  { found: 'HDF5', magic: '\x89HDF' },
  { found: 'a SQLite journal', magic: '** This file contains an SQLite' },
  { found: 'JSON', pattern: /^\s*[[{]/ },
  { found: 'XML or HTML', pattern: /^\s*</ },
];
