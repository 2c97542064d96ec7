/** Files that are so large that conversions read only parts of them. */
import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';

/** Files of this many features with a pad are larger than those that are always read whole. */
export const MANY = 80_000;
export const PAD = 'x'.repeat(850);

/** Writes MANY lines, and `between` between them. */
export function writeLines(
  path: string,
  first: string,
  line: (i: number) => string,
  between: string,
  last: string,
): void {
  const fd = openSync(path, 'w');
  writeSync(fd, first);
  for (let start = 0; start < MANY; start += 4000) {
    const lines = Array.from({ length: Math.min(4000, MANY - start) }, (_, i) => line(start + i));
    writeSync(fd, (start === 0 ? '' : between) + lines.join(between));
  }
  writeSync(fd, last);
  closeSync(fd);
}

export const positionOf = (i: number): [number, number] => [(i % 3000) / 100, Math.floor(i / 3000) / 10];

/** Points with the properties `n`, `pad` and `more`, which begins with a comma. */
export function writeGeojson(path: string, more: (i: number) => string = () => ''): void {
  const line = (i: number): string =>
    `{"type":"Feature","properties":{"n":${i},"pad":"${PAD}"${more(i)}},"geometry":{"type":"Point","coordinates":[${positionOf(i)}]}}`;
  writeLines(path, '{"type":"FeatureCollection","features":[\n', line, ',\n', '\n]}');
}

/** Points, one in seven of which is marked as deleted in the .dbf; `n` counts the records from 0. */
export function writeShapefile(
  path: string,
  count: number,
  xOf: (i: number) => number = (i) => i % 100,
): void {
  const shp = Buffer.alloc(100 + count * 28);
  const shx = Buffer.alloc(100 + count * 8);
  for (const file of [shp, shx]) {
    file.writeInt32BE(9994, 0);
    file.writeInt32BE(file.length / 2, 24);
    file.writeInt32LE(1000, 28);
    file.writeInt32LE(1, 32);
    for (const [at, value] of [xOf(0), 1, Math.max(xOf(count - 1), 99), 1].entries())
      file.writeDoubleLE(value, 36 + at * 8);
  }
  const dbf = Buffer.alloc(65 + count * 10, ' ');
  dbf.fill(0, 0, 64);
  dbf.writeUInt8(3, 0);
  dbf.writeUInt32LE(count, 4);
  dbf.writeUInt16LE(65, 8);
  dbf.writeUInt16LE(10, 10);
  dbf.write('n', 32);
  dbf.write('N', 43);
  dbf.writeUInt8(9, 48);
  dbf.writeUInt8(0x0d, 64);
  for (let i = 0; i < count; i++) {
    const at = 100 + i * 28;
    shx.writeInt32BE(at / 2, 100 + i * 8);
    shx.writeInt32BE(10, 104 + i * 8);
    shp.writeInt32BE(i + 1, at);
    shp.writeInt32BE(10, at + 4);
    shp.writeInt32LE(1, at + 8);
    shp.writeDoubleLE(xOf(i), at + 12);
    shp.writeDoubleLE(1, at + 20);
    dbf.write((i % 7 === 3 ? '*' : ' ') + String(i).padStart(9), 65 + i * 10, 'latin1');
  }
  writeFileSync(path, shp);
  writeFileSync(path.replace('.shp', '.shx'), shx);
  writeFileSync(path.replace('.shp', '.dbf'), dbf);
}
