/** What the steps panel says of steps, without a browser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addStep, changeStep, EMPTY_DOCUMENT } from '../../web/model/document.ts';
import { stepProblem } from '../../web/model/step-problems.ts';

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
});
