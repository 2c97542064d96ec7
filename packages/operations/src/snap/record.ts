/** snap: positions on a grid. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { field } from '@geomill/core/messages/message.ts';
import { METERS_PER_UNIT, parseSize, UNITS_OF_CRS } from '../parts/lengths.ts';
import type { Transformation } from '../transformation.ts';

export const snap: Transformation = {
  id: 'snap',
  title: 'Snap to a grid',
  group: 'coordinates',
  summary: 'Round coordinates to a grid.',
  description: `Moves every position to the nearest point of a grid through the origin of the CRS, for each axis separately: the same position always gets the
same place, so common borders stay common. \`units\` is a unit of length, or \`crs\` for the unit of the axes: \`{"size": 0.001, "units": "crs"}\` keeps three
decimals. In a geographic CRS, a length is converted with the length of the longest degree.

Positions that repeat the one before them are removed. Lines that become one position, rings that lose their area by having fewer than three different
positions, and parts without a shell are dropped (\`PARTS_COLLAPSED\`); features of which nothing is left are dropped and counted (\`GEOMETRY_DROPPED\`). A
polygon narrower than the grid can become invalid: \`make_valid\` repairs it. Points that become equal stay; \`distinct\` finds them. Z, M, attributes, ids
and the order of features do not change.`,
  parameters: {
    type: 'object',
    properties: {
      size: {
        type: 'number',
        exclusiveMinimum: 0,
        description: 'Distance between grid points, in `units`.',
        examples: [0.01],
      },
      units: {
        type: 'string',
        enum: [...Object.keys(METERS_PER_UNIT), UNITS_OF_CRS],
        description: 'Unit of the size; feet are 0.3048 m, miles 1609.344 m, crs is the unit of the axes.',
      },
    },
    required: ['size', 'units'],
    additionalProperties: false,
  },
  guarantees: [
    'Every position is on the grid, within the precision of 64-bit floats, and moved by at most half of `size` along each axis.',
    'Applied to its own result, it changes nothing.',
  ],
  longitudes: 'edges',
  usesGeometries: 'needed',
  commandLine: {
    flag: 'snap',
    placeholder: 'SIZE',
    description: 'move positions to a grid: 1m, 10ft, or 0.001 in units of the CRS',
    parameters: (value) => parseSize(value, 'snap'),
  },
  check({ size }, path) {
    if (Number.isFinite(1 / (size as number))) return;
    throw failure(generalErrors.TRANSFORMATION_INVALID, {
      path: field(`${path}.size`),
      reason: 'is too small',
    });
  },
  load: async () => (await import('./code.ts')).code,
};
