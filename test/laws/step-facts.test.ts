/** What clients make lists and forms of steps from. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exampleStep } from '@geomill/operations/parts/example-step.ts';
import { transformations } from '@geomill/operations/registry.ts';
import { stepFacts } from '@geomill/operations/step-facts.ts';

for (const transformation of transformations) {
  const facts = stepFacts(transformation);

  test(`${facts.id} has a line of help, and main parameters that it takes`, () => {
    assert.match(facts.summary, /^[A-Z].{10,64}\.$/);
    const { properties } = transformation.parameters;
    const known = new Set([...Object.keys(properties), facts.file_parameter?.part]);
    for (const name of facts.main_parameters) assert.ok(known.has(name), name);
    for (const names of facts.needs)
      assert.ok(names.length > 0 && names.every((name) => facts.main_parameters.includes(name)));
  });

  const { needsOneOf, check } = transformation;
  if (needsOneOf === undefined) continue;
  test(`${facts.id} is rejected without one of ${needsOneOf.join(' and ')}`, () => {
    const { params = {} } = exampleStep(transformation);
    const without = Object.fromEntries(Object.entries(params).filter(([name]) => !needsOneOf.includes(name)));
    const totals = { expressionTokens: 0 };
    assert.doesNotThrow(() => check?.(params, 'step', totals));
    assert.throws(() => check?.(without, 'step', totals));
  });
}
