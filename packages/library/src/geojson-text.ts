/** GeoJSON values as the bytes of a file, a few features at a time. */
import { invalidJob } from './messages.ts';

const TYPES: ReadonlySet<unknown> = new Set([
  'FeatureCollection',
  'Feature',
  'Point',
  'MultiPoint',
  'LineString',
  'MultiLineString',
  'Polygon',
  'MultiPolygon',
  'GeometryCollection',
]);

const PIECE_CHARACTERS = 1 << 18;

/** Whether a value is a GeoJSON object. */
export function isGeojson(value: unknown): value is { readonly type: string; readonly features?: unknown } {
  return typeof value === 'object' && value !== null && 'type' in value && TYPES.has(value.type);
}

/** `value`: a GeoJSON object, or features. `where` names it in messages. Throws CONFIG_INVALID for a value that is no GeoJSON. */
export async function* geojsonText(
  value: object | Iterable<unknown> | AsyncIterable<unknown>,
  where: string,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  if (isGeojson(value) && !Array.isArray(value.features)) {
    yield encoder.encode(jsonOf(value, where));
    return;
  }
  const { features, ...members } = isGeojson(value)
    ? value
    : { type: 'FeatureCollection', features: value as Iterable<unknown> };
  let text = `${jsonOf(members, where).slice(0, -1)},"features":[`;
  let count = 0;
  for await (const feature of features as AsyncIterable<unknown>) {
    if (!isGeojson(feature) || feature.type !== 'Feature')
      throw invalidJob(`entry ${count + 1} of '${where}' is not a GeoJSON feature`);
    text += `${count === 0 ? '' : ','}\n${jsonOf(feature, `${where}[${count}]`)}`;
    count += 1;
    if (text.length < PIECE_CHARACTERS) continue;
    yield encoder.encode(text);
    text = '';
  }
  yield encoder.encode(`${text}\n]}\n`);
}

/** JSON has no numbers of type bigint and no cycles. */
function jsonOf(value: unknown, where: string): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw invalidJob(`'${where}' cannot be written as JSON: ${reason}`, error);
  }
}
