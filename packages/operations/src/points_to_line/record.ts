/** points_to_line: points in their order as lines. */
import { fieldName, fieldNames } from '../parts/name-lists.ts';
import { parseOrders, sortOrders, splitAtCommas } from '../parts/sort-orders.ts';
import type { Transformation } from '../transformation.ts';

export const pointsToLine: Transformation = {
  id: 'points_to_line',
  title: 'Points to line',
  group: 'combine',
  summary: 'Connect points to lines, such as tracks.',
  mainParameters: ['by', 'order'],
  description: `Connects points to lines: one LineString for each combination of values in the fields of \`by\`, such as the id of a vehicle, through its points
in the order of \`order\`, such as the time. Without \`by\`, all points of a layer are one line; without \`order\`, they are in the order of the features. Null is a value too.

A line has the fields of \`by\`, and with \`count_field\` the number of its positions; other fields and ids are dropped. Lines are in the order of the values of \`by\`.
Z and M are kept. The positions of a MultiPoint follow each other. In longitudes, a line takes the short way, and is cut at 180 degrees.

A group with one position gives no line. Its point, and features that are not points, are dropped and counted.

Memory: about 200 MB and the longest line; more points are sorted in parts on disk.`,
  parameters: {
    type: 'object',
    properties: {
      by: {
        ...fieldNames,
        items: fieldName,
        default: [],
        description: 'Fields by whose values points are grouped; without fields, all points are one line.',
        examples: [['vehicle']],
      },
      order: {
        ...sortOrders,
        description:
          'Fields or expressions that give the order of the points, as in `sort`. Default: that of the features.',
        examples: [['time']],
      },
      count_field: {
        ...fieldName,
        description: 'Name of a new field with the number of positions. Default: no such field.',
      },
    },
    additionalProperties: false,
  },
  guarantees: [
    'Every result is a LineString with at least two positions.',
    'Positions are exactly those of the points; points that are equal in `order` keep their order.',
    'A name that is not a field is an error that lists the fields.',
  ],
  longitudes: 'own',
  usesGeometries: 'needed',
  commandLine: {
    flag: 'points-to-line',
    placeholder: 'FIELDS',
    description:
      "connect points with equal values in these fields to lines (vehicle,day; '' for all in one line)",
    parameters: (value) => ({ by: value.split(',').map((name) => name.trim()).filter((name) => name !== '') }), // biome-ignore format: one line
    modifiers: [
      {
        flag: 'order',
        placeholder: 'ORDER',
        description: 'order of the points of a line: "time", or as for --sort',
        parameters: (value, before) => ({ ...before, order: splitAtCommas(value) }),
      },
      {
        flag: 'count-field',
        placeholder: 'NAME',
        description: 'new field with the number of positions, or of features in a cell',
        parameters: (value, before) => ({ ...before, count_field: value }),
      },
    ],
  },
  check({ order }, path, totals) {
    if (order !== undefined) parseOrders(order as readonly string[], `${path}.order`, totals);
  },
  load: async () => (await import('./code.ts')).code,
};
