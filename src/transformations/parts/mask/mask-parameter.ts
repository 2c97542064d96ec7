/** The parameter that holds a mask: its schema, and its form on the command line. */
import { OPEN_BRACE } from '../../../bytes/ascii.ts';
import { BracketEnd } from '../../../bytes/json-ends.ts';
import { failure, type GeomillError } from '../../../errors.ts';
import { field } from '../../../message.ts';
import type { FileParameter } from '../../transformation.ts';
import { parseMask } from './mask-geojson.ts';

const PART = 'mask';

/** `parseMask` checks the GeoJSON, with better messages than a schema. */
export function maskSchema(what: string): object {
  return {
    type: 'object',
    description: `${what}: a GeoJSON Polygon or MultiPolygon, or a Feature or FeatureCollection of these, in EPSG:4326. Required. A form can have it as a file instead, in the part \`${PART}\`.`,
  };
}

/** The step's code gets a column of polygons. */
export function maskParameter(name: string): FileParameter {
  return {
    name,
    part: PART,
    fromValue: parseMask,
    fromFile: (content, path) => parseMask(parseContent(content, path), path),
  };
}

function parseContent(content: Uint8Array, path: string): unknown {
  const refuse = (reason: string): GeomillError =>
    failure('TRANSFORMATION_INVALID', { path: field(path), reason: `is not valid JSON: ${reason}` });
  // The parser accepts any depth, but takes half a minute for 64 MiB of brackets.
  const start = content.indexOf(OPEN_BRACE);
  if (start >= 0) {
    const brackets = new BracketEnd((offset, reason) => refuse(`at byte ${offset}: ${reason}`));
    brackets.open(OPEN_BRACE);
    brackets.scan(content, start + 1, content.length, 0);
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(content));
  } catch (error) {
    throw refuse((error as Error).message);
  }
}

/** The content of a file as JSON. Throws USAGE. */
export function maskFromText(text: string, name: string, flag: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw failure('USAGE', { detail: `--${flag} '${name}' is not valid JSON: ${reason}` });
  }
}
