/** rename: new names for fields. On the command line, `--rename` makes a step of select. */
import { byFieldName, fieldName } from '../parts/name-lists.ts';
import { checkNewNames } from '../parts/new-names.ts';
import type { Transformation } from '../transformation.ts';

export const rename: Transformation = {
  id: 'rename',
  title: 'Rename fields',
  group: 'attributes',
  summary: 'Give fields new names.',
  description: `Gives fields new names; all other fields are kept. The same as \`select\` with \`rename\` alone. On the command line: \`--rename OLD=NEW\`.`,
  parameters: {
    type: 'object',
    properties: {
      fields: {
        ...byFieldName,
        minProperties: 1,
        additionalProperties: fieldName,
        description: 'New names of fields by their old names.',
        examples: [{ POP_EST: 'inhabitants' }],
      },
    },
    required: ['fields'],
    additionalProperties: false,
  },
  guarantees: [
    'Values, types and order of the fields do not change.',
    'A name that is not a field is an error that lists the fields. Two fields never get the same name.',
  ],
  longitudes: 'as written',
  usesGeometries: 'never',
  commandLine: null,
  check: ({ fields }, path) => checkNewNames(fields as Readonly<Record<string, string>>, `${path}.fields`),
  load: async () =>
    (await import('../parts/choose-fields.ts')).selecting(({ fields }) => ({ rename: fields })),
};
