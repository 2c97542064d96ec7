/** Only what lies outside a mask. */

import { maskFromText, maskParameter, maskSchema } from './parts/mask/mask-parameter.ts';
import type { Transformation } from './transformation.ts';

export const erase: Transformation = {
  id: 'erase',
  title: 'Erase',
  description: `Removes what lies within the polygons of \`erasing_geojson\`, several of which are united: the opposite of clip.
Features wholly outside stay as they are, those wholly inside are left out, those on the border are cut there. A point on the
border is inside, and goes. The mask is brought into the CRS of the data as for clip. Attributes, ids and order stay; features
without a geometry stay.`,
  parameters: {
    type: 'object',
    properties: { erasing_geojson: maskSchema('What to remove') },
    additionalProperties: false,
  },
  guarantees: [
    'A feature that lies wholly outside, or only touches the border, is the same bytes as before, with Z and M, even where it is invalid.',
    'What was cut is valid; a feature that had to be repaired for that is counted, and so is an invalid mask.',
    'Where a feature was cut, new positions have interpolated Z, and M ends; both are told.',
    'Features that are gone are counted.',
  ],
  commandLine: {
    flag: 'erase',
    placeholder: 'FILE',
    description: 'remove what lies within the polygons of a GeoJSON file',
    parameters: (value, readText) => ({ erasing_geojson: maskFromText(readText(value), value, 'erase') }),
  },
  fileParameter: maskParameter('erasing_geojson'),
  load: async () => (await import('./parts/mask/mask-step.ts')).maskStep('erase', 'erasing_geojson'),
};
