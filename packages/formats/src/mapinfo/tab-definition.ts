/** The .tab of a table: text that names the kind of the table and its columns. */
import { failure } from '@geomill/core/messages/errors.ts';
import { mapInfoErrors } from './messages.ts';

export interface TabDefinition {
  readonly kind: 'native' | 'dbf';
  readonly charset: string | null;
  /** Lines of the declarations of columns, in Latin-1. */
  readonly columnLines: readonly string[];
  /** Its rows name further tables, which have the features. */
  readonly isSeamless: boolean;
}

const MAX_COLUMNS = 10_000;

/** What to do with tables that are not read, by their type. */
const OTHER_KINDS: readonly {
  readonly type: RegExp;
  readonly kind: string;
  readonly advice: string;
}[] = [
  {
    type: /^nativex$/i,
    kind: 'a MapInfo extended table (NATIVEX)',
    advice: "save a copy in MapInfo Pro as the type 'MapInfo TAB'",
  },
  {
    type: /^(?:access|odbc|oracle\w*|sqlserver\w*|postgis\w*)$/i,
    kind: 'a MapInfo table whose data is in a database',
    advice: "save a copy in MapInfo Pro as the type 'MapInfo TAB'",
  },
  {
    type: /^(?:xls\w*|wks|ascii|csv|dbase\w*)$/i,
    kind: 'a MapInfo table whose data is in a file of another program',
    advice: 'convert that file itself',
  },
  {
    type: /^(?:shapefile|gpkg|file|spatialite|tabfile)$/i,
    kind: 'a MapInfo table that shows a file of another format',
    advice: 'convert that file itself',
  },
  {
    type: /^(?:raster|grid|tileserver|wms|wmts|wfs)$/i,
    kind: 'a MapInfo table of pictures',
    advice: 'it has no features; use another table',
  },
];

/** `text`: of the .tab, in Latin-1. Throws MAPINFO_FILE and MAPINFO_TABLE_KIND. */
export function parseTab(text: string, file: string): TabDefinition {
  const lines = text.replace(/^\xef\xbb\xbf/, '').split(/\r\n|\r|\n/);
  if (!/^\s*!table\b/i.test(lines[0] ?? ''))
    throw failure(mapInfoErrors.MAPINFO_FILE, {
      file,
      reason: "its first line is not '!table', so it is no table of MapInfo",
    });
  const find = (pattern: RegExp, from = 0): number =>
    lines.findIndex((line, i) => i >= from && pattern.test(line));
  if (find(/^\s*create\s+view\b/i) >= 0)
    throw failure(mapInfoErrors.MAPINFO_TABLE_KIND, {
      file,
      kind: 'a view that joins tables of MapInfo',
      advice: 'convert one of the tables, and join the other one with the step join',
    });
  const start = Math.max(0, find(/^\s*definition\s+table\b/i));
  const typeAt = find(/^\s*(?:format:?\s+)?type:?\s/i, start);
  const [, type = '', rest = ''] = /type:?\s+"?(\w+)"?(.*)$/i.exec(lines[typeAt] ?? '') ?? [];
  const charset = /charset\s+"?([\w-]+)"?/i;
  const own = charset.exec(rest)?.[1] ?? charset.exec(lines[find(/^\s*!charset\b/i)] ?? '')?.[1] ?? null;
  const kind = kindOf(type, file);
  const fieldsAt = find(/^\s*fields:?\s+\d+/i, start);
  const count = Number(/\d+/.exec(lines[fieldsAt] ?? '')?.[0] ?? 'NaN');
  if (!(count <= MAX_COLUMNS) || fieldsAt + count >= lines.length)
    throw failure(mapInfoErrors.MAPINFO_FILE, {
      file,
      reason: 'it has no complete list of fields; was it cut off?',
    });
  return {
    kind,
    charset: own,
    columnLines: lines.slice(fieldsAt + 1, fieldsAt + 1 + count),
    isSeamless: lines.some((line) => /^\s*"\\isseamless"\s*=\s*"true"/i.test(line)),
  };
}

function kindOf(type: string, file: string): TabDefinition['kind'] {
  if (/^(?:native|linked)$/i.test(type)) return 'native';
  if (/^dbf$/i.test(type)) return 'dbf';
  const { kind, advice } = OTHER_KINDS.find((other) => other.type.test(type)) ?? {
    kind: type === '' ? 'a MapInfo table of no type' : `a MapInfo table of the type '${type.slice(0, 40)}'`,
    advice: "save a copy in MapInfo Pro as the type 'MapInfo TAB'",
  };
  throw failure(mapInfoErrors.MAPINFO_TABLE_KIND, { file, kind, advice });
}
