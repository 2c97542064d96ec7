/**
 * Job documents from outside: a dropped file, a link, a job of the history. Checked here as far as this page interprets them,
 * so that every key has an effect or is named; values of parameters and options are checked by the service.
 */
import type { FormatRecord, TransformationRecord } from '@geomill/client/client.ts';
import {
  EMPTY_DOCUMENT,
  fileReading,
  type InputChoice,
  type Operation,
  type Options,
  type OutputChoice,
  type StepChoice,
  type WorkspaceDocument,
} from './document.ts';
import { formatOfName, uniqueName } from './grouping.ts';
import { fileNameOf, formatOfUrl, isWebAddress, nameOfUrl } from './input-url.ts';
import { outputExtension } from './split-output.ts';

/** Characters of a document. */
export const MAX_DOCUMENT_LENGTH = 1_000_000;
const MAX_INPUTS = 1000;
const MAX_STEPS = 100;
/** A multipolygon of a mask is about ten deep. */
const MAX_DEPTH = 40;

export interface KnownNames {
  readonly formats: readonly FormatRecord[];
  readonly transformations: readonly TransformationRecord[];
}

/** Why a document was not opened: where, what, and what is supported. */
export class DocumentProblem extends Error {}

const OPERATIONS: readonly Operation[] = ['transform', 'append', 'merge'];
/** `output.*` of every format, beside its write options. */
const COMMON_OUTPUT_OPTIONS = ['layer_name', 'split_by', 'split_into'];

/** A value that has keys of a job document or config and is not GeoJSON. */
export function looksLikeDocument(value: unknown): boolean {
  if (!isRecord(value) || typeof value.type === 'string') return false;
  return ['inputs', 'steps', 'outputs', 'transformations', 'input', 'output'].some((key) =>
    Object.hasOwn(value, key),
  );
}

/** Throws DocumentProblem. */
export function parseDocument(text: string, known: KnownNames): WorkspaceDocument {
  if (text.length > MAX_DOCUMENT_LENGTH)
    throw new DocumentProblem(
      `The job document has ${text.length.toLocaleString('en')} characters; the limit is ${MAX_DOCUMENT_LENGTH.toLocaleString('en')}.`,
    );
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new DocumentProblem(`The job document is not JSON: ${(error as Error).message}`);
  }
  return readDocument(value, known);
}

/**
 * Takes the document of `geomill run` (inputs, steps, outputs) and the config of a job (input, transformations, output).
 * Without inputs it is a list of steps for any file. Throws DocumentProblem.
 */
export function readDocument(value: unknown, known: KnownNames): WorkspaceDocument {
  checkDepth(value);
  const document = recordOf(value, 'the document');
  const isConfig = ['input', 'transformations', 'output'].some((key) => Object.hasOwn(document, key));
  const [inputsKey, stepsKey, outputsKey] = isConfig
    ? ['input', 'transformations', 'output']
    : ['inputs', 'steps', 'outputs'];
  checkKeys(document, ['operation', inputsKey, stepsKey, outputsKey, 'fail_on', 'strict'], '');
  if (document.strict !== undefined && document.strict !== false)
    throw new DocumentProblem(`'strict' is not supported here. Remove it, or use geomill run.`);
  if (document.fail_on !== undefined)
    throw new DocumentProblem(`'fail_on' is not supported here. Remove it, or use geomill run.`);
  const operation = document.operation ?? 'transform';
  if (!OPERATIONS.includes(operation as Operation))
    throw new DocumentProblem(`'operation' is ${shown(operation)}; supported: ${OPERATIONS.join(', ')}.`);
  const asList = (key: string, maximum: number) => {
    const list = document[key] ?? [];
    const values = isConfig && key !== 'transformations' && !Array.isArray(list) ? [list] : list;
    if (!Array.isArray(values)) throw new DocumentProblem(`'${key}' is not a list.`);
    if (values.length > maximum)
      throw new DocumentProblem(`'${key}' has ${values.length} entries; this page takes at most ${maximum}.`);
    return document[key] === undefined ? [] : values;
  };
  const at = (key: string, i: number) => (isConfig && key !== stepsKey ? key : `${key}[${i}]`);
  const inputs = withNames(
    asList(inputsKey, MAX_INPUTS).map((one, i) => readInput(one, at(inputsKey, i), known)),
  );
  const steps = asList(stepsKey, MAX_STEPS).map((one, i) => readStep(one, at(stepsKey, i), i + 1, known));
  const withFiles = addStepFiles(inputs, steps, known);
  const [output = EMPTY_DOCUMENT.output] = asList(outputsKey, 1).map((one, i) =>
    readOutput(one, at(outputsKey, i), known),
  );
  return { operation: inputs.length < 2 ? 'transform' : (operation as Operation), ...withFiles, output };
}

/** Addresses can end alike, so that their inputs get other names. Throws DocumentProblem if two files have one name. */
function withNames(inputs: readonly InputChoice[]): readonly InputChoice[] {
  const names = new Set<string>();
  const take = (input: InputChoice): InputChoice => {
    const path = input.url === undefined ? input.path : uniqueName(input.path, names);
    if (names.has(path)) throw new DocumentProblem(`Two inputs have the file name '${path}'. Rename one.`);
    names.add(path);
    return { ...input, path };
  };
  const files = new Map(inputs.filter(({ url }) => url === undefined).map((input) => [input, take(input)]));
  return inputs.map((input) => files.get(input) ?? take(input));
}

/** The files of steps as inputs. Parameters that say how a file is read become those of the input, unless it is read in another way. */
function addStepFiles(
  given: readonly InputChoice[],
  steps: readonly StepChoice[],
  { formats }: KnownNames,
): Pick<WorkspaceDocument, 'inputs' | 'steps'> {
  const inputs = [...given];
  const withFiles = steps.map((step) => {
    const { file, params } = step;
    if (file === undefined) return step;
    const url = isWebAddress(file.path) ? file.path : undefined;
    const isFile = (input: InputChoice) => (url === undefined ? input.path === file.path : input.url === url);
    if (!inputs.some(isFile)) {
      const named = url === undefined ? formatOfName(file.path, formats) : formatOfUrl(url, formats);
      const format = params[`${file.part}_format`] ?? named;
      const isInput = formats.some(({ id, input }) => input && id === format);
      if (!isInput) return step;
      const crs = params[`${file.part}_crs`];
      const options = params[`${file.part}_options`];
      inputs.push({
        path:
          url === undefined ? file.path : uniqueName(nameOfUrl(url), new Set(inputs.map(({ path }) => path))),
        format: format as string,
        crs: isPlainCrs(crs) ? readCrs(crs, '', []) : null,
        layers: null,
        options: isRecord(options) ? options : {},
        ...(url === undefined ? {} : { url }),
        isForSteps: true,
      });
    }
    const input = inputs.find(isFile) as InputChoice;
    const reading = Object.entries(fileReading(file.part, input));
    const same = new Set(reading.flatMap(([name, value]) => (isSame(params[name], value) ? [name] : [])));
    const others = Object.entries(params).filter(([name]) => !same.has(name));
    return { ...step, params: Object.fromEntries(others), file: { ...file, path: input.path } };
  });
  return { inputs, steps: withFiles };
}

function isPlainCrs(value: unknown): boolean {
  return /^(?:EPSG:)?\d{1,9}$/i.test(String(value).trim());
}

/** CRSs are the same as 25832 and "EPSG:25832". */
function isSame(a: unknown, b: unknown): boolean {
  if (isPlainCrs(a) && isPlainCrs(b)) return readCrs(a, '', []) === readCrs(b, '', []);
  return JSON.stringify(a) === JSON.stringify(b);
}

function readInput(value: unknown, where: string, { formats }: KnownNames): InputChoice {
  const { path, format: _format, epsg, override_crs, layer, url, ...others } = recordOf(value, where);
  if (override_crs !== undefined && typeof override_crs !== 'boolean')
    throw new DocumentProblem(`'${where}.override_crs' is not true or false.`);
  if (path !== undefined && url !== undefined)
    throw new DocumentProblem(`'${where}' has both 'path' and 'url'. Remove one.`);
  if (url !== undefined && !isWebAddress(url))
    throw new DocumentProblem(`'${where}.url' is not an http or https address.`);
  if (path !== undefined && (typeof path !== 'string' || path === '' || path === '-'))
    throw new DocumentProblem(`'${where}.path' is not the name of a file.`);
  const name = url === undefined ? fileNameOf((path ?? '') as string) : nameOfUrl(url as string);
  const usable = formats.filter(({ input }) => input);
  const shown = url === undefined ? formatOfName(name, usable) : formatOfUrl(url as string, usable);
  const format = readFormat(value as Options, where, shown, usable);
  const { read_options_key: key } = format;
  const { [key ?? '']: grouped = {}, ...plain } = others;
  const options = { ...plain, ...recordOf(grouped, where) };
  checkKeys(options, namesOf(format.read_options), where);
  return {
    path: name === '' ? `input${format.extensions[0] ?? ''}` : name,
    format: format.id,
    crs: readCrs(epsg, `${where}.epsg`, ['local']),
    ...(override_crs === true ? { overridesCrs: true } : {}),
    layers: readLayers(layer, `${where}.layer`),
    options,
    ...(url === undefined ? {} : { url: url as string }),
  };
}

function readStep(value: unknown, where: string, key: number, { transformations }: KnownNames): StepChoice {
  const { type, params: nested, ...flat } = recordOf(value, where);
  const record = transformations.find(({ id }) => id === type);
  if (record === undefined) {
    const ids = transformations.map(({ id }) => id).join(', ');
    throw new DocumentProblem(`'${where}.type': unknown step ${shown(type)}; supported: ${ids}.`);
  }
  const given = nested === undefined || nested === null ? {} : recordOf(nested, `${where}.params`);
  const names = namesOf(record.parameters);
  checkKeys(given, names, `${where}.params`);
  // Parameters can also be next to the type.
  checkKeys(flat, ['type', 'params', ...names], where);
  const twice = Object.keys(flat).find((name) => Object.hasOwn(given, name));
  if (twice !== undefined)
    throw new DocumentProblem(`'${where}.${twice}' is also in '${where}.params'. Remove one.`);
  const { file_parameter: fileParameter } = record;
  const all: Options = { ...flat, ...given };
  const part = fileParameter?.part ?? '';
  const { [part]: named, [`${part}_url`]: url, ...params } = all;
  const path = named ?? url;
  if (typeof path !== 'string' || (named !== undefined && url !== undefined))
    return { key, type: record.id, params: all, enabled: true };
  // An address stays whole until the inputs are known.
  const file = { part, path: isWebAddress(path) ? path : fileNameOf(path) };
  return { key, type: record.id, params, enabled: true, file };
}

function readOutput(value: unknown, where: string, { formats }: KnownNames): OutputChoice {
  const { path, format: _format, epsg, to_file, ...options } = recordOf(value, where);
  if (path !== undefined && (typeof path !== 'string' || path === '' || path === '-'))
    throw new DocumentProblem(`'${where}.path' is not the name of a file.`);
  if (to_file !== undefined && to_file !== true)
    throw new DocumentProblem(`'${where}.to_file' is not supported here. Remove it.`);
  const name = fileNameOf((path ?? '') as string);
  const usable = formats.filter((one) => one.output);
  const format = readFormat(value as Options, where, formatOfName(name, usable), usable);
  checkKeys(options, [...namesOf(format.write_options), ...COMMON_OUTPUT_OPTIONS], where);
  const choice = { format: format.id, crs: '', name: null, options };
  const extension = outputExtension(choice, format);
  const stem = name.toLowerCase().endsWith(extension.toLowerCase()) ? name.slice(0, -extension.length) : name;
  return {
    ...choice,
    crs: readCrs(epsg, `${where}.epsg`, ['local', 'source']) ?? 'EPSG:4326',
    name: stem === '' ? null : stem,
  };
}

/** `shownId`: the format that the name of the file shows. */
function readFormat(
  value: Options,
  where: string,
  shownId: string | null,
  usable: readonly FormatRecord[],
): FormatRecord {
  const given = value.format;
  const lower = typeof given === 'string' ? given.toLowerCase() : null;
  const name = given === undefined ? shownId : lower;
  const format = usable.find(({ id, aliases }) => id === name || (name !== null && aliases.includes(name)));
  if (format !== undefined) return format;
  const ids = usable.map((one) => one.id).join(', ');
  throw new DocumentProblem(
    given === undefined
      ? `'${where}.format' is required, because the file name does not show it; supported: ${ids}.`
      : `'${where}.format': unknown format ${shown(given)}; supported: ${ids}.`,
  );
}

/** As the page writes them: "EPSG:25832". Null: absent. */
function readCrs(value: unknown, where: string, words: readonly string[]): string | null {
  if (value === undefined || value === null) return null;
  const text = String(value).trim();
  const word = words.find((one) => one === text.toLowerCase());
  if (word !== undefined) return word;
  const code = /^(?:EPSG:)?(\d{1,9})$/i.exec(text)?.[1];
  if (code !== undefined) return `EPSG:${Number(code)}`;
  throw new DocumentProblem(
    `'${where}' is ${shown(value)}; write an EPSG code such as EPSG:25832, or ${words.join(' or ')}.`,
  );
}

function readLayers(value: unknown, where: string): readonly string[] | null {
  if (value === undefined || value === null) return null;
  const names = Array.isArray(value) ? value : [value];
  if (names.length === 0 || !names.every((name) => typeof name === 'string'))
    throw new DocumentProblem(`'${where}' is not the name of a layer or a list of names.`);
  return names;
}

/** Property names of a JSON Schema. */
function namesOf(schema: Readonly<Record<string, unknown>>): string[] {
  return Object.keys((schema.properties as object | undefined) ?? {});
}

function checkKeys(value: Options, known: readonly string[], where: string): void {
  const unknown = Object.keys(value).filter((key) => !known.includes(key));
  if (unknown.length === 0) return;
  const prefix = where === '' ? '' : `${where}.`;
  const listed = unknown.slice(0, 5).map((key) => `'${prefix}${key.slice(0, 80)}'`);
  const more = unknown.length > 5 ? ` and ${unknown.length - 5} more` : '';
  const supported = known.length === 0 ? 'none' : known.join(', ');
  throw new DocumentProblem(
    `Unknown ${unknown.length === 1 ? 'key' : 'keys'} ${listed.join(', ')}${more}; supported: ${supported}.`,
  );
}

/** Deeper values would exhaust the stack of code that walks them. */
function checkDepth(value: unknown): void {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH)
      throw new DocumentProblem(`The document is nested deeper than ${MAX_DEPTH} levels.`);
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
  }
}

function recordOf(value: unknown, where: string): Options {
  if (isRecord(value)) return value;
  throw new DocumentProblem(
    `${where === 'the document' ? 'The document' : `'${where}'`} is not a JSON object.`,
  );
}

function isRecord(value: unknown): value is Options {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
