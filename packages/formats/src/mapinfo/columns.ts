/** Columns of MapInfo tables, as a .mif and a .tab declare them. */
import type { FieldType } from '@geomill/core/columns/schema.ts';
import { UniqueNames } from '@geomill/core/columns/unique-names.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { generalFindings } from '@geomill/core/messages/general-findings.ts';
import { mapInfoErrors } from './messages.ts';

const TYPES = {
  char: 'string',
  integer: 'int32',
  smallint: 'int32',
  largeint: 'int64',
  decimal: 'float64',
  float: 'float64',
  date: 'date',
  time: 'string',
  datetime: 'datetime',
  logical: 'boolean',
} as const satisfies Record<string, FieldType>;

export type ColumnKind = keyof typeof TYPES;

/** Plain data: sent to the workers. */
export interface MapInfoColumn {
  readonly name: string;
  readonly type: FieldType;
  readonly kind: ColumnKind;
  /** Of char: bytes; of decimal: digits. 0: not stated. */
  readonly width: number;
  readonly decimals: number;
}

/** A name, perhaps in quotes, a type, and a width with decimals. What follows, such as an index, is ignored. */
const DECLARATION = /^\s*(?:"([^"]*)"|(\S+))\s+([a-z]+)\s*(?:\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\))?/i;

/** The columns of so many lines, with unique names. Throws MAPINFO_FILE. */
export function parseColumns(
  lines: readonly string[],
  file: string,
  findings: Findings,
): readonly MapInfoColumn[] {
  const names = new UniqueNames();
  return lines.map((line) => {
    const [, quoted, plain, typeName = '', width = '0', decimals = '0'] = DECLARATION.exec(line) ?? [];
    const kind = typeName.toLowerCase();
    if (!Object.hasOwn(TYPES, kind))
      throw failure(mapInfoErrors.MAPINFO_FILE, {
        file,
        reason: `'${line.trim().slice(0, 60)}' declares no column of a known type`,
      });
    const stated = quoted ?? plain;
    const name = names.take(stated);
    if (name !== stated) findings.note(generalFindings.NAME_DUPLICATE, { from: stated, to: name });
    const known = kind as ColumnKind;
    return { name, type: TYPES[known], kind: known, width: Number(width), decimals: Number(decimals) };
  });
}
