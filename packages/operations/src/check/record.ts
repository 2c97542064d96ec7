/** check: reports invalid geometries, and changes none. */
import { fieldName } from '../parts/name-lists.ts';
import type { Transformation } from '../transformation.ts';

export const check: Transformation = {
  id: 'check',
  title: 'Check validity',
  group: 'check',
  summary: 'Report invalid geometries and keep them.',
  description: `Reports invalid geometries as \`GEOMETRY_INVALID\`, by reason: rings that cross themselves or each other, holes outside their shell, polygons that
overlap within one feature, positions that are not finite. Nothing is repaired or dropped; \`make_valid\` repairs what this step finds. With \`--findings\`, or
\`GET /v1/jobs/{id}/findings\`, the report lists the features with their places.

With \`valid_field\`, each feature gets true or false in a new field; with \`reason_field\`, the reason with the position where it was found,
such as \`Self-intersection at 12.5 48.1\`, or null for a valid geometry. Features without geometry get null in both. Geometries, other attributes, ids and the
order of features do not change.`,
  parameters: {
    type: 'object',
    properties: {
      valid_field: {
        ...fieldName,
        description: 'Name of a new field: whether the geometry is valid. Default: no such field.',
      },
      reason_field: {
        ...fieldName,
        description: 'Name of a new field: why and where the geometry is invalid. Default: no such field.',
      },
    },
    additionalProperties: false,
  },
  guarantees: [
    'Geometries do not change.',
    'A geometry is valid here if and only if `make_valid` does not change it.',
    'If a name is already that of a field, the job fails.',
  ],
  longitudes: 'own',
  usesGeometries: 'needed',
  commandLine: {
    flag: 'check',
    placeholder: null,
    description: 'report invalid geometries with their reasons; changes nothing',
    parameters: () => ({}),
    modifiers: [
      {
        flag: 'valid-field',
        placeholder: 'NAME',
        description: 'new field: whether the geometry is valid',
        parameters: (value, before) => ({ ...before, valid_field: value }),
      },
      {
        flag: 'reason-field',
        placeholder: 'NAME',
        description: 'new field: why and where the geometry is invalid',
        parameters: (value, before) => ({ ...before, reason_field: value }),
      },
    ],
  },
  load: async () => (await import('./code.ts')).code,
};
