/** Takes the jobs of a submitted form: one for each file. The files stream to disk as those of the API. */
import type { FastifyRequest } from 'fastify';
import { failure, GeomillError } from '../errors.ts';
import { type Format, isInputFormat } from '../formats/format.ts';
import { formatNamed } from '../formats/format-by-id.ts';
import type { Endpoint } from '../http/config-fields.ts';
import type { HttpContext } from '../http/context.ts';
import { NO_CONFIG_INPUTS, receiveJobForm } from '../http/job-form.ts';
import { parseJobRequest } from '../http/parse-job-request.ts';
import { type ReceivedFile, ReceivedFiles } from '../http/received-files.ts';
import type { NewJob } from '../jobs/job.ts';
import { configOf, type FormValues, formatOfFile, LABELS, valuesIn } from './form-fields.ts';

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
        return NO_CONFIG_INPUTS;
      },
    });
    checkToken(values.form_token ?? '');
    const kept = await files.keepAll();
    const inputs = kept.filter(({ stepInput }) => stepInput === null);
    const mask = values.action === 'inspect' ? undefined : kept.find(({ stepInput }) => stepInput !== null);
    if (mask !== undefined && inputs.length > 1) throw severalToClip();
    const jobs = inputs.map((file) => jobOf(file, mask, ids[file.fileIndex], owner, values, context));
    for (const [i, job] of jobs.entries()) {
      await service.submit(job);
      accepted.push(job.id);
      used.add(inputs[i].fileIndex);
      if (mask !== undefined) used.add(mask.fileIndex);
    }
    return { values, accepted, error: null };
  } catch (error) {
    return { values, accepted, error: withoutFile(error) };
  } finally {
    await files.discard(used);
  }
}

function jobOf(
  { name, byteLength }: ReceivedFile,
  mask: ReceivedFile | undefined,
  id: string,
  owner: string,
  values: FormValues,
  context: HttpContext,
): NewJob {
  const format = inputFormatOf(values, name ?? '', context);
  const endpoint = values.action === 'inspect' ? INSPECT : CONVERT;
  const parsed = parseJobRequest(
    configOf(values, format.id, mask !== undefined),
    endpoint,
    context,
    context.urlPolicy,
    'parts',
  );
  return {
    id,
    owner,
    inputs: [
      { name: name ?? `input${format.extensions[0]}`, byteLength, fileIndex: 0 },
      ...(mask === undefined
        ? []
        : [
            { name: mask.name ?? MASK_PART, byteLength: mask.byteLength, fileIndex: 1, stepInput: MASK_PART },
          ]),
    ],
    request: parsed.forFiles(1),
    requestFindings: parsed.findings.list(),
    idempotency: null,
  };
}

function inputFormatOf(
  { input_format: chosen }: FormValues,
  fileName: string,
  { formats }: HttpContext,
): Format {
  const known = formats.filter(isInputFormat);
  return (chosen === undefined ? undefined : formatNamed(known, chosen)) ?? formatOfFile(fileName);
}

function severalToClip(): Error {
  return failure('CONFIG_INVALID', {
    detail: 'only one file at a time can be clipped; choose one, or no clip file',
  });
}

/** The error of the form for a missing part, in the words of the page. */
function withoutFile(error: unknown): unknown {
  if (!(error instanceof GeomillError) || error.code !== 'PART_MISSING') return error;
  return failure('CONFIG_INVALID', { detail: 'no file was chosen; choose at least one' }, undefined, error);
}
