/** A step in a few words, from its schema: "25 m, flat end cap". Pure. */
import { areaText } from './area.ts';
import type { Options, StepChoice } from './document.ts';
import { type FormField, formFields, unitText } from './schema-form.ts';

const MAX_LENGTH = 60;
const MAX_NAMES = 3;

/** What the step does beside its title; empty: it has no parameters, or none is set. `areaName`: parameter with GeoJSON; null: none. */
export function stepSentence({ params, file }: StepChoice, schema: object, areaName: string | null): string {
  const fields = formFields(schema);
  const units = new Set(fields.map(({ unitField }) => unitField));
  const parts: string[] = [];
  if (file !== undefined) parts.push(areaName === null ? file.path : `polygons of ${file.path}`);
  for (const field of fields) {
    const value = params[field.name];
    if (
      value === undefined ||
      units.has(field.name) ||
      (file !== undefined && field.name.startsWith(file.part))
    )
      continue;
    if (field.name === areaName) parts.push(areaText(value));
    else if (!isSame(value, field.fallback)) parts.push(partOf(field, value, params));
  }
  return parts.join(', ');
}

function partOf(
  { name, label, control, unitField, isRequired }: FormField,
  value: unknown,
  params: Options,
): string {
  const words = label.toLowerCase();
  switch (control.kind) {
    case 'flag':
      return value === true ? words : `${words}: no`;
    case 'choice':
      return isRequired ? String(value) : `${String(value)} ${words}`;
    case 'number': {
      const unit = unitField === null ? '' : ` ${unitText(params[unitField])}`;
      const number = `${String(value)}${unit}`.trimEnd();
      return isRequired ? number : `${words} ${number}`;
    }
    case 'condition':
      return shortText(typeof value === 'string' ? value : JSON.stringify(value));
    case 'fields':
      return Array.isArray(value) && value.length === 0 ? `no ${words}` : `${words} ${namesText(value)}`;
    case 'map':
      return `${words} ${pairsText(value)}`;
    case 'numbers':
      return `${words} ${Array.isArray(value) ? value.join(', ') : String(value)}`;
    case 'text':
      return name === 'epsg' || name === 'crs'
        ? shortText(epsgText(value))
        : `${words} ${shortText(String(value))}`;
    case 'json':
      return words;
  }
}

/** Codes are written with and without their authority. */
function epsgText(value: unknown): string {
  return /^\d+$/.test(String(value)) ? `EPSG:${String(value)}` : String(value);
}

function namesText(value: unknown): string {
  if (!Array.isArray(value)) return shortText(String(value));
  const shown = value.slice(0, MAX_NAMES).map((name) => shortText(String(name)));
  const more = value.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function pairsText(value: unknown): string {
  const pairs = Object.entries((value ?? {}) as object).map(([name, to]) => `${name} → ${String(to)}`);
  return namesText(pairs);
}

function shortText(text: string): string {
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
