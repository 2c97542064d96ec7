/** The rows of the embedded queue's table, and their records. */
import type { PlainError } from '@geomill/core/messages/errors.ts';
import type { Finding, SeverityCounts } from '@geomill/core/messages/findings.ts';
import type { JobReport } from '@geomill/pipeline/report.ts';
import type { JobRequest } from '@geomill/pipeline/request.ts';
import type { Job, JobInput, JobState, JobSummary } from './job.ts';

/** Columns of a JobSummary. */
export const SUMMARY_COLUMNS =
  'id, owner, state, attempts, fence, operation, input_format, output_format, warning_count, changed_count, lost_count, ' +
  'created_at, started_at, ended_at, ' +
  'expires_at, output_bytes, findings_bytes, output_media_type, output_name, output_kept, error, inputs';

export interface SummaryRow {
  readonly id: string;
  readonly owner: string;
  readonly state: JobState;
  readonly attempts: number;
  readonly fence: number;
  readonly operation: JobRequest['operation'];
  readonly input_format: string;
  readonly output_format: string | null;
  readonly warning_count: number;
  readonly changed_count: number | null;
  readonly lost_count: number | null;
  readonly created_at: number;
  readonly started_at: number | null;
  readonly ended_at: number | null;
  readonly expires_at: number | null;
  readonly output_bytes: number | null;
  readonly findings_bytes: number | null;
  readonly output_media_type: string | null;
  readonly output_name: string | null;
  readonly output_kept: number;
  readonly error: string | null;
  readonly inputs: string;
}

export interface JobRow extends SummaryRow {
  readonly request_findings: string;
  readonly request: string;
  readonly report: string | null;
  readonly trace: string | null;
}

export function toSummary(row: SummaryRow): JobSummary {
  return {
    id: row.id,
    owner: row.owner,
    state: row.state,
    attempts: row.attempts,
    fence: row.fence,
    operation: row.operation,
    inputFormat: row.input_format,
    outputFormat: row.output_format,
    warningCount: row.warning_count,
    severities: severitiesIn(row),
    inputs: JSON.parse(row.inputs) as JobInput[],
    createdAt: row.created_at,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    expiresAt: row.expires_at,
    output:
      row.output_bytes === null
        ? null
        : {
            byteLength: row.output_bytes,
            ...(row.findings_bytes ? { findingsBytes: row.findings_bytes } : {}),
            mediaType: row.output_media_type ?? 'application/octet-stream',
            fileName: row.output_name ?? 'output',
          },
    outputKept: row.output_kept === 1,
    error: row.error === null ? null : (JSON.parse(row.error) as PlainError),
  };
}

function severitiesIn({
  warning_count: all,
  changed_count: changed,
  lost_count: lost,
}: SummaryRow): SeverityCounts | null {
  return changed === null || lost === null ? null : { info: all - changed - lost, changed, lost };
}

export function toJob(row: JobRow): Job {
  let request: JobRequest | undefined;
  let report: JobReport | null | undefined;
  return {
    ...toSummary(row),
    requestFindings: JSON.parse(row.request_findings) as Finding[],
    trace: row.trace,
    // Clip polygons can be megabytes, and few readers of a job need them.
    get request() {
      request ??= JSON.parse(row.request) as JobRequest;
      return request;
    },
    get report() {
      if (report === undefined) report = row.report === null ? null : (JSON.parse(row.report) as JobReport);
      return report;
    },
  };
}
