/** erase: keeps the parts of features outside a mask. */
import { maskForm, maskParameter, maskSchemas } from '../parts/mask/mask-parameter.ts';
import type { Transformation } from '../transformation.ts';

export const erase: Transformation = {
  id: 'erase',
  title: 'Erase',
  group: 'combine',
  summary: 'Remove what is inside an area.',
  description: `Removes the parts of features that are inside the polygons of a mask. The mask is \`erasing_geojson\` or a file; several polygons are united. This is the opposite of clip.
Features completely outside are kept unchanged, features completely inside are dropped, and features on the border are cut. A point on the
border is inside, so it is dropped. The mask is transformed to the CRS of the data, and slivers are dropped, as for clip. Attributes, ids and order do not change;
features without geometry are kept.`,
  parameters: {
    type: 'object',
    properties: maskSchemas('erasing_geojson', 'Area to remove'),
    additionalProperties: false,
  },
  guarantees: [
    'A feature that is completely outside, or only touches the border, keeps exactly the same bytes, with Z and M, even if it is invalid.',
    'Cut features are valid. A feature that had to be repaired for that is counted; an invalid mask is repaired, and reported with the place.',
    'In cut features, new positions have interpolated Z, and M is dropped; both are reported.',
    'Dropped features are counted.',
  ],
  longitudes: 'edges',
  usesGeometries: 'needed',
  commandLine: maskForm('erase', 'remove'),
  fileParameter: maskParameter('erasing_geojson'),
  load: async () => (await import('../parts/mask/mask-step.ts')).maskStep('erase', 'erasing_geojson'),
};
