import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { drawn, entity, LINES, POLYGONS, scaling } from '../../../test/support/dxf-entity.ts';
import { GeometryBuilder } from '../../core/src/geometry/geometry-column.ts';
import { EntityError } from '../src/dxf/contract.ts';
import { IDENTITY, rotation, translation } from '../src/dxf/shapes/affine-map.ts';
import { ocsMap } from '../src/dxf/shapes/ocs.ts';
import { SHAPES } from '../src/dxf/shapes/shapes.ts';

const close = (actual: number, expected: number, tolerance = 1e-9): void =>
  assert.ok(Math.abs(actual - expected) <= tolerance, `${actual} is not ${expected}`);

const SQUARE = '90 4, 70 1, 10 0, 20 0, 10 4, 20 0, 10 4, 20 3, 10 0, 20 3';

test('reads points and lines, as XY if all z are 0 and as XYZ otherwise', () => {
  assert.deepEqual(drawn(entity('POINT', '10 1, 20 2, 30 0')), {
    type: 'Point',
    dimensions: 'XY',
    parts: [[[[1, 2]]]],
  });
  assert.deepEqual(drawn(entity('LINE', '10 1, 20 2, 30 0, 11 3, 21 4, 31 5')), {
    type: 'LineString',
    dimensions: 'XYZ',
    parts: [
      [
        [
          [1, 2, 0],
          [3, 4, 5],
        ],
      ],
    ],
  });
});

test('reads a closed LWPOLYLINE as a closed line, or as a polygon on request', () => {
  const positions = [
    [0, 0],
    [4, 0],
    [4, 3],
    [0, 3],
    [0, 0],
  ];
  assert.deepEqual(drawn(entity('LWPOLYLINE', SQUARE)), {
    type: 'LineString',
    dimensions: 'XY',
    parts: [[positions]],
  });
  assert.equal(drawn(entity('LWPOLYLINE', SQUARE), POLYGONS).type, 'Polygon');
  // The general code path with bulges, elevation and maps gives the same positions.
  for (const general of [
    drawn(entity('LWPOLYLINE', `${SQUARE}, 42 0.0`)),
    drawn(entity('LWPOLYLINE', SQUARE), LINES, translation(0, 0, 0)),
  ])
    assert.deepEqual(general.parts, [[positions]]);
  assert.deepEqual(
    drawn(entity('LWPOLYLINE', SQUARE.replace('70 1', '70 1, 38 7'))).parts[0][0],
    positions.map((p) => [...p, 7]),
  );
});

test('does not close a closed LWPOLYLINE that repeats its first vertex again', () => {
  const repeated = drawn(entity('LWPOLYLINE', `${SQUARE}, 10 0, 20 0, 42 0.5`));
  assert.equal(repeated.parts[0][0].length, 5);
});

test('reads an LWPOLYLINE of one vertex as a point and rejects one without vertices', () => {
  assert.equal(drawn(entity('LWPOLYLINE', '90 1, 70 0, 10 5, 20 6')).type, 'Point');
  assert.throws(() => drawn(entity('LWPOLYLINE', '90 0, 70 0')), EntityError);
});

test('two vertices with bulges of 1 are an exactly closed circle', () => {
  const circle = drawn(entity('LWPOLYLINE', '90 2, 70 1, 10 -1, 20 0, 42 1, 10 1, 20 0, 42 1'), POLYGONS);
  assert.equal(circle.type, 'Polygon');
  const [ring] = circle.parts[0];
  assert.equal(ring.length, 91);
  assert.deepEqual(ring[0], ring.at(-1));
  for (const [x, y] of ring) close(Math.hypot(x, y), 1, 1e-12);
});

test('strokes circles, arcs and ellipses in steps of 4 degrees with exact ends', () => {
  const circle = drawn(entity('CIRCLE', '10 100, 20 200, 30 0, 40 5')).parts[0][0];
  assert.equal(circle.length, 91);
  assert.deepEqual(circle[0], circle[90]);
  const arc = drawn(entity('ARC', '10 0, 20 0, 40 2, 50 350, 51 80')).parts[0][0];
  assert.equal(arc.length, 24);
  close(arc[0][1], 2 * Math.sin((-10 * Math.PI) / 180));
  close(arc[23][0], 2 * Math.cos((80 * Math.PI) / 180));
  const ellipse = drawn(
    entity('ELLIPSE', '10 1, 20 1, 30 0, 11 0, 21 3, 31 0, 40 0.5, 41 0, 42 6.283185307179586'),
  );
  const ring = ellipse.parts[0][0];
  assert.equal(ring.length, 91);
  assert.deepEqual(ring[0], [1, 4]);
  assert.deepEqual(ring[0], ring[90]);
  // Counter-clockwise from the major axis (up): first to the left.
  assert.ok(ring[1][0] < 1);
  for (const [x, y] of ring) close(((x - 1) / 1.5) ** 2 + ((y - 1) / 3) ** 2, 1);
});

test('reverses an ellipse seen from below', () => {
  const above = drawn(entity('ELLIPSE', '10 0, 20 0, 11 2, 21 0, 40 0.5, 41 0, 42 1.5'));
  const below = drawn(
    entity('ELLIPSE', '10 0, 20 0, 11 2, 21 0, 40 0.5, 41 0, 42 1.5, 210 0, 220 0, 230 -1'),
  );
  assert.deepEqual(
    below.parts[0][0].map(([x, y]) => [x, 0 - y]),
    above.parts[0][0],
  );
});

test('a tolerance makes steps finer by the radius in the world, including blocks', () => {
  const fine = { ...LINES, toleranceUnits: 0.0001 };
  const circle = entity('CIRCLE', '10 0, 20 0, 40 1');
  const count = (map = IDENTITY): number => drawn(circle, fine, map).parts[0][0].length;
  const expected = (radius: number): number => Math.ceil(Math.PI / Math.acos(1 - 0.0001 / radius)) + 1;
  assert.equal(count(), expected(1));
  assert.equal(count(scaling(100, 100, 100)), expected(100));
  assert.equal(count(scaling(-30, 100, 1)), expected(100));
});

test('an extrusion direction of 0, 0, -1 mirrors x and reverses arcs', () => {
  const arc = drawn(entity('ARC', '10 10, 20 0, 30 3, 40 1, 50 0, 51 90, 210 0, 220 0, 230 -1')).parts[0][0];
  assert.deepEqual(arc[0], [-11, 0, -3]);
  close(arc.at(-1)?.[0] ?? 0, -10);
  close(arc.at(-1)?.[1] ?? 0, 1);
  const flat = drawn(entity('LWPOLYLINE', '90 2, 70 0, 10 1, 20 2, 10 3, 20 4, 210 0, 220 0, 230 -1'));
  assert.deepEqual(flat, {
    type: 'LineString',
    dimensions: 'XY',
    parts: [
      [
        [
          [-1, 2],
          [-3, 4],
        ],
      ],
    ],
  });
});

test('object coordinate systems are right-handed and orthonormal, with the normal as z', () => {
  const component = fc.double({ min: -1, max: 1, noNaN: true });
  fc.assert(
    fc.property(component, component, component, (x, y, z) => {
      const length = Math.hypot(x, y, z);
      fc.pre(length > 1e-6);
      const map = ocsMap(x, y, z) ?? IDENTITY;
      const column = (i: number): number[] => [map[i], map[4 + i], map[8 + i]];
      const dot = (a: number[], b: number[]): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
      const [u, v, n] = [column(0), column(1), column(2)];
      for (const axis of [u, v, n]) close(dot(axis, axis), 1);
      for (const [a, b] of [
        [u, v],
        [v, n],
        [n, u],
      ])
        close(dot(a, b), 0);
      close(dot([u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]], n), 1);
      close(dot(n, [x / length, y / length, z / length]), 1);
    }),
  );
});

test('affine maps rotate by quarter turns exactly', () => {
  assert.deepEqual(drawn(entity('POINT', '10 1, 20 0'), LINES, rotation(90)).parts, [[[[0, 1]]]]);
  assert.deepEqual(drawn(entity('POINT', '10 1, 20 0'), LINES, rotation(-180)).parts[0][0][0][0], -1);
});

test('2D polylines have bulges, omit spline frames and take the elevation', () => {
  const vertex = (x: number, y: number, more = ''): string => `0 VERTEX, 10 ${x}, 20 ${y}, 30 0${more}`;
  const open = entity(
    'POLYLINE',
    `66 1, 10 0, 20 0, 30 5, 70 4, ${vertex(0, 0, ', 70 8')}, ${vertex(9, 9, ', 70 16')}, ${vertex(1, 0, ', 70 8, 42 1')}, ${vertex(3, 0)}, 0 SEQEND`,
  );
  const line = drawn(open).parts[0][0];
  assert.equal(line.length, 2 + 45);
  assert.ok(line.every(([x, , z]) => z === 5 && x < 4));
  assert.deepEqual(line.at(-1), [3, 0, 5]);
});

test('3D polylines have a z per vertex and can be closed', () => {
  const line = drawn(
    entity(
      'POLYLINE',
      '66 1, 70 9, 0 VERTEX, 10 0, 20 0, 30 1, 70 32, 0 VERTEX, 10 1, 20 0, 30 2, 70 32, 0 VERTEX, 10 1, 20 1, 30 3, 70 32',
    ),
  );
  assert.deepEqual(line.parts[0][0], [
    [0, 0, 1],
    [1, 0, 2],
    [1, 1, 3],
    [0, 0, 1],
  ]);
});

test('reads meshes of all three kinds as a MultiPolygon of their faces', () => {
  const position = (x: number, y: number, z: number, flags: number): string =>
    `0 VERTEX, 10 ${x}, 20 ${y}, 30 ${z}, 70 ${flags}`;
  const grid = [0, 1, 2].flatMap((m) => [0, 1].map((n) => position(m, n, 1, 64))).join(', ');
  const polygonMesh = drawn(entity('POLYLINE', `70 16, 71 3, 72 2, ${grid}`));
  assert.equal(polygonMesh.type, 'MultiPolygon');
  assert.equal(polygonMesh.parts.length, 2);
  assert.equal(drawn(entity('POLYLINE', `70 17, 71 3, 72 2, ${grid}`)).parts.length, 3);
  const corners = [
    [0, 0, 0],
    [1, 0, 0],
    [1, 1, 0],
    [0, 1, 2],
  ];
  const polyface = drawn(
    entity(
      'POLYLINE',
      `70 64, 71 4, 72 2, ${corners.map(([x, y, z]) => position(x, y, z, 192)).join(', ')},
      0 VERTEX, 10 0, 20 0, 30 0, 70 128, 71 1, 72 -2, 73 3, 0 VERTEX, 70 128, 71 1, 72 3, 73 4, 74 0`,
    ),
  );
  assert.deepEqual(
    polyface.parts.map(([ring]) => ring.length),
    [4, 4],
  );
  assert.deepEqual(polyface.parts[1][0], [corners[0], corners[2], corners[3], corners[0]]);
  const mesh = drawn(
    entity(
      'MESH',
      `100 AcDbSubDMesh, 71 2, 72 0, 91 0, 92 4, ${corners.map(([x, y, z]) => `10 ${x}, 20 ${y}, 30 ${z}`).join(', ')},
      93 8, 90 3, 90 0, 90 1, 90 2, 90 3, 90 0, 90 2, 90 3, 94 0, 95 0, 90 0`,
    ),
  );
  assert.deepEqual(mesh, polyface);
  assert.throws(
    () => drawn(entity('POLYLINE', `70 64, ${position(0, 0, 0, 192)}, 0 VERTEX, 70 128, 71 1, 72 2, 73 3`)),
    /a face names vertex 2, but there are 1/,
  );
});

test('reads corners of solids in the order 1 2 4 3, and a triangle if the fourth repeats the third', () => {
  const solid = drawn(entity('SOLID', '10 0, 20 0, 11 1, 21 0, 12 0, 22 1, 13 1, 23 1'));
  assert.deepEqual(solid.parts[0][0], [
    [0, 0],
    [1, 0],
    [1, 1],
    [0, 1],
    [0, 0],
  ]);
  const triangle = drawn(entity('TRACE', '10 0, 20 0, 11 1, 21 0, 12 0, 22 1, 13 0, 23 1'));
  assert.equal(triangle.type, 'Polygon');
  assert.equal(triangle.parts[0][0].length, 4);
  const face = drawn(
    entity('3DFACE', '10 0, 20 0, 30 1, 11 1, 21 0, 31 1, 12 1, 22 1, 32 1, 13 1, 23 1, 33 1'),
  );
  assert.equal(face.dimensions, 'XYZ');
  assert.equal(face.parts[0][0].length, 4);
});

test('reads an image as the parallelogram of its pixels', () => {
  const image = drawn(
    entity(
      'IMAGE',
      '100 AcDbRasterImage, 10 5, 20 6, 11 0.5, 21 0, 12 0, 22 0.5, 13 4, 23 2, 71 1, 91 2, 14 -0.5, 24 -0.5, 14 3.5, 24 1.5',
    ),
  );
  assert.equal(image.type, 'Polygon');
  const xs = image.parts[0][0].map(([x]) => x);
  const ys = image.parts[0][0].map(([, y]) => y);
  assert.deepEqual([Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)], [5, 7, 6, 7]);
});

test('reads mlines as their parallel lines', () => {
  const vertex = (x: number): string =>
    `11 ${x}, 21 0, 31 0, 12 1, 22 0, 32 0, 13 0, 23 1, 33 0, 74 2, 41 0, 41 0, 75 0, 74 2, 41 -1, 41 0, 75 0`;
  assert.deepEqual(drawn(entity('MLINE', `71 1, 72 2, 73 2, 10 0, 20 0, ${vertex(0)}, ${vertex(5)}`)), {
    type: 'MultiLineString',
    dimensions: 'XY',
    parts: [
      [
        [
          [0, 0],
          [5, 0],
        ],
      ],
      [
        [
          [0, -1],
          [5, -1],
        ],
      ],
    ],
  });
});

test('reads leaders as lines, multileaders as lines and the position of their text', () => {
  const vertices = '76 3, 10 0, 20 0, 30 0, 10 5, 20 5, 30 0, 10 9, 20 5, 30 0';
  assert.equal(drawn(entity('LEADER', `72 0, ${vertices}`)).parts[0][0].length, 3);
  assert.ok(drawn(entity('LEADER', `72 1, ${vertices}`)).parts[0][0].length > 10);
  const multileader = drawn(
    entity(
      'MULTILEADER',
      `100 AcDbMLeader, 300 CONTEXT_DATA{, 40 1, 10 9, 20 9, 30 0, 290 1, 304 Some text, 11 0, 21 0, 31 1, 12 8, 22 7, 32 0, 296 0,
      302 LEADER{, 290 1, 10 5, 20 5, 30 0, 11 1, 21 0, 31 0, 40 2, 304 LEADER_LINE{, 10 0, 20 0, 30 0, 305 }, 303 }, 301 }, 291 1`,
    ),
  );
  assert.deepEqual(multileader, {
    type: 'GeometryCollection',
    dimensions: 'XY',
    parts: [
      [
        [
          [0, 0],
          [5, 5],
          [7, 5],
        ],
      ],
      [[[8, 7]]],
    ],
  });
});

test('throws an EntityError for an entity that cannot be drawn and keeps earlier features of the builder', () => {
  const broken: [string, string][] = [
    ['CIRCLE', '10 0, 20 0, 40 1e400'],
    ['CIRCLE', '10 0, 20 0'],
    ['ARC', '10 0, 20 0, 50 0, 51 90'],
    ['ELLIPSE', '10 0, 20 0, 11 0, 21 0, 40 1'],
    ['ELLIPSE', '10 0, 20 0, 11 1, 21 0, 40 0'],
    ['LINE', '10 0, 20 0'],
    ['LINE', '10 0, 20 x, 11 1, 21 1'],
    ['LWPOLYLINE', '90 2, 70 0, 10 1, 20 1, 10 nan, 20 1'],
    ['LWPOLYLINE', '90 2, 70 0, 10 1, 20 1, 42 x, 10 2, 20 1'],
    ['POLYLINE', '70 0'],
    ['POLYLINE', '70 16, 71 3, 72 3, 0 VERTEX, 10 0, 20 0'],
    ['SPLINE', '71 3, 40 0, 40 0, 40 0, 40 0, 40 1, 40 1, 40 1, 10 0, 20 0'],
    ['SPLINE', '71 1, 40 0, 40 2, 40 1, 40 3, 10 0, 20 0, 10 1, 20 1'],
    ['SPLINE', '71 3'],
    ['HATCH', '10 0, 20 0, 30 0, 91 0'],
    ['HATCH', '10 0, 20 0, 30 0, 91 1, 92 3, 72 0, 73 1, 93 3, 10 0, 20 0, 10 1, 20 1'],
    ['MLINE', '72 2'],
    ['MULTILEADER', '90 1'],
    ['TEXT', '40 1'],
    ['MESH', '91 0'],
    ['POINT', '10 0, 20 0, 30 inf'],
  ];
  for (const [type, tags] of broken) {
    const builder = new GeometryBuilder();
    builder.position(1, 2);
    builder.endRing();
    builder.endPart(1);
    builder.endFeature(1);
    const shape = SHAPES.get(type);
    assert.ok(shape !== undefined);
    assert.throws(() => shape(entity(type, tags), IDENTITY, LINES, builder), EntityError, `${type} ${tags}`);
    builder.rollback();
    assert.equal(builder.finish().coordinates.length, builder.stride);
  }
});

test('limits the steps of an arc, but never below steps of 4 degrees', () => {
  const circle = entity('CIRCLE', '10 0, 20 0, 40 1');
  const count = (maxStepCount: number): number =>
    drawn(circle, { ...LINES, toleranceUnits: 1e-12, maxStepCount }).parts[0][0].length;
  assert.equal(count(256), 257);
  assert.equal(count(10), 91);
});

test('draws a negative radius as positive, and a circle of radius 0 as a line of length 0', () => {
  const circle = (radius: number): unknown => drawn(entity('CIRCLE', `10 1, 20 2, 40 ${radius}`));
  assert.deepEqual(circle(-3), circle(3));
  assert.deepEqual(circle(0), drawn(entity('LINE', '10 1, 20 2, 11 1, 21 2')));
});
