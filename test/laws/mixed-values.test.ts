/**
 * Law: a field with numbers, booleans and texts is the same values in every output format, as texts or with a type each, and never has
 * the quotes of JSON in it.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { isInputFormat, isOutputFormat, type OutputFormat } from '../../packages/formats/src/format.ts';
import { inputFormatById } from '../../packages/formats/src/format-by-id.ts';
import { formats } from '../../packages/formats/src/registry.ts';
import { convertFile, makeWorkspace } from '../support/convert.ts';
import { statedCrs } from '../support/formats.ts';
import { readFileLayers } from '../support/read-layers.ts';
import { readArchive } from '../support/tiles.ts';

type Value = string | number | boolean | null;

const CASES: Readonly<Record<string, readonly Value[]>> = {
  'house numbers': [12, '12a', 14],
  'texts first': ['12a', 12, null],
  'booleans and texts': [true, 'no', false],
  'decimals and texts': [1.5, 'x', -2.25],
  'texts with quotes, backslashes and letters beyond ASCII': ['a "b" c', 'd\\e', 'ü\n€', 7],
  'a date and a number': ['2024-01-02', 3],
  'integers beyond 53 bits and texts': ['x', Number.MAX_SAFE_INTEGER],
  'booleans and numbers': [true, 1, 0],
  'texts that are JSON': ['{"a":1}', '"q"', 5],
};

interface Given {
  readonly id?: Value;
  readonly properties: Readonly<Record<string, Value>>;
}

function collection(given: readonly Given[]): string {
  const features = given.map((feature, i) => ({
    type: 'Feature',
    ...feature,
    geometry: { type: 'Point', coordinates: [8 + i / 10, 47] },
  }));
  return JSON.stringify({ type: 'FeatureCollection', features });
}

const fieldOf = (name: string, values: readonly Value[]): string =>
  collection(values.map((value) => ({ properties: { [name]: value } })));

/** The values of the features of an output, as texts. */
async function written(text: string, to: OutputFormat): Promise<Record<string, string | null>[]> {
  using workspace = makeWorkspace();
  const input = join(workspace.path, 'in.geojson');
  writeFileSync(input, text);
  const { outputPath } = await convertFile(input, workspace.path, {
    from: 'geojson',
    to: to.id,
    writeOptions: to.id === 'pmtiles' ? { max_zoom: 0 } : {},
  });
  if (to.id === 'pmtiles') {
    const { tiles } = await readArchive(outputPath);
    return tiles[0].features.map(({ feature }) => textsOf(feature.properties));
  }
  const reader = await inputFormatById(to.id, 'test').loadReader();
  const options = statedCrs(to.id) === null ? {} : { crs: 'EPSG:4326' };
  const { layers } = await readFileLayers(reader, outputPath, { options });
  return layers.flatMap(({ rows }) =>
    rows
      .toSorted((a, b) => positionOf(a.geometry) - positionOf(b.geometry))
      .map(({ properties }) => textsOf(properties)),
  );
}

function textsOf(properties: Readonly<Record<string, unknown>>): Record<string, string | null> {
  return Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, textOf(value)]));
}

const textOf = (value: unknown): string | null => (value == null ? null : String(value));
/** Longitudes are the order of the features in the input. */
const positionOf = (wkt: string | null): number => Number(/-?[\d.]+/.exec(wkt ?? '')?.[0]);

for (const format of formats
  .filter(isOutputFormat)
  .filter(({ outputFields }) => outputFields !== 'none')
  .filter((one) => one.id === 'pmtiles' || isInputFormat(one)))
  test(`${format.id} has no quotes of JSON in fields with several types`, async () => {
    const cases = Object.entries(CASES);
    const rows = Array.from({ length: 4 }, (_, row) => ({
      properties: Object.fromEntries(cases.map(([, values], i) => [`v${i}`, values[row] ?? null])),
    }));
    const found = await written(collection(rows), format);
    for (const [i, [what]] of cases.entries())
      assert.deepEqual(
        found.map((texts) => texts[`v${i}`] ?? null),
        rows.map(({ properties }) => textOf(properties[`v${i}`])),
        what,
      );
  });

test('a name with numbers and texts is the name of a placemark, and of a waypoint', async () => {
  using workspace = makeWorkspace();
  const input = join(workspace.path, 'in.geojson');
  writeFileSync(input, fieldOf('name', [12, '12a']));
  for (const to of ['kml', 'gpx']) {
    const { outputPath } = await convertFile(input, workspace.path, { from: 'geojson', to });
    const text = readFileSync(outputPath, 'utf8');
    assert.deepEqual(text.match(/(?<=<name>)[^<]*(?=<\/name>)/g)?.slice(-2), ['12', '12a'], to);
  }
});

test('ids of numbers and texts are texts where they become a field', async () => {
  for (const format of formats
    .filter(isOutputFormat)
    .filter((one) => one.id !== 'pmtiles' && !one.holdsIds)) {
    if (!isInputFormat(format)) continue;
    const given = collection(['7', 8].map((id) => ({ id, properties: { other: 1 } })));
    const found = (await written(given, format)).map(({ id }) => id ?? null);
    // A format that drops ids reports them.
    if (found.some((id) => id !== null)) assert.deepEqual(found, ['7', '8'], format.id);
  }
});

test('tiles keep the type of each value', async () => {
  using workspace = makeWorkspace();
  const input = join(workspace.path, 'in.geojson');
  writeFileSync(input, fieldOf('v', [12, '12', true, 1.5, -3]));
  const { outputPath, report } = await convertFile(input, workspace.path, {
    from: 'geojson',
    to: 'pmtiles',
    writeOptions: { max_zoom: 0 },
  });
  const { tiles } = await readArchive(outputPath);
  assert.deepEqual(
    tiles[0].features.map(({ feature }) => feature.properties.v),
    [12, '12', true, 1.5, -3],
  );
  assert.ok(!report.warnings.some(({ code }) => code === 'FIELD_RETYPED'));
});

test('a field with several types is reported where it becomes text, and a field with objects stays JSON', async () => {
  using workspace = makeWorkspace();
  const input = join(workspace.path, 'in.geojson');
  writeFileSync(input, fieldOf('v', [12, '12a']));
  const { report } = await convertFile(input, workspace.path, { from: 'geojson', to: 'gpkg' });
  assert.deepEqual(
    report.warnings.filter(({ code }) => code === 'FIELD_RETYPED').map(({ message }) => message),
    ["field 'v' of layer 'in' is written as text instead of values of several types"],
  );
  writeFileSync(input, fieldOf('v', [12, '12a']).replace('"12a"', '{"a":"b"}'));
  const { outputPath } = await convertFile(input, workspace.path, {
    from: 'geojson',
    to: 'gpkg',
    outputName: 'nested',
  });
  const { layers } = await readFileLayers(await inputFormatById('gpkg', 'test').loadReader(), outputPath);
  assert.deepEqual(
    layers[0].fields.filter(({ name }) => name === 'v').map(({ type }) => type),
    ['json'],
  );
});
