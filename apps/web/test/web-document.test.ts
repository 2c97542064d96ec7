import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  addInput,
  addStep,
  changeStep,
  chooseOutput,
  chooseStepFile,
  convertedInputs,
  duplicateStep,
  EMPTY_DOCUMENT,
  jobDocument,
  moveStep,
  removeInput,
  removeStep,
  setConverted,
  stepConfigs,
  type WorkspaceDocument,
} from '../model/document.ts';
import { History } from '../model/history.ts';
import { formFields } from '../model/schema-form.ts';

type Edit = (document: WorkspaceDocument) => WorkspaceDocument;

const key = fc.integer({ min: 0, max: 6 });
const path = fc.constantFrom('a.gpkg', 'b.zip', 'c.csv');
const edits: fc.Arbitrary<Edit> = fc.oneof(
  fc.constantFrom('buffer', 'centroid').map(
    (type): Edit =>
      (now) =>
        addStep(now, type, {}),
  ),
  key.map(
    (k): Edit =>
      (now) =>
        removeStep(now, k),
  ),
  key.map(
    (k): Edit =>
      (now) =>
        duplicateStep(now, k),
  ),
  fc.tuple(key, fc.integer({ min: -3, max: 9 })).map(
    ([k, at]): Edit =>
      (now) =>
        moveStep(now, k, at),
  ),
  fc.tuple(key, fc.boolean()).map(
    ([k, enabled]): Edit =>
      (now) =>
        changeStep(now, k, { enabled }),
  ),
  path.map(
    (name): Edit =>
      (now) => {
        if (now.inputs.some((input) => input.path === name)) return removeInput(now, name);
        return addInput(now, { path: name, format: 'gpkg', crs: null, layers: null, options: {} });
      },
  ),
  fc.tuple(key, path).map(
    ([k, name]): Edit =>
      (now) =>
        chooseStepFile(now, k, { part: 'mask', path: name }, {}),
  ),
  fc.tuple(path, fc.boolean()).map(
    ([name, isConverted]): Edit =>
      (now) =>
        setConverted(now, name, isConverted),
  ),
  fc.constantFrom('dxf', 'gpkg').map(
    (format): Edit =>
      (now) =>
        chooseOutput(now, { format }),
  ),
);

test('after any edits, undo leads back to the first document and redo to the last', () => {
  fc.assert(
    fc.property(fc.array(edits, { maxLength: 60 }), (changes) => {
      const history = new History(EMPTY_DOCUMENT);
      for (const change of changes) history.edit(change);
      const last = history.current.value;
      while (history.canUndo.value) history.undo();
      assert.deepEqual(history.current.value, EMPTY_DOCUMENT);
      while (history.canRedo.value) history.redo();
      assert.deepEqual(history.current.value, last);
    }),
  );
});

test('after any edits, keys of steps are unique, and disabled steps are not in the config', () => {
  fc.assert(
    fc.property(fc.array(edits, { maxLength: 60 }), (changes) => {
      const document = changes.reduce((now, change) => change(now), EMPTY_DOCUMENT);
      const keys = document.steps.map((step) => step.key);
      assert.equal(new Set(keys).size, keys.length);
      assert.equal(stepConfigs(document).length, document.steps.filter(({ enabled }) => enabled).length);
      assert.ok(document.inputs.length > 1 || document.operation === 'transform');
      const used = new Set(document.steps.map(({ file }) => file?.path));
      const left = document.inputs.filter((input) => !convertedInputs(document).includes(input));
      assert.ok(left.every((input) => input.isForSteps === true && used.has(input.path)));
    }),
  );
});

test('an edit after an undo removes what could be redone', () => {
  const history = new History(1);
  history.edit(() => 2);
  history.undo();
  history.edit(() => 3);
  assert.deepEqual([history.current.value, history.canRedo.value], [3, false]);
});

test('edits of one control that follow each other are one state', () => {
  const history = new History('');
  for (const text of ['1', '10', '100']) history.edit(() => text, 'distance');
  history.edit(() => 'other');
  history.undo();
  assert.equal(history.current.value, '100');
  history.undo();
  assert.equal(history.current.value, '');
});

test('another format drops the options of the one before, and keeps CRS and name', () => {
  const chosen = chooseOutput(EMPTY_DOCUMENT, { crs: 'EPSG:2056', name: 'x', options: { promote: false } });
  const other = chooseOutput(chosen, { format: 'dxf' });
  assert.deepEqual(other.output, { format: 'dxf', crs: 'EPSG:2056', name: 'x', options: {} });
});

test('GeoJSON output states no CRS, unless the option allows one', () => {
  const rule = { fixed_output_crs: { crs: 'EPSG:4326', unless: 'geojson_crs' } };
  const inDegrees = chooseOutput(EMPTY_DOCUMENT, { format: 'geojson' });
  assert.deepEqual(jobDocument(inDegrees, 'a.geojson', rule).outputs, [
    { path: 'a.geojson', format: 'geojson' },
  ]);
  const requested = chooseOutput(inDegrees, { crs: 'EPSG:2056', options: { geojson_crs: 'requested' } });
  assert.deepEqual(jobDocument(requested, 'a.geojson', rule).outputs, [
    { path: 'a.geojson', format: 'geojson', epsg: 'EPSG:2056', geojson_crs: 'requested' },
  ]);
});

test('a form has required parameters first, and a control for each type', () => {
  const schema = {
    type: 'object',
    properties: {
      cap: { type: 'string', enum: ['round', 'flat'], default: 'round' },
      by: { type: 'array', items: { type: 'string' } },
      geodesic: { type: 'boolean', default: false },
      where: { type: ['string', 'object'], maxLength: 10 },
      distance: { type: 'number', minimum: 0 },
      count: { type: 'integer', maximum: 5 },
      limit: { type: 'number', description: 'Largest size, in `units`.' },
      units: { type: 'string', enum: ['meters', 'feet'] },
      bbox: {
        type: 'array',
        items: { type: 'number' },
        minItems: 2,
        maxItems: 2,
        description: 'West, east in degrees.',
      },
      aggregate: { type: 'object', additionalProperties: { type: 'string', enum: ['sum'] } },
      rename: { type: 'object', additionalProperties: { type: 'string' } },
      mask_filter: { type: ['string', 'object'], description: 'Condition on the fields.' },
      any: { type: 'object' },
    },
    required: ['distance'],
  };
  assert.deepEqual(
    formFields(schema).map(({ name, control }) => [name, control.kind]),
    [
      ['distance', 'number'],
      ['cap', 'choice'],
      ['by', 'fields'],
      ['geodesic', 'flag'],
      ['where', 'text'],
      ['count', 'number'],
      ['limit', 'number'],
      ['units', 'choice'],
      ['bbox', 'numbers'],
      ['aggregate', 'map'],
      ['rename', 'map'],
      ['mask_filter', 'condition'],
      ['any', 'json'],
    ],
  );
  const field = (name: string) => formFields(schema).find((one) => one.name === name);
  assert.equal(field('limit')?.unitField, 'units');
  assert.equal(field('distance')?.unitField, null);
  assert.deepEqual(field('bbox')?.control, { kind: 'numbers', names: ['West', 'East'] });
});

test('a source that a step begins to use is not converted any more, unless it is the only one', () => {
  const input = (path: string) => ({
    path,
    format: 'gpkg',
    crs: 'EPSG:2056',
    layers: null,
    options: { x: 1 },
  });
  const file = { part: 'mask', path: 'zones.gpkg' };
  const only = addStep(addInput(EMPTY_DOCUMENT, input('zones.gpkg')), 'clip', {});
  const alone = chooseStepFile(only, 1, file, {});
  assert.deepEqual(convertedInputs(alone), alone.inputs);
  const both = { ...addInput(only, input('roads.gpkg')), operation: 'merge' as const };
  const chosen = chooseStepFile(both, 1, file, { mask_layer: 'a' });
  assert.deepEqual(
    convertedInputs(chosen).map(({ path }) => path),
    ['roads.gpkg'],
  );
  assert.equal(chosen.operation, 'transform');
  assert.deepEqual(jobDocument(chosen, 'out.gpkg', null).steps, [
    {
      type: 'clip',
      params: {
        mask: 'zones.gpkg',
        mask_format: 'gpkg',
        mask_crs: 'EPSG:2056',
        mask_options: { x: 1 },
        mask_layer: 'a',
      },
    },
  ]);
  assert.equal(convertedInputs(setConverted(chosen, 'zones.gpkg', true)).length, 2);
  assert.equal(convertedInputs(removeStep(chosen, 1)).length, 2);
});
