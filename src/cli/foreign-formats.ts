/** Formats that are not supported, by their usual extensions: what they are and how to get something that is. */

const EXPORT = 'export it as GeoPackage or GeoJSON from the program it comes from';

const FOREIGN: Readonly<Record<string, string>> = {
  '.kml': `KML is not supported; ${EXPORT}`,
  '.kmz': `KMZ is not supported; ${EXPORT}`,
  '.gpx': `GPX is not supported; ${EXPORT}`,
  '.gml': `GML is not supported; ${EXPORT}`,
  '.tab': `MapInfo TAB is not supported; ${EXPORT}`,
  '.mif': `MapInfo MIF is not supported; ${EXPORT}`,
  '.gdb': `Esri file geodatabases are not supported; ${EXPORT}`,
  '.gdb.zip': `Esri file geodatabases are not supported; ${EXPORT}`,
  '.dwg': 'DWG is not supported; save the drawing as DXF',
  '.dgn': 'DGN is not supported; save the drawing as DXF',
  '.xls': 'Excel workbooks are not supported; save the sheet as CSV',
  '.xlsx': 'Excel workbooks are not supported; save the sheet as CSV',
  '.ods': 'spreadsheets are not supported; save the sheet as CSV',
  '.fgb': `FlatGeobuf is not supported; ${EXPORT}`,
  '.parquet': `Parquet is not supported; ${EXPORT}`,
  '.topojson': `TopoJSON is not supported; ${EXPORT}`,
  '.sqlite': `SpatiaLite databases are not supported; ${EXPORT}`,
  '.shx': 'this is one part of a shapefile; name its .shp, or a .zip of all its files',
  '.dbf': 'this is one part of a shapefile; name its .shp, or a .zip of all its files',
  '.prj': 'this is one part of a shapefile; name its .shp, or a .zip of all its files',
  '.tif': 'this is a raster; geomill converts vector data',
  '.jpg': 'this is a raster; geomill converts vector data',
  '.png': 'this is a raster; geomill converts vector data',
};

/** What to say about a file whose name has a known extension of an unsupported format; null for all others. */
export function foreignFormat(fileName: string): string | null {
  const lower = fileName.toLowerCase();
  const extensions = Object.keys(FOREIGN).filter((extension) => lower.endsWith(extension));
  const longest = extensions.sort((a, b) => b.length - a.length)[0];
  return longest === undefined ? null : FOREIGN[longest];
}
