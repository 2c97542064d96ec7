/** The library writes the bytes that the command writes, in every format. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ENTRANCE } from '../../../test/support/program.ts';
import { convert, formats, type OutputOptions } from '../src/library.ts';

const HARBOUR = join(import.meta.dirname, '../../../samples/harbour.geojson');
const SECONDS = 1_700_000_000;

const work = mkdtempSync(join(tmpdir(), 'geomill-test-'));
after(() => rmSync(work, { recursive: true, force: true }));

for (const directory of ['command', 'library']) mkdirSync(join(work, directory));

for (const { id, output_extension: extension } of formats.filter(({ output }) => output))
  test(`${id} has the bytes of the command`, async () => {
    const pathIn = (directory: string): string => join(work, directory, `${id}${extension}`);
    const flags = ['--to', id, '--to-crs', 'EPSG:25832', '--quiet'];
    execFileSync(process.execPath, [ENTRANCE, 'convert', HARBOUR, pathIn('command'), ...flags], {
      env: { ...process.env, SOURCE_DATE_EPOCH: String(SECONDS) },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const output = { path: pathIn('library'), format: id, crs: 'EPSG:25832' } as OutputOptions;
    await convert({ input: HARBOUR, output }, { time: new Date(SECONDS * 1000) });
    assert.equal(Buffer.compare(readFileSync(pathIn('library')), readFileSync(pathIn('command'))), 0);
  });
