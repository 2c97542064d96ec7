/** sample: keeps a number of features, spread evenly over the layer. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { field, phrase } from '@geomill/core/messages/message.ts';
import { needsRows } from '@geomill/expressions/expression.ts';
import { parseExpression } from '@geomill/expressions/parse.ts';
import { fieldName } from '../parts/name-lists.ts';
import type { StepParameters, Transformation } from '../transformation.ts';

const MAX_COUNT = 1_000_000;
/** Steps after which a feature is still one of the source, with the fields of the source. */
const KEEP_SOURCE_FEATURES: ReadonlySet<string> = new Set(['filter', 'reproject']);

export const sample: Transformation = {
  id: 'sample',
  title: 'Sample',
  group: 'select',
  summary: 'Keep some features, spread evenly.',
  description: `Keeps \`count\` features of each layer, spread evenly over the features that the step gets: the first one, and then one after
each interval. Geometries, attributes, ids and the order of the features do not change. A layer with at most \`count\` features is not changed.

With \`row_field\`, each feature also gets the number that it has in its layer of the input, in a new integer field after all others. The steps before
can then only be filter and reproject.

If it is the first step (apart from filter and reproject), and the input is a GeoJSON, CSV, GeoPackage or Shapefile of at least 64 MB, only
evenly spaced parts of each layer are read, 1,500 of them, and the sample is taken from these: a sample of a file of 2 GB takes seconds. The parts
become larger if they have fewer than \`count\` features, up to the whole file. The report then counts the features that were read, and says so
(\`SAMPLED_FROM_PARTS\`). Errors in the rest of the file are not found, and \`row_field\` is null where the features before a part were not counted: in
GeoJSON and CSV. If anything in a part cannot be read, the whole file is read.

Memory: at most four times \`count\` features.`,
  parameters: {
    type: 'object',
    properties: {
      count: {
        type: 'integer',
        minimum: 1,
        maximum: MAX_COUNT,
        description: 'Maximum number of features of each layer.',
        examples: [20_000],
      },
      row_field: {
        ...fieldName,
        description:
          'Name of a new field, such as `_row`, with the number of the feature in its layer of the input, from 1 in the order of the file. Default: no such field.',
      },
    },
    required: ['count'],
    additionalProperties: false,
  },
  guarantees: [
    'The result has `count` features, or all features if there are fewer.',
    'It depends only on the features that the step gets and on `count`: the same input always gives the same features.',
    'No interval between two features is more than twice as long as another.',
    'Features that are not in the sample are counted as dropped.',
  ],
  longitudes: 'as written',
  usesGeometries: 'never',
  commandLine: {
    flag: 'sample',
    placeholder: 'COUNT',
    description: 'at most this many features of each layer, spread evenly over it: 20000',
    parameters: (value) => ({ count: /^\s*\d+\s*$/.test(value) ? Number(value) : value }),
    modifiers: [
      {
        flag: 'row-field',
        placeholder: 'NAME',
        description: 'new field with the number of the feature in its layer of the input, from 1',
        parameters: (value, before) => ({ ...before, row_field: value }),
      },
    ],
  },
  checkBefore({ row_field: rowField }, path, before) {
    if (rowField === undefined) return;
    const other = before.find(({ type, params }) => !KEEP_SOURCE_FEATURES.has(type) || countsRows(params));
    if (other === undefined) return;
    throw failure(generalErrors.TRANSFORMATION_INVALID, {
      path: field(`${path}.row_field`),
      reason: phrase`needs features as they are in the input, but ${other.type} comes before; move sample before it`,
    });
  },
  load: async () => (await import('./code.ts')).code,
};

/** Whether the condition of a filter uses the numbers of features, which are counted between two passes. */
function countsRows({ where }: StepParameters): boolean {
  return where !== undefined && needsRows(parseExpression(where, 'where'));
}
