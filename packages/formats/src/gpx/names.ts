/** Names of elements of GPX 1.0 and 1.1. */
import { NameTable } from '@geomill/core/text/xml-names.ts';
import type { XmlScanner } from '@geomill/core/text/xml-scanner.ts';
import { FIELD_HINTS, type StandardField } from './standard-fields.ts';

const STRUCTURE = [
  'gpx',
  'metadata',
  'bounds',
  'wpt',
  'rte',
  'rtept',
  'trk',
  'trkseg',
  'trkpt',
  'link',
  'text',
  'extensions',
] as const;

export type GpxName = (typeof STRUCTURE)[number] | StandardField;

const table = new NameTable<GpxName>([...STRUCTURE, ...(Object.keys(FIELD_HINTS) as StandardField[])]);

/** The name of the last tag if it is one of GPX: it has the prefix of the root element; else null. */
export function gpxName(scanner: XmlScanner, rootPrefix: Uint8Array): GpxName | null {
  const { repeated } = scanner;
  if (repeated === null) return findName(scanner, rootPrefix);
  if (repeated.name === undefined) repeated.name = findName(scanner, rootPrefix);
  return repeated.name as GpxName | null;
}

function findName(scanner: XmlScanner, rootPrefix: Uint8Array): GpxName | null {
  const { prefixStart, nameStart } = scanner;
  if (nameStart - prefixStart !== (rootPrefix.length === 0 ? 0 : rootPrefix.length + 1)) return null;
  if (rootPrefix.length > 0 && !scanner.equals(prefixStart, nameStart - 1, rootPrefix)) return null;
  return table.find(scanner);
}

export function isStandard(name: GpxName | null): name is StandardField {
  return name !== null && Object.hasOwn(FIELD_HINTS, name);
}
