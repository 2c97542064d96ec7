import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  addInput,
  addStep,
  changeStep,
  chooseOutput,
  duplicateStep,
  EMPTY_DOCUMENT,
  jobDocument,
  moveStep,
  removeInput,
  removeStep,
  stepConfigs,
  type WorkspaceDocument,
} from '../../web/model/document.ts';
import { History } from '../../web/model/history.ts';
import { formFields } from '../../web/model/schema-form.ts';

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
  const inDegrees = chooseOutput(EMPTY_DOCUMENT, { format: 'geojson' });
  assert.deepEqual(jobDocument(inDegrees, 'a.geojson').outputs, [{ path: 'a.geojson', format: 'geojson' }]);
  const requested = chooseOutput(inDegrees, { crs: 'EPSG:2056', options: { geojson_crs: 'requested' } });
  assert.deepEqual(jobDocument(requested, 'a.geojson').outputs, [
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
      aggregate: { type: 'object' },
    },
    required: ['distance'],
  };
  assert.deepEqual(
    formFields(schema).map(({ name, control }) => [name, control.kind]),
    [
      ['distance', 'number'],
      ['cap', 'choice'],
      ['by', 'list'],
      ['geodesic', 'flag'],
      ['where', 'text'],
      ['count', 'number'],
      ['aggregate', 'json'],
    ],
  );
});
