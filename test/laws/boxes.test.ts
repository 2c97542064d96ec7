/**
 * Law: a box that a file or an inspection states contains what it is the box of, also features across 180 degrees or around a pole that are not
 * cut; and what an index of the file finds in a box is all that a full scan finds.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { unzipSync, zipSync } from 'fflate';
import { inputFormats, outputFormats } from '../../packages/formats/src/registry.ts';
import { inspectSource } from '../../packages/pipeline/src/inspect.ts';
import { CASES, type Case, checkIndex, manyCases, writeCases } from '../support/box-cases.ts';
import { convertFile, makeWorkspace } from '../support/convert.ts';
import { traitsOf } from '../support/formats.ts';
import { DEFAULT_INPUT_LIMITS } from '../support/limits.ts';
import { type Box, STATED_BOXES, type StatedBoxes } from '../support/stated-boxes.ts';

/** Rounded to 1e-7 by PMTiles. */
const NEAR = 2e-7;

function contains([west, south, e, north]: Box, [pWest, pSouth, pEast, pNorth]: Box): boolean {
  const east = west > e ? e + 360 : e;
  const isWithin = [0, 360, -360].some((by) => west <= pWest + by + NEAR && east >= pEast + by - NEAR);
  return isWithin && south <= pSouth + NEAR && north >= pNorth - NEAR;
}

function checkBoxes({ whole, features }: StatedBoxes, cases: readonly Case[], what: string): void {
  const shown = (boxes: readonly Box[]): string => JSON.stringify(boxes);
  for (const { parts } of cases)
    for (const part of parts)
      for (const own of whole) assert.ok(contains(own, part), `${what}: ${part} is outside of ${own}`);
  // The order of the boxes of features is that of an index, so one has to contain all parts of each feature.
  for (const { parts, geometry } of cases)
    if (
      features.length > 0 &&
      parts.length > 0 &&
      geometry?.type !== 'GeometryCollection' &&
      geometry?.type !== 'Point'
    )
      assert.ok(
        features.some((own) => parts.every((part) => contains(own, part))),
        `${what}: ${shown(parts)} is in none of ${shown(features)}`,
      );
}

test('every output format states boxes, or there is a reason', () => {
  for (const { id } of outputFormats)
    assert.notEqual(STATED_BOXES[id] === undefined, traitsOf(id).statesNoBoxes === undefined, id);
});

for (const { id } of outputFormats) {
  const statesBoxes = STATED_BOXES[id] as (typeof STATED_BOXES)[string] | undefined;
  const sets: readonly (readonly [string, readonly Case[]])[] = [
    ...Object.entries(CASES).map(([name, one]) => [name, [one]] as const),
    ['all of them', Object.values(CASES)],
  ];
  test(`boxes of ${id} and of its inspection contain the features`, async () => {
    using workspace = makeWorkspace();
    const input = join(workspace.path, 'in.geojson');
    for (const [name, cases] of sets) {
      writeCases(input, cases);
      const writeOptions = id === 'geojson' ? { bbox: true } : {};
      const { outputPath } = await convertFile(input, workspace.path, {
        from: 'geojson',
        to: id,
        writeOptions,
        toCrs: 'EPSG:4326',
      });
      if (statesBoxes !== undefined) checkBoxes(await statesBoxes(outputPath), cases, `${id}, ${name}`);
      if (!inputFormats.some((format) => format.id === id)) continue;
      const whole = await inspectedExtents(outputPath, id);
      checkBoxes({ whole, features: [] }, cases, `inspection of ${id}, ${name}`);
    }
  });
}

/** One box around the extents of all layers. */
async function inspectedExtents(path: string, id: string): Promise<readonly Box[]> {
  using workspace = makeWorkspace();
  const { layers } = await inspectSource(
    { format: id, files: [{ crs: 'EPSG:4326', crsPath: 'input.epsg' }], layers: null, options: {} },
    {
      inputs: [{ path, name: path.slice(path.lastIndexOf('/') + 1) }],
      scratchDirectory: workspace.path,
      gridDirectory: null,
      threads: 1,
      limits: DEFAULT_INPUT_LIMITS,
    },
    { signal: new AbortController().signal, onProgress: () => {} },
  );
  const extents = layers.flatMap(({ extent }) => (extent === null ? [] : [extent]));
  const side = (i: number): number => (i < 2 ? Math.min : Math.max)(...extents.map((extent) => extent[i]));
  return extents.length === 0 ? [] : [[0, 1, 2, 3].map(side)];
}

for (const { id, loadReader } of inputFormats)
  test(`what the index of ${id} finds in a box is all that a full scan finds`, async (t) => {
    const reader = await loadReader();
    if (reader.excerpts?.partitionsNear === undefined) return t.skip('files of the format have no index');
    using workspace = makeWorkspace();
    const input = join(workspace.path, 'in.geojson');
    let skipped = 0;
    for (const cases of [...Object.values(CASES).map((one) => [one]), manyCases()]) {
      writeCases(input, cases);
      const { outputPath } = await convertFile(input, workspace.path, {
        from: 'geojson',
        to: id,
        toCrs: 'EPSG:4326',
      });
      // Members that are compressed are not read at random.
      if (outputPath.endsWith('.zip'))
        writeFileSync(outputPath, zipSync(unzipSync(readFileSync(outputPath)), { level: 0 }));
      skipped += (await checkIndex(reader, outputPath, workspace.path)) ?? 0;
    }
    assert.ok(skipped > 0, 'the index leaves out nothing');
  });
