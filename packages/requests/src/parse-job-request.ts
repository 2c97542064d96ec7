/**
 * From the config that a client sends to the one JobRequest, for every endpoint. Names and schemas of the fields stand in
 * config-fields.ts.
 */
import { type CrsText, parseInputCrs, parseOutputCrs, SOURCE_CRS } from '@geomill/core/crs/crs.ts';
import { closest } from '@geomill/core/messages/did-you-mean.ts';
import { failure, type GeomillError } from '@geomill/core/messages/errors.ts';
import { type FailOn, Findings } from '@geomill/core/messages/findings.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { field } from '@geomill/core/messages/message.ts';
import { shortText } from '@geomill/core/messages/short-text.ts';
import {
  type Format,
  type InputFormat,
  isInputFormat,
  isOutputFormat,
  type OptionsSchema,
  type OutputFormat,
  type OutputVariant,
  variantNamed,
  variantOf,
} from '@geomill/formats/format.ts';
import { formatNamed } from '@geomill/formats/format-by-id.ts';
import { validateOptions } from '@geomill/formats/options.ts';
import { type FilePlaces, parseSteps, type RequestedStep } from '@geomill/operations/requested-steps.ts';
import { checkSplitBy, type SplitBy } from '@geomill/operations/split_by/record.ts';
import { pipelineErrors } from '@geomill/pipeline/errors.ts';
import type {
  InputFileRequest,
  JobRequest,
  MergeRequest,
  OutputRequest,
  SplitInto,
  SplitRequest,
} from '@geomill/pipeline/request.ts';
import { checkSplit } from '@geomill/pipeline/split-request.ts';
import {
  type AddressParser,
  type InputUrl,
  NO_ADDRESSES,
  type RemoteAddress,
  type UploadReference,
} from './addresses.ts';
import { type Endpoint, type FieldId, groupNames, optionNames, type Registries } from './config-fields.ts';
import { ConfigValues, describe, invalid, isObject } from './config-values.ts';
import { configOfDocument, inDocument, isDocument, parseDocument } from './job-document.ts';
import { requestErrors, requestFindings } from './messages.ts';
import { misspelledKey } from './unknown-keys.ts';

export interface ParsedConfig {
  readonly inputFormat: Format;
  /** Address of the input; null: the request has files. */
  readonly inputUrl: InputUrl | null;
  readonly uploads: InputUploads;
  readonly steps: readonly RequestedStep[];
  /** Addresses of the files of steps, by the names of the inputs. */
  readonly stepUrls: ReadonlyMap<string, RemoteAddress>;
  /** Warnings about the config. */
  readonly findings: Findings;
  /** The request for a number of files, at least one. Throws CRS_LIST_LENGTH. */
  forFiles(fileCount: number): JobRequest;
}

/** Maximum number of unknown keys that are named in the report. */
const MAX_UNKNOWN_KEYS = 20;

/** Uploads that are inputs. */
export interface InputUploads {
  /** Instead of the single file; null: none. */
  readonly single: UploadReference | null;
  readonly list: readonly UploadReference[];
}

/**
 * `places`: where files of steps can be, such as the parts of a form. Unknown members are
 * findings, unless they look like known ones or the config is strict; invalid values throw an error that names the path (CONFIG_INVALID, FORMAT_UNKNOWN, CRS_UNKNOWN, FIELD_REQUIRED, INLINE_NOT_POSSIBLE, INPUT_URL_DISABLED,
 * URL_INVALID, URL_REFUSED, and what `parseSteps` throws).
 */
export function parseJobRequest(
  config: unknown,
  endpoint: Endpoint,
  registries: Registries,
  addresses: AddressParser = NO_ADDRESSES,
  places: FilePlaces = 'none',
): ParsedConfig {
  if (!isDocument(config)) return parseConfig(config, endpoint, registries, addresses, places);
  // Also a document for a transform can be inspected.
  const operation = endpoint.operation === 'inspect' ? 'transform' : endpoint.operation;
  const document = parseDocument({ operation, ...config });
  if (endpoint.operation !== 'inspect' && document.operation !== endpoint.operation)
    throw invalid('operation', `is ${document.operation}, but the request is a ${endpoint.operation}`);
  if (document.outputs.length > 1)
    throw invalid(
      'outputs',
      `has ${document.outputs.length} entries; a job has one output, so submit a job for each`,
    );
  try {
    return parseConfig(configOfDocument(document, 0), endpoint, registries, addresses, places);
  } catch (error) {
    throw inDocument(error, 0);
  }
}

function parseConfig(
  config: unknown,
  endpoint: Endpoint,
  registries: Registries,
  addresses: AddressParser,
  places: FilePlaces,
): ParsedConfig {
  const values = new ConfigValues(config, endpoint, registries);
  refuseMisspelledKey(values, endpoint, registries);
  const inputFormat = parseInputFormat(values, endpoint, registries);
  const outputChoice = parseOutputFormat(values, endpoint, registries);
  const inputUrl = addresses.input(values, endpoint, inputFormat);
  const uploads = parseUploads(values, endpoint, inputUrl, places);
  const filesOf = parseFilesCrs(
    values,
    endpoint,
    inputFormat,
    outputChoice === null || endpoint.isCrsOptional === true,
    places,
  );
  const output = outputChoice === null ? null : parseOutput(values, endpoint, outputChoice);
  const { steps, stepUrls } = parseTransformations(values, registries, places, addresses);
  const layers = parseLayers(values);
  const failOn = values.take('failOn').value as FailOn | undefined;
  const merge = endpoint.operation === 'merge' ? parseMerge(values) : null;
  const isStrict = values.take('strict').value === true;
  const acceptsImpossible =
    endpoint.operation !== 'inspect' && values.take('acceptImpossibleCoordinates').value === true;
  const isExact = endpoint.operation !== 'inspect' && values.take('exact').value === true;
  const isTextOnly = endpoint.operation === 'inspect' && values.take('textOnly').value === true;
  const ignoredPaths = ['input.path', 'output.path'].filter(
    (path) => values.takeAny([path]).value !== undefined,
  );
  const options = parseOptions(
    values,
    endpoint,
    'input',
    inputFormat.readOptions,
    inputFormat.readOptionsKey,
  );
  const findings = new Findings();
  for (const path of ignoredPaths) findings.note(requestFindings.PATH_IGNORED, { path: field(path) });
  if (isStrict) refuseUnknownKeys(values.unknown());
  else noteUnknownKeys(values.unknown(), findings);
  return {
    inputFormat,
    inputUrl,
    uploads,
    steps,
    stepUrls,
    findings,
    forFiles(fileCount) {
      const { operation } = endpoint;
      const input = { format: inputFormat.id, files: filesOf(fileCount), layers, options };
      if (operation === 'inspect')
        return {
          operation,
          input,
          transformations: steps,
          output,
          ...(isTextOnly ? { textOnly: true } : {}),
        };
      if (output === null)
        throw failure(generalErrors.INTERNAL, { reason: `a request to ${operation} has no output` });
      const asked = {
        ...(failOn === undefined ? {} : { failOn }),
        ...(isStrict ? { strict: true } : {}),
        ...(acceptsImpossible ? { acceptImpossibleCoordinates: true } : {}),
        ...(isExact ? { exact: true } : {}),
      };
      const kept = merge === null ? {} : { merge };
      return { operation, input, transformations: steps, output, ...kept, ...asked };
    },
  };
}

function refuseMisspelledKey(values: ConfigValues, endpoint: Endpoint, registries: Registries): void {
  const found = misspelledKey(values.unknown(), endpoint, registries);
  if (found === null) return;
  const meant = found.meant.map((name) => `'${name}'`).join(' or ');
  throw invalid(shortText(found.key, 100), `is an unknown key; did you mean ${meant}?`);
}

function refuseUnknownKeys(paths: readonly string[]): void {
  if (paths.length === 0) return;
  const more = paths.length === 1 ? '' : `, as are ${paths.length - 1} more`;
  throw invalid(shortText(paths[0], 100), `is an unknown key${more}; remove it, or set 'strict' to false`);
}

/** Names the first unknown keys and counts the others, because a config may contain very many. */
function noteUnknownKeys(paths: readonly string[], findings: Findings): void {
  for (const path of paths.slice(0, MAX_UNKNOWN_KEYS))
    findings.note(requestFindings.UNKNOWN_KEY, { path: path.slice(0, 100) });
  const count = paths.length - MAX_UNKNOWN_KEYS;
  if (count > 0) findings.note(requestFindings.UNKNOWN_KEYS, { count });
}

function parseInputFormat(values: ConfigValues, endpoint: Endpoint, { formats }: Registries): InputFormat {
  const known = formats.filter(isInputFormat);
  const { path, value } = values.take('inputFormat');
  const fromPath = endpoint.inputFormat;
  if (value === undefined && fromPath === null) throw formatMissing(values, path, known);
  const format = findFormat(String(value ?? fromPath), known);
  if (value !== undefined && fromPath !== null && format.id !== fromPath)
    throw invalid(
      path,
      `says ${format.id}, but the path of the request says ${fromPath}; post to the path of the format, or remove it`,
    );
  return format;
}

interface OutputChoice {
  readonly format: OutputFormat;
  /** The variant that the name of the format selects. */
  readonly variant: OutputVariant | null;
}

/** Null: an inspection without an output. */
function parseOutputFormat(
  values: ConfigValues,
  endpoint: Endpoint,
  { formats }: Registries,
): OutputChoice | null {
  const known = formats.filter(isOutputFormat);
  const { path, value } = values.take('outputFormat');
  if (value !== undefined) {
    const name = String(value);
    const format = findFormat(name, known);
    return { format, variant: variantNamed(format, name) };
  }
  if (endpoint.operation === 'inspect') return null;
  throw formatMissing(values, path, known);
}

function findFormat<Known extends Format>(name: string, among: readonly Known[]): Known {
  const format = formatNamed(among, name);
  if (format === undefined)
    throw failure(generalErrors.INTERNAL, { reason: `format ${name} is not registered` });
  return format;
}

function formatMissing(values: ConfigValues, path: string, among: readonly Format[]): Error {
  const known = among.map((format) => format.id).join(', ');
  const others = values.unknown().slice(0, 8);
  const found = others.length === 0 ? '' : `; what came is ${others.map((name) => `'${name}'`).join(', ')}`;
  return invalid(path, `is required; known formats are ${known}${found}`);
}

const UPLOAD_FIELDS = {
  transform: { single: 'inputUpload', list: null },
  inspect: { single: 'inputUpload', list: null },
  append: { single: 'targetUpload', list: 'appendUploads' },
  merge: { single: null, list: 'mergeUploads' },
} as const satisfies Record<
  Endpoint['operation'],
  { readonly single: FieldId | null; readonly list: FieldId | null }
>;

/** Throws CONFIG_INVALID if the config has a URL, too, and where there is no service that has uploads. */
export function parseUploads(
  values: ConfigValues,
  { operation }: Endpoint,
  inputUrl: InputUrl | null,
  places: FilePlaces,
): InputUploads {
  const { single: singleField, list: listField } = UPLOAD_FIELDS[operation];
  const one = singleField === null ? null : values.take(singleField);
  const single = one === null || one.value === undefined ? null : { id: String(one.value), path: one.path };
  const more = listField === null ? null : values.take(listField);
  const ids = (more?.value ?? []) as readonly string[];
  const list = ids.map((id, i) => ({ id, path: `${more?.path}[${i}]` }));
  const first = single ?? list.at(0);
  if (first !== undefined && places === 'paths')
    throw invalid(first.path, 'is possible only in a request to a service; use the path of a file');
  if (inputUrl !== null && single !== null)
    throw invalid(single.path, `contradicts '${inputUrl.path}'; state the input once`);
  return { single, list };
}

/** A format that needs a CRS in the request, and where the request has its files. */
interface CrsNeed {
  readonly format: Format;
  readonly places: FilePlaces;
}

type FilesOf = (fileCount: number) => readonly InputFileRequest[];

/** The CRS given for each file. Throws FIELD_REQUIRED if the format needs one and the config has none. */
function parseFilesCrs(
  values: ConfigValues,
  { operation }: Endpoint,
  format: Format,
  isTellingOnly: boolean,
  places: FilePlaces,
): FilesOf {
  // A file without a CRS can be inspected, but not converted.
  const requiredBy = format.inputCrs === 'request' && !isTellingOnly ? { format, places } : null;
  switch (operation) {
    case 'transform':
    case 'inspect': {
      const { path, value } = values.take('overrideCrs');
      const file = parseFileCrs(values, requiredBy);
      if (value !== true) return () => [file];
      if (file.crs === null)
        throw invalid(path, `needs '${file.crsPath}', the CRS in which the file is read`);
      return () => [{ ...file, overridesCrs: true }];
    }
    case 'append': {
      const target = parseFileCrs(values, requiredBy);
      const others = parseCrsMapping(values, 'appendCrs', requiredBy);
      return (fileCount) => [target, ...others(fileCount - 1)];
    }
    case 'merge':
      return parseCrsMapping(values, 'mergeCrs', requiredBy);
  }
}

function parseFileCrs(values: ConfigValues, requiredBy: CrsNeed | null): InputFileRequest {
  const { path, value } = values.take('inputCrs');
  if (value === undefined && requiredBy !== null) throw crsRequired(path, requiredBy);
  return { crs: crsOrNull(value, path), crsPath: path };
}

/** For a format that stores no CRS. The specification has the whole text of the response; the command line adds what helps. */
function crsRequired(path: string, { format: { id, name }, places }: CrsNeed): GeomillError {
  const advice = places === 'paths' ? '; geomill info FILE lists systems that fit its coordinates' : '';
  return failure(pipelineErrors.FIELD_REQUIRED, { path: field(path), id, format: name, advice });
}

/** One CRS for all files, or a list with one entry per file. */
function parseCrsMapping(
  values: ConfigValues,
  key: 'appendCrs' | 'mergeCrs',
  requiredBy: CrsNeed | null,
): FilesOf {
  const { path, value } = values.take(key);
  if (value === undefined && requiredBy !== null) throw crsRequired(path, requiredBy);
  if (!Array.isArray(value)) {
    const crs = crsOrNull(value, path);
    return (fileCount) =>
      Array.from({ length: fileCount }, (_, i) => ({
        crs,
        crsPath: crs === null && fileCount > 1 ? `${path}[${i}]` : path,
      }));
  }
  const files = value.map((entry: unknown, i) => ({
    crs: crsOrNull(entry, `${path}[${i}]`),
    crsPath: `${path}[${i}]`,
  }));
  const missing = requiredBy === null ? undefined : files.find(({ crs }) => crs === null);
  if (missing !== undefined && requiredBy !== null) throw crsRequired(missing.crsPath, requiredBy);
  return (fileCount) => {
    if (fileCount !== files.length)
      throw failure(requestErrors.CRS_LIST_LENGTH, {
        path: field(path),
        listed: files.length,
        files: fileCount,
      });
    return files;
  };
}

/** Null: as if nothing was stated. */
function parseMerge(values: ConfigValues): MergeRequest | null {
  const { value: attributes } = values.take('mergeAttributes');
  const { value: sourceField } = values.take('sourceField');
  if (attributes === undefined && sourceField === undefined) return null;
  return {
    attributes: (attributes ?? 'none') as MergeRequest['attributes'],
    ...(sourceField === undefined ? {} : { sourceField: String(sourceField) }),
  };
}

function crsOrNull(value: unknown, path: string): CrsText | null {
  return value === undefined || value === null ? null : parseInputCrs(value, path);
}

function parseOutput(
  values: ConfigValues,
  endpoint: Endpoint,
  { format, variant }: OutputChoice,
): OutputRequest {
  const crs = values.take('outputCrs');
  const toFile = values.take('toFile');
  const { value: layerName } = values.take('layerName');
  const split = parseSplit(values, format);
  const given = parseOptions(values, endpoint, 'output', format.writeOptions, undefined);
  const options = variant === null ? given : withVariant(given, variant, endpoint);
  const isSequence = variantOf(format, options) !== null;
  if (toFile.value === false && (format.jsonSchema === null || isSequence))
    throw failure(requestErrors.INLINE_NOT_POSSIBLE, {
      path: field(toFile.path),
      format: isSequence ? `sequences of ${format.name}` : format.name,
    });
  const request: OutputRequest = {
    format: format.id,
    ...(crs.value === undefined
      ? { crs: defaultCrs(endpoint) }
      : { crs: parseOutputCrs(crs.value, crs.path), crsPath: crs.path }),
    ...(layerName === undefined ? {} : { layerName: String(layerName) }),
    toFile: toFile.value !== false,
    ...(split === null ? {} : { split }),
    options,
  };
  checkSplit(endpoint.operation, request, format);
  return request;
}

/** Null: the output is not split. Throws CONFIG_INVALID. */
function parseSplit(values: ConfigValues, format: Format): SplitRequest | null {
  const { value: by, path: byPath } = values.take('splitBy');
  const { value: into, path } = values.take('splitInto');
  if (by !== undefined) {
    checkSplitBy(by as SplitBy, byPath);
    return { field: by as SplitBy, into: (into as SplitInto | undefined) ?? format.parts };
  }
  if (into !== undefined)
    throw invalid(path, "needs 'split_by', the field or expression by which the output is split");
  return null;
}

/** An append keeps the CRS of its target. */
function defaultCrs({ operation, keepsCrs }: Endpoint): CrsText | null {
  return operation === 'append' || keepsCrs === true ? SOURCE_CRS : null;
}

/** The options with that of a variant which the name of the format selects. */
function withVariant(
  options: Readonly<Record<string, unknown>>,
  { names, option, values: [value, ...others] }: OutputVariant,
  endpoint: Endpoint,
): Readonly<Record<string, unknown>> {
  const stated = options[option];
  if (stated !== undefined && stated !== value && !others.includes(stated))
    throw invalid(
      optionNames('output', option, endpoint)[0],
      `contradicts the format '${names[0]}'; state it once`,
    );
  return { ...options, [option]: stated ?? value };
}

function parseLayers(values: ConfigValues): readonly string[] | null {
  const { value } = values.take('inputLayers');
  if (value === undefined) return null;
  return (Array.isArray(value) ? value : [value]).map(String);
}

function parseTransformations(
  values: ConfigValues,
  { transformations, formats }: Registries,
  places: FilePlaces,
  addresses: AddressParser,
): Pick<ParsedConfig, 'steps' | 'stepUrls'> {
  const { path, value } = values.take('transformations');
  const stepUrls = new Map<string, RemoteAddress>();
  const parsed = value === undefined ? [] : parseSteps(value, path, transformations, places);
  const steps = parsed.map(({ url, ...step }): RequestedStep => {
    if (url === undefined || step.file === undefined) return step;
    const part = transformations.find(({ id }) => id === step.type)?.fileParameter?.part ?? '';
    const checked = addresses.step(url.text, url.path, part, formats);
    const [known] = [...stepUrls].find(([, other]) => other.url.href === checked.url.href) ?? [];
    if (known === undefined) stepUrls.set(step.file.input, checked);
    // Steps with the same address share the file.
    return { ...step, file: { ...step.file, input: known ?? step.file.input } };
  });
  return { steps, stepUrls };
}

/** Options of a format, either in the group `groupKey` or next to the format. */
function parseOptions(
  values: ConfigValues,
  endpoint: Endpoint,
  side: 'input' | 'output',
  schema: OptionsSchema,
  groupKey: string | undefined,
): Readonly<Record<string, unknown>> {
  const options: Record<string, unknown> = Object.create(null);
  const paths = new Map<string, string>();
  const group = groupKey === undefined ? undefined : values.takeAny(groupNames(groupKey, endpoint));
  if (group?.value !== undefined) {
    if (!isObject(group.value)) throw invalid(group.path, `must be an object, not ${describe(group.value)}`);
    for (const [name, value] of Object.entries(group.value)) {
      const path = `${group.path}.${name}`;
      // Not `in`: 'constructor' is not an option.
      if (!Object.hasOwn(schema.properties, name)) {
        const meant = closest(name, Object.keys(schema.properties));
        if (meant !== null) throw invalid(path, `is an unknown key; did you mean '${group.path}.${meant}'?`);
        values.setUnknown(path);
      } else if (value !== null) {
        options[name] = value;
        paths.set(name, path);
      }
    }
  }
  for (const name of Object.keys(schema.properties)) {
    const { path, value } = values.takeAny(optionNames(side, name, endpoint));
    if (value === undefined) continue;
    if (Object.hasOwn(options, name) && JSON.stringify(options[name]) !== JSON.stringify(value))
      throw invalid(path, `contradicts '${paths.get(name)}'; state it once`);
    options[name] = value;
    paths.set(name, path);
  }
  return { ...validateOptions(schema, options, (name) => paths.get(name) ?? `${side}.${name}`) };
}
