/**
 * Parses `transformations` of a request to checked steps. Errors that the request alone shows are thrown
 * here, with the path as the client wrote it; errors that depend on the data fail the job.
 */
import { didYouMean } from '@geomill/core/messages/did-you-mean.ts';
import { failure, GeomillError } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { field, type Phrase, phrase } from '@geomill/core/messages/message.ts';
import { shortValue } from '@geomill/core/messages/short-text.ts';
import { memberPath, type SchemaFault, schemaFault } from '@geomill/core/schemas/schema-check.ts';
import { needsRows } from '@geomill/expressions/expression.ts';
import { parseExpression } from '@geomill/expressions/parse.ts';
import { stepErrors } from './errors.ts';
import {
  contentName,
  type FeatureFile,
  type ParametersSchema,
  RequestTotals,
  type StepParameters,
  type Transformation,
} from './transformation.ts';

/** A step of a request: its parameters are checked and their defaults filled in. Plain data. */
export interface RequestedStep {
  /** Id of a registered transformation. */
  readonly type: string;
  readonly params: StepParameters;
  /** Path of its parameters, for messages: "transformations[1].params". Absent in requests that code creates. */
  readonly path?: string;
  /** Its file parameter, if that is an input of the job and not in `params`. */
  readonly file?: {
    /** Names the input: the part of the form, the path on the command line, or the path of the parameter. */
    readonly input: string;
    /** How to read it. Default: it is the JSON of the parameter. */
    readonly features?: FeatureFile;
    /** The upload that is the input. Default: it is a file of the request. */
    readonly upload?: { readonly id: string; readonly path: string };
    /** The file is fetched from a URL. */
    readonly isRemote?: true;
  };
}

/** A step as it was parsed, with the URL of its file. It may contain a key: it is not part of the request of a job. */
export interface ParsedStep extends RequestedStep {
  readonly url?: { readonly text: string; readonly path: string };
}

/** Replaces a value in a config that was stored as an input of the job. */
export class StepFile {
  /** Names the input: the path of the parameter. */
  readonly input: string;

  constructor(input: string) {
    this.input = input;
  }
}

/** Names of the parameters that may be stored as files, of all transformations. */
export function fileParameterNames(registry: readonly Transformation[]): ReadonlySet<string> {
  return new Set(
    registry.flatMap(({ fileParameter }) => (fileParameter?.value ? [fileParameter.value.name] : [])),
  );
}

/** Names of the parts of a form that hold files of features. */
export function filePartNames(registry: readonly Transformation[]): readonly string[] {
  return [...new Set(registry.flatMap(({ fileParameter }) => (fileParameter ? [fileParameter.part] : [])))];
}

/** Whether a part of a form is one of these, or another of its kind: "mask", "mask_lakes". */
export function isFilePart(names: readonly string[], part: string): boolean {
  return names.some((name) => part === name || (part.startsWith(`${name}_`) && /^\w{1,60}$/.test(part)));
}

/** Where files of features can be: in the parts of a form, at paths of this machine, or nowhere. */
export type FilePlaces = 'parts' | 'paths' | 'none';

/** Maximum number of steps: each may cost as much as the whole conversion. */
export const MAX_STEPS = 100;
/** Parameters of a step; none has so many. */
const MAX_PARAMETERS = 100;

/**
 * Parses a list of `{type, params: {...}}` and `{type, ...}`; both at once are accepted unless they contradict each other.
 * `path` is where the list stands. Throws CONFIG_INVALID, TRANSFORMATION_UNKNOWN, TRANSFORMATION_INVALID and whatever
 * the transformations' own checks throw.
 */
export function parseSteps(
  value: unknown,
  path: string,
  registry: readonly Transformation[],
  places: FilePlaces = 'none',
): readonly ParsedStep[] {
  if (!Array.isArray(value))
    throw failure(generalErrors.CONFIG_INVALID, {
      detail: phrase`'${field(path)}' must be a list, not ${shortValue(value)}`,
    });
  if (value.length > MAX_STEPS) {
    throw failure(generalErrors.CONFIG_INVALID, {
      detail: phrase`'${field(path)}' has ${value.length} steps; the limit is ${MAX_STEPS}`,
    });
  }
  const totals = new RequestTotals();
  const steps = value.map((item: unknown, i) => parseStep(item, `${path}[${i}]`, registry, places, totals));
  checkOrder(steps, registry);
  return steps;
}

/** Checks what steps require of those before them. Throws TRANSFORMATION_INVALID. */
export function checkOrder(steps: readonly RequestedStep[], registry: readonly Transformation[]): void {
  for (const [i, { type, params, path }] of steps.entries())
    registry
      .find(({ id }) => id === type)
      ?.checkBefore?.(params, path ?? `transformations[${i}]`, steps.slice(0, i));
}

function parseStep(
  item: unknown,
  path: string,
  registry: readonly Transformation[],
  places: FilePlaces,
  totals: RequestTotals,
): ParsedStep {
  if (!isObject(item)) {
    const example = '{"type": "buffer", "params": {...}}';
    throw invalid(path, `must be an object such as ${example}, not ${shortValue(item)}`);
  }
  const record = recordOf(item.type, path, registry);
  const { params: nested, type: _, ...flat } = item;
  if (nested !== undefined && nested !== null && !isObject(nested))
    throw invalid(`${path}.params`, `must be an object with the parameters, not ${shortValue(nested)}`);
  const inner = isObject(nested) ? nested : {};
  const count = Object.keys(inner).length + Object.keys(flat).length;
  if (count > MAX_PARAMETERS) throw invalid(path, `has ${count} parameters; the limit is ${MAX_PARAMETERS}`);
  // No prototype: '__proto__' is a name as any other, and 'constructor' is not there unless it was given.
  const given: Record<string, unknown> = Object.create(null);
  // null means absent, here as elsewhere in a request.
  for (const [name, parameter] of Object.entries(inner)) if (parameter !== null) given[name] = parameter;
  for (const [name, parameter] of Object.entries(flat)) {
    if (parameter === null) continue;
    if (Object.hasOwn(given, name) && JSON.stringify(given[name]) !== JSON.stringify(parameter))
      throw invalid(
        `${path}.${name}`,
        phrase`contradicts '${field(`${path}.params.${name}`)}'; state it once`,
      );
    given[name] = parameter;
  }
  const innerPath = isObject(nested) ? `${path}.params` : path;
  const pathOf = (name: string): string =>
    Object.hasOwn(flat, name) && !Object.hasOwn(inner, name) ? `${path}.${name}` : `${innerPath}.${name}`;
  return checkedStep(record, given, innerPath, registry, pathOf, places, totals);
}

/** A step whose parameters are already in one object, as a command line makes them. Throws as `parseSteps`. */
export function checkedStep(
  record: Transformation,
  given: Record<string, unknown>,
  path: string,
  registry: readonly Transformation[] = [],
  pathOf: (name: string) => string = (name) => `${path}.${name}`,
  places: FilePlaces = 'paths',
  totals = new RequestTotals(),
): ParsedStep {
  const found = fileOf(record, given, registry, pathOf, places, totals);
  record.check?.(given, path, totals);
  return { type: record.id, params: { ...given }, path, ...found };
}

/**
 * Checks the parameters by their schema, and removes the URL of a file from them. Returns the input that holds the file
 * parameter; nothing if there is none, or if `given` has its value, which is checked.
 */
function fileOf(
  record: Transformation,
  given: Record<string, unknown>,
  registry: readonly Transformation[],
  pathOf: (name: string) => string,
  places: FilePlaces,
  totals: RequestTotals,
): Pick<ParsedStep, 'file' | 'url'> {
  const { fileParameter, parameters } = record;
  const inline = fileParameter?.value ?? null;
  const value = inline === null ? undefined : given[inline.name];
  const isStored = value instanceof StepFile;
  if (inline !== null && isStored) delete given[inline.name];
  const fault = schemaFault(parameters, given, 'fillDefaults');
  if (fault !== null) throw parameterFailure(fault, record, pathOf);
  if (fileParameter === undefined) return {};
  const { id } = record;
  const { part } = fileParameter;
  const name = contentName(fileParameter);
  const ofFile = Object.keys(given).find((key) => key === part || key.startsWith(`${part}_`));
  if (inline !== null && value !== undefined) {
    if (ofFile !== undefined)
      throw invalid(
        pathOf(ofFile),
        phrase`is about a file, but '${field(pathOf(name))}' has the value; leave one of them out`,
      );
    if (isStored) return { file: { input: value.input } };
    inline.fromValue(value, pathOf(name));
    return {};
  }
  const [stated, ...others] = [`${part}_upload`, `${part}_url`, part].filter(
    (key) => given[key] !== undefined,
  );
  if (stated !== undefined && stated !== part) {
    const statedPath = pathOf(stated);
    if (places === 'paths')
      throw invalid(statedPath, 'is possible only in a request to a service; use the path of a file');
    if (others.length > 0)
      throw invalid(statedPath, phrase`contradicts '${field(pathOf(others[0]))}'; state the file once`);
    const text = String(given[stated]);
    const isRemote = stated === `${part}_url`;
    if (isRemote) delete given[stated];
    const described = checkedFile(fileParameter.fileOf(given, pathOf), registry, totals);
    const features = { ...described, paths: { ...described.paths, file: statedPath } };
    return isRemote
      ? { file: { input: statedPath, isRemote: true, features }, url: { text, path: statedPath } }
      : { file: { input: `upload ${text}`, upload: { id: text, path: statedPath }, features } };
  }
  if (places === 'none' && ofFile !== undefined)
    throw invalid(
      pathOf(ofFile),
      inline === null
        ? phrase`is about a file, which only a form can have; send a form, or '${field(pathOf(`${part}_upload`))}'`
        : phrase`is about a file, which only a form can have; send a form, '${field(pathOf(name))}', or '${field(pathOf(`${part}_upload`))}'`,
    );
  const input = given[part] ?? (places === 'parts' ? part : undefined);
  if (places === 'none' || input === undefined) throw missingParameter(id, name, parameters, pathOf);
  if (places === 'parts' && !isFilePart([part], String(input)))
    throw invalid(
      pathOf(part),
      `names the part of the form with the file: '${part}', or '${part}_' and letters, digits and underscores`,
    );
  return {
    file: {
      input: String(input),
      features: checkedFile(fileParameter.fileOf(given, pathOf), registry, totals),
    },
  };
}

/** The condition is one of filter. */
function checkedFile(
  file: FeatureFile,
  registry: readonly Transformation[],
  totals: RequestTotals,
): FeatureFile {
  const { where, paths } = file;
  const filter = registry.find(({ id }) => id === 'filter');
  if (where === null) return file;
  try {
    filter?.check?.({ where }, paths.where, totals);
    if (needsRows(parseExpression(where, paths.where)))
      throw invalid(paths.where, "cannot use 'row()', as the features of this file are not numbered");
  } catch (error) {
    throw renamedPath(error, paths.where);
  }
  return file;
}

/** An error of filter about a condition that is the parameter at `path` itself, not one named `where` below it. */
export function renamedPath(error: unknown, path: string): unknown {
  if (!(error instanceof GeomillError)) return error;
  const { path: named } = error.params;
  if (typeof named !== 'object' || !('field' in named) || !named.field.startsWith(`${path}.where`))
    return error;
  const renamed = field(path + named.field.slice(`${path}.where`.length));
  return new GeomillError(error.entry, { ...error.params, path: renamed }, error.location, error);
}

/** The error for a form without the part that a step needs. */
export function missingFilePart(
  { type, path = '', file }: RequestedStep,
  registry: readonly Transformation[],
): GeomillError {
  const record = registry.find(({ id }) => id === type);
  if (record?.fileParameter === undefined) throw new Error(`transformation '${type}' has no file parameter`);
  const { part } = record.fileParameter;
  const name = contentName(record.fileParameter);
  return missingParameter(
    type,
    name,
    record.parameters,
    () => `${path}.${name}`,
    `, or send a file as part '${file?.input ?? part}'`,
  );
}

function missingParameter(
  id: string,
  name: string,
  { properties }: ParametersSchema,
  pathOf: (name: string) => string,
  advice = '',
): GeomillError {
  const description = descriptionOf(properties[name]);
  const what = description === '' ? '' : `: ${description}`;
  return invalid(pathOf(name), `is required for ${id}${what}${advice}`);
}

function recordOf(type: unknown, path: string, registry: readonly Transformation[]): Transformation {
  const supported = registry.length === 0 ? 'none' : registry.map(({ id }) => id).join(', ');
  if (type === undefined || type === null)
    throw invalid(`${path}.type`, `is required: the name of a transformation; supported: ${supported}`);
  const wanted = typeof type === 'string' ? type.trim().toLowerCase() : null;
  const record = registry.find(({ id }) => id === wanted);
  if (record !== undefined) return record;
  throw failure(stepErrors.TRANSFORMATION_UNKNOWN, {
    type: typeof type === 'string' ? type.slice(0, 40) : shortValue(type),
    path: field(`${path}.type`),
    hint: didYouMean(
      wanted ?? '',
      registry.map(({ id }) => id),
    ),
    known: supported,
  });
}

function parameterFailure(
  { keyword, path: [name, ...inner], reason }: SchemaFault,
  { id, parameters }: Transformation,
  pathOf: (name: string) => string,
): GeomillError {
  if (name === undefined) return invalid(id, reason);
  if (inner.length === 0 && keyword === 'required') return missingParameter(id, name, parameters, pathOf);
  const path = memberPath(pathOf(name), inner).slice(0, 120);
  if (inner.length > 0 || keyword !== 'additionalProperties') return invalid(path, reason);
  const known = Object.keys(parameters.properties);
  const list = known.length === 0 ? 'it has none' : `it has ${known.join(', ')}`;
  return invalid(path, `is not a parameter of ${id}${didYouMean(name, [...known, 'params'])}; ${list}`);
}

function descriptionOf(schema: object | undefined): string {
  if (schema === undefined || !('description' in schema)) return '';
  return String(schema.description)
    .split(/(?<=\.)\s/, 1)[0]
    .replace(/\.$/, '');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function invalid(path: string, reason: string | Phrase): GeomillError {
  return failure(generalErrors.TRANSFORMATION_INVALID, { path: field(path), reason });
}
