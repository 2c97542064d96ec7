/** Takes the jobs of a submitted form: one for each file. The files stream to disk as those of the API. */
import type { FastifyRequest } from 'fastify';
import { failure, GeomillError } from '../errors.ts';
import { type Format, isInputFormat } from '../formats/format.ts';
import { formatNamed } from '../formats/format-by-id.ts';
import type { Endpoint } from '../http/config-fields.ts';
import type { HttpContext } from '../http/context.ts';
import { receiveJobForm } from '../http/job-form.ts';
import { parseJobRequest } from '../http/parse-job-request.ts';
import { type ReceivedFile, ReceivedFiles } from '../http/received-files.ts';
import type { NewJob } from '../jobs/job.ts';
import { configOf, type FormValues, formatOfFile, LABELS, valuesIn } from './form-fields.ts';

/** Files of one form; their jobs are listed on one page. */
export const MAX_FILES = 100;

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
  const ids: string[] = [];
  const accepted: string[] = [];
  let values: FormValues = {};
  const files = new ReceivedFiles({
    open: async (fileIndex) => {
      ids[fileIndex] = service.newJobId();
      return service.receive(owner, ids[fileIndex], 0);
    },
    limits: { ...config, maxFiles: Math.min(MAX_FILES, config.maxFiles) },
    wantHash: false,
  });
  try {
    await receiveJobForm(request, {
      files,
      parts: { single: [], singleRequired: false, list: 'file' },
      needsConfig: false,
      stepParts: [],
      fileParameters: new Set(),
      plainFields: () => FIELDS,
      onConfig: (fields) => {
        values = valuesIn(fields);
        return null;
      },
    });
    checkToken(values.form_token ?? '');
    const jobs = (await files.keepAll()).map((file) =>
      jobOf(file, ids[file.fileIndex], owner, values, context),
    );
    for (const job of jobs) {
      await service.submit(job);
      accepted.push(job.id);
    }
    return { values, accepted, error: null };
  } catch (error) {
    return { values, accepted, error: withoutFile(error) };
  } finally {
    await files.discard(new Set(accepted.map((id) => ids.indexOf(id))));
  }
}

function jobOf(
  { name, byteLength }: ReceivedFile,
  id: string,
  owner: string,
  values: FormValues,
  context: HttpContext,
): NewJob {
  const format = inputFormatOf(values, name ?? '', context);
  const endpoint = values.action === 'inspect' ? INSPECT : CONVERT;
  const parsed = parseJobRequest(configOf(values, format.id), endpoint, context);
  return {
    id,
    owner,
    inputs: [{ name: name ?? `input${format.extensions[0]}`, byteLength, fileIndex: 0 }],
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

/** A browser sends an empty file without a name if none was chosen. */
function withoutFile(error: unknown): unknown {
  const isNone =
    error instanceof GeomillError && error.code === 'INPUT_EMPTY' && error.params.source === 'file 1';
  return isNone
    ? failure('CONFIG_INVALID', { detail: 'no file was chosen; choose at least one' }, undefined, error)
    : error;
}
