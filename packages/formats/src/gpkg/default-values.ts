/**
 * Default values of columns: from the SQL of a declaration, and to it. Only constants and calls of functions of date and time are
 * read, so what is written can be no other SQL, whatever the text of a declaration.
 */
import { CALLED_FUNCTIONS, type FieldDefault } from '@geomill/core/columns/field-facts.ts';

const NOW = { current_timestamp: 'datetime', current_date: 'date', current_time: 'time' } as const;
const FUNCTIONS = new RegExp(`^(${CALLED_FUNCTIONS.join('|')})\\s*\\((.*)\\)$`, 'is');
const TEXT = /^'(?:[^']|'')*'$/s;
const TEXTS = /^\s*'(?:[^']|'')*'\s*(?:,\s*'(?:[^']|'')*'\s*)*$/s;
const QUOTED_NAME = /^"(?:[^"]|"")*"$/s;
const INTEGER = /^[-+]?\d{1,19}$/;
const NUMBER = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,3})?$/;
const HEX = /^x'((?:[0-9a-f]{2})*)'$/i;
/** SQLite takes a bare word as a text. */
const WORD = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** `sql`: as pragma_table_xinfo gives it. Undefined: there is no default, or one that is not read; 'NULL' is none. */
export function readDefault(sql: string): FieldDefault | undefined {
  const text = withoutParentheses(sql.trim());
  const lower = text.toLowerCase();
  if (lower in NOW) return { kind: 'now', as: NOW[lower as keyof typeof NOW] };
  if (TEXT.test(text)) return { kind: 'value', value: unquoted(text) };
  if (QUOTED_NAME.test(text)) return { kind: 'value', value: text.slice(1, -1).replaceAll('""', '"') };
  if (INTEGER.test(text)) return { kind: 'value', value: integerOf(text) };
  if (NUMBER.test(text) && Number.isFinite(Number(text))) return { kind: 'value', value: Number(text) };
  const hex = HEX.exec(text);
  if (hex !== null) return { kind: 'value', value: Uint8Array.from(bytesOf(hex[1])) };
  if (lower === 'true' || lower === 'false') return { kind: 'value', value: lower === 'true' ? 1 : 0 };
  const call = FUNCTIONS.exec(text);
  if (call !== null && TEXTS.test(call[2])) {
    const values = [...call[2].matchAll(/'((?:[^']|'')*)'/gs)].map(([quoted]) => unquoted(quoted));
    return { kind: 'call', name: call[1].toLowerCase(), values };
  }
  return WORD.test(text) && lower !== 'null' ? { kind: 'value', value: text } : undefined;
}

export function isNullDefault(sql: string): boolean {
  return withoutParentheses(sql.trim()).toLowerCase() === 'null';
}

export function defaultSql(value: FieldDefault): string {
  if (value.kind === 'now')
    return `CURRENT_${value.as === 'datetime' ? 'TIMESTAMP' : value.as.toUpperCase()}`;
  // Without blanks: GDAL compares the call with the one that it writes.
  if (value.kind === 'call') return `(${value.name}(${value.values.map(quotedText).join(',')}))`;
  const constant = value.value;
  if (typeof constant === 'string') return quotedText(constant);
  if (constant instanceof Uint8Array)
    return `X'${[...constant].map((byte) => byte.toString(16).padStart(2, '0')).join('')}'`;
  return String(constant);
}

/** A text as SQL. SQL ends at NUL, and unpaired surrogates have no UTF-8. */
function quotedText(text: string): string {
  return `'${text.toWellFormed().replaceAll('\0', '\uFFFD').replaceAll("'", "''")}'`;
}

function withoutParentheses(sql: string): string {
  let text = sql;
  while (text.startsWith('(') && text.endsWith(')')) text = text.slice(1, -1).trim();
  return text;
}

function unquoted(text: string): string {
  return text.slice(1, -1).replaceAll("''", "'");
}

function integerOf(text: string): number | bigint {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : BigInt(text);
}

function* bytesOf(hex: string): Iterable<number> {
  for (let at = 0; at < hex.length; at += 2) yield Number.parseInt(hex.slice(at, at + 2), 16);
}
