/** The columns of features of a document, by names that become known while it is read. */
import { ByteWriter } from '../bytes/byte-writer.ts';
import type { Findings } from '../messages/findings.ts';
import { generalFindings } from '../messages/general-findings.ts';
import { writeJsonString } from '../text/json-text.ts';
import type { AttributeColumn } from './attribute-column.ts';
import { nullColumn } from './attribute-column.ts';
import type { Field } from './schema.ts';
import { TextColumn, type TextHint } from './text-columns.ts';

const decoder = new TextDecoder();
/** Columns that are compared with a name before it is looked up. */
const MAX_GUESSES = 8;

export class DocumentColumns {
  /** The row that gets values. */
  row = 0;
  readonly #columns: TextColumn[] = [];
  readonly #byName = new Map<string, TextColumn>();
  /** By the bytes of the name in the document. */
  readonly #keys: Uint8Array[] = [];
  readonly #hints: (name: string) => TextHint;
  readonly #findings: Findings;
  readonly #checkCount: (count: number) => void;
  readonly #scratch = new ByteWriter(256);
  #guess = 0;
  /** The column that `columnOf` found last. */
  #last: TextColumn | null = null;

  /** `checkCount` throws if there are too many columns. */
  constructor(hints: (name: string) => TextHint, findings: Findings, checkCount: (count: number) => void) {
    this.#hints = hints;
    this.#findings = findings;
    this.#checkCount = checkCount;
  }

  column(name: string, hint?: TextHint): TextColumn {
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    const index = this.#columns.length;
    const column = new TextColumn(name, hint === undefined ? this.#hints(name) : hint, index);
    this.#columns.push(column);
    this.#keys.push(new TextEncoder().encode(name));
    this.#byName.set(name, column);
    this.#checkCount(this.#columns.length);
    return column;
  }

  /** The column of that name if some row has it. */
  find(name: string): TextColumn | undefined {
    return this.#byName.get(name);
  }

  /** The column with the name `bytes[start, end)`, expected in the order of the row before. */
  columnOf(bytes: Uint8Array, start: number, end: number): TextColumn {
    const columns = this.#columns;
    let index = this.#guess;
    // A few more than the guess: rows leave out fields that have no value.
    for (const last = Math.min(index + MAX_GUESSES, columns.length); index < last; index++)
      if (isSame(this.#keys[index], bytes, start, end)) return this.#found(columns[index]);
    const column = this.column(decoder.decode(bytes.subarray(start, end)));
    if (this.#last !== null) this.#last.following = column.index;
    return this.#found(column);
  }

  /** The column with this index. */
  at(index: number): TextColumn {
    return this.#columns[index];
  }

  #found(column: TextColumn): TextColumn {
    this.#last = column;
    this.#guess = column.following;
    return column;
  }

  /** Sets the value of the row. A second value for a name becomes one of another field, which is reported. */
  set(column: TextColumn, bytes: Uint8Array, start: number, end: number): void {
    const { row } = this;
    if (column.hasValue(row)) {
      const from = column.name;
      let number = 1;
      let other = column;
      while (other.hasValue(row)) other = this.column(`${from}_${number++}`, column.hint);
      this.#findings.note(generalFindings.NAME_DUPLICATE, { from, to: other.name }, { record: row + 1 });
      column = other;
    }
    if (column.hint !== 'json') column.append(row, bytes, start, end);
    else {
      this.#scratch.reset();
      writeJsonString(this.#scratch, bytes, start, end);
      column.append(row, this.#scratch.bytes, 0, this.#scratch.length);
    }
  }

  setText(name: string, text: string): void {
    const bytes = new TextEncoder().encode(text);
    this.set(this.column(name), bytes, 0, bytes.length);
  }

  /** Sets a value that is no text; in a column of texts it is JSON text. */
  setJson(name: string, value: unknown): void {
    const bytes = new TextEncoder().encode(JSON.stringify(value));
    this.setJsonText(name, bytes, 0, bytes.length);
  }

  /** As `setJson`, with the value as JSON text. */
  setJsonText(name: string, bytes: Uint8Array, start: number, end: number): void {
    const column = this.column(name, 'json');
    if (column.hint === 'json' && !column.hasValue(this.row)) column.append(this.row, bytes, start, end);
    else this.set(column, bytes, start, end);
  }

  /** `isKept`: whether a column without values is one of the fields. */
  finish(
    rowCount: number,
    fields: readonly Field[] | null,
    isKept: (name: string) => boolean,
  ): { fields: Field[]; columns: AttributeColumn[] } {
    const found =
      fields ??
      this.#columns
        .filter(({ name, hasValues }) => hasValues || isKept(name))
        .map((column) => ({ name: column.name, type: this.#typeOf(column) }));
    const columns = found.map(
      ({ name, type }) => this.#byName.get(name)?.finish(rowCount, type) ?? nullColumn(type, rowCount),
    );
    return { fields: [...found], columns };
  }

  #typeOf(column: TextColumn): Field['type'] {
    const type = column.inferType();
    const { hint, name } = column;
    if (hint === null || type === hint || (hint === 'temporal' && type !== 'string')) return type;
    const row = type === 'string' && hint !== 'boolean' ? column.firstText() : -1;
    // Times of a column can be years, which are no dates.
    if (hint === 'temporal' && row < 0) return type;
    const declared = hint === 'temporal' ? 'datetime' : hint;
    const place = row < 0 ? undefined : { record: row + 1, field: name };
    this.#findings.note(generalFindings.FIELD_WIDENED, { field: name, declared, type }, place);
    return type;
  }
}

function isSame(key: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  if (key.length !== end - start) return false;
  for (let i = 0; i < key.length; i++) if (key[i] !== bytes[start + i]) return false;
  return true;
}
