/** cast: other types for fields. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { byFieldName } from '../parts/name-lists.ts';
import type { Transformation } from '../transformation.ts';

/** Types of the request, by their names. */
export const CAST_TYPES = {
  integer: 'int64',
  number: 'float64',
  text: 'string',
  boolean: 'boolean',
  date: 'date',
  datetime: 'datetime',
  json: 'json',
} as const;

export const cast: Transformation = {
  id: 'cast',
  title: 'Change field types',
  group: 'attributes',
  summary: 'Turn texts into numbers or dates, and back.',
  description: `Converts the values of fields to another type: \`integer\` (64 bits), \`number\` (64-bit float), \`text\`, \`boolean\`, \`date\`, \`datetime\` or
\`json\`. Every value is converted exactly, or becomes null and is counted: the text \`12.50\` as a number is 12.5, as an integer it is null. Texts are
true or false if they are \`true\`, \`false\`, \`yes\`, \`no\`, \`1\` or \`0\`; dates have to be written as \`2020-01-31\`. Blank texts become null and are not counted.
To round numbers, use \`calculate\` with \`round\`. Geometries, ids and the order of features and fields do not change.`,
  parameters: {
    type: 'object',
    properties: {
      fields: {
        ...byFieldName,
        minProperties: 1,
        additionalProperties: { type: 'string', enum: Object.keys(CAST_TYPES) },
        description: 'Types by the names of the fields.',
        examples: [{ pop: 'integer' }],
      },
    },
    required: ['fields'],
    additionalProperties: false,
  },
  guarantees: [
    'A value is never rounded or cut: it is converted exactly, or it is null and counted (VALUE_NOT_CAST).',
    'A name that is not a field is an error that lists the fields.',
  ],
  longitudes: 'as written',
  usesGeometries: 'never',
  commandLine: {
    flag: 'cast',
    placeholder: 'FIELD=TYPE',
    description: `another type for a field, such as pop=integer; types: ${Object.keys(CAST_TYPES).join(', ')}`,
    parameters: (value) => {
      const at = value.lastIndexOf('=');
      if (at < 1) {
        const detail = `--cast '${value}' is not a field with a type; write FIELD=TYPE, such as pop=integer`;
        throw failure(generalErrors.USAGE, { detail });
      }
      return { fields: { [value.slice(0, at).trim()]: value.slice(at + 1).trim() } };
    },
  },
  load: async () => (await import('./code.ts')).code,
};
