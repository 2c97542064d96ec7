/** One job at the service, wherever it was submitted. */
import { GeomillProblem, JobFailed, jobIdOf } from './errors.ts';
import { type FileInput, isFileInput } from './file-input.ts';
import type { FindingCollection, Job, JobAccepted, Report, TaskAccepted } from './openapi-types.ts';
import { Output, outputRequest } from './output.ts';
import { type GeojsonObject, type SubmitOptions, sendSubmission } from './submission.ts';
import type { CallOptions, Transport } from './transport.ts';
import { UploadedFile } from './upload.ts';
import { isFinal, jobPath, type WaitOptions, waitForEnd } from './wait-for-job.ts';

/** Inputs of a job that is run again, where one file or object is not all. */
export interface RerunInputs {
  /** The file of a conversion, or the target of an append. */
  readonly input?: FileInput | GeojsonObject | UploadedFile;
  /** Address to fetch the file from, instead of `input`. */
  readonly url?: string;
  /** The files to append or to merge. */
  readonly files?: readonly (FileInput | GeojsonObject | UploadedFile)[];
  /** Files for steps, by the names of their parts: those of the earlier request. */
  readonly masks?: Readonly<Record<string, FileInput>>;
}

export class JobHandle {
  readonly id: string;
  readonly #transport: Transport;

  constructor(transport: Transport, id: string) {
    this.#transport = transport;
    this.id = id;
  }

  /** All there is to know about it. */
  status({ signal }: CallOptions = {}): Promise<Job> {
    return this.#transport.json<Job>({ path: jobPath(this.id), ...(signal === undefined ? {} : { signal }) });
  }

  /** Waits for its end. Throws JobFailed; an abort ends the waiting, and the job goes on. */
  async wait(options: WaitOptions = {}): Promise<Job> {
    const job = await waitForEnd(this.#transport, this.id, options);
    if (job.status === 'FAILED') throw new JobFailed(job);
    return job;
  }

  /** The output of a job that has ended well, until it expires. Does not wait: before the end it is a problem (409). */
  async download({ signal }: CallOptions = {}): Promise<Output> {
    const response = await this.#transport.send(outputRequest(this.id, signal));
    return new Output(this.#transport, this.id, response, signal);
  }

  /** Waits, then fetches the output. */
  async result(options: WaitOptions = {}): Promise<Output> {
    await this.wait(options);
    return this.download(options);
  }

  /** What became of the data; null before the end, and of inspections, whose output it is. */
  async report(options: CallOptions = {}): Promise<Report | null> {
    return (await this.status(options)).report;
  }

  /**
   * Where the features are that the warnings are about, until the output expires. Does not wait: before the end it is a
   * problem (409).
   */
  findings({ signal }: CallOptions = {}): Promise<FindingCollection> {
    const path = `${jobPath(this.id)}/findings`;
    return this.#transport.json<FindingCollection>({ path, ...(signal === undefined ? {} : { signal }) });
  }

  /**
   * Submits the request of this job again with another input of the same format. Masks are sent again, also polygons of more
   * than 64 KiB in a step of the config, which are deleted with the input, and uploads that are gone (RERUN_FILE_GONE names
   * the mask).
   */
  async rerun(
    input: FileInput | GeojsonObject | UploadedFile | RerunInputs,
    options: SubmitOptions = {},
  ): Promise<JobHandle> {
    const isOne = input instanceof UploadedFile || isFileInput(input) || 'type' in input;
    const { input: single = null, url, files: list = [], masks = {} } = isOne ? { input } : input;
    const inputs = {
      single,
      list,
      masks,
      fields: { single: 'file', list: 'files' },
      members: null,
      uploads: { single: 'input_upload', list: 'input_uploads' },
    };
    const config = url === undefined ? {} : { input_url: url };
    const path = `${jobPath(this.id)}/rerun`;
    const response = await sendSubmission(this.#transport, { path, config, inputs }, options);
    return acceptedJob(this.#transport, response);
  }

  /**
   * Ends a job that waits or runs: it becomes FAILED with the code CANCELLED, and its work has stopped when this
   * resolves. A job that has ended is left as it is; a job that ends at the same moment is deleted.
   */
  async cancel(options: CallOptions = {}): Promise<void> {
    if (!isFinal(await this.status(options))) await this.#remove(options);
  }

  /** Deletes the job with its output, and ends it before where it has not ended. No error when it is gone already. */
  async delete(options: CallOptions = {}): Promise<void> {
    let hasEnded: boolean;
    try {
      hasEnded = isFinal(await this.status(options));
    } catch (error) {
      if (error instanceof GeomillProblem && error.status === 404) return;
      throw error;
    }
    // Of a job that has not ended, the first only cancels it.
    if (!hasEnded) await this.#remove(options);
    await this.#remove(options);
  }

  /** False: there is no such job. Not sent again after a failure: twice would delete what was to be cancelled. */
  async #remove({ signal }: CallOptions): Promise<boolean> {
    try {
      await this.#transport.send({
        method: 'DELETE',
        path: jobPath(this.id),
        isRepeatable: false,
        ...(signal === undefined ? {} : { signal }),
      });
      return true;
    } catch (error) {
      if (error instanceof GeomillProblem && error.status === 404) return false;
      throw error;
    }
  }
}

/** The handle of an answer to a request that did not wait. */
export async function acceptedJob(transport: Transport, response: Response): Promise<JobHandle> {
  const body = (await response.json()) as JobAccepted | TaskAccepted;
  return new JobHandle(transport, 'task_id' in body ? body.task_id : body.job_id);
}

/** The output, from the answer itself or, where the service would not wait so long, once the job has ended. */
export async function outputOf(
  transport: Transport,
  response: Response,
  options: WaitOptions,
): Promise<Output> {
  if (response.status === 202) return (await acceptedJob(transport, response)).result(options);
  const id = jobIdOf(response.headers) ?? /^"([^"]+)"$/.exec(response.headers.get('etag') ?? '')?.[1] ?? '';
  return new Output(transport, id, response, options.signal);
}
