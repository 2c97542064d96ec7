/** What the steps panel says of steps, without a browser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { transformations } from '../../../packages/operations/src/registry.ts';
import { addStep, changeStep, EMPTY_DOCUMENT } from '../model/document.ts';
import { nameForOutput } from '../model/short-names.ts';
import { stepProblem, withStepName } from '../model/step-problems.ts';
import { stepSentence } from '../model/step-sentence.ts';

const TWO = addStep(addStep(EMPTY_DOCUMENT, 'centroid', {}), 'dissolve', { by: ['a'] });

test('a message of the service is about the step and the parameter that its path names', () => {
  assert.deepEqual(stepProblem(TWO, "'transformations[1].params.by' must be a list"), {
    step: 2,
    parameter: 'by',
    text: 'Must be a list',
  });
  assert.deepEqual(stepProblem(TWO, "layer 'x' at transformations[1].params has no field 'b'"), {
    step: 2,
    parameter: null,
    text: "Layer 'x' has no field 'b'",
  });
  assert.deepEqual(stepProblem(TWO, "'transformations[0].clipping_geojson.coordinates[0]' is not closed"), {
    step: 1,
    parameter: 'clipping_geojson',
    text: 'Coordinates[0] is not closed',
  });
  assert.equal(stepProblem(TWO, "'input.epsg' is required"), null);
  assert.equal(stepProblem(TWO, "'transformations[2].params.by' must be a list"), null);
});

test('paths count only the steps that are switched on', () => {
  const off = changeStep(TWO, 1, { enabled: false });
  assert.equal(stepProblem(off, "'transformations[0].params.by' must be a list")?.step, 2);
  assert.equal(
    withStepName(off, "'transformations[0].params.by' must be a list"),
    'Step 2 (Dissolve), By: Must be a list',
  );
  assert.equal(
    withStepName(off, "'transformations[0].params.by' is required for dissolve: fields"),
    'Enter "By" for step 2 (Dissolve).',
  );
  assert.equal(withStepName(off, "'input.epsg' is required"), "'input.epsg' is required");
});

test('a step is a sentence of its parameters, without those that have their defaults', () => {
  const sentence = (type: string, params: object, path?: string) => {
    const record = transformations.find(({ id }) => id === type);
    assert.ok(record !== undefined);
    const file = path === undefined ? {} : { file: { part: 'mask', path } };
    const step = { key: 1, type, params: params as Record<string, unknown>, enabled: true, ...file };
    return stepSentence(step, record.parameters, record.fileParameter?.value?.name ?? null);
  };
  const ring = (...corners: number[][]) => ({ type: 'Polygon', coordinates: [[...corners, corners[0]]] });
  assert.equal(
    sentence('buffer', { distance: 25, units: 'meters', end_cap: 'flat', join: 'round' }),
    '25 m, flat end cap',
  );
  assert.equal(
    sentence('buffer', { distance: -2.5, units: 'miles', simplify_tolerance: 0.1, geodesic: true }),
    '-2.5 mi, simplify tolerance 0.1 mi, geodesic',
  );
  assert.equal(sentence('buffer', {}), '');
  assert.equal(
    sentence('simplify', { tolerance: 1, units: 'feet', preserve_topology: false }),
    '1 ft, preserve topology: no',
  );
  assert.equal(
    sentence('filter', { where: "kind = 'quay'", bbox: [1, 2, 3, 4] }),
    "kind = 'quay', box 1, 2, 3, 4",
  );
  assert.equal(
    sentence('dissolve', { by: ['a', 'b', 'c', 'd', 'e'], aggregate: { p: 'sum' } }),
    'by a, b, c and 2 more, aggregate p → sum',
  );
  assert.equal(sentence('select', { fields: [] }), 'no fields');
  assert.equal(sentence('select', { rename: { a: 'b' } }), 'rename a → b');
  assert.equal(sentence('reproject', { epsg: 25832 }), 'EPSG:25832');
  assert.equal(sentence('clip', { clipping_geojson: ring([0, 0], [1, 0], [1, 1], [0, 1]) }), 'rectangle');
  assert.equal(
    sentence('erase', { erasing_geojson: ring([0, 0], [1, 0], [1, 1]) }),
    'polygon with 3 corners',
  );
  assert.equal(sentence('clip', { mask_layer: 'x' }, 'zones.gpkg'), 'polygons of zones.gpkg');
  for (const { id } of transformations) assert.equal(typeof sentence(id, {}), 'string');
});

test('names for the output are in one step that renames, also if a field gets another name again', () => {
  const steps = (document: typeof TWO) =>
    document.steps.slice(2).map(({ type, params }) => ({ type, params }));
  const once = nameForOutput(TWO, 'population', 'pop');
  assert.deepEqual(steps(once), [{ type: 'select', params: { rename: { population: 'pop' } } }]);
  const twice = nameForOutput(nameForOutput(once, 'pop', 'people'), 'district_name', 'district');
  assert.deepEqual(steps(twice), [
    { type: 'select', params: { rename: { population: 'people', district_name: 'district' } } },
  ]);
  const dropping = changeStep(once, 3, { params: { rename: { a: 'b' }, drop: ['c'] } });
  assert.equal(nameForOutput(dropping, 'x', 'y').steps.length, 4);
});
