/** distinct: drops features that repeat an earlier one. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { field } from '@geomill/core/messages/message.ts';
import { fieldName, fieldNames } from '../parts/name-lists.ts';
import type { Transformation } from '../transformation.ts';

/** On the command line. */
const ALL = '*';
const GEOMETRY = 'geometry';

export const distinct: Transformation = {
  id: 'distinct',
  title: 'Drop duplicates',
  group: 'select',
  summary: 'Keep the first of equal features.',
  mainParameters: ['by'],
  description: `Keeps the first feature of those that are equal, and drops and counts the others (\`DUPLICATES_DROPPED\`). By default, features are equal if they have
the same geometry and the same values in all fields. With \`by\`, only these fields are compared; \`geometry\` compares the geometries too, and
\`{"by": [], "geometry": true}\` compares nothing else. Ids are not compared.

Null equals null. Numbers are equal by value, texts, dates and times by their characters. Geometries are equal if they have the same type and the same
positions in the same order, with Z and M; the same ring with another first position is a different geometry. Use \`snap\` before to find positions that are almost
equal, and \`dissolve\` to merge values instead of dropping them.

Memory: 32 to 64 bytes for each feature that is kept, plus 40 MB; features beyond that are kept on disk.`,
  parameters: {
    type: 'object',
    properties: {
      by: {
        ...fieldNames,
        items: fieldName,
        description: 'Fields to compare. Default: all.',
        examples: [['name']],
      },
      geometry: {
        type: 'boolean',
        description: 'Compare the geometries, too. Default: yes, unless `by` is given.',
      },
    },
    additionalProperties: false,
  },
  guarantees: [
    'Features that are kept do not change, nor does their order.',
    'Applied to its own result, it drops nothing.',
    'A name that is not a field is an error that lists the fields.',
    'Features are compared by 128 bits of a SHA-256 of their values: the chance of a wrong match is less than 1 in 10^24 for a million features.',
  ],
  longitudes: 'as written',
  usesGeometries: 'if any',
  commandLine: {
    flag: 'distinct',
    placeholder: 'FIELDS',
    description:
      "drop features that repeat an earlier one in these fields: name,zone; 'geometry' compares geometries, '*' everything",
    parameters: (value) => {
      const names = value
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== '');
      if (names.includes(ALL)) return {};
      const by = names.filter((name) => name !== GEOMETRY);
      return by.length === names.length ? { by } : { by, geometry: true };
    },
  },
  check({ by, geometry }, path) {
    if (by === undefined || (by as readonly string[]).length > 0 || geometry === true) return;
    throw failure(generalErrors.TRANSFORMATION_INVALID, {
      path: field(`${path}.by`),
      reason: 'compares nothing; name fields, or compare the geometry',
    });
  },
  load: async () => (await import('./code.ts')).code,
};
