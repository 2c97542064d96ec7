/** Only what lies within a mask. */

import { maskFromText, maskParameter, maskSchema } from './parts/mask/mask-parameter.ts';
import type { Transformation } from './transformation.ts';

export const clip: Transformation = {
  id: 'clip',
  title: 'Clip',
  description: `Keeps what lies within the polygons of \`clipping_geojson\`, several of which are united. Features wholly inside stay
as they are, those wholly outside are left out, those on the border are cut there. A result has the dimension of its feature:
a polygon that only touches the border leaves nothing; a point on the border is inside. Collections are clipped member by
member. The mask is brought into the CRS of the data with positions added, so that its edges run where they run between
longitudes and latitudes, to 1 cm (less for masks of continents); it may cross 180 degrees, and one that the CRS cannot show
as a whole is cut to what it can. Attributes, ids and order stay; features without a geometry stay.`,
  parameters: {
    type: 'object',
    properties: { clipping_geojson: maskSchema('What to keep') },
    additionalProperties: false,
  },
  guarantees: [
    'A feature that lies wholly inside is the same bytes as before, with Z and M, even where it is invalid.',
    'What was cut is valid; a feature that had to be repaired for that is counted, and so is an invalid mask.',
    'Where a feature was cut, new positions have interpolated Z, and M ends; both are told.',
    'Features outside are counted; when nothing is left the result is empty, with a warning.',
  ],
  commandLine: {
    flag: 'clip',
    placeholder: 'FILE',
    description: 'keep what lies within the polygons of a GeoJSON file',
    parameters: (value, readText) => ({ clipping_geojson: maskFromText(readText(value), value, 'clip') }),
  },
  fileParameter: maskParameter('clipping_geojson'),
  load: async () => (await import('./parts/mask/mask-step.ts')).maskStep('clip', 'clipping_geojson'),
};
