/** What every error is answered with (RFC 9457). */
import type { JsonSchema } from '../operation.ts';
import { closedObject, listOf, text } from './schema.ts';

export const problemSchemas: Readonly<Record<string, JsonSchema>> = {
  Problem: {
    ...closedObject(
      {
        type: {
          type: 'string',
          pattern: '^urn:geomill:error:[a-z0-9-]+$',
          description: 'Made from the code of the error; does not change.',
        },
        title: text('The code in words; the same for every occurrence.'),
        status: { type: 'integer', minimum: 400, maximum: 599, description: 'The HTTP status.' },
        detail: text('One sentence for a person: what is wrong, where, what to do.'),
        instance: text('Reference under which the cause of a 500 is logged.'),
        errors: listOf(
          closedObject({
            path: text('Where in the request, e.g. `input.epsg`.'),
            message: text('What is wrong there.'),
          }),
        ),
      },
      ['instance', 'errors'],
    ),
    description: 'Problem details (RFC 9457).',
  },
};
