/** Writes points with text as TEXT, or as MTEXT if the text has several lines or is long. */
import { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import type { AttributeColumn } from '@geomill/core/columns/attribute-column.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { LF } from '@geomill/core/text/ascii.ts';
import { type EntityWriter, entityHead } from './entity-writer.ts';
import { cutAt, writeMtextValue, writeTextValue } from './escape-text.ts';
import { columnOf, textAt } from './row-style.ts';

/** Field names of our reader and GDAL's. */
const TEXT_FIELD = 'Text';
const HEIGHT_FIELD = 'TextHeight';
const ROTATION_FIELD = 'TextRotation';
/** An MTEXT's string is split into pieces of this size; a longer TEXT becomes an MTEXT. */
const PIECE_BYTES = 250;
/** Width of the column for long texts, in letter heights. */
const COLUMN_HEIGHTS = 60;
const encoder = new TextEncoder();
const TEXT_END = encoder.encode('7\nStandard\n100\nAcDbText\n');
/** Attached at its lower left corner, as a TEXT is; from left to right. */
const MTEXT_ATTACHMENT = encoder.encode('71\n7\n72\n1\n');
const MTEXT_MIDDLE = encoder.encode('71\n5\n72\n1\n');
/** Centred at its second position, in the middle of its height. */
const TEXT_CENTRED = encoder.encode('7\nStandard\n72\n1\n');
const TEXT_MIDDLE_END = encoder.encode('100\nAcDbText\n73\n2\n');
const PIECE_CODE = encoder.encode('3\n');
const VALUE_CODE = encoder.encode('1\n');
const STYLE = encoder.encode('7\nStandard\n');

export class TextEntities {
  readonly #textHead = entityHead('TEXT', '100\nAcDbText\n');
  readonly #mtextHead = entityHead('MTEXT', '100\nAcDbMText\n');
  readonly #entities: EntityWriter;
  readonly #defaultHeight: number;
  readonly #texts: AttributeColumn | null;
  readonly #heights: AttributeColumn | null;
  readonly #rotations: AttributeColumn | null;
  readonly #value = new ByteWriter(512);

  /** `defaultHeight`: letter height in drawing units. */
  constructor(entities: EntityWriter, batch: FeatureBatch, defaultHeight: number) {
    this.#entities = entities;
    this.#defaultHeight = defaultHeight;
    this.#texts = columnOf(batch, TEXT_FIELD);
    this.#heights = columnOf(batch, HEIGHT_FIELD);
    this.#rotations = columnOf(batch, ROTATION_FIELD);
  }

  /** The row's text; null if it has none that can be drawn. */
  textOf(row: number): string | null {
    const text = this.#texts === null ? null : textAt(this.#texts, row);
    return text === null || text.trim() === '' ? null : text;
  }

  write(row: number, text: string, x: number, y: number, z: number): void {
    const height = numberAt(this.#heights, row);
    const letterHeight = height > 0 && height < Number.POSITIVE_INFINITY ? height : this.#defaultHeight;
    const rotation = numberAt(this.#rotations, row);
    const degrees = Number.isFinite(rotation) ? rotation : 0;
    const utf8 = encoder.encode(text);
    if (isLong(utf8, text)) this.#mtext(utf8, letterHeight, degrees, x, y, z, MTEXT_ATTACHMENT);
    else this.#text(utf8, letterHeight, degrees, x, y, z);
  }

  /** A text beside a position, or with its middle there. */
  label(text: string, height: number, alignment: 'left' | 'middle', x: number, y: number, z: number): void {
    const utf8 = encoder.encode(text);
    const isMiddle = alignment === 'middle';
    if (isLong(utf8, text)) this.#mtext(utf8, height, 0, x, y, z, isMiddle ? MTEXT_MIDDLE : MTEXT_ATTACHMENT);
    else if (!isMiddle) this.#text(utf8, height, 0, x, y, z);
    else {
      const { out } = this.#entities;
      this.#beginText(utf8, height, x, y, z);
      out.copy(TEXT_CENTRED);
      this.#entities.point(11, x, y, z);
      out.copy(TEXT_MIDDLE_END);
    }
  }

  #text(utf8: Uint8Array, height: number, degrees: number, x: number, y: number, z: number): void {
    this.#beginText(utf8, height, x, y, z);
    if (degrees !== 0) this.#entities.real(50, degrees);
    this.#entities.out.copy(TEXT_END);
  }

  #beginText(utf8: Uint8Array, height: number, x: number, y: number, z: number): void {
    const entities = this.#entities;
    const { out } = entities;
    entities.begin(this.#textHead);
    entities.point(10, x, y, z);
    entities.real(40, height);
    out.copy(VALUE_CODE);
    writeTextValue(out, utf8);
    out.uint8(LF);
  }

  #mtext(
    utf8: Uint8Array,
    height: number,
    degrees: number,
    x: number,
    y: number,
    z: number,
    attachment: Uint8Array,
  ): void {
    const entities = this.#entities;
    const { out } = entities;
    const value = this.#value;
    value.reset();
    writeMtextValue(value, utf8);
    entities.begin(this.#mtextHead);
    entities.point(10, x, y, z);
    entities.real(40, height);
    entities.real(41, utf8.length > PIECE_BYTES ? height * COLUMN_HEIGHTS : 0);
    out.copy(attachment);
    let from = 0;
    while (from < value.length) {
      const to = cutAt(value.bytes, from, value.length, PIECE_BYTES);
      out.copy(to < value.length ? PIECE_CODE : VALUE_CODE);
      out.copy(value.bytes, from, to);
      out.uint8(LF);
      from = to;
    }
    out.copy(STYLE);
    if (degrees === 0) return;
    // As a direction vector: programs disagree on whether the angle of an MTEXT is in degrees.
    const radians = (degrees * Math.PI) / 180;
    entities.point(11, Math.cos(radians), Math.sin(radians), 0);
  }
}

/** Whether a text is too long for a TEXT, or has several lines. */
function isLong(utf8: Uint8Array, text: string): boolean {
  return utf8.length > PIECE_BYTES || /[\r\n]/.test(text);
}

/** NaN where the row has no number. */
function numberAt(column: AttributeColumn | null, row: number): number {
  const text = column === null ? null : textAt(column, row);
  return text === null || text.trim() === '' ? Number.NaN : Number(text);
}
