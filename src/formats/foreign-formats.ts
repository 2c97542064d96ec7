/**
 * Formats that are recognised only to reject them with a good message. The signatures of registered formats are tried
 * first, so an entry has no effect once its format is supported.
 */
import type { Signature } from './format.ts';

export interface ForeignFormat extends Signature {
  /** How to convert it to a supported format. */
  readonly advice: string;
  readonly extensions: readonly string[];
}

const EXPORT = 'export it as GeoPackage or GeoJSON from the program it comes from';
const DRAWING = 'save the drawing as DXF';
const SPREADSHEET = 'save the sheet as CSV';
const RASTER = 'geomill converts vector data';

export const FOREIGN_FORMATS: readonly ForeignFormat[] = [
  { found: 'KML', advice: EXPORT, extensions: ['.kml'], pattern: /<(?:\w+:)?kml\b/ },
  { found: 'KMZ', advice: EXPORT, extensions: ['.kmz'], member: /\.kml$/i },
  { found: 'GPX', advice: EXPORT, extensions: ['.gpx'], pattern: /<(?:\w+:)?gpx\b/ },
  { found: 'GML', advice: EXPORT, extensions: ['.gml'], pattern: /opengis\.net\/gml/ },
  { found: 'MapInfo TAB', advice: EXPORT, extensions: ['.tab'], pattern: /^!table/i },
  { found: 'MapInfo MIF', advice: EXPORT, extensions: ['.mif'], pattern: /^Version\s+\d+\s+Charset/i },
  {
    found: 'an Esri file geodatabase',
    advice: EXPORT,
    extensions: ['.gdb'],
    member: /\.gdb\/|\.gdbtable$/i,
  },
  {
    found: 'DWG',
    advice: DRAWING,
    extensions: ['.dwg'],
    pattern: /^AC(?:10\d\d|1\.\d\d|2\.\d\d)/,
  },
  { found: 'DXB', advice: DRAWING, extensions: ['.dxb'], magic: 'AutoCAD DXB' },
  { found: 'DGN', advice: DRAWING, extensions: ['.dgn'] },
  {
    found: 'XLS or another old Office document',
    advice: SPREADSHEET,
    extensions: ['.xls'],
    magic: '\xd0\xcf\x11\xe0',
  },
  { found: 'XLSX', advice: SPREADSHEET, extensions: ['.xlsx'], member: /^xl\/workbook\./ },
  { found: 'ODS', advice: SPREADSHEET, extensions: ['.ods'], member: /^content\.xml$/ },
  { found: 'FlatGeobuf', advice: EXPORT, extensions: ['.fgb'], magic: 'fgb\x03' },
  { found: 'Parquet', advice: EXPORT, extensions: ['.parquet', '.geoparquet'], pattern: /^PAR1[^\w,;|"\s]/ },
  { found: 'PMTiles', advice: EXPORT, extensions: ['.pmtiles'], magic: 'PMTiles\x03' },
  {
    found: 'TopoJSON',
    advice: EXPORT,
    extensions: ['.topojson'],
    pattern: /^\s*\{.*?"type"\s*:\s*"Topology"/s,
  },
  {
    found: 'Esri JSON',
    advice: EXPORT,
    extensions: ['.esrijson'],
    pattern: /^\s*\{.*?"(?:geometryType|spatialReference)"\s*:/s,
  },
  { found: 'a SpatiaLite database', advice: EXPORT, extensions: ['.sqlite'] },
  {
    found: 'one file of a shapefile without the others',
    advice: 'use its .shp, or a .zip of all its files',
    extensions: ['.shx', '.dbf', '.prj'],
  },
  { found: 'TIFF', advice: RASTER, extensions: ['.tif', '.tiff'], pattern: /^(?:II\*\0|MM\0\*)/ },
  { found: 'JPEG', advice: RASTER, extensions: ['.jpg', '.jpeg'], magic: '\xff\xd8\xff' },
  { found: 'PNG', advice: RASTER, extensions: ['.png'], magic: '\x89PNG' },
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
