import assert from 'node:assert/strict';
import test from 'node:test';
import { failure, GeomillError } from '../../core/src/messages/errors.ts';
import { gpkgErrors } from '../../formats/src/gpkg/messages.ts';
import type { SourceLayer } from '../../formats/src/reader.ts';
import { groupLayers } from '../src/layer-groups.ts';
import type { OpenedFile } from '../src/opened-input.ts';

function file(name: string, ...layers: readonly string[]): OpenedFile {
  return { name, layers: layers.map((layer) => sourceLayer(layer)) };
}

function sourceLayer(name: string, more: Partial<SourceLayer> = {}): SourceLayer {
  return {
    name,
    fields: [],
    featureCount: null,
    crs: 'EPSG:4326',
    crsMissingReason: '',
    encoding: null,
    partitions: [],
    state: null,
    ...more,
  };
}

/** "roads: 0/roads 1/ROADS" for each layer: its name, then file and layer of its sources. */
function shown(
  operation: 'transform' | 'append' | 'merge',
  files: readonly OpenedFile[],
  wanted: readonly string[] | null = null,
): string[] {
  return groupLayers(operation, files, wanted, 'merged').map(
    ({ name, sources }) =>
      `${name}: ${sources.map(({ fileIndex, layer }) => `${fileIndex}/${layer.name}`).join(' ')}`,
  );
}

function refusal(code: string, ...words: readonly string[]): (error: unknown) => boolean {
  return (error) =>
    error instanceof GeomillError &&
    error.code === code &&
    words.every((word) => error.message.includes(word) || error.location?.file === word);
}

test('a target of one layer takes all layers of all files, in their order', () => {
  assert.deepEqual(shown('append', [file('t', 'roads'), file('a', 'x', 'y'), file('b', 'roads')]), [
    'roads: 0/roads 1/x 1/y 2/roads',
  ]);
});

test('a layer that neither has a name nor is in a file that has one is called as the output is', () => {
  const document: OpenedFile = { ...file('target_geojson', 'target_geojson'), isUnnamed: true };
  const named: OpenedFile = { ...file('target_geojson', 'roads'), isUnnamed: true };
  assert.deepEqual(shown('transform', [document]), ['merged: 0/target_geojson']);
  assert.deepEqual(shown('append', [document, file('a', 'x')]), ['merged: 0/target_geojson 1/x']);
  assert.deepEqual(shown('transform', [named]), ['roads: 0/roads']);
  assert.deepEqual(shown('transform', [file('roads', 'roads')]), ['roads: 0/roads']);
});

test('layers go to the layer of the same name, first exactly, then whatever the case', () => {
  const target = file('t', 'Roads', 'roads', 'Rivers');
  assert.deepEqual(shown('append', [target, file('a', 'RIVERS', 'roads')]), [
    'Roads: 0/Roads',
    'roads: 0/roads 1/roads',
    'Rivers: 0/Rivers 1/RIVERS',
  ]);
  assert.throws(
    () => shown('append', [target, file('a', 'ROADS')]),
    refusal('LAYER_NOT_IN_TARGET', "'ROADS'", "'a'", "'Roads', 'roads', 'Rivers'"),
  );
});

test('a layer without a counterpart fails the whole, unless it is not asked for', () => {
  const files = [file('t', 'a', 'b'), file('more', 'b', 'c')];
  assert.throws(() => shown('append', files), refusal('LAYER_NOT_IN_TARGET', "'c'", "'more'", "'t'"));
  assert.deepEqual(shown('append', files, ['b']), ['b: 0/b 1/b']);
  assert.deepEqual(shown('append', files, ['a', 'b']), ['a: 0/a', 'b: 0/b 1/b']);
});

test('a file of one layer gives it whatever it is called', () => {
  assert.deepEqual(shown('append', [file('t', 'a', 'b'), file('more', 'c')], ['a']), ['a: 0/a 1/c']);
});

test('a wanted layer that is in no file, or none of which a file holds, is refused', () => {
  const files = [file('t', 'a', 'b'), file('more', 'c', 'd')];
  assert.throws(() => shown('append', files, ['e']), refusal('LAYER_UNKNOWN', "'e'", "'a', 'b', 'c', 'd'"));
  assert.throws(() => shown('append', files, ['a']), refusal('LAYER_UNKNOWN', 'more', "'c', 'd'"));
});

test('a merge makes one layer of all layers', () => {
  assert.deepEqual(shown('merge', [file('t', 'a', 'b'), file('more', 'c')]), ['merged: 0/a 0/b 1/c']);
  assert.deepEqual(shown('merge', [file('t', 'a', 'b'), file('more', 'c')], ['a']), ['merged: 0/a 1/c']);
});

test('a layer that cannot be read fails the files that it is taken from, and no others', () => {
  const fault = failure(gpkgErrors.GPKG_ROW, { table: 'b', row: 1, reason: 'damaged' });
  const broken = { name: 'more', layers: [sourceLayer('a'), sourceLayer('b', { fault })] };
  assert.throws(() => shown('append', [file('t', 'a', 'b'), broken]), refusal('GPKG_ROW'));
  assert.throws(() => shown('merge', [broken]), refusal('GPKG_ROW'));
  assert.deepEqual(shown('append', [file('t', 'a', 'b'), broken], ['a']), ['a: 0/a 1/a']);
});
