/** Every format geomill knows. Adding one is its folder and one line here. */
import { failure } from '../errors.ts';
import { csv } from './csv/format.ts';
import { dxf } from './dxf/format.ts';
import type { Format } from './format.ts';
import { geojson } from './geojson/format.ts';
import { gpkg } from './gpkg/format.ts';
import { shp } from './shp/format.ts';

export const formats = [geojson, shp, gpkg, dxf, csv] as const satisfies readonly Format[];

/** The format of an id, in any letter case. Throws FORMAT_UNKNOWN; `path` names where the id stood. */
export function formatById(id: string, path: string): Format {
  const format = formats.find((candidate) => candidate.id === id.toLowerCase());
  if (format !== undefined) return format;
  throw failure('FORMAT_UNKNOWN', {
    value: id.slice(0, 40),
    path,
    known: formats.map((known) => known.id).join(', '),
  });
}

/** The format that a file name's ending tells, or null. */
export function formatByFileName(name: string): Format | null {
  const lower = name.toLowerCase();
  let best: Format | null = null;
  let bestLength = 0;
  for (const format of formats as readonly Format[]) {
    for (const extension of format.extensions) {
      if (lower.endsWith(extension) && extension.length > bestLength) {
        best = format;
        bestLength = extension.length;
      }
    }
  }
  return best;
}
