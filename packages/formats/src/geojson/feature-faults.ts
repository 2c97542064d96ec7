/** Errors about values that are expected to be features. */
import { QUOTE } from '@geomill/core/text/ascii.ts';
import type { JsonScanner } from '@geomill/core/text/json-scanner.ts';

/** There is something else than a Feature at `at`. */
export function noFeature(scanner: JsonScanner, at: number): Error {
  if (at >= scanner.limit || scanner.endsWithComma(at)) return scanner.unexpected(at, 'a Feature');
  const reason = `expected a Feature but found ${scanner.byteName(at)}`;
  return scanner.fault(at, reason, 'structure');
}

export function noFeatureType(scanner: JsonScanner, objectStart: number): Error {
  return scanner.fault(objectStart, "this object has no 'type': 'Feature'", 'structure');
}

/** The type at `at` is not 'Feature'. */
export function otherFeatureType(scanner: JsonScanner, at: number, objectStart: number): Error {
  if (scanner.bytes[at] !== QUOTE) return scanner.fault(at, "'type' must be a string", 'structure');
  const end = scanner.string(at);
  const name = scanner.text(at + 1, Math.min(end, at + 41));
  const reason = `expected a Feature but this object's type is '${name}'`;
  return scanner.fault(objectStart, reason, 'structure');
}
