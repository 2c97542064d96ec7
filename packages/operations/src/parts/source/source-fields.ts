/** The fields that a step takes from its second source: parameters, and their names after the step. */
import type { Field } from '@geomill/core/columns/schema.ts';
import { UniqueNames } from '@geomill/core/columns/unique-names.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { stepFindings } from '../../findings.ts';
import type { CommandLineModifier, StepParameters } from '../../transformation.ts';
import { fieldNames, MAX_NAME_LENGTH } from '../name-lists.ts';

export function sourceFields(usual: string): object {
  return { ...fieldNames, description: `Fields of the source to add. Default: ${usual}.` };
}

export const prefix = {
  type: 'string',
  maxLength: 200,
  default: '',
  description: 'Text before the names of the fields of the source.',
} as const;

/** `what` is counted. */
export function countField(what: string): object {
  return {
    type: 'string',
    minLength: 1,
    maxLength: MAX_NAME_LENGTH,
    description: `Name of a new field with the number of ${what}. Default: none.`,
  };
}

export const sourceFieldModifiers: readonly CommandLineModifier[] = [
  {
    flag: 'source-fields',
    placeholder: 'FIELDS',
    description: 'fields of the source to add: name,pop',
    parameters: (value, before) => ({
      ...before,
      fields: value
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== ''),
    }),
  },
  {
    flag: 'prefix',
    placeholder: 'TEXT',
    description: 'text before the names of the fields of the source',
    parameters: (value, before) => ({ ...before, prefix: value }),
  },
  {
    flag: 'count-field',
    placeholder: 'NAME',
    description: 'new field with the number of matches',
    parameters: (value, before) => ({ ...before, count_field: value }),
  },
];

/** What happens to features without a match, and with several. */
export const matchModifiers: readonly CommandLineModifier[] = [
  {
    flag: 'inner',
    placeholder: null,
    description: 'drop features without a match',
    parameters: (_, before) => ({ ...before, how: 'inner' }),
  },
  {
    flag: 'matches',
    placeholder: 'WHICH',
    description: 'if several match: first, all (a feature for each) or aggregate',
    parameters: (value, before) => ({ ...before, matches: value }),
  },
];

/** A field that a step adds; `isNamed`: the request has its name, so that it gets no prefix. */
export interface AddedField extends Field {
  readonly isNamed?: true;
}

function wantedName({ name, isNamed }: AddedField, { prefix: before }: StepParameters): string {
  return isNamed ? name : `${before ?? ''}${name}`;
}

/** The fields after those of the features. Names that are taken, in any letter case, get a number. */
export function namedFields(
  fields: readonly Field[],
  added: readonly AddedField[],
  parameters: StepParameters,
): readonly Field[] {
  const fold = (name: string): string => name.toLowerCase();
  const names = new UniqueNames({ fold, firstNumber: 2, taken: fields.map(({ name }) => fold(name)) });
  return added.map((field) => ({ name: names.take(wantedName(field, parameters)), type: field.type }));
}

/** Reports names that got a number. */
export function noteNames(
  added: readonly AddedField[],
  named: readonly Field[],
  parameters: StepParameters,
  findings: Findings,
): void {
  for (const [i, field] of added.entries())
    if (named[i].name !== wantedName(field, parameters))
      findings.note(stepFindings.SOURCE_FIELD_RENAMED, { from: field.name, to: named[i].name });
}
