/** limit: the first features of each layer. */
import type { Transformation } from '../transformation.ts';

const MAX_COUNT = Number.MAX_SAFE_INTEGER;

export const limit: Transformation = {
  id: 'limit',
  title: 'Limit',
  group: 'order',
  summary: 'Keep the first features.',
  description: `Keeps the first \`count\` features of each layer that the step gets, after skipping \`offset\` features. With \`sort\` before it, these are
the largest or the latest ones; \`sample\` keeps features from all over the layer. Geometries, attributes, ids and the order of the features
do not change.

If no step needs the features after the last one that is kept, the rest of a layer is not read, and the report says so (\`READING_STOPPED\`): errors
in the rest of the file are not found, and its features are not counted.

Memory: the features of the result, up to 40 MB; more are kept on disk.`,
  parameters: {
    type: 'object',
    properties: {
      count: {
        type: 'integer',
        minimum: 0,
        maximum: MAX_COUNT,
        description: 'Maximum number of features of each layer.',
        examples: [100],
      },
      offset: {
        type: 'integer',
        minimum: 0,
        maximum: MAX_COUNT,
        default: 0,
        description: 'Number of features to skip first.',
      },
    },
    required: ['count'],
    additionalProperties: false,
  },
  guarantees: [
    'The result has `count` features, or all features after `offset` if there are fewer.',
    'Features that are not in the result were counted as dropped, as far as they were read.',
  ],
  longitudes: 'as written',
  usesGeometries: 'never',
  commandLine: {
    flag: 'limit',
    placeholder: 'COUNT',
    description: 'only the first features of each layer: 100',
    parameters: (value) => ({ count: integerOf(value) }),
    modifiers: [
      {
        flag: 'offset',
        placeholder: 'COUNT',
        description: 'number of features to skip first',
        parameters: (value, before) => ({ ...before, offset: integerOf(value) }),
      },
    ],
  },
  load: async () => (await import('./code.ts')).code,
};

/** Other texts are refused by the schema, which says what is expected. */
function integerOf(value: string): number | string {
  return /^\s*\d+\s*$/.test(value) ? Number(value) : value;
}
