/**
 * DWG of CAD programs against the DXF that the same program wrote of the drawing, feature by feature, in files beside the checkout. Where the two differ
 * for a reason, it is stated here or in docs/formats/dwg.md.
 */
import assert from 'node:assert/strict';
import { existsSync, globSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import test from 'node:test';
import { reader as dwg } from '../../packages/formats/src/dxf/dwg/read.ts';
import { reader as dxf } from '../../packages/formats/src/dxf/read.ts';
import { type ReadInput, readFileLayers } from '../support/read-layers.ts';
import type { Row } from '../support/rows.ts';

const CORPUS = join(import.meta.dirname, '../../../shared/corpus/dwg');
const twins = existsSync(CORPUS) ? globSync('*/twin.dxf', { cwd: CORPUS }).sort() : [];
const OPTIONS = { layouts: 'all', curve_tolerance: 0.01 };

/** Versions that are refused. */
const OLD = /-r1[01]-/;

/** Handles of features that differ, by the start of the folder's name. */
const DIFFERENT: Readonly<Record<string, readonly string[]>> = {
  // Names of shapes are not in a DWG.
  'dwg-libredwg-2000-entities-2d': ['39'],
  'dwg-libredwg-2000-entities-3d': ['39'],
  // The DXF was written by another program, which renamed a layer.
  'dwg-libredwg-2018-leader': ['72E'],
  // A spline of fit points alone; a tolerance whose direction the DXF leaves out.
  'dwg-libredwg-test-data-example': ['894', '4F1'],
  // A multileader, which a DXF of R14 has as a proxy.
  'dwg-libredwg-r14-leader': ['732'],
};

test('drawings of CAD programs are beside the checkout', {
  skip: twins.length > 0 ? false : 'they are not',
}, () => {});

for (const twin of twins) {
  const name = dirname(twin);
  const [file] = globSync('*.dwg', { cwd: join(CORPUS, name) });
  const path = join(CORPUS, name, file);
  if (OLD.test(name)) {
    test(`${name} is refused`, () => assert.rejects(readFileLayers(dwg, path), { code: 'DWG_VERSION' }));
    continue;
  }
  test(`${name}: the DWG has the features of its DXF`, async () => {
    const different = Object.entries(DIFFERENT).flatMap(([start, handles]) =>
      name.startsWith(start) ? handles : [],
    );
    const byHandle = ({ layers }: ReadInput): Map<unknown, Row[]> =>
      Map.groupBy(
        layers
          .flatMap(({ rows }) => rows)
          .filter(({ properties }) => !different.includes(String(properties.EntityHandle))),
        ({ properties }) => properties.EntityHandle,
      );
    const expected = byHandle(await readFileLayers(dxf, join(CORPUS, twin), { options: OPTIONS }));
    const found = byHandle(await readFileLayers(dwg, path, { options: OPTIONS }));
    assert.deepEqual([...found.keys()].sort(), [...expected.keys()].sort());
    for (const [handle, rows] of expected) {
      const others = found.get(handle) ?? [];
      assert.equal(others.length, rows.length, `${basename(file)} ${handle}`);
      for (const [i, row] of rows.entries()) compare(others[i], row, `${basename(file)} ${handle}`);
    }
  });
}

/** Numbers may differ by 1e-9 of their size. */
function compare(found: Row, expected: Row, where: string): void {
  close(numbersOf(found.geometry), numbersOf(expected.geometry), where);
  const names = new Set([...Object.keys(found.properties), ...Object.keys(expected.properties)]);
  for (const name of names)
    close([found.properties[name] ?? null], [expected.properties[name] ?? null], `${where} ${name}`);
}

function numbersOf(wkt: string | null): (string | number)[] {
  const parts = (wkt ?? '').split(/(-?\d+(?:\.\d+)?(?:e[-+]?\d+)?)/);
  return parts.map((part, i) => (i % 2 === 1 ? Number(part) : part));
}

function close(found: readonly unknown[], expected: readonly unknown[], where: string): void {
  assert.equal(found.length, expected.length, where);
  for (const [i, value] of expected.entries()) {
    const other = found[i];
    if (typeof value === 'number' && typeof other === 'number')
      assert.ok(
        Math.abs(other - value) <= 1e-9 * Math.max(1, Math.abs(value)),
        `${where}: ${other} is not ${value}`,
      );
    else assert.equal(other, value, where);
  }
}
