/** The parameter that holds a mask: its schema, and its form on the command line. */
import { failure } from '../../../errors.ts';

/** What GeoJSON may look like is checked by `parseMask`, whose messages say more than those of a schema. */
export function maskSchema(what: string): object {
  return {
    type: 'object',
    description: `${what}: a GeoJSON Polygon or MultiPolygon, or a Feature or FeatureCollection of these, in EPSG:4326.`,
  };
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
