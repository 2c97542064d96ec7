/**
 * From the config that a client sends to the one JobRequest, for every endpoint. Names and schemas of the fields stand in
 * config-fields.ts.
 */
import { failure } from '@geomill/core/messages/errors.ts';
import { type FailOn, Findings } from '@geomill/core/messages/findings.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { field } from '@geomill/core/messages/message.ts';
import type { Format } from '@geomill/formats/format.ts';
import { type FilePlaces, parseSteps, type RequestedStep } from '@geomill/operations/requested-steps.ts';
import type { JobRequest, MergeRequest } from '@geomill/pipeline/request.ts';
import {
  type AddressParser,
  type InputUrl,
  NO_ADDRESSES,
  type RemoteAddress,
  type UploadReference,
} from './addresses.ts';
import type { Endpoint, FieldId, Registries } from './config-fields.ts';
import { ConfigValues, invalid } from './config-values.ts';
import { configOfDocument, inDocument, isDocument, parseDocument } from './job-document.ts';
import { requestFindings } from './messages.ts';
import { parseFilesCrs } from './parse-crs.ts';
import { parseInputFormat, parseOptions, parseOutputFormat } from './parse-format.ts';
import { parseOutput } from './parse-output.ts';
import { noteUnknownKeys, refuseMisspelledKey, refuseUnknownKeys } from './unknown-keys.ts';

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
