import assert from 'node:assert/strict';
import test from 'node:test';
import { entity, POLYGONS } from '../../../test/support/dxf-entity.ts';
import { readSketch } from '../../../test/support/dxf-features.ts';
import type { Entity } from '../src/dxf/contract.ts';

const HEAD = '1001 GEOMILL\n1000 feature:';
const PART = '1001 GEOMILL\n1000 part\n1000 ';

function outline(x: number, size: number, xdata: string): Entity {
  const corners = `10 ${x}\n20 0\n10 ${x + size}\n20 0\n10 ${x + size}\n20 ${size}\n10 ${x}\n20 ${size}`;
  return entity('LWPOLYLINE', `8 polygon\n90 4\n70 1\n${corners}\n${xdata}`);
}

function fill(x: number, size: number, xdata: string, hole = ''): Entity {
  const path = (at: number, side: number): string =>
    `92 3\n72 0\n73 1\n93 4\n10 ${at}\n20 0\n10 ${at + side}\n20 0\n10 ${at + side}\n20 ${side}\n10 ${at}\n20 ${side}\n97 0`;
  const count = hole === '' ? 1 : 2;
  return entity(
    'HATCH',
    `8 polygon\n10 0\n20 0\n30 0\n2 SOLID\n70 1\n71 0\n91 ${count}\n${path(x, size)}\n${hole}\n75 0\n76 1\n98 0\n${xdata}`,
  );
}

function ring(x: number, size: number): number[][] {
  return [
    [x, 0],
    [x + size, 0],
    [x + size, size],
    [x, size],
    [x, 0],
  ];
}

const shell = (x: number): Entity => outline(x, 10, `${PART}shell`);
const partFill = (x: number): Entity => fill(x, 10, `${PART}fill`);

test('reassembles fill and outlines of a feature to one geometry, exactly closed', () => {
  const { features, findings } = readSketch({
    entities: [
      fill(0, 10, `${HEAD}MultiPolygon\n1000 fill\n1000 s:name\n1000 park`),
      shell(0),
      outline(2, 3, `${PART}hole`),
      partFill(50),
      shell(50),
      entity('POINT', `10 7\n20 8\n30 0\n${HEAD}Point\n1000 point\n1000 s:name\n1000 spring`),
    ],
    settings: { stroke: POLYGONS },
  });
  assert.deepEqual(features, [
    {
      type: 'MultiPolygon',
      parts: [[ring(0, 10), ring(2, 3)], [ring(50, 10)]],
      id: null,
      fields: { name: 'park' },
    },
    { type: 'Point', parts: [[[[7, 8]]]], id: null, fields: { name: 'spring' } },
  ]);
  assert.deepEqual(findings, []);
});

test('reads a polygon without its outline from its fill, the others from their outlines', () => {
  const hole = '92 18\n72 0\n73 1\n93 3\n10 1\n20 1\n10 2\n20 1\n10 2\n20 2\n97 0';
  const { features } = readSketch({
    entities: [
      fill(0, 10, `${HEAD}MultiPolygon\n1000 fill`, hole),
      outline(1, 1, `${PART}hole`),
      partFill(50),
      partFill(90),
      shell(90),
    ],
  });
  assert.equal(features.length, 1);
  assert.equal(features[0].type, 'MultiPolygon');
  assert.deepEqual(
    features[0].parts.map((rings) => [rings.length, rings[0][0]]),
    [
      [2, [0, 0]],
      [1, [50, 0]],
      [1, [90, 0]],
    ],
  );
});

test('gives a feature that lost or gained parts a matching type', () => {
  const { features } = readSketch({
    entities: [
      outline(0, 10, `${HEAD}Polygon\n1000 shell`),
      shell(50),
      outline(0, 10, `${HEAD}MultiPolygon\n1000 shell`),
      outline(0, 10, `${HEAD}Polygon\n1000 shell`),
      entity('POINT', `10 0\n20 0\n${PART}point`),
    ],
  });
  assert.deepEqual(
    features.map(({ type, parts }) => [type, parts.length]),
    [
      ['MultiPolygon', 2],
      ['MultiPolygon', 1],
      ['GeometryCollection', 2],
    ],
  );
});

test('reads parts without their feature like any entity', () => {
  const { features } = readSketch({ entities: [shell(0), partFill(0)] });
  assert.deepEqual(
    features.map(({ type, fields }) => [type, fields.Layer]),
    [
      ['LineString', 'polygon'],
      ['Polygon', 'polygon'],
    ],
  );
});

test('ends a feature at a foreign entity and keeps their fields apart', () => {
  const { features, batch } = readSketch({
    entities: [
      outline(0, 10, `${HEAD}Polygon\n1000 shell\n1000 s:Layer\n1000 own\n1000 i:n\n1071 7`),
      entity('LINE', '8 walls\n10 0\n20 0\n11 1\n21 0'),
      shell(0),
    ],
  });
  assert.deepEqual(
    features.map(({ type, fields }) => [type, fields]),
    [
      ['Polygon', { Layer: 'own', n: 7 }],
      ['LineString', { Layer: 'walls', Color: '#000000' }],
      ['LineString', { Layer: 'polygon', Color: '#000000' }],
    ],
  );
  assert.equal(new Set(batch.fields.map(({ name }) => name)).size, batch.fields.length);
});

test('drawing_fields adds the fields of the drawing, apart from own fields of the same name', () => {
  const { features, findings } = readSketch({
    settings: { drawingFields: true },
    entities: [outline(0, 10, `${HEAD}Polygon\n1000 shell\n1000 s:Layer\n1000 own`)],
  });
  assert.deepEqual(features[0].fields, { Layer: 'polygon', Color: '#000000', Layer_1: 'own' });
  assert.deepEqual(
    findings.map(({ code }) => code),
    ['ATTRIBUTE_RENAMED'],
  );
});

test('attributes of every kind and length keep their types', () => {
  const attributes = [
    '1000 b:yes\n1070 1',
    '1000 b0:no',
    '1000 i:int\n1071 -2147483648',
    '1000 l:long\n1000 -9223372036854775808',
    '1000 l:short\n1000 42',
    '1000 f:real\n1040 -0.1',
    '1000 f:endless\n1000 -Infinity',
    '1000 s3:text\n1000 a^Jb\n1000 ^ c\n1000 ^J',
    '1000 s:empty\n1000 ',
    '1000 s0:null',
    '1000 d:day\n1000 2024-02-29',
    '1000 t:time\n1000 2024-02-29T10:00:00Z',
    '1000 j:json\n1000 {"a":[1]}',
    '1000 x2:bytes\n1004 00FF\n1004 10',
    '1000 s:Stra^ße:x\n1000 v',
  ].join('\n');
  const { features, batch } = readSketch({
    entities: [entity('POINT', `10 0\n20 0\n${HEAD}Point\n1000 point\n1000 @l:\n1000 12\n${attributes}`)],
  });
  const { fields, id } = features[0];
  assert.equal(id, 12n);
  assert.deepEqual(fields, {
    yes: true,
    int: -2147483648,
    long: -9223372036854775808n,
    short: 42n,
    real: -0.1,
    endless: Number.NEGATIVE_INFINITY,
    text: 'a\nb^c\n',
    empty: '',
    day: '2024-02-29',
    time: '2024-02-29T10:00:00Z',
    json: '{"a":[1]}',
    bytes: Uint8Array.of(0, 255, 16),
    'Stra^ße:x': 'v',
  });
  assert.deepEqual(
    batch.fields.filter(({ name }) => name === 'no' || name === 'null'),
    [
      { name: 'no', type: 'boolean' },
      { name: 'null', type: 'string' },
    ],
  );
});

test('a field with several types in one drawing gets the one that holds all values', () => {
  const point = (xdata: string): Entity => entity('POINT', `10 0\n20 0\n${HEAD}Point\n1000 point\n${xdata}`);
  const { features, batch } = readSketch({
    entities: [
      point('1000 @l:\n1000 1\n1000 i:a\n1071 1\n1000 s:c\n1000 x'),
      point('1000 @s:\n1000 1\n1000 f:a\n1040 2.5\n1000 l:c\n1000 12'),
      point('1000 s:b\n1000 only here'),
    ],
  });
  assert.deepEqual(
    batch.fields.map(({ name, type }) => [name, type]),
    [
      ['a', 'float64'],
      ['c', 'string'],
      ['b', 'string'],
    ],
  );
  assert.deepEqual(
    features.map(({ id, fields }) => [id, fields]),
    [
      ['1', { a: 1, c: 'x' }],
      ['"1"', { a: 2.5, c: '12' }],
      [null, { b: 'only here' }],
    ],
  );
});

test('drops and reports damaged attributes but keeps the feature', () => {
  for (const damage of [
    '1000 i2:n\n1071 1',
    '1000 q:n\n1000 1',
    '1000 i:n\n1000 x',
    '1071 5',
    '1000 l:n\n1000 1e3',
  ]) {
    const { features, findings } = readSketch({
      entities: [
        entity('POINT', `5 AB\n10 0\n20 0\n${HEAD}Point\n1000 point\n1000 s:a\n1000 kept\n${damage}`),
      ],
    });
    assert.equal(features.length, 1, damage);
    assert.equal(features[0].fields.a, 'kept', damage);
    assert.deepEqual(
      findings.map(({ code, places }) => [code, places[0].id]),
      [['XDATA_DAMAGED', 'AB']],
      damage,
    );
  }
});

test('a feature has Z if it had Z or was lifted since', () => {
  const { features } = readSketch({
    entities: [
      outline(0, 10, `${HEAD}Polygon Z\n1000 shell`),
      outline(0, 10, `${HEAD}Polygon\n1000 shell`),
      entity('POINT', `10 1\n20 2\n30 5\n${HEAD}Point\n1000 point`),
      entity(
        'POLYLINE',
        `70 9\n${HEAD}Polygon Z\n1000 shell\n0 VERTEX\n10 0\n20 0\n30 1\n70 32\n0 VERTEX\n10 4\n20 0\n30 2\n70 32\n0 VERTEX\n10 4\n20 4\n30 3\n70 32`,
      ),
    ],
  });
  assert.deepEqual(
    features.map(({ type, parts }) => [type, parts[0][0][0]]),
    [
      ['Polygon', [0, 0, 0]],
      ['Polygon', [0, 0]],
      ['Point', [1, 2, 5]],
      ['Polygon', [0, 0, 1]],
    ],
  );
  assert.deepEqual(features[3].parts[0][0].at(-1), [0, 0, 1]);
});

test('preserves a ring that returns at another height', () => {
  const vertices = ['0 0 1', '4 0 1', '4 4 1', '0 0 2'].map((position) => {
    const [x, y, z] = position.split(' ');
    return `0 VERTEX\n10 ${x}\n20 ${y}\n30 ${z}\n70 32`;
  });
  const { features } = readSketch({
    entities: [entity('POLYLINE', `70 9\n${HEAD}Polygon Z\n1000 shell\n${vertices.join('\n')}`)],
  });
  assert.deepEqual(features[0].parts[0][0], [
    [0, 0, 1],
    [4, 0, 1],
    [4, 4, 1],
    [0, 0, 2],
  ]);
});

test('preserves members of collections', () => {
  const { batch } = readSketch({
    entities: [
      entity('POINT', `10 0\n20 0\n${HEAD}GeometryCollection\n1000 first point`),
      entity('POINT', `10 1\n20 0\n${PART}next point`),
      fill(0, 10, `${PART}first fill`),
      outline(0, 10, `${PART}first shell`),
      entity('LINE', `10 0\n20 0\n11 1\n21 0\n${PART}line`),
    ],
  });
  assert.deepEqual([...batch.geometry.partKinds], [1 | 4, 1 | 8, 3 | 4, 2]);
});

test('skips an own entity that cannot be drawn; reports a hole without outline and fill', () => {
  const { features, findings } = readSketch({
    entities: [
      outline(0, 10, `${HEAD}MultiPolygon\n1000 shell`),
      entity('LWPOLYLINE', `90 0\n70 1\n${PART}shell`),
      fill(20, 5, `${HEAD}Polygon\n1000 fill`),
      outline(20, 5, `${PART}shell`),
      outline(40, 5, `${HEAD}Polygon\n1000 hole`),
    ],
  });
  assert.deepEqual(
    features.map(({ type, parts }) => [type, parts.length]),
    [
      ['MultiPolygon', 1],
      ['Polygon', 1],
      ['Polygon', 0],
    ],
  );
  assert.deepEqual(
    findings.map(({ code }) => code),
    ['ENTITY_SKIPPED', 'ENTITY_SKIPPED'],
  );
});

test('reports XDATA of other applications once and finds ours beside it', () => {
  const foreign = '1001 OTHER\n1000 feature:Point\n1070 1';
  const { features, findings } = readSketch({
    entities: [
      entity(
        'POINT',
        `10 0\n20 0\n${foreign}\n${HEAD}Point\n1000 point\n1000 i:n\n1071 3\n1001 THIRD\n1000 x`,
      ),
      entity('POINT', `10 0\n20 0\n${foreign}`),
    ],
  });
  assert.deepEqual(features[0].fields, { n: 3 });
  assert.equal(features[1].fields.Layer, '0');
  assert.deepEqual(
    findings.map(({ code, count }) => [code, count]),
    [['XDATA_DROPPED', 2]],
  );
});
