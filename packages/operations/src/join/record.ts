/** join: attributes of another source by key. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { field, phrase } from '@geomill/core/messages/message.ts';
import { aggregateModifier, aggregateParameter } from '../parts/aggregate.ts';
import { fieldName, fieldNames } from '../parts/name-lists.ts';
import {
  countField,
  matchModifiers,
  prefix,
  sourceFieldModifiers,
  sourceFields,
} from '../parts/source/source-fields.ts';
import { fileForm, fileReader, fileSchemas, SOURCE } from '../parts/source-file.ts';
import type { CommandLineModifier, Transformation } from '../transformation.ts';

const WORDS = { part: SOURCE, noun: 'source', has: 'or without geometries, in any input format' } as const;
/** Fields of one key. */
const MAX_KEY_FIELDS = 16;

export const join: Transformation = {
  id: 'join',
  title: 'Join attributes',
  group: 'combine',
  summary: 'Add fields of a table with the same key.',
  mainParameters: ['key'],
  description: `Adds the fields of another source, such as a table in a CSV or a GeoPackage, to the features with the same key. \`key\` names the fields of the
features and \`key_of_source\` those of the source, if their names differ. The geometries of the source are not used.

Keys are compared by value and type: the text \`01\` is neither the number 1 nor the text \`1\`. Integers and other numbers are equal if
their values are, and dates and times are compared as texts. If one key is a text and the other a number, nothing matches, which is reported with what to do;
\`compare_as\` converts both to texts or to numbers. Null is equal to nothing.

Features without a match are kept, with null in the new fields, or dropped with \`"how": "inner"\`; their number and that of the rows of the source without
a match are in the report. If several rows of the source match, the feature gets the first (\`JOIN_FURTHER_MATCHES\` counts such features), or there is one feature for each with
\`"matches": "all"\`, or the rows of each key are first merged to one by \`aggregate\`.

A new field whose name is taken gets a number, which is reported; \`prefix\` puts a text before all their names. Geometries, order and the other
attributes do not change. Of several features made of one, the first keeps the id.

Memory: the fields of the source that are used, with an index of the keys, at most 320 MiB and 20 million rows.`,
  parameters: {
    type: 'object',
    properties: {
      ...fileSchemas({ ...WORDS, what: 'The other source' }),
      key: {
        ...fieldNames,
        items: fieldName,
        minItems: 1,
        maxItems: MAX_KEY_FIELDS,
        examples: [['code']],
        description: 'Fields of the features that are the key.',
      },
      key_of_source: {
        ...fieldNames,
        items: fieldName,
        minItems: 1,
        maxItems: MAX_KEY_FIELDS,
        description:
          'Fields of the source that are the key, in the same order. Default: those with the names in `key`.',
      },
      compare_as: {
        type: 'string',
        enum: ['value', 'text', 'number'],
        default: 'value',
        description:
          'How keys are compared: by value and type, as texts, or as numbers (with `number`, a text that is not a number matches nothing).',
      },
      how: {
        type: 'string',
        enum: ['left', 'inner'],
        default: 'left',
        description: '`left` keeps features without a match, `inner` drops them.',
      },
      matches: {
        type: 'string',
        enum: ['first', 'all', 'aggregate'],
        description:
          'If several rows of the source match: `first` takes the first, `all` makes a feature for each, `aggregate` merges them. Default: `first`, or `aggregate` if there is an `aggregate`.',
      },
      aggregate: aggregateParameter,
      fields: sourceFields('all but its key'),
      prefix,
      count_field: countField('rows of the source with the key of the feature'),
    },
    required: ['key'],
    additionalProperties: false,
  },
  guarantees: [
    'With `left` and `first` or `aggregate`, features, their order, geometries and ids are those before the step.',
    'Features with a match and features without one add up to the features before the step; so do the rows of the source.',
    'No key matches by rounding or by a change of type that was not requested.',
  ],
  longitudes: 'as written',
  usesGeometries: 'never',
  commandLine: {
    ...fileForm('join', 'add the attributes of another file by a key; --key NAME[=NAME_IN_FILE]', WORDS),
    modifiers: [
      keyModifier(),
      ...fileForm('join', '', WORDS).modifiers,
      {
        flag: 'compare-as',
        placeholder: 'HOW',
        description: 'compare keys by value and type (value), as text or as number',
        parameters: (value, before) => ({ ...before, compare_as: value }),
      },
      ...matchModifiers,
      ...sourceFieldModifiers,
      aggregateModifier,
    ],
  },
  check({ key, key_of_source: other, aggregate, matches }, path) {
    const count = (key as readonly string[]).length;
    const otherCount = (other as readonly string[] | undefined)?.length ?? count;
    if (count !== otherCount)
      throw failure(generalErrors.TRANSFORMATION_INVALID, {
        path: field(`${path}.key_of_source`),
        reason: phrase`has ${otherCount} fields and '${field(`${path}.key`)}' ${count}; name one for each`,
      });
    if (aggregate !== undefined && matches !== undefined && matches !== 'aggregate')
      throw failure(generalErrors.TRANSFORMATION_INVALID, {
        path: field(`${path}.aggregate`),
        reason: phrase`merges the rows that match, but '${field(`${path}.matches`)}' is '${String(matches)}'; leave one of them out`,
      });
  },
  fileParameter: {
    part: SOURCE,
    uses: 'attributes',
    value: null,
    fileOf: fileReader(SOURCE),
    collector: async (path, parameters) => new (await import('./source.ts')).JoinCollector(path, parameters),
    usesParameters: true,
  },
  load: async () => (await import('./code.ts')).code,
};

/** `--key code=ags`, once for each field of the key. */
function keyModifier(): CommandLineModifier {
  return {
    flag: 'key',
    placeholder: 'NAME[=NAME]',
    description: 'field of the key, and its name in the other file; --key again for another field',
    parameters(value, before) {
      const [own, other = own, ...more] = value.split('=').map((name) => name.trim());
      if (own === '' || other === '' || more.length > 0)
        throw failure(generalErrors.USAGE, {
          detail: `--key takes NAME or NAME=NAME_IN_FILE, not '${value.slice(0, 60)}'`,
        });
      return {
        ...before,
        key: [...((before.key ?? []) as string[]), own],
        key_of_source: [...((before.key_of_source ?? []) as string[]), other],
      };
    },
  };
}
