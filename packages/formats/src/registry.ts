/** All supported formats. To add one, add its folder and one line here. */
import { csv } from './csv/format.ts';
import { dwg, dxf } from './dxf/format.ts';
import { esrijson } from './esrijson/format.ts';
import { filegdb } from './filegdb/format.ts';
import { flatgeobuf } from './flatgeobuf/format.ts';
import { type Format, type InputFormat, isInputFormat, isOutputFormat, type OutputFormat } from './format.ts';
import { geojson } from './geojson/format.ts';
import { geoparquet } from './geoparquet/format.ts';
import { gpkg } from './gpkg/format.ts';
import { gpx } from './gpx/format.ts';
import { kml } from './kml/format.ts';
import { mapinfo, mif } from './mapinfo/format.ts';
import { pmtiles } from './pmtiles/format.ts';
import { shp } from './shp/format.ts';
import { topojson } from './topojson/format.ts';
import { xlsx } from './xlsx/format.ts';

export const formats: readonly Format[] = [
  geojson,
  shp,
  gpkg,
  dxf,
  csv,
  flatgeobuf,
  geoparquet,
  kml,
  gpx,
  pmtiles,
  topojson,
  esrijson,
  xlsx,
  filegdb,
  mif,
  mapinfo,
  dwg,
];
export const inputFormats: readonly InputFormat[] = formats.filter(isInputFormat);
export const outputFormats: readonly OutputFormat[] = formats.filter(isOutputFormat);

/** The format with the longest extension that matches the file name, or null. */
export function formatByFileName<Known extends Format>(among: readonly Known[], name: string): Known | null {
  const lower = name.toLowerCase();
  let best: Known | null = null;
  let bestLength = 0;
  for (const format of among) {
    for (const extension of format.extensions) {
      if (lower.endsWith(extension) && extension.length > bestLength) {
        best = format;
        bestLength = extension.length;
      }
    }
  }
  return best;
}
