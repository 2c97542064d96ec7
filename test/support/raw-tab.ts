/** MapInfo tables, written byte by byte: objects that no free program writes. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const BLOCK = 512;
const HEADER_BYTES = 1024;
const OBJECTS_AT = 1024;
const COORDINATES_AT = 1536;

export interface RawObject {
  readonly type: number;
  /** After type and id. */
  readonly record: readonly number[];
}

export interface RawTab {
  readonly objects: readonly (RawObject | null)[];
  /** Data of the first block of coordinates, from its byte 8 on; more blocks follow where it is longer. */
  readonly coordinates?: readonly number[];
  readonly quadrant?: number;
  readonly scale?: number;
  /** Centre of the block of objects. */
  readonly centre?: readonly [number, number];
  /** Bytes that are set in the .map at the end. */
  readonly patch?: readonly (readonly [offset: number, value: number])[];
}

export const i16 = (...values: readonly number[]): number[] =>
  values.flatMap((value) => [value & 0xff, (value >> 8) & 0xff]);
export const i32 = (...values: readonly number[]): number[] =>
  values.flatMap((value) => [0, 8, 16, 24].map((shift) => (value >> shift) & 0xff));
export const zeros = (count: number): number[] => new Array<number>(count).fill(0);

/** Offset in the .map of a byte of `coordinates`, all of which are in one block. */
export const coordinatePointer = (offset = 0): number => COORDINATES_AT + 8 + offset;

/** Writes NAME.tab, .dat, .map and .id; returns the path of the .tab. Rows have one Integer, their number from 1. */
export function writeRawTab(directory: string, raw: RawTab, name = 'raw'): string {
  const { objects } = raw;
  const path = (extension: string): string => join(directory, `${name}.${extension}`);
  writeFileSync(
    path('tab'),
    '!table\r\n!version 300\r\n!charset Neutral\r\n\r\nDefinition Table\r\n  Type NATIVE Charset "Neutral"\r\n  Fields 1\r\n    n Integer ;\r\n',
  );
  writeFileSync(path('dat'), datOf(objects.length));
  const { map, offsets } = mapOf(raw);
  for (const [offset, value] of raw.patch ?? []) map[offset] = value;
  writeFileSync(path('map'), map);
  writeFileSync(path('id'), Buffer.from(i32(...offsets)));
  return path('tab');
}

function datOf(rows: number): Buffer {
  const head = Buffer.alloc(65);
  head[0] = 3;
  head.writeInt32LE(rows, 4);
  head.writeUInt16LE(65, 8);
  head.writeUInt16LE(5, 10);
  head.write('n', 32);
  head.write('C', 43);
  head[48] = 4;
  head[64] = 0x0d;
  return Buffer.concat([head, ...Array.from({ length: rows }, (_, i) => Buffer.from([0x20, ...i32(i + 1)]))]);
}

function mapOf({ objects, coordinates = [], quadrant = 1, scale = 10, centre = [0, 0] }: RawTab): {
  readonly map: Buffer;
  readonly offsets: readonly number[];
} {
  const lengths = new Map<number, number>();
  const records: number[] = [];
  const offsets = objects.map((object, i) => {
    if (object === null) return 0;
    const offset = OBJECTS_AT + 20 + records.length;
    records.push(object.type, ...i32(i + 1), ...object.record);
    lengths.set(object.type, 5 + object.record.length);
    return offset;
  });
  if (records.length > BLOCK - 20) throw new Error('the objects fill more than one block');
  const head = Buffer.alloc(HEADER_BYTES);
  for (const [type, length] of lengths) head[type] = length;
  head.writeInt32LE(42424242, 0x100);
  head.writeInt16LE(500, 0x104);
  head.writeUInt16LE(BLOCK, 0x106);
  head.writeInt32LE(1, 0x148);
  head[0x161] = quadrant;
  head.writeInt16LE(104, 0x16a);
  head.set([8, 28, 7], 0x16d);
  for (const at of [0x170, 0x178]) head.writeDoubleLE(scale, at);
  for (const [i, value] of [9, 0, 0.9996, 500_000].entries()) head.writeDoubleLE(value, 0x190 + i * 8);
  const objectBlock = Buffer.alloc(BLOCK);
  objectBlock.set([
    2,
    0,
    ...i16(records.length),
    ...i32(...centre),
    ...i32(COORDINATES_AT, COORDINATES_AT),
    ...records,
  ]);
  const blocks: Buffer[] = [];
  const dataBytes = BLOCK - 8;
  for (let at = 0; at === 0 || at < coordinates.length; at += dataBytes) {
    const data = coordinates.slice(at, at + dataBytes);
    const isLast = at + dataBytes >= coordinates.length;
    const block = Buffer.alloc(BLOCK);
    const next = isLast ? 0 : COORDINATES_AT + (blocks.length + 1) * BLOCK;
    block.set([3, 0, ...i16(data.length), ...i32(next), ...data]);
    blocks.push(block);
  }
  return { map: Buffer.concat([head, objectBlock, ...blocks]), offsets };
}

/** Writes a table without objects whose rows have one text of at most 80 bytes, `name`; returns the path of the .tab. */
export function writeRawTexts(
  directory: string,
  texts: readonly Uint8Array[],
  charset: string,
  name: string,
): string {
  const path = (extension: string): string => join(directory, `${name}.${extension}`);
  writeFileSync(
    path('tab'),
    `!table\n!version 300\n!charset ${charset}\n\nDefinition Table\n  Type NATIVE Charset "${charset}"\n  Fields 1\n    name Char (80) ;\n`,
  );
  const head = Buffer.alloc(65);
  head[0] = 3;
  head.writeInt32LE(texts.length, 4);
  head.writeUInt16LE(65, 8);
  head.writeUInt16LE(81, 10);
  head.write('name', 32);
  head.write('C', 43);
  head[48] = 80;
  head[64] = 0x0d;
  const rows = texts.map((text) => Buffer.concat([Buffer.from(' '), text], 81));
  writeFileSync(path('dat'), Buffer.concat([head, ...rows]));
  return path('tab');
}
