/** Coordinate reference systems as searches list them. */
import type { JsonSchema } from '@geomill/core/schemas/schema-check.ts';
import { closedObject, FLAG, listOf, nullable, ref, TEXT, text } from './schema.ts';

/** Number of results. */
export const DEFAULT_LIMIT = 20;

/** Query words, limit and unit, of both searches. */
export const WORDS: JsonSchema = { type: 'string', minLength: 1, maxLength: 200 };
export const LIMIT: JsonSchema = { type: 'integer', minimum: 1, maximum: 100, default: DEFAULT_LIMIT };
export const UNIT: JsonSchema = { type: 'string', minLength: 1, maxLength: 60, examples: ['metre'] };

const degrees: JsonSchema = { type: 'number', minimum: -180, maximum: 180 };
const degreeBox = { west: degrees, south: degrees, east: degrees, north: degrees };

const crsHit: Readonly<Record<string, JsonSchema>> = {
  code: text('Name for requests, e.g. `EPSG:25832`.'),
  name: TEXT,
  kind: { type: 'string', enum: ['projected', 'geographic', 'geographic_3d', 'compound'] },
  deprecated: { ...FLAG, description: 'Deprecated by EPSG; it can still be used.' },
  area: nullable(
    closedObject({ name: TEXT, ...degreeBox }),
    'Area of use in degrees; west > east if it crosses the antimeridian. Null if EPSG does not define it.',
  ),
  unit: text('Unit of the horizontal coordinates: `metre`, `degree`, `US survey foot`, ...'),
};

const numbers = (count: number, description: string, example: readonly number[]): JsonSchema => ({
  type: 'array',
  items: { type: 'number' },
  minItems: count,
  maxItems: count,
  description,
  examples: [example],
});

export const crsQuestionSchema: JsonSchema = {
  type: 'object',
  properties: {
    extent: numbers(
      4,
      'Smallest x, smallest y, largest x and largest y of the data, in the unknown system.',
      [2600000, 1199000, 2602000, 1201000],
    ),
    unit: { ...UNIT, description: 'Only systems with this unit.' },
    near: numbers(
      2,
      'Longitude and latitude in degrees, where the data should be: only systems that put it within 1000 km of this point, which must be in their area of use. The nearest come first.',
      [7.4, 46.9],
    ),
    bbox: numbers(
      4,
      'West, south, east and north in degrees: only systems that put at least a part of the extent into this box.',
      [5.9, 45.8, 10.5, 47.8],
    ),
    q: { ...WORDS, description: 'Only systems that a search with these words finds.' },
    limit: { ...LIMIT, description: 'Maximum number of results.' },
  },
  required: ['extent'],
  additionalProperties: false,
};

export const crsSchemas: Readonly<Record<string, JsonSchema>> = {
  CrsHit: closedObject(crsHit),
  CrsList: closedObject({ crs: listOf(ref('CrsHit'), 'Best match first.') }),
  CrsQuestion: crsQuestionSchema,
  SuggestedCrs: closedObject({
    ...crsHit,
    extent: {
      ...closedObject(degreeBox),
      description:
        'Where the extent would be, in degrees, exact to about 1 km; west > east if it crosses the antimeridian.',
    },
    swapped: { ...FLAG, description: 'The extent would be there only with x and y exchanged.' },
  }),
  CrsSuggestions: closedObject({
    crs: listOf(ref('SuggestedCrs'), 'Most likely first.'),
    may_be_local: {
      ...FLAG,
      description:
        'The coordinates are so small that they can be those of a plan whose position on the Earth is not known; its CRS is `local`.',
    },
  }),
};
