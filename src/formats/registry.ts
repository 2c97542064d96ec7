/** All supported formats. To add one, add its folder and one line here. */
import { failure } from '../errors.ts';
import { field } from '../message.ts';
import { csv } from './csv/format.ts';
import { dxf } from './dxf/format.ts';
import { type Format, type InputFormat, isInputFormat, isOutputFormat, type OutputFormat } from './format.ts';
import { geojson } from './geojson/format.ts';
import { gpkg } from './gpkg/format.ts';
import { shp } from './shp/format.ts';

export const formats: readonly Format[] = [geojson, shp, gpkg, dxf, csv];
export const inputFormats: readonly InputFormat[] = formats.filter(isInputFormat);
export const outputFormats: readonly OutputFormat[] = formats.filter(isOutputFormat);

/** The format with an id, ignoring case. Throws FORMAT_UNKNOWN; `path` is the path of the id in the request. */
export const inputFormatById = (id: string, path: string): InputFormat => formatById(inputFormats, id, path);
export const outputFormatById = (id: string, path: string): OutputFormat =>
  formatById(outputFormats, id, path);

function formatById<Known extends Format>(among: readonly Known[], id: string, path: string): Known {
  const format = among.find((candidate) => candidate.id === id.toLowerCase());
  if (format !== undefined) return format;
  throw failure('FORMAT_UNKNOWN', {
    value: id.slice(0, 40),
    path: field(path),
    known: among.map((known) => known.id).join(', '),
  });
}

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
