/** clip: keeps the parts of features inside a mask. */

import { maskFromText, maskParameter, maskSchema } from './parts/mask/mask-parameter.ts';
import type { Transformation } from './transformation.ts';

export const clip: Transformation = {
  id: 'clip',
  title: 'Clip',
  description: `Keeps the parts of features that are inside the polygons of \`clipping_geojson\`; several polygons are united. Features completely
inside are kept unchanged, features completely outside are dropped, and features on the border are cut. The result has the same
dimension as the feature: a polygon that only touches the border is dropped; a point on the border is inside. Each member of a
collection is clipped separately. The mask is transformed to the CRS of the data. Positions are inserted into its edges first, so that they
remain straight in longitude and latitude within 1 cm (less precisely for masks of continental size). The mask can cross the antimeridian. The part of a
mask that the CRS cannot represent is cut off. Attributes, ids and order do not change; features without geometry are kept.`,
  parameters: {
    type: 'object',
    properties: { clipping_geojson: maskSchema('Area to keep') },
    additionalProperties: false,
  },
  guarantees: [
    'A feature completely inside keeps exactly the same bytes, with Z and M, even if it is invalid.',
    'Cut features are valid. A feature that had to be repaired for that is counted, and so is an invalid mask.',
    'In cut features, new positions have interpolated Z, and M is dropped; both are reported.',
    'Features outside are counted. If no feature is left, the result is empty, with a warning.',
  ],
  commandLine: {
    flag: 'clip',
    placeholder: 'FILE',
    description: 'keep the parts inside the polygons of a GeoJSON file',
    parameters: (value, readText) => ({ clipping_geojson: maskFromText(readText(value), value, 'clip') }),
  },
  fileParameter: maskParameter('clipping_geojson'),
  load: async () => (await import('./parts/mask/mask-step.ts')).maskStep('clip', 'clipping_geojson'),
};
