/**
 * Random GeoJSON, generated without geomill, is converted to each format and back: the result equals the input, except
 * for what the format cannot store (docs/formats).
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import fc from 'fast-check';
import { isOutputFormat } from '../../packages/formats/src/format.ts';
import { inputFormats } from '../../packages/formats/src/registry.ts';
import { convertFile, makeWorkspace } from '../support/convert.ts';
import { type FormatTraits, isDrawn, recordOf, statedCrs, traitsOf } from '../support/formats.ts';

type Position = number[];
interface Geometry {
  readonly type: string;
  readonly coordinates?: unknown;
  readonly geometries?: readonly Geometry[];
}
type Properties = Record<string, unknown>;
interface Feature {
  readonly type: 'Feature';
  readonly id?: number | string;
  readonly properties: Properties;
  readonly geometry: Geometry | null;
}

// --- what goes in -----------------------------------------------------------------------------------------------

/** Neither -0 nor longitudes more than 180 degrees apart: an edge between these crosses the antimeridian, where output is cut. */
const longitude = fc.oneof(
  fc.double({ min: -85, max: 85, noNaN: true }),
  fc.integer({ min: -850_000_000, max: 850_000_000 }).map((value) => value / 1e7),
);
const latitude = fc.double({ min: -80, max: 80, noNaN: true });
const height = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer());
const plain = (value: number): number => (value === 0 ? 0 : value);

const position = (hasZ: boolean): fc.Arbitrary<Position> =>
  fc.tuple(longitude, latitude, height).map(([x, y, z]) => (hasZ ? [x, y, z] : [x, y]).map(plain));
const line = (hasZ: boolean): fc.Arbitrary<Position[]> =>
  fc.array(position(hasZ), { minLength: 2, maxLength: 5 });

/** A box in its own cell of the grid, so that the parts of a MultiPolygon are disjoint, with or without a hole. */
const box = (hasZ: boolean, cell: number): fc.Arbitrary<Position[][]> =>
  fc.tuple(fc.double({ min: 1, max: 9, noNaN: true }), fc.boolean(), height).map(([size, hasHole, z]) => {
    const ring = (from: number, to: number, isHole: boolean): Position[] => {
      const x = cell * 12;
      const corners = [
        [x + from, from],
        [x + to, from],
        [x + to, to],
        [x + from, to],
        [x + from, from],
      ];
      if (isHole) corners.reverse();
      return corners.map((corner) => (hasZ ? [...corner, plain(z)] : corner));
    };
    return hasHole ? [ring(0, size, false), ring(size / 4, size / 2, true)] : [ring(0, size, false)];
  });

const multiLine = (hasZ: boolean): fc.Arbitrary<Geometry> =>
  fc
    .array(line(hasZ), { minLength: 2, maxLength: 3 })
    .map((coordinates) => ({ type: 'MultiLineString', coordinates }));

const kinds = {
  point: (hasZ: boolean): fc.Arbitrary<Geometry> =>
    position(hasZ).map((coordinates) => ({ type: 'Point', coordinates })),
  line: (hasZ: boolean): fc.Arbitrary<Geometry> =>
    fc.oneof(
      line(hasZ).map((coordinates) => ({ type: 'LineString', coordinates })),
      multiLine(hasZ),
    ),
  polygon: (hasZ: boolean): fc.Arbitrary<Geometry> =>
    fc.oneof(
      box(hasZ, 0).map((coordinates) => ({ type: 'Polygon', coordinates })),
      fc.tuple(box(hasZ, 1), box(hasZ, 2)).map((coordinates) => ({ type: 'MultiPolygon', coordinates })),
    ),
} as const;

const anySimple = (hasZ: boolean): fc.Arbitrary<Geometry> =>
  fc.oneof(
    kinds.point(hasZ),
    kinds.line(hasZ),
    kinds.polygon(hasZ),
    fc
      .array(position(hasZ), { minLength: 1, maxLength: 3 })
      .map((coordinates) => ({ type: 'MultiPoint', coordinates })),
    fc
      .constantFrom('Point', 'LineString', 'Polygon', 'MultiPolygon')
      .map((type) => ({ type, coordinates: [] })),
  );

/** Each geometry has Z everywhere or nowhere; different geometries may differ. */
const anyGeometry: fc.Arbitrary<Geometry> = fc.boolean().chain((hasZ) =>
  fc.oneof(
    { weight: 4, arbitrary: anySimple(hasZ) },
    {
      weight: 1,
      arbitrary: fc
        .array(fc.oneof(kinds.point(hasZ), kinds.line(hasZ), kinds.polygon(hasZ)), {
          minLength: 1,
          maxLength: 3,
        })
        .map((geometries) => ({ type: 'GeometryCollection', geometries })),
    },
  ),
);

/** A leading letter prevents text from looking like a number, a date or a boolean, which CSV cannot distinguish. */
const text = fc
  .oneof(
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc.constantFrom('a,b', '"', '""', 'x\ny', 'x\r\ny', 'a;b|c\td', '007', 'ü'.repeat(100)),
  )
  .map((value) => `z${value}z`);
const day = fc
  .date({ min: new Date('1000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString());

/** JSON.stringify writes large doubles as integers; beyond 2^53 their digits are kept in a field of another type. */
const float = fc
  .oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer())
  .filter((value) => !Number.isInteger(value) || Number.isSafeInteger(value))
  .map(plain);

const scalars: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  whole: fc.integer(),
  wide: fc.integer({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER }),
  float,
  text,
  yes: fc.boolean(),
  day: day.map((value) => value.slice(0, 10)),
  instant: day,
};
const optional = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value, { freq: 3 });
const flatProperties: fc.Arbitrary<Properties> = fc.record(
  Object.fromEntries(Object.entries(scalars).map(([name, value]) => [name, optional(value)])),
);
const anyProperties: fc.Arbitrary<Properties> = fc
  .tuple(
    flatProperties,
    fc.record({ mixed: fc.jsonValue({ maxDepth: 3 }), empty: fc.constantFrom('', ' ', null) }),
  )
  .map(([flat, more]) => JSON.parse(JSON.stringify({ ...flat, ...more })) as Properties);

const featuresOf = (
  geometry: fc.Arbitrary<Geometry>,
  properties: fc.Arbitrary<Properties>,
): fc.Arbitrary<Feature[]> =>
  fc.array(
    fc.record({
      type: fc.constant('Feature' as const),
      properties,
      geometry: fc.option(geometry, { freq: 6 }),
    }),
    { minLength: 1, maxLength: 6 },
  );

// --- the way there and back -------------------------------------------------------------------------------------

async function thereAndBack(features: readonly Feature[], format: string): Promise<Feature[]> {
  using workspace = makeWorkspace();
  const given = join(workspace.path, 'given.geojson');
  writeFileSync(given, JSON.stringify({ type: 'FeatureCollection', features }));
  const there = await convertFile(given, workspace.path, {
    from: 'geojson',
    to: format,
    outputName: 'there',
    writeOptions: traitsOf(format).roundTrip.options ?? {},
  });
  const { written, dropped } = there.report.features;
  assert.equal(written + dropped, features.length);
  const back = await convertFile(there.outputPath, workspace.path, {
    from: format,
    to: 'geojson',
    fromCrs: statedCrs(format),
    readOptions: traitsOf(format).roundTrip.readOptions ?? {},
    outputName: 'back',
  });
  return (JSON.parse(readFileSync(back.outputPath, 'utf8')) as { features: Feature[] }).features;
}

/** A missing property equals null. */
function assertSameFeatures(found: readonly Feature[], expected: readonly Feature[]): void {
  assert.equal(found.length, expected.length);
  for (const [i, { properties, geometry, id }] of expected.entries()) {
    assert.deepEqual(found[i].geometry, geometry, `geometry of feature ${i + 1}`);
    for (const [name, value] of Object.entries(properties))
      assert.deepEqual(found[i].properties[name] ?? null, value, `${name} of feature ${i + 1}`);
    assert.deepEqual(found[i].id, id);
  }
}

/**
 * The features with the values of `mixed` of `expected` where they are the same as text: a format whose columns have one type writes
 * numbers, booleans and texts of one field as text.
 */
function typedMixed(found: readonly Feature[], expected: readonly Feature[]): Feature[] {
  return found.map((feature, i) => {
    const text = feature.properties.mixed;
    const value = expected[i]?.properties.mixed;
    if (typeof text !== 'string' || typeof value === 'object') return feature;
    const isSame = typeof value === 'number' ? Number(text) === value : String(value) === text;
    if (!isSame) return feature;
    return { ...feature, properties: { ...feature.properties, mixed: value } };
  });
}

/** Whether any part of it can be drawn. */
function hasPosition({ coordinates, geometries }: Geometry): boolean {
  return geometries?.some(hasPosition) ?? (Array.isArray(coordinates) && coordinates.length > 0);
}

const listOf = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T[]> =>
  fc.array(value, { minLength: 6, maxLength: 6 });

type Traits = FormatTraits['roundTrip'];

/** Ids that are preserved. */
const IDS: Readonly<Record<Traits['ids'], fc.Arbitrary<(number | string | undefined)[]>>> = {
  any: listOf(fc.option(fc.oneof(fc.integer(), fc.string()), { nil: undefined })),
  'integers and texts': listOf(fc.oneof(fc.maxSafeInteger(), text)),
  // A table is read in the order of its keys, so ids in any other order would reorder the features.
  'ascending integers': fc
    .uniqueArray(fc.maxSafeInteger(), { minLength: 6, maxLength: 6 })
    .map((ids) => ids.sort((a, b) => a - b)),
  none: fc.constant([]),
};

const PROPERTIES: Readonly<Record<Traits['properties'], fc.Arbitrary<Properties>>> = {
  any: anyProperties,
  flat: flatProperties,
  'flat without booleans': flatProperties.map((properties) =>
    Object.fromEntries(Object.entries(properties).filter(([, value]) => typeof value !== 'boolean')),
  ),
  'flat with local times': flatProperties.map(({ instant, ...properties }) => ({
    ...properties,
    instant: typeof instant === 'string' ? instant.replace(/(?:\.000)?Z$/, '') : instant,
  })),
  none: fc.constant({}),
};

const GEOMETRIES: Readonly<
  Record<Traits['geometries'], readonly (readonly [string, fc.Arbitrary<Geometry>])[]>
> = {
  any: [['geometries', anyGeometry]],
  drawn: [['geometries that can be drawn', anyGeometry]],
  'one kind': Object.entries(kinds).flatMap(([kind, geometry]) =>
    [false, true].map((hasZ) => [`${kind}s ${hasZ ? 'with' : 'without'} Z`, geometry(hasZ)] as const),
  ),
  flat: [
    [
      'geometries without Z',
      fc.oneof(
        ...Object.values(kinds).map((geometry) => geometry(false)),
        fc
          .array(position(false), { minLength: 1, maxLength: 3 })
          .map((coordinates) => ({ type: 'MultiPoint', coordinates })),
      ),
    ],
  ],
  'points and multi lines': [false, true].flatMap((hasZ) => [
    [`points ${hasZ ? 'with' : 'without'} Z`, kinds.point(hasZ)] as const,
    [`multi lines ${hasZ ? 'with' : 'without'} Z`, multiLine(hasZ)] as const,
  ]),
};

for (const { id: format } of inputFormats.filter(isOutputFormat)) {
  const { geometries, properties, ids } = traitsOf(format).roundTrip;
  for (const [what, geometry] of GEOMETRIES[geometries])
    test(`GeoJSON to ${format} and back keeps ${what}, properties (${properties}) and ids (${ids})`, async () => {
      const features = featuresOf(geometry, PROPERTIES[properties]);
      await fc.assert(
        fc.asyncProperty(features, IDS[ids], async (plainFeatures, list) => {
          const given = plainFeatures.map((feature, i) =>
            list[i] === undefined ? feature : { ...feature, id: list[i] },
          );
          const kept = given.filter(
            (feature) => !isDrawn(format) || (feature.geometry !== null && hasPosition(feature.geometry)),
          );
          const back = await thereAndBack(given, format);
          assertSameFeatures(recordOf(format).mixedValues === 'text' ? typedMixed(back, kept) : back, kept);
        }),
        { numRuns: geometries === 'any' || geometries === 'drawn' ? 60 : 20 },
      );
    });
}
