/** clip: keeps the parts of features inside a mask. */
import { maskForm, maskParameter, maskSchemas } from '../parts/mask/mask-parameter.ts';
import type { Transformation } from '../transformation.ts';

export const clip: Transformation = {
  id: 'clip',
  title: 'Clip',
  group: 'combine',
  summary: 'Keep what is inside an area.',
  description: `Keeps the parts of features that are inside the polygons of a mask. The mask is \`clipping_geojson\` or a file; several polygons are united. Features completely
inside are kept unchanged, features completely outside are dropped, and features on the border are cut. The result has the same
dimension as the feature: a polygon that only touches the border is dropped; a point on the border is inside. Each member of a
collection is clipped separately. A mask in another CRS is transformed to that of the data. Positions are inserted into its edges first, so that they
remain straight in the CRS of the mask within 1 cm (less precisely for masks of continental size). The mask can cross the antimeridian. The part of a
mask that the CRS cannot represent is cut off. Attributes, ids and order do not change; features without geometry are kept.

Where features and mask share a border, no slivers are left: pieces narrower than 1e-9 of the extent of the mask (at least a thousandth of a
millimetre and at most a millimetre) are dropped and counted, and a feature that would lose only such pieces is kept unchanged.`,
  parameters: {
    type: 'object',
    properties: maskSchemas('clipping_geojson', 'Area to keep'),
    additionalProperties: false,
  },
  guarantees: [
    'A feature completely inside keeps exactly the same bytes, with Z and M, even if it is invalid; one across 180 degrees is cut there.',
    'Cut features are valid. A feature that had to be repaired for that is counted; an invalid mask is repaired, and reported with the place.',
    'In cut features, new positions have interpolated Z, and M is dropped; both are reported.',
    'Features outside are counted. If no feature is left, the result is empty, with a warning.',
  ],
  longitudes: 'edges',
  usesGeometries: 'needed',
  commandLine: maskForm('clip', 'keep'),
  fileParameter: maskParameter('clipping_geojson'),
  load: async () => (await import('../parts/mask/mask-step.ts')).maskStep('clip', 'clipping_geojson'),
};
