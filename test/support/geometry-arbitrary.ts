/** Random geometries and batches for property tests. */
import fc from 'fast-check';
import { ColumnBuilder } from '../../packages/core/src/columns/attribute-column.ts';
import type { FeatureBatch } from '../../packages/core/src/columns/feature-batch.ts';
import type { Field, FieldType } from '../../packages/core/src/columns/schema.ts';
import {
  type Dimensions,
  dimensionsOf,
  GEOMETRY_TYPE,
  GeometryBuilder,
  type GeometryColumn,
  hasM,
  hasZ,
  PART_KIND,
  PART_MULTI_FIRST,
  PART_MULTI_NEXT,
} from '../../packages/core/src/geometry/geometry-column.ts';

export type Position = readonly [x: number, y: number, z: number, m: number];
/** Rings of one part: a point has one ring of one position, a line one ring, a polygon a shell and holes. */
export type Part = readonly (readonly Position[])[];
/** A point, line or polygon (`parts` has one part or none), or its multi form. */
export interface Simple {
  readonly kind: 1 | 2 | 3;
  readonly isMulti: boolean;
  readonly parts: readonly Part[];
}
/** `ordinates` selects the numbers of a position that are used. `null` geometry: none. */
export interface Geometry {
  readonly ordinates: Dimensions;
  readonly shape: Simple | { readonly members: readonly Simple[] } | null;
}

/** Neither NaN nor infinite nor -0, which text formats cannot distinguish from 0. */
const ordinate = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value)),
  fc.integer({ min: -1_800_000_000, max: 1_800_000_000 }).map((value) => (value === 0 ? 0 : value / 1e7)),
  fc.integer({ min: -180, max: 180 }).map((value) => (value === 0 ? 0 : value)),
);
const position: fc.Arbitrary<Position> = fc.tuple(ordinate, ordinate, ordinate, ordinate);
const ring = fc
  .array(position, { minLength: 3, maxLength: 6 })
  .map((positions): Position[] => [...positions, positions[0]]);
const parts = {
  1: position.map((only): Part => [[only]]),
  2: fc.array(position, { minLength: 2, maxLength: 6 }).map((line): Part => [line]),
  3: fc.array(ring, { minLength: 1, maxLength: 3 }),
} as const;

/** Single or multi, possibly empty. */
export function simpleArbitrary(kind: Simple['kind']): fc.Arbitrary<Simple> {
  return fc
    .boolean()
    .chain((isMulti) =>
      fc
        .array(parts[kind] as fc.Arbitrary<Part>, { maxLength: isMulti ? 3 : 1 })
        .map((list): Simple => ({ kind, isMulti, parts: list })),
    );
}

const simple = fc.constantFrom<Simple['kind'][]>(1, 2, 3).chain(simpleArbitrary);

const ordinates = fc.tuple(fc.boolean(), fc.boolean()).map(([z, m]) => dimensionsOf(z, m));

export const geometryArbitrary: fc.Arbitrary<Geometry> = fc.record({
  ordinates,
  shape: fc.oneof(
    { weight: 1, arbitrary: fc.constant(null) },
    { weight: 6, arbitrary: simple },
    { weight: 3, arbitrary: fc.array(simple, { maxLength: 4 }).map((members) => ({ members })) },
  ),
});

export const geometriesArbitrary = fc.array(geometryArbitrary, { maxLength: 8 });

/** The geometries as a column with the union of their ordinates. */
export function geometryColumn(geometries: readonly Geometry[]): GeometryColumn {
  const builder = new GeometryBuilder();
  for (const { ordinates: own, shape } of geometries) if (shape !== null) builder.widen(own);
  for (const { ordinates: own, shape } of geometries) {
    if (shape === null) builder.endFeature(GEOMETRY_TYPE.none);
    else if ('members' in shape) {
      for (const member of shape.members) appendSimple(builder, member, own, true);
      builder.endFeature(GEOMETRY_TYPE.geometryCollection);
    } else {
      appendSimple(builder, shape, own, false);
      builder.endFeature(shape.isMulti ? shape.kind + 3 : shape.kind);
    }
  }
  return builder.finish();
}

function appendSimple(builder: GeometryBuilder, shape: Simple, own: Dimensions, isMember: boolean): void {
  shape.parts.forEach((part, index) => {
    for (const positions of part) {
      for (const [x, y, z, m] of positions)
        builder.position(x, y, hasZ(own) ? z : Number.NaN, hasM(own) ? m : Number.NaN);
      builder.endRing();
    }
    const marks = !isMember || !shape.isMulti ? 0 : index === 0 ? PART_MULTI_FIRST : PART_MULTI_NEXT;
    builder.endPart(PART_KIND[KIND_NAMES[shape.kind]] | marks);
  });
  if (isMember && shape.parts.length === 0)
    builder.endPart(shape.kind | (shape.isMulti ? PART_MULTI_FIRST : 0));
}

const KIND_NAMES = { 1: 'point', 2: 'line', 3: 'polygon' } as const;

// --- attributes -------------------------------------------------------------------------------------------------

type Value = boolean | number | bigint | string | null;

/** Text that is difficult for text formats: quotes, delimiters, line ends, blanks at the ends, other scripts. */
export const textArbitrary = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom(
    '',
    ' ',
    ' a ',
    '"',
    '""',
    'a,b',
    'a;b',
    'a\tb',
    'a|b',
    'a\nb',
    'a\r\nb',
    "it's",
    '007',
    'null',
  ),
);

const values: Readonly<Record<Exclude<FieldType, 'binary'>, fc.Arbitrary<Value>>> = {
  boolean: fc.boolean(),
  int32: fc.integer(),
  int64: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  float64: ordinate,
  string: textArbitrary,
  date: fc
    .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10)),
  datetime: fc
    .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString()),
  // A JSON null would be a null of the column.
  json: fc
    .jsonValue({ maxDepth: 2 })
    .filter((value) => value !== null)
    .map((value) => JSON.stringify(value)),
};

/** Batches with up to four fields of any type except binary, some values null, without ids. */
export const batchArbitrary: fc.Arbitrary<FeatureBatch> = fc
  .tuple(
    fc.uniqueArray(fc.constantFrom(...(Object.keys(values) as Exclude<FieldType, 'binary'>[])), {
      maxLength: 4,
    }),
    geometriesArbitrary,
  )
  .chain(([types, geometries]) =>
    fc
      .tuple(
        ...types.map((type) =>
          fc.array(fc.option(values[type], { freq: 4 }), {
            minLength: geometries.length,
            maxLength: geometries.length,
          }),
        ),
      )
      .map((columns) => batchOf(types, columns as Value[][], geometries)),
  );

function batchOf(
  types: readonly FieldType[],
  columns: readonly (readonly Value[])[],
  geometries: readonly Geometry[],
): FeatureBatch {
  const fields: Field[] = types.map((type) => ({ name: `f_${type}`, type }));
  return {
    rowCount: geometries.length,
    geometry: geometryColumn(geometries),
    fields,
    columns: columns.map((column, i) => {
      const builder = new ColumnBuilder(types[i]);
      for (const value of column) {
        if (value === null) builder.appendNull();
        else if (typeof value === 'string') builder.appendText(value);
        else if (typeof value === 'bigint') builder.appendBigInt(value);
        else builder.appendNumber(Number(value));
      }
      return builder.finish();
    }),
    ids: null,
  };
}
