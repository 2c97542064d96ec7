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
const RASTER: Advice = {
  advice: 'geomill converts vector data',
  outputAdvice: 'geomill converts vector data',
};

export const FOREIGN_FORMATS: readonly ForeignFormat[] = [
  { found: 'GML', ...gdal('.gml'), extensions: ['.gml'], pattern: /opengis\.net\/gml/ },
  { found: 'MapInfo TAB', ...gdal('.tab'), extensions: ['.tab'], pattern: /^!table/i },
  {
    found: 'MapInfo MIF',
    ...gdal('.mif'),
    extensions: ['.mif', '.mid'],
    pattern: /^Version\s+\d+\s+Charset/i,
  },
  {
    found: 'an Esri file geodatabase',
    ...gdal('.gdb'),
    extensions: ['.gdb', '.gdb.zip'],
    member: /\.gdb\/|\.gdbtable$/i,
  },
  {
    found: 'DWG',
    ...DRAWING,
    extensions: ['.dwg'],
    pattern: /^AC(?:10\d\d|1\.\d\d|2\.\d\d)/,
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
    extensions: ['.shx', '.dbf', '.prj'],
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
  { found: 'a RAR archive; unpack it', magic: 'Rar!\x1a' },
  { found: 'a 7-Zip archive; unpack it', magic: '7z\xbc\xaf' },
  { found: 'text in UTF-16; save it as UTF-8', pattern: /^(?:\xff\xfe|\xfe\xff)/ },
  { found: 'a PDF', magic: '%PDF' },
  { found: 'HDF5', magic: '\x89HDF' },
  { found: 'a SQLite journal', magic: '** This file contains an SQLite' },
  { found: 'JSON', pattern: /^\s*[[{]/ },
  { found: 'XML or HTML', pattern: /^\s*</ },
];
