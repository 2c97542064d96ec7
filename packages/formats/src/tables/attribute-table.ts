/** Recognizes a table of attributes: rows that fit their header, and nothing that looks like a position. */
import { namesColumn, type WantedColumns } from './columns.ts';
import { emptyGeometries } from './geometry-sample.ts';
import { type HeadSettings, headerReadings } from './header.ts';
import { byConsistency, type Found } from './locate-line.ts';
import type { LineStart } from './located.ts';
import { type HeaderReading, NO_POSITIONS, shown } from './located.ts';
import { positionHints } from './not-found.ts';

/** Share of the first rows that have as many cells as the header. */
const LEAST_SHARE = 0.9;
const SHOWN_NAMES = 12;
/** A value that names nothing: a number, boolean or date. */
const PLAIN_VALUE = /^(-?[\d.]+(e[-+]?\d+)?|true|false|\d{4}-\d\d-\d\d([ T].*)?)$/i;
/** A number with decimals or with as many digits as a coordinate of a grid; years have fewer. */
const COORDINATE = /^-?(?:\d+[.,]\d+|\d{5,})$/;

/**
 * The table of attributes whose header is in this line; null: it has none, or columns that may have positions, of which the
 * error says how to name them. A first row that has only values, and one in each column, is data.
 */
export function attributesIn(settings: HeadSettings, start: LineStart, wanted: WantedColumns): Found | null {
  if (namesColumn(wanted) || wanted.z !== null) return null;
  const readings = [...headerReadings(settings, start)];
  const [reading] = byConsistency(readings);
  const { options, findings } = settings.context;
  const isStated = options.has_header !== undefined || options.header_line !== undefined;
  // Titles before the header, or no table: the error says how to state the header. A single name is a title if the rows have delimiters.
  const fitting = reading.names.length === 1 ? readings : [reading];
  if (fitting.some((one) => one.sample().share < LEAST_SHARE)) return null;
  if (!isStated && reading.names.filter((name) => COORDINATE.test(name)).length > 1) return null;
  if (positionHints(reading).length > 0) return null;
  if (isStated || !reading.names.every((name) => PLAIN_VALUE.test(name)))
    return withoutPosition(settings, reading);
  settings.messages.note(findings, 'NO_NAMES', {});
  return {
    ...withoutPosition(settings, likeliest({ ...settings, hasHeader: false }, start)),
    hasHeader: false,
  };
}

function likeliest(settings: HeadSettings, start: LineStart): HeaderReading {
  return byConsistency([...headerReadings(settings, start)])[0];
}

function withoutPosition({ context, messages }: HeadSettings, reading: HeaderReading): Found {
  const { names } = reading;
  const listed = names.slice(0, SHOWN_NAMES).map((name) => `'${shown(name)}'`);
  const more = names.length > SHOWN_NAMES ? ` and ${names.length - SHOWN_NAMES} more` : '';
  messages.note(context.findings, 'NO_POSITION', { columns: listed.join(', ') + more });
  const checks = emptyGeometries(names, reading.sample());
  return { reading, located: { ...NO_POSITIONS, checks } };
}
