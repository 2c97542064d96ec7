/** The body of all errors (RFC 9457). */
import type { JsonSchema } from '@geomill/core/schemas/schema-check.ts';
import { checkNames } from '../../jobs/readiness.ts';
import { closedObject, listOf, text } from './schema.ts';

/** A member of problems and of errors of jobs. */
export const SUGGESTIONS: JsonSchema = {
  ...listOf(closedObject({ crs: text('As requests name it: `EPSG:27700`.'), name: text('Its name.') })),
  description: 'Coordinate reference systems that fit the coordinates of the input, most likely first.',
};

/** A member of problems and of errors of jobs. */
export const FIXES: JsonSchema = {
  ...listOf(
    closedObject({
      path: text('Location in the config, e.g. `csv_options.on_error`.'),
      value: { type: ['string', 'boolean'], description: 'Value to set there.' },
    }),
  ),
  description:
    'Values that the message proposes for the config, alternatives to each other: with one of them, the request may succeed.',
};

const CHECKS: JsonSchema = {
  ...listOf(
    closedObject({
      name: { enum: checkNames },
      since: { type: 'string', format: 'date-time', description: 'When it was first seen to fail.' },
      reason: text('What is wrong.'),
      action: text('What the operator can do.'),
    }),
  ),
  description: 'Only of `/readyz`: the checks that fail.',
};

export const problemSchemas: Readonly<Record<string, JsonSchema>> = {
  Problem: {
    ...closedObject(
      {
        type: {
          type: 'string',
          pattern: '^urn:geomill:error:[a-z0-9-]+$',
          description: 'Derived from the error code; stable.',
        },
        title: text('The error code in words; the same for every occurrence.'),
        status: { type: 'integer', minimum: 400, maximum: 599, description: 'The HTTP status.' },
        detail: text('One sentence: what is wrong, where, and what to do.'),
        instance: text('Reference of the log entry of a 500.'),
        errors: listOf(
          closedObject({
            path: text('Location in the request, e.g. `input.epsg`.'),
            message: text('What is wrong there.'),
          }),
        ),
        suggestions: SUGGESTIONS,
        fixes: FIXES,
        checks: CHECKS,
      },
      ['instance', 'errors', 'suggestions', 'fixes', 'checks'],
    ),
    description: 'Problem details (RFC 9457).',
  },
};
