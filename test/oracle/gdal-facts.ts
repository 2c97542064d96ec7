/** What GDAL finds in files. One Python process answers for a test file: to start it takes longer than to read a file. */
import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { after } from 'node:test';

const PYTHON = '/usr/bin/python3';

/** For the option `skip` of tests. */
export const withoutGdal =
  spawnSync(PYTHON, ['-c', 'import osgeo.ogr']).status === 0 ? false : 'python3-gdal is not installed';

export interface GdalField {
  readonly name: string;
  readonly type: string;
  readonly width: number;
  readonly subtype: number;
}

export interface GdalRow {
  /** ISO WKT. */
  readonly geometry: string | null;
  readonly values: readonly (string | number | null)[];
}

export interface GdalLayer {
  readonly name: string;
  readonly fields: readonly GdalField[];
  readonly geometryType: string;
  readonly epsg: string | null;
  readonly rows: readonly GdalRow[];
}

export interface GdalFacts {
  readonly layers: readonly GdalLayer[];
  readonly warnings: readonly string[];
}

interface Gdal {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  readonly lines: AsyncIterator<string>;
  readonly reader: Interface;
}

let gdal: Gdal | null = null;
let last: Promise<unknown> = Promise.resolve();
after(() => {
  gdal?.child.stdin.end();
  gdal?.reader.close();
});

function start(): Gdal {
  const child = spawn(PYTHON, [join(import.meta.dirname, 'gdal_facts.py')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const reader = createInterface({ input: child.stdout });
  return { child, reader, lines: reader[Symbol.asyncIterator]() };
}

/** `options`: open options of GDAL. Rejects if GDAL cannot read the file. */
export function gdalFacts(path: string, options: readonly string[] = []): Promise<GdalFacts> {
  const facts = last.then(async () => {
    gdal ??= start();
    const { child, lines } = gdal;
    child.stdin.write(`${JSON.stringify([path, ...options])}\n`);
    const { value, done } = await lines.next();
    if (done) throw new Error(`GDAL cannot read ${path}: see standard error`);
    return JSON.parse(value) as GdalFacts;
  });
  last = facts.catch(() => {});
  return facts;
}
