/** Jobs as shown in the account area; provided by the composition of the service, so that the area needs no queue. */
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Times are milliseconds since 1970. */
export interface OwnJob {
  readonly id: string;
  readonly state: 'QUEUED' | 'RUNNING' | 'SUCCESS' | 'FAILED';
  readonly operation: string;
  readonly inputNames: readonly string[];
  readonly inputFormat: string;
  /** Null: an inspection. */
  readonly outputFormat: string | null;
  readonly createdAt: number;
  readonly endedAt: number | null;
  /** Bytes; null: not known yet. */
  readonly inputBytes: number | null;
  readonly outputBytes: number | null;
  /** When the output expires; null: no output, or already removed. */
  readonly outputUntil: number | null;
  /** Number of kinds of warnings; null: not known. */
  readonly severities: Readonly<Record<OwnWarning['severity'], number>> | null;
  /** Error message of a failed job. */
  readonly error: string | null;
}

/** A step of the report; see pipeline/report.ts. */
export interface OwnStep {
  readonly type: string;
  /** JSON; null: none, or too long. */
  readonly parameters: string | null;
  readonly crs: readonly string[];
  readonly featuresIn: number;
  readonly featuresOut: number;
  /** "2 dropped, 1 merged"; empty: as many features as before. */
  readonly changes: string;
  readonly seconds: number;
}

export interface OwnWarning {
  readonly severity: 'info' | 'changed' | 'lost';
  readonly code: string;
  /** What, how often, where first. */
  readonly text: string;
}

export interface OwnLayer {
  readonly name: string;
  readonly features: number;
}

/** A layer of an inspected file. */
export interface OwnInspectedLayer extends OwnLayer {
  readonly geometryTypes: Readonly<Record<string, number>>;
  readonly hasZ: boolean;
  /** Left, bottom, right, top in the CRS of the layer; null: no positions. */
  readonly extent: readonly number[] | null;
  /** `code`: "EPSG:25832", if it has one. Null: unknown. */
  readonly crs: { readonly name: string; readonly code: string | null; readonly unit: string } | null;
  readonly encoding: string | null;
  readonly fields: readonly { readonly name: string; readonly type: string; readonly nonNull: number }[];
}

export interface OwnInspection {
  readonly layers: readonly OwnInspectedLayer[];
}

/** All about one job. Without a report the lists are empty. */
export interface OwnJobDetails extends OwnJob {
  readonly startedAt: number | null;
  /** 0 to 1; null: it is not running, or has not reported any progress. */
  readonly progress: number | null;
  /** File name of the output; null: it has none yet. */
  readonly outputName: string | null;
  /** Bytes of the places of warnings; 0: there are none. */
  readonly findingsBytes: number;
  /** Steps use files that were sent with the input, such as masks. */
  readonly hasStepFiles: boolean;
  /** CRSs that a job without a usable CRS may be in, most likely first. */
  readonly suggestions: readonly { readonly crs: string; readonly name: string }[];
  /** Definition of the CRS in which the first layer was read; null: no report. */
  readonly readCrs: string | null;
  /** JSON of the document; null: the job has none, or is an inspection. */
  readonly report: string | null;
  /** One sentence. */
  readonly summary: string | null;
  readonly steps: readonly OwnStep[];
  readonly readLayers: readonly OwnLayer[];
  readonly writtenLayers: readonly OwnLayer[];
  readonly warnings: readonly OwnWarning[];
  /** Number of warnings that are not in `warnings`. */
  readonly hiddenWarnings: number;
  /** Of the report, also that of a job of geomill 0.2. */
  readonly severities: Readonly<Record<OwnWarning['severity'], number>>;
  /** JSON of the config; null: too long. */
  readonly request: string | null;
}

export interface OwnJobPage {
  /** Newest first. */
  readonly jobs: readonly OwnJob[];
  /** For the next page; null on the last. */
  readonly next: string | null;
}

export interface Usage {
  readonly jobs: number;
  readonly failedJobs: number;
  readonly inputBytes: number;
  readonly outputBytes: number;
}

export interface UsageSource {
  /** `cursor`: `next` of the previous page. An invalid cursor gives the first page. */
  page(owner: string, cursor: string | null, limit: number): Promise<OwnJobPage>;
  /** Totals of the jobs since then whose records are still kept. */
  usage(owner: string, since: number): Promise<Usage>;
  /** How long job records are kept, which limits `usage`. */
  readonly recordDays: number;
  /** These throw JOB_UNKNOWN, also for jobs of other accounts. */
  details(owner: string, id: string): Promise<OwnJobDetails>;
  /** What an inspection found; null: it has expired or is longer than a page. */
  inspection(owner: string, id: string): Promise<OwnInspection | null>;
  /** Resolves when the job has stopped. False: it had ended before. */
  cancel(owner: string, id: string): Promise<boolean>;
  /** Deletes a job that has ended, with its output; one that has not is cancelled only. */
  delete(owner: string, id: string): Promise<void>;
  sendOutput(owner: string, id: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
  sendFindings(
    owner: string,
    id: string,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply>;
}
