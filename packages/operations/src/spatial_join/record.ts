/** spatial_join: attributes of another source by location. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { field, phrase } from '@geomill/core/messages/message.ts';
import { aggregateModifier, aggregateParameter } from '../parts/aggregate.ts';
import { parseLength, unitsSchema } from '../parts/lengths.ts';
import { MAX_NAME_LENGTH } from '../parts/name-lists.ts';
import {
  countField,
  matchModifiers,
  prefix,
  sourceFieldModifiers,
  sourceFields,
} from '../parts/source/source-fields.ts';
import { featureParameter, fileForm, fileSchemas, SOURCE } from '../parts/source-file.ts';
import type { Transformation } from '../transformation.ts';

const WORDS = { part: SOURCE, noun: 'source', has: 'geometries, in any input format and CRS' } as const;

export const spatialJoin: Transformation = {
  id: 'spatial_join',
  title: 'Join by location',
  group: 'combine',
  summary: 'Add fields of features at the same place.',
  mainParameters: ['predicate'],
  description: `Adds the fields of another source to the features that intersect its features, or are within them, contain them, or are nearest to them.
\`{"predicate": "within"}\` gives points the fields of the polygon that they are in; \`{"predicate": "contains", "fields": [], "count_field": "n"}\`
counts in each polygon the features of the source, and \`aggregate\` sums up their values.

Predicates are those of OGC Simple Features, in the plane of the CRS in which the step works: a point on the border of a polygon intersects it, but is not within it. A
source in another CRS is transformed to that of the data; positions are inserted into its edges first, so that they remain straight in their own CRS within 1 cm.
Longitudes that differ by whole turns are the same for the test, so that features on both sides of 180 degrees meet. Invalid polygons are tested as repaired, and counted. \`nearest\` measures
in the plane, in a projected CRS; use \`reproject\` before it if the data has degrees.

Features without a match are kept, with null in the new fields, or dropped with \`"how": "inner"\`; their number and that of the features of the source without
a match are in the report. If several match, the feature gets the first in the order of the source (\`JOIN_FURTHER_MATCHES\` counts such features), or
there is one feature for each with \`"matches": "all"\`, or \`aggregate\` merges them.

A new field whose name is taken gets a number, which is reported; \`prefix\` puts a text before all their names. Geometries, with Z and M, order and the other
attributes do not change. Of several features made of one, the first keeps the id.

Memory: the geometries and the fields of the source that are used, at most 10 million positions, 320 MiB of attributes and 20 million features. The features
themselves are not held.`,
  parameters: {
    type: 'object',
    properties: {
      ...fileSchemas({ ...WORDS, what: 'The other source' }),
      predicate: {
        type: 'string',
        enum: ['intersects', 'within', 'contains', 'touches', 'crosses', 'overlaps', 'nearest'],
        default: 'intersects',
        description:
          'What a feature has to do to a feature of the source: it is `within` it, `contains` it, and so on.',
      },
      max_distance: {
        type: 'number',
        minimum: 0,
        description:
          'With `nearest`: features of the source farther away do not match; in `units`. Default: no limit.',
      },
      units: unitsSchema,
      distance_field: {
        type: 'string',
        minLength: 1,
        maxLength: MAX_NAME_LENGTH,
        description: 'With `nearest`: name of a new field with the distance in metres. Default: none.',
      },
      how: {
        type: 'string',
        enum: ['left', 'inner'],
        default: 'left',
        description: '`left` keeps features without a match, `inner` drops them.',
      },
      matches: {
        type: 'string',
        enum: ['first', 'all', 'aggregate'],
        description:
          'If several features of the source match: `first` takes the first, `all` makes a feature for each, `aggregate` merges their values. Default: `first`, or `aggregate` if there is an `aggregate`.',
      },
      aggregate: aggregateParameter,
      fields: sourceFields('all'),
      prefix,
      count_field: countField('features of the source that match'),
    },
    additionalProperties: false,
  },
  guarantees: [
    'With `left` and `first` or `aggregate`, features, their order, geometries and ids are those before the step.',
    'Features with a match and features without one add up to the features before the step; so do those of the source.',
    'Matches do not depend on the number of threads, and are those of GEOS for the same coordinates.',
  ],
  longitudes: 'own',
  usesGeometries: 'needed',
  commandLine: {
    ...fileForm(
      'spatial-join',
      'add the attributes of the features of another file that each feature intersects',
      WORDS,
    ),
    modifiers: [
      {
        flag: 'predicate',
        placeholder: 'NAME',
        description: 'intersects, within, contains, touches, crosses, overlaps or nearest',
        parameters: (value, before) => ({ ...before, predicate: value }),
      },
      {
        flag: 'max-distance',
        placeholder: 'DISTANCE',
        description: 'with nearest: the greatest distance, such as 500m',
        parameters: (value, before) => {
          const { length, units } = parseLength(value, 'max-distance');
          return { ...before, max_distance: length, units };
        },
      },
      {
        flag: 'distance-field',
        placeholder: 'NAME',
        description: 'with nearest: new field with the distance in metres',
        parameters: (value, before) => ({ ...before, distance_field: value }),
      },
      ...matchModifiers,
      ...sourceFieldModifiers,
      aggregateModifier,
      ...fileForm('spatial-join', '', WORDS).modifiers,
    ],
  },
  check({ predicate, max_distance: most, units, distance_field: distance, aggregate, matches }, path) {
    const invalid = (name: string, reason: string | ReturnType<typeof phrase>): Error =>
      failure(generalErrors.TRANSFORMATION_INVALID, { path: field(`${path}.${name}`), reason });
    const isNearest = predicate === 'nearest';
    if (most !== undefined && !isNearest)
      throw invalid('max_distance', phrase`is possible only with '${field(`${path}.predicate`)}' nearest`);
    if (distance !== undefined && !isNearest)
      throw invalid('distance_field', phrase`is possible only with '${field(`${path}.predicate`)}' nearest`);
    if (most !== undefined && units === undefined)
      throw invalid('units', phrase`is required with '${field(`${path}.max_distance`)}'`);
    if (aggregate !== undefined && matches !== undefined && matches !== 'aggregate')
      throw invalid(
        'aggregate',
        phrase`merges the features that match, but '${field(`${path}.matches`)}' is '${String(matches)}'; leave one of them out`,
      );
  },
  fileParameter: featureParameter('any'),
  load: async () => (await import('./code.ts')).code,
};
