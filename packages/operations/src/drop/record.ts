/** drop: removes fields. On the command line, `--drop` makes a step of select. */
import { fieldNames } from '../parts/name-lists.ts';
import type { Transformation } from '../transformation.ts';

export const drop: Transformation = {
  id: 'drop',
  title: 'Drop fields',
  group: 'attributes',
  summary: 'Remove some fields.',
  description: `Removes fields; all others are kept in their order. The same as \`select\` with \`drop\` alone. On the command line: \`--drop FIELDS\`.`,
  parameters: {
    type: 'object',
    properties: {
      fields: { ...fieldNames, minItems: 1, description: 'Fields to remove.', examples: [['shape_area']] },
    },
    required: ['fields'],
    additionalProperties: false,
  },
  guarantees: [
    'Values and types of the other fields do not change.',
    'A name that is not a field is an error that lists the fields.',
  ],
  longitudes: 'as written',
  usesGeometries: 'never',
  commandLine: null,
  load: async () => (await import('../parts/choose-fields.ts')).selecting(({ fields }) => ({ drop: fields })),
};
