/** Splits a file without parsing it: see io/json-cuts.ts. */
import { LF, LOWER_N, OPEN_BRACE, OPEN_BRACKET, QUOTE, RECORD_SEPARATOR } from '@geomill/core/text/ascii.ts';
import type { JsonScanner } from '@geomill/core/text/json-scanner.ts';
import type { ByteSource } from '@geomill/io/byte-source.ts';
import { beginsWithMember, cutJson, findElement } from '@geomill/io/json-cuts.ts';
import type { Partition } from '../reader.ts';
import { isGeoJsonType } from './collection-members.ts';
import { GEOJSON } from './dialect.ts';
import type { Head } from './head.ts';

export function cutSource(source: ByteSource, head: Head, partitionBytes: number): Partition[] {
  const range = { start: head.firstStart, end: source.byteLength };
  return cutJson(source, range, partitionBytes, GEOJSON, (scanner, from, to) =>
    findInWindow(scanner, head, from, to),
  );
}

function findInWindow(scanner: JsonScanner, head: Head, from: number, to: number): number | null {
  if (head.mode === 'collection')
    return findElement(scanner, from, to, (at) => beginsLikeFeature(scanner, at, false));
  const { bytes } = scanner;
  const landmark = head.hasSeparators ? RECORD_SEPARATOR : LF;
  let at = bytes.indexOf(landmark, from);
  for (; at >= 0 && at < to; at = bytes.indexOf(landmark, at + 1)) {
    if (landmark === RECORD_SEPARATOR) {
      let start = scanner.space(at + 1);
      while (bytes[start] === RECORD_SEPARATOR) start = scanner.space(start + 1);
      if (bytes[start] === OPEN_BRACE) return start;
      // Records begin in the first column; objects inside a record that is formatted over several lines are indented.
    } else if (bytes[at + 1] === OPEN_BRACE && beginsLikeFeature(scanner, at + 1, true)) return at + 1;
  }
  return null;
}

/** Whether the object at `at` begins like a Feature, or like any GeoJSON text if `anyType`. */
function beginsLikeFeature(scanner: JsonScanner, at: number, anyType: boolean): boolean {
  const { bytes } = scanner;
  return beginsWithMember(scanner, at, (key, valueAt) => {
    if (key === 'type') {
      if (bytes[valueAt] !== QUOTE) return false;
      const type = scanner.text(valueAt + 1, scanner.string(valueAt));
      return type === 'Feature' || (anyType && isGeoJsonType(type));
    }
    if (key === 'geometry' || key === 'properties')
      return bytes[valueAt] === OPEN_BRACE || bytes[valueAt] === LOWER_N;
    if (anyType && (key === 'coordinates' || key === 'geometries')) return bytes[valueAt] === OPEN_BRACKET;
    return null;
  });
}
