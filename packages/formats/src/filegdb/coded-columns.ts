/** Columns of texts in place of coded values, or beside them: descriptions of domains and names of subtypes. */
import {
  type AttributeColumn,
  type BytesColumn,
  ColumnBuilder,
  isValid,
  valueAt,
} from '@geomill/core/columns/attribute-column.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { type CodeTexts, numberTexts } from './domains.ts';
import { filegdbFindings } from './messages.ts';

/** A field with coded values. Plain data: it is sent to worker threads. */
export interface CodedField {
  /** Name of the field with the codes. */
  readonly field: string;
  /** Name of the field with the texts; that of the codes if it replaces them. */
  readonly textField: string;
  /** Null: only rows of some subtypes have a domain. */
  readonly texts: CodeTexts | null;
  /** By code of the subtype; a row with another one has `texts`. Null: the texts do not depend on it. */
  readonly bySubtype: ReadonlyMap<string, CodeTexts | null> | null;
  /** The field with the subtypes; null: the texts do not depend on it. */
  readonly subtypeField: string | null;
}

const encoder = new TextEncoder();

/** Descriptions of the values of one column, which is of numbers or of texts. */
class Lookup {
  readonly #numbers: ReadonlyMap<number, Uint8Array>;
  readonly #texts: ReadonlyMap<string, Uint8Array>;

  constructor(texts: CodeTexts) {
    this.#texts = new Map([...texts].map(([code, text]) => [code, encoder.encode(text)]));
    this.#numbers = new Map([...numberTexts(texts)].map(([code, text]) => [code, encoder.encode(text)]));
  }

  /** Undefined: the value is not in the domain. */
  find(value: unknown): Uint8Array | undefined {
    if (typeof value === 'number') return this.#numbers.get(value);
    if (typeof value === 'bigint') return this.#numbers.get(Number(value)) ?? this.#texts.get(String(value));
    return this.#texts.get(String(value).trim());
  }
}

/** `subtypes`: the codes of the subtypes of the rows; null: the table has none. */
export function textColumn(
  column: AttributeColumn,
  subtypes: AttributeColumn | null,
  coded: CodedField,
  rowCount: number,
  findings: Findings,
): BytesColumn {
  const common = coded.texts === null ? null : new Lookup(coded.texts);
  const lookups = new Map<string, Lookup | null>();
  for (const [code, texts] of coded.bySubtype ?? [])
    lookups.set(code, texts === null ? null : new Lookup(texts));
  const builder = new ColumnBuilder('string', rowCount);
  const unknown = new RowTally();
  for (let row = 0; row < rowCount; row++) {
    if (!isValid(column.validity, row)) {
      builder.appendNull();
      continue;
    }
    const value = valueAt(column, row);
    const subtype = subtypes === null || lookups.size === 0 ? null : String(valueAt(subtypes, row));
    const lookup = subtype !== null && lookups.has(subtype) ? (lookups.get(subtype) ?? null) : common;
    const text = lookup?.find(value);
    if (text !== undefined) builder.appendBytes(text, 0, text.length);
    else {
      if (lookup !== null) unknown.add(row);
      builder.appendText(String(value));
    }
  }
  findings.noteTally(filegdbFindings.FILEGDB_CODE_UNKNOWN, { field: coded.field }, unknown);
  return builder.finish() as BytesColumn;
}
