/** What is accepted without Ajv is what Ajv accepts, with the same defaults filled in. */
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { isPlainlyValid } from '../../core/src/schemas/schema-accept.ts';
import { schemaCheck } from '../../core/src/schemas/schema-check.ts';
import { transformations } from '../src/registry.ts';

type Members = Readonly<
  Record<
    string,
    { readonly examples?: readonly unknown[]; readonly enum?: readonly unknown[]; readonly default?: unknown }
  >
>;

const VALUES = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<unknown>(null, true, false, 0, 1, -1, 2.5, 1e300, Infinity, NaN, '', 'a', 'ab', '\u{1F600}', 'first'),
    fc.integer({ min: -3, max: 300 }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('by', 'field', 'type', 'distance', '__proto__', 'x'), tie('value'), { maxKeys: 3 }),
  ),
})).value; // biome-ignore format: lists of values

test('accepts only parameters that Ajv accepts, and fills in the same defaults', () => {
  const checks = transformations.map(
    ({ parameters }) => [parameters, schemaCheck(parameters, 'fillDefaults')] as const,
  );
  const parameters = fc.constantFrom(...checks).chain(([schema, check]) => {
    const members = Object.entries(schema.properties as Members).map(([name, { examples = [], default: own, enum: known = [] }]) =>
      [name, fc.option(fc.oneof(VALUES, fc.constantFrom(...[...examples, ...known, own ?? 'a'])), { nil: undefined })] as const);
    return fc.tuple(fc.constant(schema), fc.constant(check), fc.record(Object.fromEntries(members)));
  }); // biome-ignore format: one line each
  let accepted = 0;
  fc.assert(
    fc.property(parameters, ([schema, check, drawn]) => {
      const given = Object.fromEntries(Object.entries(drawn).filter(([, value]) => value !== undefined));
      const [own, other] = [structuredClone(given), structuredClone(given)];
      if (!isPlainlyValid(schema, own, true)) return;
      accepted++;
      assert.equal(check(other), null);
      assert.deepEqual(own, other);
    }),
    { numRuns: 3000 },
  );
  assert.ok(accepted > 100, `${accepted} were accepted`);
});

test('accepts the examples of all parameters', () => {
  const isKnown = ({ id }: { readonly id: string }): boolean => id !== 'clip';
  for (const { id, parameters } of transformations.filter(isKnown))
    for (const [name, schema] of Object.entries(parameters.properties as Members))
      for (const example of schema.examples ?? [])
        assert.ok(isPlainlyValid(schema, example, false) || 'oneOf' in schema, `${id}.${name}`);
});
