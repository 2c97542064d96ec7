/** What outputs hold, found by means of their own: zip library, bytes, SQLite, tags, JSON. No codec of the product. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fromBuffer } from 'yauzl';
import type { GeojsonFeature } from './inputs.ts';

/** Of an output as a file, by format, without parameters. */
export const MEDIA_TYPES = {
  geojson: 'application/geo+json',
  shp: 'application/zip',
  gpkg: 'application/geopackage+sqlite',
  dxf: 'image/vnd.dxf',
  csv: 'text/csv',
} as const;

export function featuresOf(text: string): readonly GeojsonFeature[] {
  const document = JSON.parse(text) as { type: string; features: GeojsonFeature[] };
  if (document.type !== 'FeatureCollection') throw new Error(`a ${document.type} is no FeatureCollection`);
  return document.features;
}

/** West, south, east, north of all positions of a geometry, also of one in a list of lists. */
export function extentOf({
  geometry,
}: GeojsonFeature): [west: number, south: number, east: number, north: number] {
  const numbers = [geometry?.coordinates].flat(9) as number[];
  const xs = numbers.filter((_, i) => i % 2 === 0);
  const ys = numbers.filter((_, i) => i % 2 === 1);
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

// --- shp --------------------------------------------------------------------------------------------------------

export function zipMembers(archive: Buffer): Promise<ReadonlyMap<string, Buffer>> {
  return new Promise((resolve, reject) => {
    const members = new Map<string, Buffer>();
    fromBuffer(archive, { lazyEntries: true }, (error, zip) => {
      if (error !== null) return reject(error);
      zip.on('error', reject);
      zip.on('end', () => resolve(members));
      zip.on('entry', (entry) => {
        zip.openReadStream(entry, (failed, stream) => {
          if (failed !== null) return reject(failed);
          const chunks: Buffer[] = [];
          stream.on('error', reject);
          stream.on('data', (chunk: Buffer) => chunks.push(chunk));
          stream.on('end', () => {
            members.set(entry.fileName, Buffer.concat(chunks));
            zip.readEntry();
          });
        });
      });
      zip.readEntry();
    });
  });
}

/** Shape types of the records of a .shp: 0 null, 1 point, 3 line, 5 polygon, 8 multipoint; and each one's bytes. */
export function shpRecords(shp: Buffer): readonly { readonly type: number; readonly content: Buffer }[] {
  const records: { type: number; content: Buffer }[] = [];
  for (let at = 100; at < shp.length; ) {
    const contentBytes = shp.readInt32BE(at + 4) * 2;
    const content = shp.subarray(at + 8, at + 8 + contentBytes);
    records.push({ type: content.readInt32LE(0), content });
    at += 8 + contentBytes;
  }
  return records;
}

export interface DbfTable {
  readonly fields: readonly { readonly name: string; readonly type: string; readonly width: number }[];
  readonly rows: readonly Readonly<Record<string, string>>[];
}

export function dbfTable(dbf: Buffer): DbfTable {
  const count = dbf.readUInt32LE(4);
  const headBytes = dbf.readUInt16LE(8);
  const rowBytes = dbf.readUInt16LE(10);
  const fields: { name: string; type: string; width: number }[] = [];
  for (let at = 32; dbf[at] !== 0x0d; at += 32) {
    const name = dbf.toString('utf8', at, at + 11).replace(/\0.*$/s, '');
    fields.push({ name, type: String.fromCharCode(dbf[at + 11]), width: dbf[at + 16] });
  }
  const rows = Array.from({ length: count }, (_, i) => {
    let at = headBytes + i * rowBytes + 1;
    return Object.fromEntries(
      fields.map(({ name, width }) => {
        at += width;
        return [name, dbf.toString('utf8', at - width, at).trim()];
      }),
    );
  });
  return { fields, rows };
}

// --- gpkg -------------------------------------------------------------------------------------------------------

export type SqlRow = Readonly<Record<string, unknown>>;

/** Asks a GeoPackage; all rows of each query. */
export function askGeopackage(bytes: Buffer, ...queries: readonly string[]): SqlRow[][] {
  return withFile(bytes, 'out.gpkg', (path) => {
    const database = new DatabaseSync(path, { readOnly: true });
    try {
      return queries.map((query) => database.prepare(query).all() as SqlRow[]);
    } finally {
      database.close();
    }
  });
}

/** Position of a point's blob as a GeoPackage holds it. */
export function blobPosition(blob: unknown): [x: number, y: number] {
  const bytes = Buffer.from(blob as Uint8Array);
  const envelopeBytes = [0, 32, 48, 48, 64][(bytes[3] >> 1) & 7];
  const wkb = 8 + envelopeBytes;
  if (bytes[wkb] !== 1) throw new Error('the WKB is big-endian');
  return [bytes.readDoubleLE(wkb + 5), bytes.readDoubleLE(wkb + 13)];
}

// --- csv --------------------------------------------------------------------------------------------------------

/** Rows as objects by the header's names; cells as their text. */
export function csvRows(text: string): readonly Readonly<Record<string, string>>[] {
  const [header, ...rows] = text
    .split('\n')
    .filter((line) => line !== '')
    .map(csvCells);
  return rows.map((cells) => Object.fromEntries(header.map((name, i) => [name, cells[i]])));
}

function csvCells(line: string): string[] {
  const cells: string[] = [];
  for (const [, quoted, plain] of `${line},`.matchAll(/(?:"((?:[^"]|"")*)"|([^,]*)),/g))
    cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
  return cells;
}

/** All numbers of a WKT. */
export function wktNumbers(wkt: string): number[] {
  return [...wkt.matchAll(/-?\d+(?:\.\d+)?(?:e[-+]?\d+)?/gi)].map(([number]) => Number(number));
}

// --- GDAL -------------------------------------------------------------------------------------------------------

export const noGdal =
  spawnSync('ogrinfo', ['--version']).status === 0 ? false : 'ogrinfo (GDAL) is not installed';

/** What `ogrinfo -al` says of an output under this name; `vsi` leads into it, e.g. "/vsizip/". */
export function ogrinfo(bytes: Buffer, name: string, vsi = ''): string {
  return withFile(bytes, name, (path) => {
    const done = spawnSync('ogrinfo', ['-ro', '-al', vsi + path], { encoding: 'utf8' });
    if (done.status !== 0) throw new Error(done.stderr);
    return done.stdout;
  });
}

function withFile<Result>(bytes: Buffer, name: string, use: (path: string) => Result): Result {
  const directory = mkdtempSync(join(tmpdir(), 'geomill-spec-'));
  try {
    const path = join(directory, name);
    writeFileSync(path, bytes);
    return use(path);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
