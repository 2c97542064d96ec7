/** lines_to_polygons: closed lines, or the faces of a network of lines, as polygons. */
import type { Transformation } from '../transformation.ts';

export const linesToPolygons: Transformation = {
  id: 'lines_to_polygons',
  title: 'Lines to polygons',
  group: 'shape',
  summary: 'Make areas of closed lines.',
  mainParameters: ['method'],
  description: `With the method \`features\`, each closed LineString becomes a Polygon, and a MultiLineString whose lines are all closed becomes the area that they enclose:
lines inside others are holes. Lines that are not closed, points and polygons do not change; open lines are counted (\`LINE_NOT_CLOSED\`). Attributes, ids and
the order of features do not change. Z is kept, M only in a Polygon of one line.

With the method \`network\`, all lines of a layer are taken together and cut where they cross; each face between them becomes a Polygon without
attributes and ids. Lines that bound no face, such as dead ends, are counted (\`EDGES_WITHOUT_FACE\`), and so are features that are not lines (\`GEOMETRY_DROPPED\`). New
positions have interpolated Z; M is dropped.

Memory: for \`features\`, little; for \`network\`, all lines of a layer several times.`,
  parameters: {
    type: 'object',
    properties: {
      method: {
        type: 'string',
        enum: ['features', 'network'],
        default: 'features',
        description: 'features: each feature alone. network: all lines of a layer together.',
      },
    },
    additionalProperties: false,
  },
  guarantees: [
    'With `features`, the ring of a Polygon has the positions of its line.',
    'With `network`, polygons are valid and do not overlap.',
  ],
  longitudes: 'edges',
  usesGeometries: 'needed',
  commandLine: {
    flag: 'lines-to-polygons',
    placeholder: null,
    description: 'polygons of closed lines',
    parameters: () => ({}),
    modifiers: [
      {
        flag: 'network',
        placeholder: null,
        description: 'polygons of all faces between the lines of a layer',
        parameters: (_, before) => ({ ...before, method: 'network' }),
      },
    ],
  },
  load: async () => (await import('./code.ts')).code,
};
