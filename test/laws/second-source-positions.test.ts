/** Steps that compare geometries with a second source refuse one that has none, and say what to do; a source without rows is none. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { transformations } from '../../packages/operations/src/registry.ts';
import { convertFile, makeWorkspace } from '../support/convert.ts';
import { stepWithSource } from '../support/second-source.ts';

const SQUARE =
  '{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"a":1},"geometry":{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]}}]}';
const without = (geometry: string): string =>
  `{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"a":1},"geometry":${geometry}}]}`;
/** Sources in which no row has a position. */
const TABLES: Readonly<Record<string, string>> = {
  'table.csv': 'a,b\n1,x\n2,y\n',
  'semicolons.csv': 'a;b\n1;x\n2;y\n3;z\n',
  'empty-cells.csv': 'a,geom_wkt\n1,\n2,\n',
  'nulls.geojson': without('null'),
  'empty-polygon.geojson': without('{"type":"Polygon","coordinates":[]}'),
  'empty-collection.geojson': without('{"type":"GeometryCollection","geometries":[]}'),
};
const steps = transformations.filter(
  ({ fileParameter }) => fileParameter !== undefined && fileParameter.uses !== 'attributes',
);

async function run(
  type: string,
  name: string,
  content: string,
): Promise<{ code: string; message: string } | null> {
  using workspace = makeWorkspace();
  const [input, path] = ['in.geojson', name].map((one) => join(workspace.path, one));
  writeFileSync(input, SQUARE);
  writeFileSync(path, content);
  const part = transformations.find(({ id }) => id === type)?.fileParameter?.part ?? '';
  const crs = name.includes('cells') ? { [`${part}_crs`]: 'EPSG:4326' } : {};
  try {
    await convertFile(input, workspace.path, {
      from: 'geojson',
      to: 'geojson',
      threads: 1,
      transformations: [stepWithSource(type, { [part]: path, ...crs })],
      stepInputs: { [path]: { path, name } },
    });
    return null;
  } catch (thrown) {
    return thrown as { code: string; message: string };
  }
}

test('four steps compare geometries with a second source', () => {
  assert.deepEqual(steps.map(({ id }) => id).sort(), ['clip', 'erase', 'overlay', 'spatial_join']);
});

for (const { id } of steps) {
  test(`${id} refuses a second source without positions`, async () => {
    for (const [name, content] of Object.entries(TABLES)) {
      const refused = await run(id, name, content);
      assert.equal(refused?.code, 'TRANSFORMATION_INVALID', `${name}: ${refused?.message}`);
      assert.match(refused.message, /has no (geometry|polygon).*use a file or layer with.*x_column/s, name);
    }
  });
  test(`${id} takes a second source of which one row has no position`, async () => {
    const content = 'a,geom_wkt\n1,\n2,"POLYGON((0 0,1 0,1 1,0 0))"\n';
    assert.equal(await run(id, 'some-cells.csv', content), null);
  });
}
