/**
 * The attribute columns of a drawing's features: the fields that every drawing has, the tags of ATTRIBs and the
 * attributes in our own XDATA. A column is created with its first value; earlier rows are null.
 */
import {
  type AttributeColumn,
  ColumnBuilder,
  isValid,
  valueAt,
} from '@geomill/core/columns/attribute-column.ts';
import { castColumn } from '@geomill/core/columns/cast.ts';
import { type Field, type FieldType, type OpenType, widenType } from '@geomill/core/columns/schema.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { SPACE } from '@geomill/core/text/ascii.ts';
import type { EntityTags } from '../contract.ts';
import { dxfFindings } from '../messages.ts';
import { colorText } from './colors.ts';
import { alignRows, type OwnColumn } from './own-columns.ts';
import type { AttribValue, EntityProperties, Inherited } from './properties.ts';

/** In their order; the last ones exist only if a feature has them. */
const DRAWING_FIELDS = [
  { name: 'Layer', type: 'string' },
  { name: 'PaperSpace', type: 'int32' },
  { name: 'SubClasses', type: 'string' },
  { name: 'Linetype', type: 'string' },
  { name: 'EntityHandle', type: 'string' },
  { name: 'Color', type: 'string' },
  { name: 'Text', type: 'string' },
  { name: 'TextHeight', type: 'float64' },
  { name: 'TextRotation', type: 'float64' },
  { name: 'Block', type: 'string' },
  { name: 'LayerState', type: 'string' },
] as const satisfies readonly Field[];
type DrawingFieldName = (typeof DRAWING_FIELDS)[number]['name'];
/** Fields that the features of a drawing have even if all values are null. */
const CONSTANT_FIELDS: readonly DrawingFieldName[] = ['Layer', 'SubClasses', 'EntityHandle', 'Color'];
const FIELD_NAMES: ReadonlySet<string> = new Set(DRAWING_FIELDS.map(({ name }) => name));
/** Suffix that distinguishes a column from a drawing field of the same name. */
const CLASH_SUFFIX = '_1';

const encoder = new TextEncoder();
const NO_TEXT = new Uint8Array(0);

interface NamedColumn {
  readonly name: string;
  readonly column: AttributeColumn;
}

export class DrawingColumns {
  readonly #builders = new Map<string, ColumnBuilder>();
  readonly #layer: ColumnBuilder;
  readonly #subClasses: ColumnBuilder;
  readonly #handle: ColumnBuilder;
  readonly #color: ColumnBuilder;
  readonly #linetype: ColumnBuilder;
  readonly #block: ColumnBuilder;
  /** Builders by ATTRIB tag. */
  readonly #attribs = new Map<string, ColumnBuilder>();
  readonly #findings: Findings;
  readonly #checkFields: (count: number) => void;
  #hasRows = false;
  readonly #textBytes = new Map<string, Uint8Array>();
  readonly #colorBytes = new Map<number, Uint8Array>();
  #lastRgb = -1;
  #lastColor: Uint8Array = NO_TEXT;
  #lastSubClasses: string[] = [];
  #lastSubClassesBytes: Uint8Array = NO_TEXT;

  /** `checkFields` throws if there are too many fields. */
  constructor(findings: Findings, checkFields: (count: number) => void) {
    this.#findings = findings;
    this.#checkFields = checkFields;
    for (const { name, type } of DRAWING_FIELDS) this.#builders.set(name, new ColumnBuilder(type, 8, 64));
    this.#layer = this.#builder('Layer');
    this.#subClasses = this.#builder('SubClasses');
    this.#handle = this.#builder('EntityHandle');
    this.#color = this.#builder('Color');
    this.#linetype = this.#builder('Linetype');
    this.#block = this.#builder('Block');
  }

  /** Appends the fields that every entity has as values of `row`. */
  appendEntity(
    row: number,
    tags: EntityTags,
    properties: EntityProperties,
    inherited: Inherited | null,
  ): void {
    this.#hasRows = true;
    const { layer } = properties;
    alignRows(this.#layer, row);
    this.#layer.appendBytes(layer.nameBytes, 0, layer.nameBytes.length);
    if (properties.subclassCount > 0) this.#appendSubClasses(row, tags, properties);
    if (properties.linetype !== null) {
      alignRows(this.#linetype, row);
      this.#appendCached(this.#linetype, properties.linetype);
    }
    this.#appendHandle(row, tags, properties, inherited);
    this.#appendColor(row, properties.rgb);
    if (properties.isPaperSpace) this.appendNumber(row, 'PaperSpace', 1);
    if (layer.state !== null) this.appendText(row, 'LayerState', layer.state);
    if (inherited === null) return;
    const { blockBytes } = inherited;
    if (blockBytes !== null) {
      alignRows(this.#block, row);
      this.#block.appendBytes(blockBytes, 0, blockBytes.length);
    }
    this.appendAttribs(row, inherited.attribs);
  }

  appendText(row: number, field: DrawingFieldName, text: string): void {
    const builder = this.#builder(field);
    alignRows(builder, row);
    if (text.length <= MAX_CACHED_LENGTH) this.#appendCached(builder, text);
    else builder.appendText(text);
  }

  appendNumber(row: number, field: DrawingFieldName, value: number): void {
    const builder = this.#builder(field);
    alignRows(builder, row);
    builder.appendNumber(value);
  }

  /** If several values have the same tag, the first one is used. */
  appendAttribs(row: number, attribs: readonly AttribValue[]): void {
    for (const { tag, text } of attribs) {
      let builder = this.#attribs.get(tag);
      if (builder === undefined) {
        builder = new ColumnBuilder('string', row + 1);
        this.#attribs.set(tag, builder);
        this.#checkFields(this.#attribs.size);
        if (FIELD_NAMES.has(tag))
          this.#findings.note(dxfFindings.ATTRIBUTE_RENAMED, { from: tag, to: tag + CLASH_SUFFIX });
      }
      if (builder.rowCount > row) continue;
      alignRows(builder, row);
      builder.appendText(text);
    }
  }

  /**
   * All columns, including those of our own XDATA; `keepsOwnApart`: some rows have values of both kinds. Otherwise own
   * columns and drawing fields of the same name are one field, since no row has both.
   */
  finish(
    rowCount: number,
    own: readonly OwnColumn[],
    keepsOwnApart: boolean,
  ): { fields: Field[]; columns: AttributeColumn[] } {
    const named: NamedColumn[] = [];
    for (const { name } of DRAWING_FIELDS) {
      const builder = this.#builder(name);
      if (builder.rowCount > 0 || (this.#hasRows && CONSTANT_FIELDS.includes(name)))
        named.push({ name, column: finished(builder, rowCount) });
    }
    for (const [tag, builder] of this.#attribs)
      named.push({
        name: FIELD_NAMES.has(tag) ? tag + CLASH_SUFFIX : tag,
        column: finished(builder, rowCount),
      });
    for (const { name, builder, isId } of own) {
      if (isId) continue;
      const isClash = keepsOwnApart && FIELD_NAMES.has(name);
      if (isClash)
        this.#findings.note(dxfFindings.ATTRIBUTE_RENAMED, { from: name, to: name + CLASH_SUFFIX });
      named.push({ name: isClash ? name + CLASH_SUFFIX : name, column: finished(builder, rowCount) });
    }
    return joinedByName(named, rowCount);
  }

  #builder(field: DrawingFieldName): ColumnBuilder {
    return this.#builders.get(field) as ColumnBuilder;
  }

  #appendHandle(
    row: number,
    tags: EntityTags,
    properties: EntityProperties,
    inherited: Inherited | null,
  ): void {
    const at = properties.handleAt;
    const builder = this.#handle;
    const bytes = inherited === null ? null : inherited.handleBytes;
    if (inherited !== null ? bytes === null : at < 0) return;
    alignRows(builder, row);
    if (bytes !== null) builder.appendBytes(bytes, 0, bytes.length);
    else if (tags.bytes === null) builder.appendText(tags.text(at).trim());
    else {
      let start = tags.starts[at];
      let end = tags.ends[at];
      while (start < end && tags.bytes[start] === SPACE) start++;
      while (end > start && tags.bytes[end - 1] === SPACE) end--;
      builder.appendBytes(tags.bytes, start, end);
    }
  }

  #appendColor(row: number, rgb: number): void {
    if (rgb !== this.#lastRgb) {
      let bytes = this.#colorBytes.get(rgb);
      if (bytes === undefined) {
        bytes = encoder.encode(colorText(rgb));
        if (this.#colorBytes.size < MAX_CACHED_TEXTS) this.#colorBytes.set(rgb, bytes);
      }
      this.#lastRgb = rgb;
      this.#lastColor = bytes;
    }
    alignRows(this.#color, row);
    this.#color.appendBytes(this.#lastColor, 0, this.#lastColor.length);
  }

  /** "AcDbEntity:AcDbPolyline". */
  #appendSubClasses(row: number, tags: EntityTags, { subclassAt, subclassCount }: EntityProperties): void {
    const last = this.#lastSubClasses;
    let isSame = last.length === subclassCount;
    for (let i = 0; i < subclassCount; i++) {
      const name = tags.text(subclassAt[i]);
      if (last[i] === name) continue;
      isSame = false;
      last[i] = name;
    }
    if (!isSame) {
      last.length = subclassCount;
      this.#lastSubClassesBytes = this.#cachedBytes(last.join(':'));
    }
    alignRows(this.#subClasses, row);
    this.#subClasses.appendBytes(this.#lastSubClassesBytes, 0, this.#lastSubClassesBytes.length);
  }

  #appendCached(builder: ColumnBuilder, text: string): void {
    const bytes = this.#cachedBytes(text);
    builder.appendBytes(bytes, 0, bytes.length);
  }

  #cachedBytes(text: string): Uint8Array {
    let bytes = this.#textBytes.get(text);
    if (bytes === undefined) {
      bytes = encoder.encode(text);
      if (this.#textBytes.size < MAX_CACHED_TEXTS) this.#textBytes.set(text, bytes);
    }
    return bytes;
  }
}

const MAX_CACHED_TEXTS = 1 << 12;
const MAX_CACHED_LENGTH = 64;

export function finished(builder: ColumnBuilder, rowCount: number): AttributeColumn {
  alignRows(builder, rowCount);
  return builder.finish();
}

/**
 * Merges columns of the same name into one, in a type that holds all values; if a row has two values, the first is
 * used.
 */
function joinedByName(
  named: readonly NamedColumn[],
  rowCount: number,
): { fields: Field[]; columns: AttributeColumn[] } {
  const byName = new Map<string, AttributeColumn[]>();
  for (const { name, column } of named) {
    const columns = byName.get(name);
    if (columns === undefined) byName.set(name, [column]);
    else columns.push(column);
  }
  const fields: Field[] = [];
  const columns: AttributeColumn[] = [];
  for (const [name, same] of byName) {
    const column = joined(same, rowCount, 'string');
    fields.push({ name, type: column.type });
    columns.push(column);
  }
  return { fields, columns };
}

/** Merges the columns of one field; values of kinds without a common type become `mixed`. */
export function joined(
  columns: readonly AttributeColumn[],
  rowCount: number,
  mixed: 'string' | 'json',
): AttributeColumn {
  if (columns.length === 1) return columns[0];
  let type: OpenType = 'null';
  for (const column of columns) type = widenType(type, column.type, mixed, false);
  const target: FieldType = type === 'null' ? 'string' : type;
  const casts = columns.map((column) => castColumn(column, target, rowCount));
  const builder = new ColumnBuilder(target, rowCount);
  for (let row = 0; row < rowCount; row++) {
    const source = casts.find(({ validity }) => isValid(validity, row));
    if (source === undefined) {
      builder.appendNull();
      continue;
    }
    const value = valueAt(source, row);
    if (typeof value === 'bigint') builder.appendBigInt(value);
    else if (typeof value === 'string') builder.appendText(value);
    else if (value instanceof Uint8Array) builder.appendBytes(value, 0, value.length);
    else builder.appendNumber(Number(value));
  }
  return builder.finish();
}
