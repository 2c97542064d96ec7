/** The OpenAPI document in the form that generators of clients accept, and without large schemas twice. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { describedInterface } from '../../scripts/generate-docs.ts';

const document = describedInterface();
const PREFIX = '#/components/schemas/';

function* objectsIn(value: unknown): Generator<Readonly<Record<string, unknown>>> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield value as Record<string, unknown>;
  for (const inner of Object.values(value)) yield* objectsIn(inner);
}

test('a discriminator maps to objects that have its property with the value', () => {
  let count = 0;
  for (const { discriminator } of objectsIn(document)) {
    if (discriminator === undefined) continue;
    count++;
    const { propertyName, mapping } = discriminator as {
      readonly propertyName: string;
      readonly mapping: Readonly<Record<string, string>>;
    };
    for (const [value, reference] of Object.entries(mapping)) {
      const schema = document.components.schemas[reference.slice(PREFIX.length)];
      assert.equal(schema?.type, 'object', reference);
      const property = (schema.properties as Readonly<Record<string, object>>)[propertyName];
      assert.match(JSON.stringify(property), new RegExp(`"${value}"`), reference);
    }
  }
  assert.ok(count > 0);
});

test('every reference leads to something', () => {
  for (const { $ref } of objectsIn(document)) {
    if (typeof $ref !== 'string') continue;
    const [, , kind, name] = $ref.split('/');
    const components = document.components as unknown as Readonly<
      Record<string, Readonly<Record<string, object>>>
    >;
    assert.ok(components[kind]?.[name] !== undefined, $ref);
  }
});

test('no large object is in the document twice', () => {
  const places = new Map<string, number>();
  const bodies = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map(({ requestBody }) => requestBody),
  );
  for (const one of objectsIn(bodies)) {
    const key = JSON.stringify(one);
    if (key.length >= 2500 && 'properties' in one) places.set(key, (places.get(key) ?? 0) + 1);
  }
  const twice = [...places].filter(([, count]) => count > 1).map(([key]) => key.slice(0, 80));
  assert.deepEqual(twice, []);
});
