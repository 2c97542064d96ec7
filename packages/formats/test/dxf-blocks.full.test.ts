import assert from 'node:assert/strict';
import test from 'node:test';
import { entity } from '../../../test/support/dxf-entity.ts';
import { readSketch } from '../../../test/support/dxf-features.ts';
import { GeomillError } from '../../core/src/messages/errors.ts';

const UNIT_LINE = entity('LINE', '8 0, 10 0, 20 0, 30 0, 11 1, 21 0, 31 0');

/** Positions of the first ring, rounded to a millionth. */
function line(feature: { readonly parts: number[][][][] }): number[][] {
  return feature.parts[0][0].map((position) =>
    position.map((ordinate) => Math.round(ordinate * 1e6) / 1e6 + 0),
  );
}

test("unfolds an INSERT to its block's entities, moved, rotated and scaled about the base point", () => {
  const { features } = readSketch({
    blocks: { tree: { entities: [UNIT_LINE], base: [1, 0, 0] } },
    entities: [entity('INSERT', '5 2A, 8 plants, 2 TREE, 10 100, 20 200, 30 0, 41 2, 42 3, 50 90')],
  });
  assert.equal(features.length, 1);
  assert.deepEqual(line(features[0]), [
    [100, 198],
    [100, 200],
  ]);
  assert.equal(features[0].fields.Block, 'TREE');
  assert.equal(features[0].fields.EntityHandle, '2A');
  assert.equal(features[0].fields.Layer, 'plants');
});

test('mirrors for negative scales and a mirrored extrusion direction', () => {
  const blocks = { b: { entities: [UNIT_LINE] } };
  const { features } = readSketch({
    blocks,
    entities: [
      entity('INSERT', '2 b, 10 5, 20 5, 41 -1'),
      entity('INSERT', '2 b, 10 5, 20 5, 210 0, 220 0, 230 -1'),
      entity('INSERT', '2 b, 10 5, 20 5, 41 0, 42 0, 43 0'),
    ],
  });
  assert.deepEqual(features.map(line), [
    [
      [5, 5],
      [4, 5],
    ],
    [
      [-5, 5],
      [-6, 5],
    ],
    [
      [5, 5],
      [5, 5],
    ],
  ]);
});

test('rotates rows and columns of an INSERT but does not scale them', () => {
  const { features } = readSketch({
    blocks: { b: { entities: [entity('POINT', '10 0, 20 0, 30 0')] } },
    entities: [entity('INSERT', '2 b, 10 0, 20 0, 41 5, 42 5, 50 90, 70 2, 71 3, 44 10, 45 100')],
  });
  assert.deepEqual(
    features.map((feature) => line(feature)[0]),
    [
      [0, 0],
      [0, 10],
      [-100, 0],
      [-100, 10],
      [-200, 0],
      [-200, 10],
    ],
  );
});

test('nested blocks keep name and handle of the outermost INSERT and inherit on layer 0', () => {
  const byBlock = entity('LINE', '8 0, 62 0, 6 ByBlock, 10 0, 20 0, 11 1, 21 0');
  const byLayer = entity('LINE', '8 fixed, 10 0, 20 0, 11 1, 21 0');
  const { features } = readSketch({
    layers: [
      { name: 'outer', colorIndex: 1 },
      { name: 'Fixed', colorIndex: 3, linetype: 'DASHED' },
    ],
    blocks: {
      inner: { entities: [byBlock, byLayer] },
      outer: { entities: [entity('INSERT', '8 0, 62 0, 6 BYBLOCK, 2 inner, 10 1, 20 0')] },
    },
    entities: [entity('INSERT', '5 F0, 8 outer, 62 5, 6 DOTS, 2 outer, 10 10, 20 0')],
  });
  assert.deepEqual(
    features.map(({ fields }) => fields),
    [
      { Layer: 'outer', Linetype: 'DOTS', EntityHandle: 'F0', Color: '#0000ff', Block: 'outer' },
      { Layer: 'fixed', Linetype: 'DASHED', EntityHandle: 'F0', Color: '#00ff00', Block: 'outer' },
    ],
  );
  assert.deepEqual(line(features[0])[0], [11, 0]);
});

test('ATTRIBs become fields of all features of their INSERT and points with a text', () => {
  const template = entity('ATTDEF', '8 0, 10 0, 20 0, 40 1, 1 ?, 3 prompt, 2 NUMBER, 70 0');
  const constant = entity('ATTDEF', '8 0, 10 0, 20 0, 40 1, 1 always, 3 p, 2 KIND, 70 2');
  const { features, batch, findings } = readSketch({
    blocks: { b: { entities: [UNIT_LINE, template, constant] } },
    entities: [
      UNIT_LINE,
      entity(
        'INSERT',
        '2 b, 66 1, 10 0, 20 0, 0 ATTRIB, 8 t, 10 3, 20 4, 40 2.5, 1 17%%d, 2 NUMBER, 0 ATTRIB, 10 3, 20 5, 40 1, 1 x, 2 Layer',
      ),
    ],
  });
  assert.deepEqual(
    features.map(({ fields }) => [fields.Text, fields.NUMBER, fields.Layer_1]),
    [
      [undefined, undefined, undefined],
      ['17°', '17°', 'x'],
      ['x', '17°', 'x'],
      [undefined, '17°', 'x'],
      ['always', '17°', 'x'],
    ],
  );
  assert.deepEqual(features[1].parts, [[[[3, 4]]]]);
  assert.equal(features[1].fields.TextHeight, 2.5);
  assert.deepEqual(
    batch.fields.map(({ name }) => name),
    [
      'Layer',
      'SubClasses',
      'EntityHandle',
      'Color',
      'Text',
      'TextHeight',
      'TextRotation',
      'Block',
      'NUMBER',
      'Layer_1',
    ],
  );
  assert.deepEqual(
    findings.map(({ code }) => code),
    ['ATTRIBUTE_RENAMED'],
  );
});

test('draws ATTRIBs in each cell of an array and on their own layer', () => {
  const { features } = readSketch({
    blocks: { b: { entities: [] } },
    entities: [
      entity(
        'INSERT',
        '8 doors, 2 b, 10 0, 20 0, 50 90, 70 2, 44 10, 0 ATTRIB, 8 0, 10 1, 20 2, 40 1, 1 A, 2 N',
      ),
      entity('INSERT', '8 doors, 2 nowhere, 10 0, 20 0, 0 ATTRIB, 8 0, 10 5, 20 5, 40 1, 1 B, 2 N'),
    ],
  });
  assert.deepEqual(
    features.map(({ fields, parts }) => [fields.N, fields.Layer, parts[0][0][0]]),
    [
      ['A', '0', [1, 2]],
      ['A', '0', [1, 12]],
      ['B', '0', [5, 5]],
    ],
  );
});

test('skips only a nested INSERT that is invalid', () => {
  const { features, findings } = readSketch({
    blocks: {
      outer: { entities: [entity('INSERT', '2 inner, 10 0, 20 0, 210 1e400, 220 0, 230 1'), UNIT_LINE] },
      inner: { entities: [UNIT_LINE] },
    },
    entities: [entity('INSERT', '2 outer, 10 0, 20 0')],
  });
  assert.equal(features.length, 1);
  assert.deepEqual(
    findings.map(({ code, params }) => [code, params.type]),
    [['ENTITY_SKIPPED', 'INSERT']],
  );
});

test('texts in blocks have the height and rotation in the world', () => {
  const { features } = readSketch({
    blocks: { b: { entities: [entity('TEXT', '10 0, 20 0, 40 2, 1 a, 50 10')] } },
    entities: [entity('INSERT', '2 b, 10 0, 20 0, 41 3, 42 3, 50 20')],
  });
  const { TextHeight, TextRotation } = features[0].fields;
  assert.ok(Math.abs(Number(TextHeight) - 6) < 1e-12);
  assert.ok(Math.abs(Number(TextRotation) - 30) < 1e-12);
});

test('input.blocks "points" gives one point per cell with its attributes', () => {
  const { features } = readSketch({
    settings: { blocks: 'points' },
    blocks: { b: { entities: [UNIT_LINE] } },
    entities: [
      entity('INSERT', '5 7, 8 l, 2 b, 10 1, 20 2, 30 3, 50 45, 0 ATTRIB, 10 3, 20 4, 1 17, 2 N'),
      entity('INSERT', '2 missing, 10 1, 20 2, 70 2, 44 10'),
    ],
  });
  assert.deepEqual(
    features.map(({ type, parts }) => [type, parts[0][0][0]]),
    [
      ['Point', [1, 2, 3]],
      ['Point', [1, 2]],
      ['Point', [11, 2]],
    ],
  );
  assert.equal(features[0].fields.N, '17');
  assert.equal(features[0].fields.Block, 'b');
  assert.equal(features[0].fields.TextRotation, 45);
});

test('draws the block of a dimension in place, or its measurement without a block', () => {
  const { features, findings } = readSketch({
    blocks: { '*D1': { entities: [UNIT_LINE], base: [0, 0, 0] } },
    entities: [
      entity('DIMENSION', '5 D, 8 dims, 2 *D1, 10 50, 20 50, 13 0, 23 0, 14 1, 24 0'),
      entity('DIMENSION', '2 *D2, 70 32, 1 about <> m, 42 7, 10 50, 20 50, 13 0, 23 0, 14 7, 24 0'),
    ],
  });
  assert.deepEqual(features.map(line), [
    [
      [0, 0],
      [1, 0],
    ],
    [
      [0, 0],
      [7, 0],
    ],
  ]);
  assert.deepEqual([features[0].fields.Layer, features[0].fields.EntityHandle], ['dims', 'D']);
  assert.equal(features[1].fields.Text, 'about 7.00 m');
  assert.deepEqual(
    findings.map(({ code }) => code),
    ['PICTURE_MISSING'],
  );
});

test('reports recursive blocks, missing blocks and external references without following them', () => {
  const { features, findings } = readSketch({
    blocks: {
      a: { entities: [UNIT_LINE, entity('INSERT', '2 b, 10 0, 20 0')] },
      b: { entities: [entity('INSERT', '2 a, 10 0, 20 0'), UNIT_LINE] },
      x: { entities: [], flags: 4, path: 'base.dwg' },
    },
    entities: [
      entity('INSERT', '2 a, 10 0, 20 0'),
      entity('INSERT', '2 nowhere, 10 0, 20 0'),
      entity('INSERT', '2 x, 10 0, 20 0'),
    ],
  });
  assert.equal(features.length, 2);
  assert.deepEqual(
    findings.map(({ code, params }) => [code, params.block]),
    [
      ['BLOCK_CIRCULAR', 'a'],
      ['BLOCK_MISSING', 'nowhere'],
      ['EXTERNAL_REFERENCE', 'x'],
    ],
  );
});

test('reports a circle of ten thousand blocks', () => {
  const blocks = Object.fromEntries(
    Array.from({ length: 10_000 }, (_, i) => [
      `b${i}`,
      { entities: [UNIT_LINE, entity('INSERT', `2 b${(i + 1) % 10_000}, 10 1, 20 0`)] },
    ]),
  );
  const { features, findings } = readSketch({ blocks, entities: [entity('INSERT', '2 b0, 10 0, 20 0')] });
  assert.equal(features.length, 64);
  assert.deepEqual(
    findings.map(({ code }) => code),
    ['BLOCK_TOO_DEEP'],
  );
});

function limitOf(run: () => unknown): GeomillError {
  try {
    run();
  } catch (error) {
    if (error instanceof GeomillError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

test('rejects an array of a thousand million cells before the first one', () => {
  for (const settings of [{}, { blocks: 'points' as const }]) {
    const error = limitOf(() =>
      readSketch({
        settings,
        blocks: { b: { entities: [UNIT_LINE] } },
        entities: [entity('INSERT', '2 b, 10 0, 20 0, 70 32767, 71 32767, 44 1, 45 1')],
      }),
    );
    assert.equal(error.code, 'LIMIT_EXCEEDED');
  }
});

test('accepts arrays of empty blocks of any size', () => {
  const { features, findings } = readSketch({
    blocks: { none: { entities: [] }, outer: { entities: [entity('INSERT', '2 none, 70 1000, 71 1000')] } },
    entities: [entity('INSERT', '2 outer, 10 0, 20 0, 70 1000, 71 1000')],
  });
  assert.deepEqual([features, findings], [[], []]);
});

test('rejects blocks that multiply with each level by their total', () => {
  const ten = (name: string) => Array.from({ length: 10 }, () => entity('INSERT', `2 ${name}, 10 0, 20 0`));
  const blocks = Object.fromEntries([
    ['b0', { entities: [UNIT_LINE] }],
    ...Array.from({ length: 9 }, (_, i) => [`b${i + 1}`, { entities: ten(`b${i}`) }]),
  ]);
  const error = limitOf(() => readSketch({ blocks, entities: [entity('INSERT', '2 b9, 10 0, 20 0')] }));
  assert.equal(error.code, 'LIMIT_EXCEEDED');
});

test('limits the number of INSERTs if all blocks contain one another', () => {
  const names = Array.from({ length: 12 }, (_, i) => `b${i}`);
  const blocks = Object.fromEntries(
    names.map((own) => [
      own,
      { entities: names.filter((name) => name !== own).map((name) => entity('INSERT', `2 ${name}`)) },
    ]),
  );
  const error = limitOf(() => readSketch({ blocks, entities: [entity('INSERT', '2 b0')] }));
  assert.equal(error.code, 'LIMIT_EXCEEDED');
});

test("applies the job's feature limit to unfolded INSERTs", () => {
  const error = limitOf(() =>
    readSketch({
      limits: { features: 10 },
      blocks: { b: { entities: [UNIT_LINE] } },
      entities: [entity('INSERT', '2 b, 10 0, 20 0, 70 4, 71 4')],
    }),
  );
  assert.equal(error.params.setting, 'MAX_FEATURES');
});

test('skips only the entity of a block that cannot be drawn', () => {
  const { features, findings } = readSketch({
    blocks: { b: { entities: [entity('CIRCLE', '5 BAD, 10 0, 20 0, 40 1e400'), UNIT_LINE] } },
    entities: [entity('INSERT', '2 b, 10 0, 20 0'), entity('RAY', '5 R, 10 0, 20 0'), UNIT_LINE],
  });
  assert.equal(features.length, 2);
  assert.deepEqual(
    findings.map(({ code, params, places }) => [code, params.type, places[0].id]),
    [
      ['ENTITY_SKIPPED', 'CIRCLE', 'BAD'],
      ['ENTITY_SKIPPED', 'RAY', 'R'],
    ],
  );
});

test('skips and reports paper space, or marks it if it is requested', () => {
  const entities = [entity('LINE', '67 1, 10 0, 20 0, 11 1, 21 1'), UNIT_LINE];
  const model = readSketch({ entities });
  assert.equal(model.features.length, 1);
  assert.deepEqual(
    model.findings.map(({ code }) => code),
    ['PAPER_SPACE_LEFT_OUT'],
  );
  const all = readSketch({ entities, settings: { layouts: 'all' } });
  assert.deepEqual(
    all.features.map(({ fields }) => fields.PaperSpace),
    [1, undefined],
  );
});

test('reads and marks layers that are off or frozen; colours come from index, true colour or layer', () => {
  const { features } = readSketch({
    layers: [
      { name: 'off', colorIndex: -5 },
      { name: 'cold', colorIndex: 1, trueColor: 0x102030, isFrozen: true },
    ],
    entities: [
      entity('POINT', '8 off, 10 0, 20 0'),
      entity('POINT', '8 cold, 62 256, 10 0, 20 0'),
      entity('POINT', '100 AcDbEntity, 8 cold, 62 30, 420 255, 100 AcDbPoint, 10 0, 20 0'),
      entity('POINT', '8 unknown, 10 0, 20 0'),
      entity('POINT', '8 off, 62 30, 10 0, 20 0'),
    ],
  });
  assert.deepEqual(
    features.map(({ fields }) => [fields.Layer, fields.Color, fields.LayerState, fields.SubClasses]),
    [
      ['off', '#0000ff', 'off', undefined],
      ['cold', '#102030', 'frozen', undefined],
      ['cold', '#0000ff', 'frozen', 'AcDbEntity:AcDbPoint'],
      ['unknown', '#000000', undefined, undefined],
      ['off', '#ff7f00', 'off', undefined],
    ],
  );
});
