/** swap_xy: exchanges x and y. */
import type { Transformation } from '../transformation.ts';

export const swapXy: Transformation = {
  id: 'swap_xy',
  title: 'Swap x and y',
  group: 'coordinates',
  summary: 'Exchange the two coordinates of all positions.',
  description: `Exchanges x and y of every position, for files that have latitude before longitude, or northing before easting. Z, M,
attributes, ids and the order of features do not change. The rings of polygons change their direction; where a format prescribes one, it is written in that.`,
  parameters: { type: 'object', properties: {}, additionalProperties: false },
  guarantees: ['Twice swapped is unchanged.'],
  longitudes: 'as written',
  usesGeometries: 'needed',
  commandLine: {
    flag: 'swap-xy',
    placeholder: null,
    description: 'exchange x and y, for latitude before longitude',
    parameters: () => ({}),
  },
  load: async () =>
    (await import('../parts/move-positions.ts')).movingStep('order', () => (coordinates, at) => {
      const x = coordinates[at];
      coordinates[at] = coordinates[at + 1];
      coordinates[at + 1] = x;
    }),
};
