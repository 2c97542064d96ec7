/** Which fields stay, in which order and under which names. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { field, type Phrase, phrase } from '@geomill/core/messages/message.ts';
import { byFieldName, fieldName, fieldNames } from '../parts/name-lists.ts';
import { checkNewNames } from '../parts/new-names.ts';
import type { StepParameters, Transformation } from '../transformation.ts';

interface SelectParameters {
  readonly fields?: readonly string[];
  readonly drop?: readonly string[];
  readonly rename?: Readonly<Record<string, string>>;
}

export const select: Transformation = {
  id: 'select',
  title: 'Select fields',
  group: 'attributes',
  summary: 'Keep, remove or rename fields.',
  mainParameters: ['fields'],
  description: `Keeps the fields in \`fields\`, in that order, or all fields except those in \`drop\`. \`rename\` renames fields that are kept.
Geometries, ids and the order of features do not change.`,
  parameters: {
    type: 'object',
    properties: {
      fields: {
        ...fieldNames,
        description: 'Fields to keep, in the order of the output; an empty list keeps none.',
        examples: [['name', 'pop']],
      },
      drop: {
        ...fieldNames,
        description: 'Fields to drop; all others are kept in their order. Cannot be combined with `fields`.',
      },
      rename: {
        ...byFieldName,
        additionalProperties: fieldName,
        description: 'New names of fields by their old names: {"POP_EST": "population"}.',
      },
    },
    additionalProperties: false,
  },
  guarantees: [
    'Values and types of kept fields do not change.',
    'A name that is not a field is an error that lists the fields. Two fields never get the same name.',
  ],
  longitudes: 'as written',
  usesGeometries: 'never',
  commandLine: {
    flag: 'select',
    placeholder: 'FIELDS',
    description: "fields to keep, in order, such as name,pop; '*' keeps all",
    parameters: (value) => (value.trim() === '*' ? {} : { fields: namesOf(value) }),
    modifiers: [
      {
        flag: 'rename',
        placeholder: 'OLD=NEW',
        description: 'a new name for a field; also without --select, then all other fields are kept',
        beginsStep: true,
        parameters: (value, before) => {
          const at = value.indexOf('=');
          if (at < 1 || at === value.length - 1) {
            const detail = `--rename '${value}' is not a pair of names; write OLD=NEW`;
            throw failure(generalErrors.USAGE, { detail });
          }
          const renamed = (before as SelectParameters).rename ?? {};
          const pair = [[value.slice(0, at).trim(), value.slice(at + 1).trim()]] as const;
          return { ...before, rename: Object.fromEntries([...Object.entries(renamed), ...pair]) };
        },
      },
      {
        flag: 'drop',
        placeholder: 'FIELDS',
        description: 'fields to drop, such as name,pop; all others are kept, so --select is not necessary',
        beginsStep: true,
        parameters: (value, before) => {
          const dropped = (before as SelectParameters).drop ?? [];
          return { ...before, drop: [...dropped, ...namesOf(value)] };
        },
      },
    ],
  },
  check,
  load: async () => (await import('../parts/choose-fields.ts')).selecting((parameters) => parameters),
};

function namesOf(list: string): string[] {
  const names = list.split(',').map((name) => name.trim());
  return names.filter((name) => name !== '');
}

function check(parameters: StepParameters, path: string): void {
  const { fields, drop, rename } = parameters as SelectParameters;
  const refuse = (name: string, reason: string | Phrase) =>
    failure(generalErrors.TRANSFORMATION_INVALID, {
      path: field(name === '' ? path : `${path}.${name}`),
      reason,
    });
  if (fields === undefined && drop === undefined && rename === undefined)
    throw refuse('', 'selects nothing; add fields, drop or rename');
  if (fields !== undefined && drop !== undefined)
    throw refuse(
      'drop',
      phrase`contradicts '${field(`${path}.fields`)}', which already lists the fields that stay; use one of them`,
    );
  const kept = fields === undefined ? null : new Set(fields);
  checkNewNames(rename ?? {}, `${path}.rename`);
  const dropped = new Set(drop);
  for (const from of Object.keys(rename ?? {})) {
    if (dropped.has(from)) throw refuse('rename', `renames '${from}', which is dropped`);
    if (kept !== null && !kept.has(from))
      throw refuse('rename', `renames '${from}', which is not among the selected fields`);
  }
}
