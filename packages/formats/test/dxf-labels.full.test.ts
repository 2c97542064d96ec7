/** Labels of a drawing: where they are, how they look to ezdxf, and that they are no features when the drawing is read again. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { type ConvertOptions, convertFile, makeWorkspace } from '../../../test/support/convert.ts';
import { batchOfWkt } from '../../../test/support/wkt-column.ts';
import { Geos } from '../../engines/geos/src/geos.ts';
import { labelPlace } from '../src/dxf/writing/label-place.ts';

const AUDIT = join(import.meta.dirname, '../../../test/oracle/dxf_audit.py');
const python = spawnSync('/usr/bin/python3', ['-c', 'import ezdxf']);
const skip = python.status === 0 ? false : 'python3 with ezdxf is not installed';

const LONG = 'x'.repeat(300);
const ring = [
  [0, 0],
  [20, 0],
  [20, 20],
  [0, 20],
  [0, 0],
];
const hole = [
  [1, 1],
  [1, 19],
  [17, 19],
  [17, 1],
  [1, 1],
];
const FEATURES = [
  { geometry: { type: 'Polygon', coordinates: [ring, hole] }, properties: { name: 'Parcel 1/2', n: 7 } },
  { geometry: { type: 'LineString', coordinates: [[0, 0, 1], [10, 0, 1], [10, 10, 5]] }, properties: { name: 'Köhlerweg\nsouth', n: 8 } },
  { geometry: { type: 'Point', coordinates: [3, 4] }, properties: { name: LONG, n: 9 } },
  { geometry: { type: 'Point', coordinates: [5, 6] }, properties: { name: null, n: 10 } },
  { geometry: { type: 'MultiPoint', coordinates: [[1, 1], [2, 2]] }, properties: { name: ' ', n: 11 } },
].map((feature) => ({ type: 'Feature', ...feature })); // biome-ignore format: rows

async function draw(writeOptions: ConvertOptions['writeOptions'], split?: ConvertOptions['split']) {
  const workspace = makeWorkspace();
  const path = join(workspace.path, 'in.geojson');
  writeFileSync(path, JSON.stringify({ type: 'FeatureCollection', features: FEATURES }));
  const { report, outputPath } = await convertFile(path, workspace.path, {
    from: 'geojson',
    to: 'dxf',
    toCrs: 'EPSG:25832',
    writeOptions,
    ...(split === undefined ? {} : { split }),
  });
  return { workspace, report, outputPath, [Symbol.dispose]: () => workspace[Symbol.dispose]() };
}

interface Text {
  readonly type: string;
  readonly text: string;
  readonly layer: string;
  readonly height: number;
  readonly isMiddle: boolean;
}

function textsOf(path: string): readonly Text[] {
  const script = `import sys, json, ezdxf
from ezdxf.enums import TextEntityAlignment as A
texts = []
for e in ezdxf.readfile(sys.argv[1]).modelspace().query('TEXT MTEXT'):
    short = e.dxftype() == 'TEXT'
    texts.append(dict(type=e.dxftype(), text=e.dxf.text if short else e.plain_text(), layer=e.dxf.layer,
        height=e.dxf.height if short else e.dxf.char_height,
        isMiddle=e.get_placement()[0] == A.MIDDLE_CENTER if short else e.dxf.attachment_point == 5))
print(json.dumps(texts))`;
  const done = spawnSync('/usr/bin/python3', ['-c', script, path], { encoding: 'utf8' });
  assert.equal(done.status, 0, done.stderr);
  return JSON.parse(done.stdout) as Text[];
}

test('each feature with a value has its label, and the audit of ezdxf has nothing to mend', {
  skip,
}, async () => {
  using drawn = await draw({ label_field: 'name', label_height: 3 });
  const layer = 'annotation';
  assert.deepEqual(textsOf(drawn.outputPath), [
    { type: 'TEXT', text: 'Parcel 1/2', layer, height: 3, isMiddle: true },
    { type: 'MTEXT', text: 'Köhlerweg\nsouth', layer, height: 3, isMiddle: true },
    { type: 'MTEXT', text: LONG, layer, height: 3, isMiddle: false },
  ]);
  const { stdout } = spawnSync('/usr/bin/python3', [AUDIT, drawn.outputPath], { encoding: 'utf8' });
  const [{ faults }] = Object.values(JSON.parse(stdout) as Record<string, { faults: unknown[] }>);
  assert.deepEqual(faults, []);
  using plain = await draw({ label_field: 'n', attributes: false, text_height: 4 });
  assert.deepEqual(
    textsOf(plain.outputPath).map(({ text, height }) => [text, height]),
    ['7', '8', '9', '10', '11'].map((text) => [text, 4]),
  );
});

test('labels are no features when the drawing is read again, also on layers of a split', async () => {
  const read = async (path: string, workspace: string) => {
    const { outputPath } = await convertFile(path, workspace, {
      from: 'dxf',
      to: 'geojson',
      outputName: 'back',
    });
    const { features } = JSON.parse(readFileSync(outputPath, 'utf8')) as { features: { properties: unknown; geometry: unknown }[] }; // biome-ignore format: one line
    return features.map(({ properties, geometry }) => JSON.stringify([properties, geometry])).sort();
  };
  using without = await draw({});
  using labelled = await draw({ label_field: 'name' });
  using split = await draw({ label_field: 'name' }, { field: 'n', into: 'layers' });
  const expected = await read(without.outputPath, without.workspace.path);
  assert.equal(expected.length, FEATURES.length);
  assert.deepEqual(await read(labelled.outputPath, labelled.workspace.path), expected);
  assert.deepEqual(await read(split.outputPath, split.workspace.path), expected);
});

test('a field that no feature has is reported', async () => {
  using drawn = await draw({ label_field: 'nope' });
  const found = drawn.report.warnings.find(({ code }) => code === 'FIELD_NOT_FOUND');
  assert.match(found?.message ?? '', /'nope'.*label_field/);
});

test('the place of a label is on its feature', async () => {
  const geos = await Geos.load();
  const coordinate = fc.integer({ min: -50, max: 50 });
  const reaches = fc.array(fc.integer({ min: 5, max: 50 }), { minLength: 3, maxLength: 9 });
  fc.assert(
    fc.property(coordinate, coordinate, reaches, (x, y, list) => {
      const corners = list.map((reach, i) => {
        const angle = (i / list.length) * 2 * Math.PI;
        return [x + reach * Math.cos(angle), y + reach * Math.sin(angle)];
      });
      const text = [...corners, corners[0]].map((corner) => corner.join(' ')).join(', ');
      const inner = corners.map(([a, b]) => [x + (a - x) / 2, y + (b - y) / 2]);
      const innerText = [...inner, inner[0]].map((corner) => corner.join(' ')).join(', ');
      const { geometry } = batchOfWkt([
        `MULTIPOLYGON (((1000 1000, 1001 1000, 1000 1001, 1000 1000)), ((${text}), (${innerText})))`,
        `MULTILINESTRING ((1000 1000, 1000 1000.5), (${text}))`,
        'GEOMETRYCOLLECTION (POINT (1 2), LINESTRING (0 0, 0 8))',
        'POINT EMPTY',
      ]);
      for (const row of [0, 1, 2]) {
        const place = labelPlace(geometry, row);
        assert.ok(place !== null);
        using feature = geos.read(geometry, row);
        using point = geos.read(batchOfWkt([`POINT (${place.x} ${place.y})`]).geometry, 0);
        if (row === 0) assert.ok(feature.contains(point));
        else assert.ok(feature.distance(point) < 1e-9);
      }
      assert.equal(labelPlace(geometry, 2)?.y, 4);
      assert.equal(labelPlace(geometry, 3), null);
    }),
    { numRuns: 100 },
  );
});
