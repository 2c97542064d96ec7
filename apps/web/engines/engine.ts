/**
 * Where files are read and converted: on a service, or in this tab. The screens are the same for all engines: what differs between
 * engines is a member of this interface.
 */
import type {
  CrsHit,
  CrsQuestion,
  CrsSearchOptions,
  CrsSuggestions,
  FindingCollection,
  Inspection,
  Job,
  Output,
  Progress,
} from '@geomill/client/client.ts';

/** Why the engine in this tab takes no URLs: the policy of the page forbids connections to other hosts. */
export const NO_URLS =
  'This page does not fetch files from other hosts. Download the file, and add it; or convert it on a server.';

export type EngineId = 'local' | 'service';

export interface Engine {
  readonly id: EngineId;
  /** Hands a file over, once for all requests about it. */
  receive(name: string, content: Blob, options: ReceiveOptions): Promise<EngineFile>;
  /** Removes a file of which only a part was received. */
  forget(id: string): Promise<void>;
  /** The parameters by which a step of a config refers to a file. `part`: beginning of their names. */
  stepFile(part: string, file: EngineFile): Readonly<Record<string, string>>;
  inspect(request: InspectionRequest, options: CallOptions): Promise<Inspection>;
  /** Starts a job. An abort before it has started rejects. */
  submit(request: EngineRequest, options: SubmitOptions): Promise<EngineJob>;
  findCrs(query: string, options: CrsSearchOptions & CallOptions): Promise<readonly CrsHit[]>;
  suggestCrs(question: CrsQuestion, options: CallOptions): Promise<CrsSuggestions>;
}

export interface CallOptions {
  readonly signal: AbortSignal;
}

export interface ReceiveOptions extends CallOptions {
  /** Id of an earlier call that was not completed, which this one continues. */
  readonly resume: string | null;
  onProgress(progress: { readonly id: string; readonly sentBytes: number }): void;
}

export interface SubmitOptions {
  /** Default: a job that has begun is ended by `cancel` or `delete` only. */
  readonly signal?: AbortSignal;
  /** Requests with the same key become one job. Null: every request becomes a job. */
  readonly idempotencyKey: string | null;
}

export interface EngineFile {
  readonly id: string;
  readonly byteLength: number;
  readonly expiresAt: Date;
  delete(): Promise<void>;
}

/** Values of a config, as model/document.ts makes them. */
type Config = Readonly<Record<string, unknown>>;

export interface InspectionRequest {
  readonly config: Config;
  /** Null: the config has the URL of the input. */
  readonly file: EngineFile | null;
}

export interface EngineRequest {
  readonly operation: 'transform' | 'append' | 'merge';
  /** Of the first file. */
  readonly format: string;
  readonly config: Config;
  /** Empty: the config has the URL of the input. */
  readonly files: readonly EngineFile[];
}

/** What is known of a job that has ended. */
export type EndedJob = Pick<Job, 'job_id' | 'output' | 'report' | 'warnings' | 'expires_at'>;

export interface EngineJob {
  readonly id: string;
  /** Addresses of what a job has made that has ended well. */
  readonly links: JobLinks;
  /** An abort ends the waiting, not the job. */
  wait(options: CallOptions & { onProgress?(progress: Progress): void }): Promise<EndedJob>;
  cancel(): Promise<void>;
  /** Also cancels it. */
  delete(): Promise<void>;
  download(options?: Partial<CallOptions>): Promise<Pick<Output, 'blob' | 'json' | 'stream'>>;
  findings(options: CallOptions): Promise<FindingCollection>;
  /** The page has no use for it any more: what only this page has of it is given up. */
  release(): void;
}

export interface JobLinks {
  readonly output: string;
  readonly findings: string;
  /** Whether others can open them. */
  readonly areShareable: boolean;
}
