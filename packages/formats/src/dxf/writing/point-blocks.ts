/**
 * Points as INSERTs of a block, with the fields of their features as ATTRIBs, and the definitions of these blocks. A block is
 * a circle of one unit with a POINT at its centre; an INSERT scales it to the height of texts. ATTRIBs are invisible, as in
 * blocks that carry data: CAD programs show and edit them as properties of the INSERT.
 */
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { UniqueNames } from '@geomill/core/columns/unique-names.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { LF } from '@geomill/core/text/ascii.ts';
import { dxfFindings } from '../messages.ts';
import { type EntityWriter, entityHead } from './entity-writer.ts';
import { writeTextValue } from './escape-text.ts';
import { FIRST_BLOCK_HANDLE, HANDLE } from './handles.ts';
import { layerKey, legalLayerName } from './layer-names.ts';
import { textAt } from './row-style.ts';
import { tagLine, tagLines } from './tag-text.ts';

/** A block that a batch uses; plain data. */
export interface PointBlock {
  readonly name: string;
  /** Tags of its attributes, and the names of their fields. */
  readonly attributes: readonly { readonly tag: string; readonly field: string }[];
}

/** AutoCAD cuts longer values. */
const MAX_VALUE_BYTES = 255;
/** Distances of the attributes from the point and from each other, in letter heights. */
const BESIDE = 1;
const LINE = 1.5;
const encoder = new TextEncoder();
const NAME_CODE = encoder.encode('2\n');
const VALUE_CODE = encoder.encode('1\n');

/** The name of the block for the points of a layer. */
export function blockName(layerName: string): string {
  return legalLayerName(layerName) ?? 'point';
}

export class BlockInserts {
  readonly block: PointBlock;
  readonly #entities: EntityWriter;
  readonly #batch: FeatureBatch;
  readonly #height: number;
  readonly #findings: Findings;
  readonly #insert = entityHead('INSERT', '100\nAcDbBlockReference\n66\n1\n');
  readonly #attrib = entityHead('ATTRIB', '100\nAcDbText\n');
  readonly #end = entityHead('SEQEND', '');
  readonly #name: Uint8Array;
  readonly #attribEnds: readonly Uint8Array[];
  #insertHandle = 0;

  /** `height`: of letters, in drawing units. */
  constructor(entities: EntityWriter, batch: FeatureBatch, name: string, height: number, findings: Findings) {
    const names = new UniqueNames({ fold: layerKey });
    const attributes = batch.fields.map((field) => ({
      tag: names.take(tagOf(field.name)),
      field: field.name,
    }));
    this.block = { name, attributes };
    this.#entities = entities;
    this.#batch = batch;
    this.#height = height;
    this.#findings = findings;
    this.#name = encoder.encode(`${name}\n`);
    this.#attribEnds = attributes.map(({ tag }) =>
      encoder.encode(`7\nStandard\n100\nAcDbAttribute\n280\n0\n2\n${tag}\n70\n1\n280\n1\n`),
    );
  }

  /** The INSERT; its XDATA and `attributes` come after it. */
  insert(x: number, y: number, z: number): void {
    const entities = this.#entities;
    const { out } = entities;
    this.#insertHandle = entities.handleCount;
    entities.begin(this.#insert);
    out.copy(NAME_CODE);
    out.copy(this.#name);
    entities.point(10, x, y, z);
    for (const code of [41, 42, 43]) entities.real(code, this.#height);
  }

  /** The ATTRIBs of the row. Values that are too long for one are left empty, and noted. */
  attributes(row: number, x: number, y: number, z: number): void {
    const entities = this.#entities;
    const { out } = entities;
    const height = this.#height;
    for (const [i, column] of this.#batch.columns.entries()) {
      entities.beginWithin(this.#attrib, this.#insertHandle);
      entities.point(10, x + BESIDE * height, y - i * LINE * height, z);
      entities.real(40, height);
      out.copy(VALUE_CODE);
      writeTextValue(out, this.#valueOf(column, row, i));
      out.uint8(LF);
      out.copy(this.#attribEnds[i]);
    }
    entities.beginWithin(this.#end, this.#insertHandle);
  }

  #valueOf(column: FeatureBatch['columns'][number], row: number, index: number): Uint8Array {
    const utf8 = encoder.encode(textAt(column, row) ?? '');
    if (utf8.length <= MAX_VALUE_BYTES) return utf8;
    const field = this.#batch.fields[index].name;
    const location = { record: row + 1, field };
    this.#findings.note(dxfFindings.ATTRIBUTE_TOO_LONG, { field, bytes: MAX_VALUE_BYTES }, location);
    return new Uint8Array(0);
  }
}

/** Tags of attributes have no blanks. */
function tagOf(name: string): string {
  return (legalLayerName(name) ?? 'attribute').replace(/\s/g, '_');
}

/** Blocks in the order of their handles. */
export type KnownBlocks = ReadonlyMap<string, PointBlock>;

/** Handles of the record, the begin, the end and the content of each block. */
function handlesOf(blocks: KnownBlocks): Map<PointBlock, (offset: number) => string> {
  let next = FIRST_BLOCK_HANDLE;
  return new Map(
    [...blocks.values()].map((block) => {
      const first = next;
      next += 5 + block.attributes.length;
      return [block, (offset: number) => (first + offset).toString(16).toUpperCase()];
    }),
  );
}

export function blockRecords(blocks: KnownBlocks): string {
  let text = '';
  for (const [{ name }, handle] of handlesOf(blocks))
    text +=
      tagLines(`0 BLOCK_RECORD, 5 ${handle(0)}, 330 ${HANDLE.blockRecordTable}, 100 AcDbSymbolTableRecord`) +
      tagLines('100 AcDbBlockTableRecord') +
      tagLine(2, name) +
      tagLines('340 0, 70 0, 280 1, 281 0');
  return text;
}

export function blockDefinitions(blocks: KnownBlocks): string {
  let text = '';
  for (const [{ name, attributes }, handle] of handlesOf(blocks)) {
    const record = handle(0);
    // Attributes, by code 70.
    text += tagLines(`0 BLOCK, 5 ${handle(1)}, 330 ${record}, 100 AcDbEntity, 8 0, 100 AcDbBlockBegin`);
    text += `${tagLine(2, name)}${tagLines(`70 ${attributes.length === 0 ? 0 : 2}, 10 0.0, 20 0.0, 30 0.0`)}`;
    text += tagLine(3, name) + tagLine(1, '');
    text += tagLines(`0 CIRCLE, 5 ${handle(2)}, 330 ${record}, 100 AcDbEntity, 8 0, 100 AcDbCircle`);
    text += tagLines('10 0.0, 20 0.0, 30 0.0, 40 0.5');
    text += tagLines(`0 POINT, 5 ${handle(3)}, 330 ${record}, 100 AcDbEntity, 8 0, 100 AcDbPoint`);
    text += tagLines('10 0.0, 20 0.0, 30 0.0');
    for (const [i, { tag, field }] of attributes.entries()) {
      text += tagLines(`0 ATTDEF, 5 ${handle(5 + i)}, 330 ${record}, 100 AcDbEntity, 8 0, 100 AcDbText`);
      text += tagLines(`10 ${BESIDE}.0, 20 ${(-i * LINE).toFixed(1)}, 30 0.0, 40 1.0, 1, 7 Standard`);
      text += tagLines('100 AcDbAttributeDefinition, 280 0');
      text += tagLine(3, plain(field)) + tagLine(2, tag) + tagLines('70 1, 280 1');
    }
    text += tagLines(`0 ENDBLK, 5 ${handle(4)}, 330 ${record}, 100 AcDbEntity, 8 0, 100 AcDbBlockEnd`);
  }
  return text;
}

/** A prompt is one line of text. */
function plain(text: string): string {
  return text.replace(/\p{Cc}|[\\^%]/gu, '_').slice(0, 80);
}
