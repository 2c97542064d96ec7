/** Forms from JSON Schema: what kind of control a parameter or option has. */

export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly isRequired: boolean;
  readonly control:
    | { readonly kind: 'number'; readonly min?: number; readonly max?: number; readonly step: number | 'any' }
    | { readonly kind: 'choice'; readonly values: readonly (string | number | boolean | null)[] }
    | { readonly kind: 'flag' }
    | { readonly kind: 'text'; readonly maxLength?: number }
    /** Names of fields, separated by commas. */
    | { readonly kind: 'list' }
    /** Anything else, as JSON. */
    | { readonly kind: 'json' };
  /** Value if the parameter is absent; undefined: the service decides. */
  readonly fallback: unknown;
}

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly (string | number | boolean | null)[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly maxLength?: number;
  readonly default?: unknown;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** The fields of an object schema, required ones first. */
export function formFields(schema: object): FormField[] {
  const { properties = {}, required = [] } = schema as Schema;
  const fields = Object.entries(properties).map(([name, property]) => ({
    name,
    label: labelOf(name),
    description: property.description ?? '',
    isRequired: required.includes(name),
    control: controlOf(property),
    fallback: property.default,
  }));
  return fields.sort((a, b) => Number(b.isRequired) - Number(a.isRequired));
}

/** "quadrant_segments" as "Quadrant segments". */
export function labelOf(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function controlOf(schema: Schema): FormField['control'] {
  const types = [schema.type ?? []].flat();
  if (schema.enum !== undefined) return { kind: 'choice', values: schema.enum };
  if (types.includes('boolean')) return { kind: 'flag' };
  if (types.includes('string')) return { kind: 'text', maxLength: schema.maxLength };
  if (types.includes('number') || types.includes('integer')) {
    const step = types.includes('number') ? 'any' : 1;
    return { kind: 'number', min: schema.minimum ?? schema.exclusiveMinimum, max: schema.maximum, step };
  }
  if (types.includes('array')) return { kind: 'list' };
  return { kind: 'json' };
}
