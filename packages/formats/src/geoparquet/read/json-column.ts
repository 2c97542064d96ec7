/**
 * Makes a column of JSON from lists, maps and the structs in them: the record assembly of Dremel. Each leaf has a cursor; a
 * node is read by the levels of its first leaf.
 */

import { UTF8 } from '@geomill/core/bytes/utf8.ts';
import { type AttributeColumn, ColumnBuilder } from '@geomill/core/columns/attribute-column.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import { areUtf8, base64Text, utf8Text } from '@geomill/platform/bytes.ts';
import { formatFindings } from '../../findings.ts';
import { damaged, unsupported } from '../fault.ts';
import type { Segment } from './chunk-reader.ts';
import type { FieldPlan } from './columns.ts';
import { type Convert, converterOf, isWide, unsignedValue } from './convert.ts';
import { type ColumnContext, isJson, MAX_COLUMN_BYTES } from './flat-column.ts';
import type { LogicalType } from './logical.ts';
import { leavesOf, type SchemaNode } from './schema.ts';

type JsonPlan = Extract<FieldPlan, { kind: 'json' }>;

/** A value of a list that is in every row. */
const MAX_VALUES = 1 << 24;

/** What JSON cannot have as it is, by value. */
type Fault = 'notFinite' | 'invalid' | 'replaced';
type OnFault = (fault: Fault) => void;

class LeafCursor {
  readonly #segments: readonly Segment[];
  readonly #most: number;
  readonly #convert: Convert;
  readonly #logical: LogicalType | null;
  #segment = 0;
  #level = 0;
  #value = 0;

  constructor(leaf: SchemaNode, segments: readonly Segment[]) {
    this.#segments = segments.filter(({ count }) => count > 0);
    this.#most = leaf.definition;
    // JSON has integers of any size.
    this.#convert = isWide(leaf) ? unsignedValue : converterOf(leaf);
    this.#logical = leaf.logical;
  }

  /** Of the next level; -1 after the last one. */
  get repetition(): number {
    const segment = this.#segments[this.#segment];
    if (segment === undefined) return -1;
    return segment.repetitions === null ? 0 : segment.repetitions[this.#level];
  }

  get definition(): number {
    const segment = this.#segments[this.#segment];
    if (segment === undefined) throw damaged('the members of a list have different lengths');
    return segment.definitions === null ? this.#most : segment.definitions[this.#level];
  }

  /** Moves past the next level. */
  advance(): void {
    const segment = this.#segments[this.#segment];
    if (segment === undefined) throw damaged('the members of a list have different lengths');
    if (this.definition === this.#most) this.#value++;
    if (++this.#level < segment.count) return;
    this.#segment++;
    this.#level = 0;
    this.#value = 0;
  }

  /** The value of the next level as JSON; null: it is null or has none. `onFault` is called for a value that is changed. */
  json(onFault: OnFault): string | null {
    if (this.definition !== this.#most) return null;
    const segment = this.#segments[this.#segment];
    const value = this.#convert(segment.values, segment.firstValue + this.#value);
    switch (typeof value) {
      case 'number':
        if (!Number.isFinite(value)) onFault('notFinite');
        return Number.isFinite(value) ? String(value) : null;
      case 'object':
        if (value !== null) return this.#bytesAsJson(value, onFault);
        if (this.#logical?.kind !== 'unknown') onFault('invalid');
        return null;
      case 'string':
        return JSON.stringify(value);
      default:
        return String(value);
    }
  }

  #bytesAsJson(value: Uint8Array, onFault: OnFault): string {
    const kind = this.#logical?.kind;
    if (kind !== 'string' && kind !== 'enum' && kind !== 'json') return JSON.stringify(base64Text(value));
    if (!areUtf8(value)) onFault('replaced');
    const text = utf8Text(value);
    return kind === 'json' && isJson(text) ? text : JSON.stringify(text);
  }
}

/** `segments`: of each leaf of the node. Throws ParquetFault. */
export function readJsonColumn(
  { field, node }: JsonPlan,
  segments: readonly (readonly Segment[])[],
  { rowCount, findings }: ColumnContext,
): AttributeColumn {
  const values = segments.reduce((sum, own) => sum + own.reduce((total, { count }) => total + count, 0), 0);
  if (values > MAX_VALUES)
    throw unsupported(
      `column '${field.name}' has ${values} values in some thousand rows, and at most ${MAX_VALUES} are read at once; write it with smaller row groups`,
    );
  const cursors = new Map(
    leavesOf(node).map((leaf, i) => [leaf.firstLeaf, new LeafCursor(leaf, segments[i])]),
  );
  const faults = { notFinite: new RowTally(), invalid: new RowTally(), replaced: new RowTally() };
  const writer = new JsonWriter(cursors, faults);
  const builder = new ColumnBuilder('json', rowCount);
  let bytes = 0;
  for (let row = 0; row < rowCount; row++) {
    const text = writer.row(node, row);
    if (text === null) builder.appendNull();
    else {
      bytes += text.length;
      if (bytes > MAX_COLUMN_BYTES)
        throw unsupported(
          `column '${field.name}' has more than ${MAX_COLUMN_BYTES} bytes in some thousand rows`,
        );
      builder.appendText(text);
    }
  }
  const { name } = field;
  findings.noteTally(formatFindings.NUMBER_NOT_FINITE, { field: name, format: 'JSON' }, faults.notFinite);
  findings.noteTally(
    formatFindings.VALUE_INVALID,
    { field: name, type: 'date, time or number' },
    faults.invalid,
  );
  findings.noteTally(formatFindings.TEXT_REPLACED, { field: name, encoding: UTF8 }, faults.replaced);
  return builder.finish();
}

class JsonWriter {
  readonly #cursors: ReadonlyMap<number, LeafCursor>;
  readonly #onFault: OnFault;
  #row = 0;

  constructor(cursors: ReadonlyMap<number, LeafCursor>, faults: Readonly<Record<Fault, RowTally>>) {
    this.#cursors = cursors;
    this.#onFault = (fault) => faults[fault].add(this.#row);
  }

  /** Null: the whole value is null. */
  row(node: SchemaNode, row: number): string | null {
    this.#row = row;
    const text = node.isRepeated ? this.#elements(node, () => this.#present(node)) : this.#value(node);
    return text === 'null' ? null : text;
  }

  #cursor({ firstLeaf }: SchemaNode): LeafCursor {
    const cursor = this.#cursors.get(firstLeaf);
    if (cursor === undefined) throw damaged('a list has no values');
    return cursor;
  }

  /** A node that may be null. */
  #value(node: SchemaNode): string {
    if (node.isRepeated) return this.#elements(node, () => this.#present(node));
    if (this.#cursor(node).definition < node.definition) {
      this.#pass(node);
      return 'null';
    }
    return this.#present(node);
  }

  /** A node that is not null, or an element of a repeated one. */
  #present(node: SchemaNode): string {
    if (node.type !== null) {
      const cursor = this.#cursor(node);
      const text = cursor.json(this.#onFault);
      cursor.advance();
      return text ?? 'null';
    }
    const [inner] = node.children;
    if (!node.isRepeated && node.children.length === 1 && inner.isRepeated) {
      if (node.logical?.kind === 'map' && inner.children.length > 0) return this.#map(inner);
      if (node.logical?.kind === 'list') return this.#list(node, inner);
    }
    const members = node.children.map((child) => `${JSON.stringify(child.name)}:${this.#value(child)}`);
    return `{${members.join(',')}}`;
  }

  /** The rules for lists of old programs are those of LogicalTypes.md. */
  #list(node: SchemaNode, repeated: SchemaNode): string {
    const [element] = repeated.children;
    const isElement =
      repeated.type !== null ||
      repeated.children.length !== 1 ||
      repeated.name === 'array' ||
      repeated.name === `${node.name}_tuple`;
    return this.#elements(repeated, () => (isElement ? this.#present(repeated) : this.#value(element)));
  }

  #map(entry: SchemaNode): string {
    const [key, value] = entry.children;
    const members = this.#collect(entry, () => {
      const text = this.#value(key);
      const name = text.startsWith('"') ? text : JSON.stringify(text);
      return `${name}:${value === undefined ? 'null' : this.#value(value)}`;
    });
    return `{${members.join(',')}}`;
  }

  #elements(repeated: SchemaNode, read: () => string): string {
    return `[${this.#collect(repeated, read).join(',')}]`;
  }

  /** Reads the elements of a repeated node, which may be none. */
  #collect(repeated: SchemaNode, read: () => string): string[] {
    const cursor = this.#cursor(repeated);
    if (cursor.definition < repeated.definition) {
      this.#pass(repeated);
      return [];
    }
    const texts: string[] = [];
    do texts.push(read());
    while (cursor.repetition === repeated.repetition);
    return texts;
  }

  /** Moves the cursors of all leaves past a level without a value. */
  #pass(node: SchemaNode): void {
    for (let leaf = node.firstLeaf; leaf < node.firstLeaf + node.leafCount; leaf++)
      this.#cursors.get(leaf)?.advance();
  }
}
