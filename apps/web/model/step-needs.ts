/** What a step lacks before it can run. Pure. */
import type { TransformationRecord } from '@geomill/client/client.ts';
import type { StepChoice } from './document.ts';
import { type FormField, formFields } from './schema-form.ts';

export interface MissingNeed {
  /** The parameters of which one is needed. */
  readonly parameters: readonly string[];
  /** "Enter a distance" */
  readonly text: string;
}

type Needing = Pick<TransformationRecord, 'needs' | 'parameters' | 'file_parameter'>;

/** Null: it has all it needs. */
export function missingNeed({ params, file }: StepChoice, record: Needing): MissingNeed | null {
  const isGiven = (name: string): boolean => params[name] !== undefined || file?.part === name;
  const parameters = record.needs.find((names) => !names.some(isGiven));
  if (parameters === undefined) return null;
  return { parameters, text: instruction(parameters, record) };
}

function instruction(
  parameters: readonly string[],
  { parameters: schema, file_parameter: file }: Needing,
): string {
  if (file != null && parameters.includes(file.part))
    return file.uses === 'polygons' ? 'Choose an area' : 'Choose a source';
  const fields = formFields(schema).filter(({ name }) => parameters.includes(name));
  const isChosen = fields.every(({ control }) => control.kind === 'fields' || control.kind === 'choice');
  return `${isChosen ? 'Choose' : 'Enter'} ${fields.map(nounOf).join(' or ')}`;
}

/** "a distance", "fields", "an EPSG code". */
function nounOf({ label, control }: FormField): string {
  const noun = /^[A-Z]{2}/.test(label) ? label : label.charAt(0).toLowerCase() + label.slice(1);
  if (control.kind === 'fields' || control.kind === 'map') return noun;
  return `${/^[aeiouE]/.test(noun) ? 'an' : 'a'} ${noun}`;
}

/** "Enter a distance for step 1 (Buffer)" */
export function needSentence({ text }: MissingNeed, index: number, title: string): string {
  return `${text} for step ${index + 1} (${title})`;
}
