/** grid: cells over the extent of a layer, with what is in them. */
import { METERS_PER_UNIT, parseSize, UNITS_OF_CRS } from '../parts/lengths.ts';
import { byFieldName, fieldName } from '../parts/name-lists.ts';
import type { Transformation } from '../transformation.ts';

export const MAX_CELLS = 1_000_000;

export const grid: Transformation = {
  id: 'grid',
  title: 'Grid of cells',
  group: 'combine',
  summary: 'Count features in square or hexagonal cells.',
  mainParameters: ['shape'],
  description: `Replaces the features of each layer by square or hexagonal cells over their extent, each with the number of features in it. A feature is in the cell
that contains the centre of its bounds; on a common border, it is in exactly one of the cells. Use \`centroid\` or \`point_on_surface\` before for another
place. Features without positions are in no cell, and are counted as dropped (\`GEOMETRY_DROPPED\`).

\`aggregate\` adds a field for a number of the features in a cell: \`{"pop": "sum"}\` gives \`sum_pop\`. Features without a value are left out; a cell without values has
null. All other fields and ids are dropped.

Corners of squares are at multiples of the size, and hexagons have their centres on a grid through the origin of the CRS, so that grids of several layers fit together. \`units\` is a
unit of length, or \`crs\` for the unit of the axes. In a geographic CRS, a length is converted with the length of the longest degree, and
cells get narrower towards the poles; reproject first for cells of equal size.

In longitudes, the grid is over the extent without the largest gap, so that features on both sides of 180 degrees give cells there and not around
the Earth. If 360 degrees are a multiple of the size, cells continue over 180 degrees; a cell that crosses it is cut there.

Memory: 100 bytes for each cell; twice that in degrees if 360 is no multiple of the size.`,
  parameters: {
    type: 'object',
    properties: {
      size: {
        type: 'number',
        exclusiveMinimum: 0,
        description: 'Width of a cell, in `units`: of a hexagon between opposite sides.',
        examples: [1000],
      },
      units: {
        type: 'string',
        enum: [...Object.keys(METERS_PER_UNIT), UNITS_OF_CRS],
        description: 'Unit of the size; feet are 0.3048 m, miles 1609.344 m, crs is the unit of the axes.',
      },
      shape: {
        type: 'string',
        enum: ['square', 'hex'],
        default: 'square',
        description: 'Shape of the cells; two sides of a hexagon are parallel to the y axis.',
      },
      empty: {
        type: 'boolean',
        default: true,
        description: 'Make cells without features, too.',
      },
      count_field: {
        ...fieldName,
        default: 'count',
        description: 'Name of the field with the number of features.',
      },
      aggregate: {
        ...byFieldName,
        additionalProperties: { type: 'string', enum: ['sum', 'mean', 'min', 'max'] },
        description: 'Functions for numeric fields, by the names of the fields.',
      },
    },
    required: ['size', 'units'],
    additionalProperties: false,
  },
  guarantees: [
    'Cells do not overlap, and neighbours have exactly the same corners.',
    'The counts of all cells add up to the number of features with positions.',
    `More than ${MAX_CELLS} cells are an error that says which size would do.`,
  ],
  longitudes: 'own',
  usesGeometries: 'needed',
  commandLine: {
    flag: 'grid',
    placeholder: 'SIZE',
    description: 'count features in square cells: 1km, 500ft, or 0.1 in units of the CRS',
    parameters: (value) => parseSize(value, 'grid'),
    modifiers: [
      {
        flag: 'hex',
        placeholder: null,
        description: 'hexagonal cells',
        parameters: (_, before) => ({ ...before, shape: 'hex' }),
      },
    ],
  },
  load: async () => (await import('./code.ts')).code,
};
