/**
 * Creates shapefiles of points with a .dbf given cell by cell, for content of files in the wild that no writer of ours
 * would write.
 */
import { ZipWriter } from '../../packages/io/src/zip-write.ts';
import { WGS84_ESRI } from './shp-write.ts';

/** Name, type letter, width in bytes, decimals. */
export type RawField = readonly [name: string, type: string, width: number, decimals: number];

export interface RawShapefile {
  readonly name?: string;
  readonly fields: readonly RawField[];
  /** Text of the cells, right-aligned; one Latin-1 byte per character. */
  readonly rows: readonly (readonly string[])[];
  /** Content of the .cpg; null: none. */
  readonly codePage?: string | null;
  /** Language driver id of the .dbf. Default: 0, which states no encoding. */
  readonly languageId?: number;
  /** Content of the .prj; null: none. */
  readonly prj?: string | null;
}

/** A zip of the shapefile; its i-th point (from 0) is (i modulo 100, 1). */
export function writeRawShapefile(path: string, shapefile: RawShapefile): Promise<string> {
  return writeRawShapefiles(path, [shapefile]);
}

/** The same for several shapefiles with different names. */
export async function writeRawShapefiles(path: string, shapefiles: readonly RawShapefile[]): Promise<string> {
  const zip = new ZipWriter(path);
  for (const shapefile of shapefiles) addShapefile(zip, shapefile);
  await zip.finish();
  return path;
}

function addShapefile(zip: ZipWriter, shapefile: RawShapefile): void {
  const { name = 'raw', fields, rows, codePage = 'UTF-8', prj = WGS84_ESRI } = shapefile;
  const add = (ending: string, bytes: Uint8Array<ArrayBuffer>): void =>
    zip.addMember(name + ending, 0).append(bytes);
  const { shp, shx } = points(rows.length);
  add('.shp', shp);
  add('.shx', shx);
  add('.dbf', table(fields, rows, shapefile.languageId ?? 0));
  if (codePage !== null) add('.cpg', Buffer.from(codePage));
  if (prj !== null) add('.prj', Buffer.from(prj));
}

function points(count: number): {
  readonly shp: Uint8Array<ArrayBuffer>;
  readonly shx: Uint8Array<ArrayBuffer>;
} {
  const shp = Buffer.alloc(100 + count * 28);
  const shx = Buffer.alloc(100 + count * 8);
  for (const file of [shp, shx]) {
    file.writeInt32BE(9994, 0);
    file.writeInt32BE(file.length / 2, 24);
    file.writeInt32LE(1000, 28);
    file.writeInt32LE(1, 32);
    [0, 1, 99, 1].forEach((value, i) => {
      file.writeDoubleLE(value, 36 + i * 8);
    });
  }
  for (let i = 0; i < count; i++) {
    const at = 100 + i * 28;
    shx.writeInt32BE(at / 2, 100 + i * 8);
    shx.writeInt32BE(10, 104 + i * 8);
    shp.writeInt32BE(i + 1, at);
    shp.writeInt32BE(10, at + 4);
    shp.writeInt32LE(1, at + 8);
    shp.writeDoubleLE(i % 100, at + 12);
    shp.writeDoubleLE(1, at + 20);
  }
  return { shp, shx };
}

function table(
  fields: readonly RawField[],
  rows: RawShapefile['rows'],
  languageId: number,
): Uint8Array<ArrayBuffer> {
  const head = Buffer.alloc(33 + fields.length * 32);
  const rowBytes = 1 + fields.reduce((sum, [, , width]) => sum + width, 0);
  head.set([3, 124, 1, 1]);
  head[29] = languageId;
  head.writeUInt32LE(rows.length, 4);
  head.writeUInt16LE(head.length, 8);
  head.writeUInt16LE(rowBytes, 10);
  fields.forEach(([name, type, width, decimals], i) => {
    const at = 32 + i * 32;
    head.write(name, at, 'latin1');
    head.write(type, at + 11, 'latin1');
    head[at + 16] = width;
    head[at + 17] = decimals;
  });
  head[head.length - 1] = 0x0d;
  const text = rows.map((row) => ` ${row.map((cell, i) => cell.padStart(fields[i][2])).join('')}`).join('');
  return Buffer.concat([head, Buffer.from(text, 'latin1'), Uint8Array.of(0x1a)]);
}

/** A .shp of one point without anything beside it. */
export function onePoint(x: number, y: number): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(128));
  view.setInt32(0, 9994);
  view.setInt32(24, 64);
  view.setInt32(28, 1000, true);
  view.setInt32(32, 1, true);
  for (const [i, value] of [x, y, x, y].entries()) view.setFloat64(36 + 8 * i, value, true);
  view.setInt32(100, 1);
  view.setInt32(104, 10);
  view.setInt32(108, 1, true);
  view.setFloat64(112, x, true);
  view.setFloat64(120, y, true);
  return new Uint8Array(view.buffer);
}
