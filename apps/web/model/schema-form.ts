/** Forms from JSON Schema: what kind of control a parameter or option has. Pure. */

export type FormValue = string | number | boolean | null;

export type FormControl =
  | { readonly kind: 'number'; readonly min?: number; readonly max?: number; readonly step: number | 'any' }
  | { readonly kind: 'choice'; readonly values: readonly FormValue[] }
  | { readonly kind: 'flag' }
  /** `isField`: the name of a field, which the form offers. */
  | { readonly kind: 'text'; readonly maxLength?: number; readonly isField: boolean }
  /** A list of names of fields. */
  | { readonly kind: 'fields' }
  /** As many numbers as there are names. */
  | { readonly kind: 'numbers'; readonly names: readonly string[] }
  /** A value for each of some fields: one of `values`, or any text. */
  | { readonly kind: 'map'; readonly values: readonly FormValue[] | null }
  /** A condition on fields, as text or as JSON. */
  | { readonly kind: 'condition' }
  /** Anything else, as JSON. */
  | { readonly kind: 'json' };

export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly isRequired: boolean;
  readonly control: FormControl;
  /** Name of the field of the same form with the unit of the number; null: it has no unit. */
  readonly unitField: string | null;
  /** Value if the parameter is absent; undefined: the service decides. */
  readonly fallback: unknown;
}

interface Schema {
  readonly title?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly FormValue[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly default?: unknown;
  readonly description?: string;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** The fields of an object schema, required ones first. */
export function formFields(schema: object): FormField[] {
  const { properties = {}, required = [] } = schema as Schema;
  const fields = Object.entries(properties).map(([name, property]) => ({
    name,
    label: property.title ?? labelOf(name),
    description: property.description ?? '',
    isRequired: required.includes(name),
    control: controlOf(property),
    unitField: unitFieldOf(property, properties),
    fallback: property.default,
  }));
  return fields.sort((a, b) => Number(b.isRequired) - Number(a.isRequired));
}

/** "quadrant_segments" as "Quadrant segments". */
export function labelOf(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The first value of required choices: one has to be chosen, and the first is the usual one. */
export function firstChoices(schema: object): Readonly<Record<string, FormValue>> {
  const chosen = formFields(schema).flatMap(({ name, isRequired, control, fallback }) =>
    isRequired && fallback === undefined && control.kind === 'choice' ? [[name, control.values[0]]] : [],
  );
  return Object.fromEntries(chosen);
}

const UNITS: Readonly<Record<string, string>> = { meters: 'm', kilometers: 'km', feet: 'ft', miles: 'mi' };

/** "m" for "meters"; other words as they are. */
export function unitText(unit: unknown): string {
  return typeof unit === 'string' ? (UNITS[unit] ?? unit) : '';
}

/** "Distance of the buffer, in `units`": the description of a number names the field with its unit. */
function unitFieldOf(
  { type, description = '' }: Schema,
  all: Readonly<Record<string, Schema>>,
): string | null {
  const name = /\bin `(\w+)`/.exec(description)?.[1];
  return type === 'number' && name !== undefined && all[name]?.enum !== undefined ? name : null;
}

function controlOf(schema: Schema): FormControl {
  const { description = '' } = schema;
  const types = [schema.type ?? []].flat();
  if (schema.enum !== undefined) return { kind: 'choice', values: schema.enum };
  if (types.includes('boolean')) return { kind: 'flag' };
  if (types.includes('string') && types.includes('object') && description.startsWith('Condition'))
    return { kind: 'condition' };
  if (types.includes('string')) {
    const isField = /\bfield\b/i.test(description) && !/\bnew field\b/i.test(description);
    return { kind: 'text', maxLength: schema.maxLength, isField };
  }
  if (types.includes('number') || types.includes('integer')) {
    const step = types.includes('number') ? 'any' : 1;
    return { kind: 'number', min: schema.minimum ?? schema.exclusiveMinimum, max: schema.maximum, step };
  }
  if (types.includes('array')) return listControl(schema);
  const values = schema.additionalProperties;
  if (types.includes('object') && typeof values === 'object' && values.type === 'string')
    return { kind: 'map', values: values.enum ?? null };
  return { kind: 'json' };
}

/** "West, south, east, north in ...": the description of a list of numbers begins with their names. */
function listControl({ items, minItems, maxItems, description = '' }: Schema): FormControl {
  if (items?.type === 'string') return { kind: 'fields' };
  if (items?.type !== 'number' || minItems === undefined || minItems !== maxItems) return { kind: 'json' };
  const names = /^\w+(?:, \w+)*/.exec(description)?.[0].split(', ') ?? [];
  const labels = names.length === minItems ? names : Array.from({ length: minItems }, (_, i) => `${i + 1}`);
  return { kind: 'numbers', names: labels.map(labelOf) };
}
