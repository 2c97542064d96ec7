/** overlay: cuts features along the polygons of another source, with the attributes of both. */
import { prefix, sourceFieldModifiers, sourceFields } from '../parts/source/source-fields.ts';
import { featureParameter, fileForm, fileSchemas, SOURCE } from '../parts/source-file.ts';
import type { Transformation } from '../transformation.ts';

const WORDS = { part: SOURCE, noun: 'source', has: 'polygons, in any input format and CRS' } as const;

export const overlay: Transformation = {
  id: 'overlay',
  title: 'Overlay',
  group: 'combine',
  summary: 'Cut features along the polygons of another source.',
  mainParameters: ['how'],
  description: `Cuts features along the borders of the polygons of another source. Each piece has the attributes of its feature and those of the polygon
that it is in. \`intersection\` keeps the pieces inside of the polygons; \`identity\` keeps what is outside of all of them too, with null in the fields of the
source. \`union\` adds to these the parts of the polygons of the source that no feature covers: features of their own after all others of the layer, with null
in the fields of the features. \`symmetric_difference\` keeps what only one of both covers. A piece that is inside of several polygons, because they overlap, is there once for each. To remove what is inside, use \`erase\`; to cut without
attributes, use \`clip\`.

Pieces have the dimension of their feature: where a polygon merely touches another one, there is no piece. Points on a border of a polygon are inside of it. A feature
inside of one polygon keeps its geometry unchanged, with Z and M; where features are cut, Z is interpolated and M is dropped. A feature that is cut by a polygon to
several parts stays one feature with several parts. Of several features made of one, the first keeps the id. Features without geometry are kept by \`identity\` and
dropped by \`intersection\`. With \`union\` and \`symmetric_difference\`, each layer of the data is overlaid with the whole source, a feature of the source
without geometry is kept, too, and the parts of the source have no Z or M. Collections are an error; use \`explode\` first.

A source in another CRS is transformed to that of the data; positions are inserted into its edges first, so that they remain straight in their own CRS within 1 cm.
Geometries that cross 180 degrees of longitude are cut there. Pieces narrower than 1e-9 of the extent of the source (at least a thousandth of a
millimetre and at most a millimetre), as rounding leaves them along shared borders, are dropped and counted.

Memory: the geometries and the fields of the source that are used, at most 10 million positions, 320 MiB of attributes and 20 million features, once; in each thread the
indexes of at most 1 million positions of polygons that features meet, about 70 MB; with \`union\` and \`symmetric_difference\` also 16 MB of the polygons that cover the
source; more are kept on disk, and what they leave is found in all threads, in each for one 64th of the source at a time. What is left of one polygon of the source is held
by one thread, about 100 bytes for each of its positions. The features themselves are not held.`,
  parameters: {
    type: 'object',
    properties: {
      ...fileSchemas({ ...WORDS, what: 'The other source' }),
      how: {
        type: 'string',
        enum: ['intersection', 'identity', 'union', 'symmetric_difference'],
        default: 'intersection',
        description:
          '`intersection` keeps what is inside of polygons of the source; `identity` keeps all features; `union` adds what is left of the source; `symmetric_difference` keeps what is in one of both.',
      },
      fields: sourceFields('all'),
      prefix,
    },
    additionalProperties: false,
  },
  guarantees: [
    'The areas of the pieces of a feature add up to its area with `identity`, if the polygons of the source do not overlap, within the slivers that are counted.',
    'With polygons that do not overlap within either side, the area of `union` is that of both sides without that of `intersection`, and that of `symmetric_difference` is that of `union` without that of `intersection`.',
    'The output does not depend on the number of threads.',
    'A feature completely inside of a polygon keeps exactly the same bytes.',
    'Pieces are valid. A feature that had to be repaired for that is counted, as is a feature of which the repair leaves nothing, and which is dropped. Invalid polygons of the source are repaired and counted, too.',
  ],
  longitudes: 'own',
  usesGeometries: 'needed',
  commandLine: {
    ...fileForm('overlay', 'cut features along the polygons of a file, with the attributes of both', WORDS),
    modifiers: [
      {
        flag: 'how',
        placeholder: 'NAME',
        description:
          'intersection (the pieces inside), identity (also those outside), union (also the rest of the file) or symmetric_difference (all but the pieces inside)',
        parameters: (value, before) => ({ ...before, how: value }),
      },
      ...sourceFieldModifiers.filter(({ flag }) => flag !== 'count-field'),
      ...fileForm('overlay', '', WORDS).modifiers,
    ],
  },
  fileParameter: featureParameter('polygons'),
  needsMuchMemory: true,
  load: async () => (await import('./code.ts')).code,
};
