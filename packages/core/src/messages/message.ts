/**
 * Texts of errors and findings: templates with parameters, in two forms. Over HTTP a text names the fields of a request
 * by their path in the config, on the command line by their flags. A template or a parameter refers to a field by its
 * path; only the edge (HTTP, command line) chooses the form. See docs/decisions/two-forms-of-a-message.md.
 */
import { MAX_COMPOSED, shortText } from './short-text.ts';

/** A field of a request in a parameter. Plain data: it crosses processes and is stored with jobs. */
export interface Field {
  /** Path in the config ("output.epsg"), or the flag that stated it ("--from-crs", "--buffer.distance"). */
  readonly field: string;
  /** Only in a phrase: the text is the instruction to give the field this value. */
  readonly value?: string;
}

/** A composed text that refers to fields. */
export type Phrase = readonly (string | Field)[];
export type MessageParam = string | number | Field | Phrase;
export type MessageParams = Readonly<Record<string, MessageParam>>;

export function field(path: string): Field {
  return { field: path };
}

/** The instruction to give a field a value, as a part of a phrase. */
export function setting(path: string, value: string): Field {
  return { field: path, value };
}

/** phrase`contradicts '${field(path)}'` */
export function phrase(texts: TemplateStringsArray, ...values: readonly (string | number | Field)[]): Phrase {
  const parts: (string | Field)[] = [];
  const append = (part: string | Field): void => {
    const last = parts.at(-1);
    if (typeof part === 'string' && typeof last === 'string') parts[parts.length - 1] = last + part;
    else if (part !== '') parts.push(part);
  };
  for (const [i, text] of texts.entries()) {
    append(text);
    const value = values[i];
    if (value !== undefined) append(typeof value === 'number' ? String(value) : value);
  }
  return parts;
}

/** How a text refers to fields. A path "step.NAME" is the parameter NAME of a transformation, whatever its step. */
export interface FieldForm {
  name(path: string): string;
  /** That the field is required, as the beginning of a sentence. */
  required(path: string): string;
  /** An instruction to give the field a value; null: the text does not say which. */
  set(path: string, value: string | null): string;
}

export const CONFIG_FORM: FieldForm = {
  name: (path) => path.replace(/^step\./, ''),
  required: (path) => `field '${CONFIG_FORM.name(path)}' is required`,
  set(path, value) {
    const name = `'${CONFIG_FORM.name(path)}'`;
    if (value === null) return `set ${name}`;
    return `set ${name} to ${/^(true|false)$/.test(value) ? value : `'${value}'`}`;
  },
};

/**
 * The slots of a template:
 *
 *   {name}                      a parameter
 *   {name?}                     a parameter that may be missing: nothing then
 *   {count|feature}             a number and its noun: "1 feature", "40 features"
 *   {count|child|children}      with the plural given
 *   {field:name}                a parameter that is a Field
 *   {field:output.epsg}         a field, known by the dot in its path
 *   {set:name}, {set:output.geojson_crs=requested}    the instruction to set such a field
 *   {required:name}             that such a field is required: the beginning of a sentence
 */
const SLOT = /\{(?:(field|set|required):)?([\w.]+)(\?)?(?:=([^{}|]*)|\|([^{}|]+)(?:\|([^{}|]+))?)?\}/g;

type Slots<Template extends string> = Template extends `${string}{${infer Slot}}${infer Rest}`
  ? Slot | Slots<Rest>
  : never;
type Target<Slot extends string> = Slot extends `${infer Name}=${string}` ? Name : Slot;
type SlotName<Slot extends string> = Slot extends `${string}:${infer Rest}`
  ? Target<Rest> extends `${string}.${string}`
    ? never
    : Target<Rest>
  : Slot extends `${infer Name}|${string}`
    ? Name
    : Slot;
type SlotValue<Slot extends string> = Slot extends `${string}:${string}`
  ? Field
  : Slot extends `${string}|${string}`
    ? number
    : string | number | Phrase;

type Optional<Slot extends string> = Slot extends `${string}?` ? Slot : never;

/** The parameters that a template names; a missing one does not compile. */
export type TemplateParams<Template extends string> = {
  readonly [Slot in Exclude<Slots<Template>, Optional<Slots<Template>>> as SlotName<Slot>]: SlotValue<Slot>;
} & {
  readonly [Slot in Slots<Template> as Slot extends `${infer Name}?` ? Name : never]?: string | Phrase;
};

/** Names of the parameters of a template. */
export function parameterNames(template: string): string[] {
  const names = [...template.matchAll(SLOT)].map(([, , name]) => name);
  return [...new Set(names.filter((name) => !name.includes('.')))];
}

/** The parameter that holds the beginning of the paths that stand for those of an input: "transformations[0].params.source". */
const INPUT_OF = 'inputOf';

/**
 * The parameters of a message about the file of a step: fields of an input ("input.epsg", "csv_options.encoding") are named as the
 * parameters of the step whose paths begin with `prefix` ("_crs", "_options.encoding"). Unchanged if the message names none.
 */
export function inFileOfStep(template: string, params: MessageParams, prefix: string): MessageParams {
  const own = { ...params, [INPUT_OF]: field(prefix) };
  return fillTemplate(template, own) === fillTemplate(template, params) ? params : own;
}

function pathWithin(path: string, params: MessageParams): string {
  const prefix = params[INPUT_OF];
  if (prefix === undefined) return path;
  const [, group, name] = /^(input|\w+_options)\.(\w+)$/.exec(path) ?? [];
  if (name === undefined) return path;
  const own = name === 'epsg' ? 'crs' : name;
  const isMember = group === 'input' && ['format', 'layer', 'crs'].includes(own);
  return `${pathOf(prefix)}_${isMember ? own : `options.${name}`}`;
}

/** The form for a message with these parameters. */
export function formFor(params: MessageParams, form = CONFIG_FORM): FieldForm {
  if (params[INPUT_OF] === undefined) return form;
  return {
    name: (path) => form.name(pathWithin(path, params)),
    required: (path) => form.required(pathWithin(path, params)),
    set: (path, value) => form.set(pathWithin(path, params), value),
  };
}

/** The template with its parameters filled in; a slot without its parameter stays. */
export function fillTemplate(template: string, params: MessageParams, wanted = CONFIG_FORM): string {
  const form = formFor(params, wanted);
  return template.replace(SLOT, (_, kind, name: string, optional, value, noun, plural) => {
    const param = Object.hasOwn(params, name) ? params[name] : undefined;
    if (kind !== undefined) {
      const path = name.includes('.') ? name : param === undefined ? `{${name}}` : pathOf(param);
      if (kind === 'required') return form.required(path);
      return kind === 'set' ? form.set(path, value ?? null) : form.name(path);
    }
    if (param === undefined && optional !== undefined) return '';
    const text = param === undefined ? `{${name}}` : textOf(param, form);
    if (noun !== undefined) return `${text} ${param === 1 ? noun : (plural ?? pluralOf(noun))}`;
    return text;
  });
}

/** "1 feature", "40 features". */
export function counted(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : pluralOf(noun)}`;
}

function pluralOf(noun: string): string {
  if (noun.endsWith('y')) return `${noun.slice(0, -1)}ies`;
  return noun.endsWith('s') || noun.endsWith('x') ? `${noun}es` : `${noun}s`;
}

/** A filled template as a phrase, which keeps the references to fields: the text of another message. */
export function phraseOf(template: string, params: MessageParams): Phrase {
  const parts: (string | Field)[] = [];
  let from = 0;
  for (const match of template.matchAll(SLOT)) {
    const [slot, kind, name, , value] = match;
    parts.push(template.slice(from, match.index));
    from = match.index + slot.length;
    const param = Object.hasOwn(params, name) ? params[name] : undefined;
    if (kind !== undefined) {
      const path = name.includes('.') ? name : param === undefined ? name : pathOf(param);
      parts.push(kind === 'set' && value !== undefined ? setting(path, value) : field(path));
    } else if (typeof param === 'object' && !('field' in param)) parts.push(...param);
    else parts.push(fillTemplate(slot, params));
  }
  return [...parts, template.slice(from)].filter((part) => part !== '');
}

/** The message of a template: at most MAX_COMPOSED UTF-16 units. */
export function messageOf(template: string, params: MessageParams, form = CONFIG_FORM): string {
  return shortText(fillTemplate(template, params, form), MAX_COMPOSED);
}

/** A parameter as text. */
export function textOf(param: MessageParam, form = CONFIG_FORM): string {
  if (typeof param !== 'object') return String(param);
  if ('field' in param) return form.name(param.field);
  return param.map((part) => (typeof part === 'string' ? part : partText(part, form))).join('');
}

function partText({ field, value }: Field, form: FieldForm): string {
  return value === undefined ? form.name(field) : form.set(field, value);
}

/** A value of a field that a message tells the reader to set; null: the message leaves it to the reader. */
export interface Setting {
  readonly path: string;
  readonly value: string | null;
}

/** The instructions to set fields in a template and in the phrases among its parameters. */
export function settingsIn(template: string, params: MessageParams): Setting[] {
  return [...template.matchAll(SLOT)].flatMap(([, kind, name, , value]): Setting[] => {
    const param = Object.hasOwn(params, name) ? params[name] : undefined;
    if (kind === 'set' || kind === 'required') {
      if (name.includes('.')) return [{ path: pathWithin(name, params), value: value ?? null }];
      return param === undefined ? [] : [{ path: pathWithin(pathOf(param), params), value: value ?? null }];
    }
    if (typeof param !== 'object' || 'field' in param) return [];
    return param.flatMap((part) =>
      typeof part === 'string' || part.value === undefined
        ? []
        : [{ path: pathWithin(part.field, params), value: part.value }],
    );
  });
}

/** Jobs that an earlier version stored have texts where a field is expected. */
function pathOf(param: MessageParam): string {
  return typeof param === 'object' && 'field' in param ? param.field : textOf(param);
}

/** Longest path of a field; a problem document has it a second time. */
export const MAX_PATH = 500;
/** Most parts of a phrase. */
export const MAX_PARTS = 20;

/** Limits of parameters that hold a text composed by geomill, which may quote user data. Others are user data. */
const COMPOSED_LIMITS: Readonly<Record<string, number>> = {
  detail: MAX_COMPOSED,
  reason: MAX_COMPOSED,
  found: MAX_COMPOSED,
  known: MAX_COMPOSED,
  hint: MAX_COMPOSED,
  possible: MAX_COMPOSED,
  expected: MAX_COMPOSED,
  files: MAX_COMPOSED,
  names: MAX_COMPOSED,
  suggestions: MAX_COMPOSED,
  path: MAX_PATH,
  place: 500,
  where: 500,
  setting: 500,
};

/** The parameters with shortened texts, as they are put into messages, stored and sent. */
export function boundedParams(params: MessageParams): MessageParams {
  // Nearly always all are short already, and findings may be noted for every feature.
  for (const name in params)
    if (boundedParam(name, params[name]) !== params[name])
      return Object.fromEntries(
        Object.entries(params).map(([key, value]) => [key, boundedParam(key, value)]),
      );
  return params;
}

function boundedParam(name: string, value: MessageParam): MessageParam {
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'string') return shortText(value, COMPOSED_LIMITS[name]);
  if ('field' in value) return boundedField(value);
  // Readers of a phrase expect at least one part.
  if (value.length === 0) return '';
  const text = textOf(value);
  const short = shortText(text, COMPOSED_LIMITS[name]);
  // A text that was cut, or has more parts than expected, loses its references.
  return value.length > MAX_PARTS || short !== text ? short : value;
}

function boundedField(value: Field): Field {
  const path = shortText(value.field, MAX_PATH);
  return path === value.field ? value : { ...value, field: path };
}
