/** Takes the jobs of a submitted form: one for each file, and one for a URL. The files stream to disk as those of the API. */
import { failure, GeomillError } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { type Format, isInputFormat } from '@geomill/formats/format.ts';
import { formatNamed } from '@geomill/formats/format-by-id.ts';
import { transformations } from '@geomill/operations/registry.ts';
import type { Endpoint } from '@geomill/requests/config-fields.ts';
import { parseJobRequest } from '@geomill/requests/parse-job-request.ts';
import type { FastifyRequest } from 'fastify';
import type { HttpContext } from '../../http/context.ts';
import { receiveJobForm } from '../../http/job-form.ts';
import { type ReceivedFile, ReceivedFiles } from '../../http/received-files.ts';
import { addressParser } from '../../http/remote-address.ts';
import { remoteInput } from '../../http/submit-job.ts';
import type { JobInput, NewJob } from '../../jobs/job.ts';
import { configOf, type FormValues, formatOfFile, formatOfUrl, LABELS, valuesIn } from './form-fields.ts';

/** Files of one form; their jobs are listed on one page. */
export const MAX_FILES = 100;

/** The file that outputs are clipped to. */
const MASK_PART = 'mask';

const FIELDS = new Map(Object.keys(LABELS).map((name) => [name, { type: 'string' }]));

const CONVERT: Endpoint = {
  operation: 'transform',
  inputFormat: null,
  spelling: 'nested',
  isCrsOptional: true,
};
const INSPECT: Endpoint = { operation: 'inspect', inputFormat: null, spelling: 'nested' };

export interface FormOutcome {
  /** What was received until the end, or until the error. */
  readonly values: FormValues;
  /** Ids of the jobs that were accepted, in the order of the files. */
  readonly accepted: readonly string[];
  /** Why not all files became jobs. Null: they did. */
  readonly error: unknown;
}

/** `checkToken` throws for a form from elsewhere. Nothing of rejected files is left behind. */
export async function receiveForm(
  context: HttpContext,
  request: FastifyRequest,
  owner: string,
  checkToken: (token: string) => void,
): Promise<FormOutcome> {
  const { config, service } = context;
  const firstId = service.newJobId();
  /** The ids of the jobs by the number of their file. A mask is stored with the first job, as its second file. */
  const ids: string[] = [];
  const accepted: string[] = [];
  /** Indexes of the files that are inputs of these. */
  const used = new Set<number>();
  let values: FormValues = {};
  const files = new ReceivedFiles({
    open: async (fileIndex, role) => {
      const isFirst = role === 'step file' || files.count('list') === 0;
      ids[fileIndex] = isFirst ? firstId : service.newJobId();
      return service.receive(owner, ids[fileIndex], role === 'step file' ? 1 : 0);
    },
    limits: { ...config, maxFiles: Math.min(MAX_FILES, config.maxFiles) },
    wantHash: false,
  });
  try {
    await receiveJobForm(request, {
      isFromPage: true,
      files,
      parts: { single: [], singleRequired: false, list: 'file' },
      needsConfig: false,
      stepParts: [MASK_PART],
      fileParameters: new Set(),
      plainFields: () => FIELDS,
      onConfig: async (fields) => {
        values = valuesIn(fields);
        return { singlePath: null, hasList: values.input_url !== undefined };
      },
    });
    checkToken(values.form_token ?? '');
    const kept = await files.keepAll();
    const inputs = kept.filter(({ stepInput }) => stepInput === null);
    const mask = values.action === 'inspect' ? undefined : kept.find(({ stepInput }) => stepInput !== null);
    const { input_url: url } = values;
    const urls = url === undefined ? [] : [url];
    if (mask !== undefined && inputs.length + urls.length > 1) throw severalToClip();
    const common = { mask, owner, values, context };
    const jobs = [
      ...inputs.map((file) => jobOf(file, ids[file.fileIndex], common)),
      ...urls.map((one) => jobOf(one, inputs.length === 0 ? firstId : service.newJobId(), common)),
    ];
    for (const [i, job] of jobs.entries()) {
      await service.submit(job);
      accepted.push(job.id);
      if (i < inputs.length) used.add(inputs[i].fileIndex);
      if (mask !== undefined) used.add(mask.fileIndex);
    }
    return { values, accepted, error: null };
  } catch (error) {
    return { values, accepted, error: withoutFile(error, context) };
  } finally {
    await files.discard(used);
  }
}

interface FormParts {
  readonly mask: ReceivedFile | undefined;
  readonly owner: string;
  readonly values: FormValues;
  readonly context: HttpContext;
}

/** `input`: a file, or the URL of one. Throws what is wrong with the fields or the URL. */
function jobOf(
  input: ReceivedFile | string,
  id: string,
  { mask, owner, values, context }: FormParts,
): NewJob {
  const url = typeof input === 'string' ? input : null;
  const format = inputFormatOf(values, input, context);
  const endpoint = values.action === 'inspect' ? INSPECT : CONVERT;
  const config = configOf(values, format.id, url, mask !== undefined);
  const registries = { formats: context.formats, transformations };
  const parsed = parseJobRequest(config, endpoint, registries, addressParser(context.urlPolicy), 'parts');
  const file: JobInput =
    typeof input === 'string'
      ? remoteInput(parsed.inputUrl!, format)
      : {
          name: input.name ?? `input${format.extensions[0]}`,
          byteLength: input.byteLength,
          fileIndex: 0,
        };
  return {
    id,
    owner,
    inputs: [file, ...(mask === undefined ? [] : [maskInput(mask)])],
    request: parsed.forFiles(1),
    requestFindings: parsed.findings.list(),
    idempotency: null,
  };
}

function maskInput({ name, byteLength }: ReceivedFile): JobInput {
  return { name: name ?? MASK_PART, byteLength, fileIndex: 1, stepInput: MASK_PART };
}

function inputFormatOf(
  { input_format: chosen }: FormValues,
  input: ReceivedFile | string,
  { formats }: HttpContext,
): Format {
  const known = formats.filter(isInputFormat);
  const named = chosen === undefined ? undefined : formatNamed(known, chosen);
  return named ?? (typeof input === 'string' ? formatOfUrl(input) : formatOfFile(input.name ?? ''));
}

function severalToClip(): Error {
  return failure(generalErrors.CONFIG_INVALID, {
    detail: 'only one file at a time can be clipped; choose one, or no clip file',
  });
}

/** The error of the form for a missing part, in the words of the page. */
function withoutFile(error: unknown, { urlPolicy }: HttpContext): unknown {
  if (!(error instanceof GeomillError) || error.code !== 'PART_MISSING') return error;
  const orUrl = urlPolicy.hosts.length > 0 ? ', or enter a URL' : '';
  const detail = `no file was chosen; choose at least one${orUrl}`;
  return failure(generalErrors.CONFIG_INVALID, { detail }, undefined, error);
}
