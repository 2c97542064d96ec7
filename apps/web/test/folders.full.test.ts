/** Files in folders, and what a card of a source offers when the service does not answer. */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { check, noBrowser as skip } from '../../../test/support/browser.ts';
import { buildWorkspace } from '../../../test/support/built-workspace.ts';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { onePoint } from '../../../test/support/raw-shapefile.ts';
import { startTestService } from '../../../test/support/service.ts';
import { addFiles, BROKEN_CONNECTION, onWorkspace } from '../../../test/support/workspace-page.ts';
import { droppedFiles, folderOf, MAX_DROPPED_FILES } from '../model/dropped-files.ts';

const SAMPLES = join(import.meta.dirname, '../../../samples');
if (skip === false) await buildWorkspace();
const service = await startTestService({ runner: null });
after(() => service[Symbol.asyncDispose]());

test('a folder becomes its sources; shapefiles of the same name in two folders stay two', {
  skip,
}, async () => {
  using workspace = makeWorkspace();
  const folder = join(workspace.path, 'project');
  for (const [name, x] of [
    ['north', 530_000],
    ['south', 540_000],
  ] as const) {
    mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, name, 'roads.shp'), onePoint(x, 180_000));
  }
  cpSync(join(SAMPLES, 'harbour.geojson'), join(folder, 'harbour.geojson'));
  writeFileSync(join(folder, 'notes.txt'), 'no data');
  await onWorkspace(service.url, async (page) => {
    await page.getByLabel('Folder to convert').setInputFiles(folder);
    await page.getByText('10 features, Point').waitFor();
    await page.getByRole('button', { name: 'Remove roads.zip' }).waitFor();
    await page.getByRole('button', { name: 'Remove roads (2).zip' }).waitFor();
    await page.getByRole('alert').getByText('Left out: notes.txt').waitFor();
    // Where it is, in words.
    await page.getByText(/^53\.\d+° N to 53\.\d+° N, 8\.\d+° E to 8\.\d+° E$/).waitFor();
    await check(page, 'workspace-folder');
  });
});

test('a card offers another attempt when the service did not answer', { skip }, async () => {
  const steps = async (page: Page) => {
    await page.route('**/v1/inspect', (route) => route.abort('connectionreset'));
    await addFiles(page, join(SAMPLES, 'harbour.geojson'));
    await page.getByRole('alert').getByText('The service does not answer.').waitFor();
    await page.unroute('**/v1/inspect');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('10 features, Point').waitFor();
  };
  await onWorkspace(service.url, steps, {}, BROKEN_CONNECTION);
});

interface FakeEntry {
  readonly name: string;
  readonly isFile: boolean;
  readonly isDirectory: boolean;
}

const fakeFile = (name: string): FakeEntry =>
  Object.assign(
    { name, isFile: true, isDirectory: false },
    {
      file: (done: (file: File) => void) => done(new File(['x'], name)),
    },
  );

/** Hands out its members two at a time. */
function fakeFolder(name: string, members: readonly FakeEntry[]): FakeEntry {
  const createReader = () => {
    let at = 0;
    return {
      readEntries: (done: (some: readonly FakeEntry[]) => void) => {
        const some = members.slice(at, at + 2);
        at += 2;
        done(some);
      },
    };
  };
  return Object.assign({ name, isFile: false, isDirectory: true }, { createReader });
}

const drop = (...entries: readonly FakeEntry[]) =>
  droppedFiles({
    items: entries.map((entry) => ({ webkitGetAsEntry: () => entry })),
    files: [],
  });

test('dropped folders are read whole, in order, with the folder of each file', async () => {
  const inner = fakeFolder('b', [fakeFile('3.csv'), fakeFile('1.csv'), fakeFile('2.csv')]);
  const { files, isCut } = await drop(fakeFolder('a', [inner, fakeFile('0.csv')]), fakeFile('4.csv'));
  assert.equal(isCut, false);
  assert.deepEqual(
    files.map((file) => `${folderOf(file)}/${file.name}`),
    ['a/0.csv', 'a/b/1.csv', 'a/b/2.csv', 'a/b/3.csv', '/4.csv'],
  );
});

test('a drop of very many files or endless folders ends', async () => {
  const many = await drop(
    fakeFolder(
      'many',
      Array.from({ length: MAX_DROPPED_FILES + 50 }, (_, i) => fakeFile(`${i}.csv`)),
    ),
  );
  assert.equal(many.files.length, MAX_DROPPED_FILES);
  assert.ok(many.isCut);
  let deep = fakeFolder('end', [fakeFile('a.csv')]);
  for (let i = 0; i < 100; i++) deep = fakeFolder(`f${i}`, [deep]);
  assert.deepEqual(await drop(deep), { files: [], isCut: true });
});
