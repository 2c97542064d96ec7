/** Entities with tags missing, doubled or overwritten lose only the entity. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import fc from 'fast-check';
import { drawn, entitiesOf, entity, POLYGONS, type Tag } from '../../../test/support/dxf-entity.ts';
import { type Entity, EntityError, type EntityTags } from '../src/dxf/contract.ts';
import { IDENTITY } from '../src/dxf/shapes/affine-map.ts';
import { SHAPES } from '../src/dxf/shapes/shapes.ts';
import { textHeight, textOf, textRotationDegrees } from '../src/dxf/shapes/text.ts';

const FIXTURES = join(import.meta.dirname, '../../../test/fixtures/dxf');

function tagsOf(tags: EntityTags): Tag[] {
  return Array.from({ length: tags.count }, (_, i): Tag => [tags.codes[i], tags.text(i)]);
}

/** The entity and its parts as one list, as in the file. */
function listed({ tags, parts }: Entity): Tag[] {
  return [...tagsOf(tags), ...parts.flatMap((part): Tag[] => [[0, part.type], ...tagsOf(part)])];
}

const samples = readdirSync(FIXTURES)
  .filter((name) => name.endsWith('.dxf') && !name.startsWith('binary'))
  .flatMap((name) => entitiesOf(readFileSync(join(FIXTURES, name), 'latin1')))
  .filter(({ tags }) => SHAPES.has(tags.type))
  .map((sample) => ({ type: sample.tags.type, tags: listed(sample) }));

type Damage = readonly [kind: number, at: number, value: string];
const damage: fc.Arbitrary<Damage> = fc.tuple(
  fc.integer({ min: 0, max: 3 }),
  fc.nat(10_000),
  fc.constantFrom('0', '-1', '1e308', '-1e-320', 'x', '', '2147483647', '3', '0.5', '1e9', 'nan'),
);

function damaged(tags: readonly Tag[], damages: readonly Damage[]): Tag[] {
  const list = [...tags];
  for (const [kind, where, value] of damages) {
    if (list.length === 0) break;
    const at = where % list.length;
    if (kind === 0) list.splice(at, 1);
    else if (kind === 1) list.splice(at, 0, list[at]);
    else if (kind === 2) list[at] = [list[at][0], value];
    else list.length = at;
  }
  return list;
}

test('draws damaged entities whole or throws an EntityError', () => {
  assert.ok(samples.length > 100);
  fc.assert(
    fc.property(fc.nat(), fc.array(damage, { minLength: 1, maxLength: 3 }), (which, damages) => {
      const { type, tags } = samples[which % samples.length];
      const broken = entity(type, damaged(tags, damages));
      try {
        textOf(broken.tags);
        textHeight(broken.tags);
        textRotationDegrees(broken.tags, IDENTITY);
        for (const rings of drawn(broken, POLYGONS).parts)
          for (const ring of rings) {
            assert.ok(ring.length > 0);
            // Heights are NaN if missing.
            assert.ok(ring.every(([x, y]) => Number.isFinite(x) && Number.isFinite(y)));
          }
      } catch (error) {
        if (!(error instanceof EntityError)) throw error;
      }
    }),
    { numRuns: 2_000 },
  );
});
