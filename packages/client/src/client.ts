/**
 * Client of a geomill service, for Node from 20 on, browsers, Deno and Bun: it needs fetch and streams, and no package.
 * Files of a disk come with `geomill/client/node`. See docs/client.md.
 */
import { type FileInput, isFileInput } from './file-input.ts';
import { acceptedJob, JobHandle, outputOf } from './job-handle.ts';
import type {
  AppendConfigs,
  CrsHit,
  CrsList,
  CrsQuestion,
  CrsSuggestions,
  FormatList,
  FormatRecord,
  Index,
  InspectConfig,
  Inspection,
  Job,
  JobPage,
  JobShort,
  MergeConfigs,
  SubmitJobConfig,
  TransformationList,
  TransformationRecord,
  TransformConfigs,
} from './openapi-types.ts';
import type { Output } from './output.ts';
import { type GeojsonObject, type NamedInputs, type SubmitOptions, sendSubmission } from './submission.ts';
import { type CallOptions, Transport, type TransportOptions } from './transport.ts';
import { findUpload, UploadedFile, type UploadOptions, uploadFile } from './upload.ts';
import type { WaitOptions } from './wait-for-job.ts';

export { clientCredentials } from './client-credentials.ts';
export { DownloadInterrupted, GeomillError, GeomillProblem, JobFailed } from './errors.ts';
export type * from './file-input.ts';
export type { JobHandle, RerunInputs } from './job-handle.ts';
export type * from './openapi-types.ts';
export type { Output } from './output.ts';
export { type PageSession, type SessionTokenOptions, sessionToken } from './session-token.ts';
export type { GeojsonObject, SubmitOptions } from './submission.ts';
export type { TokenSource } from './token-source.ts';
export type { CallOptions, RetryOptions, TransportOptions } from './transport.ts';
export type { UploadedFile, UploadOptions, UploadProgress } from './upload.ts';
export type { WaitOptions } from './wait-for-job.ts';

export interface CrsSearchOptions {
  /** Longitude and latitude in degrees: only systems whose area of use has this point. */
  readonly near?: readonly [longitude: number, latitude: number];
  /** In degrees, west > east across the antimeridian: only systems whose area of use contains this box. */
  readonly bbox?: readonly [west: number, south: number, east: number, north: number];
  /** Only systems with this unit: "metre", "degree", "foot" (of any kind), ... */
  readonly unit?: string;
  /** 1 to 100, default 20. */
  readonly limit?: number;
}

export type FormatId = keyof TransformConfigs;

/** A file, one that was uploaded before, or for geojson also the object itself. */
export type InputOf<Format extends FormatId> =
  | FileInput
  | UploadedFile
  | (Format extends 'geojson' ? GeojsonObject : never);

/** One file with polygons for clip and erase, or several by the names of their parts, which the steps state. */
export type MaskInput = FileInput | Readonly<Record<`mask_${string}`, FileInput>>;

interface WithMask {
  /** In any input format and CRS; one file is for the steps that have neither polygons nor the name of a part. */
  readonly mask?: MaskInput;
}

export interface Submission<Config> extends WithMask {
  /** Absent where the config names an address to fetch it from. */
  readonly input?: FileInput | UploadedFile;
  readonly config: Config;
}

export interface TransformRequest<Format extends FormatId> extends WithMask {
  readonly input: InputOf<Format>;
  readonly config: TransformConfigs[Format];
}

export interface AppendRequest<Format extends FormatId> extends WithMask {
  /** Its fields are those of the output. */
  readonly target: InputOf<Format>;
  readonly files: readonly InputOf<Format>[];
  readonly config: AppendConfigs[Format];
}

export interface MergeRequest<Format extends FormatId> extends WithMask {
  readonly files: readonly InputOf<Format>[];
  readonly config: MergeConfigs[Format];
}

/** `onProgress` is called where the service would not wait so long, and the client waits instead. */
export type ResultOptions = SubmitOptions & WaitOptions;

/** Methods throw GeomillProblem for what the service refuses, what fetch throws, and the reason of their signal. */
export class GeomillClient {
  readonly #transport: Transport;

  constructor(options: TransportOptions) {
    this.#transport = new Transport(options);
  }

  /** Hands in a job; when this resolves it is on the disk of the service, and will end. */
  async submit(request: Submission<SubmitJobConfig>, options: SubmitOptions = {}): Promise<JobHandle> {
    const inputs = onlyInput(request, 'input_file');
    const submission = { path: '/transform', config: request.config, inputs };
    return acceptedJob(this.#transport, await sendSubmission(this.#transport, submission, options));
  }

  /**
   * Uploads a file in pieces, for any number of jobs. After a failure it asks what the service has and goes on from there, with
   * as many attempts without progress as `retry` allows. An abort leaves the upload, which `resume` can continue.
   */
  upload(input: FileInput, options: UploadOptions = {}): Promise<UploadedFile> {
    return uploadFile(this.#transport, input, options);
  }

  /** An upload of an id that is known from elsewhere. */
  async uploaded(id: string, options: CallOptions = {}): Promise<UploadedFile> {
    return new UploadedFile(this.#transport, await findUpload(this.#transport, id, options));
  }

  /** The job of an id that is known from elsewhere; asks nothing. */
  job(id: string): JobHandle {
    return new JobHandle(this.#transport, id);
  }

  /** Jobs, newest first; pages are fetched as the loop needs them. */
  jobs(filter: JobFilter = {}): AsyncGenerator<JobShort, void> {
    return listJobs(this.#transport, filter);
  }

  /** Converts a file and waits for the output. A job that fails is a GeomillProblem or JobFailed, with the same code. */
  transform<Format extends FormatId>(
    format: Format,
    request: TransformRequest<Format>,
    options: ResultOptions = {},
  ): Promise<Output> {
    return this.#result(`/v1/transform/${format}`, request.config, transformInputs(format, request), options);
  }

  /** As `transform`, without waiting. */
  submitTransform<Format extends FormatId>(
    format: Format,
    request: TransformRequest<Format>,
    options: SubmitOptions = {},
  ): Promise<JobHandle> {
    return this.#task(`/v1/transform/${format}`, request.config, transformInputs(format, request), options);
  }

  /** Adds the features of files to a target, in the fields of the target. */
  append<Format extends FormatId>(
    format: Format,
    request: AppendRequest<Format>,
    options: ResultOptions = {},
  ): Promise<Output> {
    const inputs = appendInputs(format, request);
    return this.#result(`/v1/transform/${format}/append`, request.config, inputs, options);
  }

  /** As `append`, without waiting. */
  submitAppend<Format extends FormatId>(
    format: Format,
    request: AppendRequest<Format>,
    options: SubmitOptions = {},
  ): Promise<JobHandle> {
    return this.#task(
      `/v1/transform/${format}/append`,
      request.config,
      appendInputs(format, request),
      options,
    );
  }

  /** Brings the geometries of files together, without attributes. */
  merge<Format extends FormatId>(
    format: Format,
    request: MergeRequest<Format>,
    options: ResultOptions = {},
  ): Promise<Output> {
    return this.#result(
      `/v1/transform/${format}/merge`,
      request.config,
      mergeInputs(format, request),
      options,
    );
  }

  /** As `merge`, without waiting. */
  submitMerge<Format extends FormatId>(
    format: Format,
    request: MergeRequest<Format>,
    options: SubmitOptions = {},
  ): Promise<JobHandle> {
    return this.#task(`/v1/transform/${format}/merge`, request.config, mergeInputs(format, request), options);
  }

  /** Tells what a file holds and, with an output in the config, what a conversion to it would change or lose. */
  async inspect(request: Submission<InspectConfig>, options: ResultOptions = {}): Promise<Inspection> {
    const inputs = onlyInput(request, 'input_file');
    const output = await this.#result('/v1/inspect', request.config, inputs, options);
    return output.json<Inspection>();
  }

  /** Version, links and limits of the service, and whether it requires credentials. */
  service(options: CallOptions = {}): Promise<Index> {
    return this.#transport.json<Index>({ path: '/v1', ...options });
  }

  async formats(options: CallOptions = {}): Promise<FormatRecord[]> {
    return (await this.formatList(options)).formats;
  }

  /** The formats, and what to do with files of others. */
  formatList(options: CallOptions = {}): Promise<FormatList> {
    return this.#transport.json<FormatList>({ path: '/v1/formats', ...options });
  }

  async transformations(options: CallOptions = {}): Promise<TransformationRecord[]> {
    return (await this.transformationList(options)).transformations;
  }

  /** The transformations, and their groups in the order of a list. */
  transformationList(options: CallOptions = {}): Promise<TransformationList> {
    return this.#transport.json<TransformationList>({ path: '/v1/transformations', ...options });
  }

  /** Coordinate reference systems by code, name or place, the best first: `crs('utm 32')`, `crs('', { bbox, unit: 'metre' })`. */
  async crs(query: string, options: CallOptions & CrsSearchOptions = {}): Promise<CrsHit[]> {
    const { limit, unit, near, bbox, ...call } = options;
    const parameters = new URLSearchParams({
      ...(query === '' ? {} : { q: query }),
      ...(near === undefined ? {} : { near: near.join() }),
      ...(bbox === undefined ? {} : { bbox: bbox.join() }),
      ...(unit === undefined ? {} : { unit }),
      ...(limit === undefined ? {} : { limit: `${limit}` }),
    });
    return (await this.#transport.json<CrsList>({ path: `/v1/crs?${parameters}`, ...call })).crs;
  }

  /** Systems in whose area of use an extent in unknown coordinates can be, the most likely first. */
  async suggestCrs(question: CrsQuestion, options: CallOptions = {}): Promise<CrsSuggestions> {
    const response = await this.#transport.send({
      method: 'POST',
      path: '/v1/crs/suggest',
      body: () => ({ content: JSON.stringify(question), mediaType: 'application/json' }),
      isRepeatable: true,
      ...options,
    });
    return (await response.json()) as CrsSuggestions;
  }

  async #result(path: string, config: object, inputs: NamedInputs, options: ResultOptions): Promise<Output> {
    const response = await sendSubmission(this.#transport, { path, config, inputs }, options);
    return outputOf(this.#transport, response, options);
  }

  async #task(path: string, config: object, inputs: NamedInputs, options: SubmitOptions): Promise<JobHandle> {
    const submission = { path: `${path}?async=true`, config, inputs };
    return acceptedJob(this.#transport, await sendSubmission(this.#transport, submission, options));
  }
}

function onlyInput({ input, mask }: Submission<unknown>, field: string): NamedInputs {
  const fields = { single: field, list: '' };
  const uploads = { single: 'input_upload', list: '' };
  return { single: input ?? null, list: [], masks: masksOf(mask), fields, members: null, uploads };
}

/** By the names of their parts. */
function masksOf(mask: MaskInput | undefined): NamedInputs['masks'] {
  return mask === undefined ? {} : isFileInput(mask) ? { mask } : mask;
}

const FIELDS = { single: 'file', list: 'files' } as const;

function transformInputs<F extends FormatId>(format: F, { input, mask }: TransformRequest<F>): NamedInputs {
  const members = { single: `input_${format}`, list: '' };
  const uploads = { single: 'input_upload', list: '' };
  return { single: input, list: [], masks: masksOf(mask), fields: FIELDS, members, uploads };
}

function appendInputs<F extends FormatId>(format: F, { target, files, mask }: AppendRequest<F>): NamedInputs {
  const members = { single: `target_${format}`, list: `append_${format}_list` };
  const uploads = { single: 'target_upload', list: 'append_uploads' };
  return { single: target, list: files, masks: masksOf(mask), fields: FIELDS, members, uploads };
}

function mergeInputs<F extends FormatId>(format: F, { files, mask }: MergeRequest<F>): NamedInputs {
  const members = { single: `target_${format}`, list: `input_${format}_list` };
  const uploads = { single: '', list: 'input_uploads' };
  return { single: null, list: files, masks: masksOf(mask), fields: FIELDS, members, uploads };
}

export interface JobFilter {
  /** Only jobs in this state. */
  readonly status?: Job['status'];
  /** Only jobs of this kind. */
  readonly operation?: Job['operation'];
  /** Jobs fetched with one request: 1 to 200, default 50. */
  readonly pageSize?: number;
  readonly signal?: AbortSignal;
}

/** Newest first. Jobs that are submitted or deleted meanwhile make no job come twice or be left out. */
export async function* listJobs(transport: Transport, filter: JobFilter): AsyncGenerator<JobShort, void> {
  const { status, operation, pageSize, signal } = filter;
  const query = new URLSearchParams();
  if (status !== undefined) query.set('status', status);
  if (operation !== undefined) query.set('operation', operation);
  if (pageSize !== undefined) query.set('limit', String(pageSize));
  for (;;) {
    const path = `/v1/jobs?${query}`;
    const page = await transport.json<JobPage>({ path, ...(signal === undefined ? {} : { signal }) });
    yield* page.jobs;
    if (page.next_cursor === null) return;
    query.set('cursor', page.next_cursor);
  }
}
