/** What the row of a new or ended job holds, whichever database keeps it. */
import { type PlainError, plainError, reviveError } from '@geomill/core/messages/errors.ts';
import { type SeverityCounts, severitiesOf } from '@geomill/core/messages/findings.ts';
import { fetchedBytes, type JobReport } from '@geomill/pipeline/report.ts';
import { catalogue } from '../catalogue.ts';
import { jobErrors } from './errors.ts';
import { deliveredFormat, type JobOutput, type NewJob } from './job.ts';

export interface RecordTexts {
  /** Of all of them. */
  readonly byteLength: number;
  readonly inputs: string;
  readonly requestFindings: string;
  readonly request: string;
}

export function recordOf(job: NewJob): RecordTexts {
  const inputs = JSON.stringify(job.inputs);
  const requestFindings = JSON.stringify(job.requestFindings);
  const request = JSON.stringify(job.request);
  const byteLength =
    Buffer.byteLength(inputs) + Buffer.byteLength(requestFindings) + Buffer.byteLength(request);
  return { byteLength, inputs, requestFindings, request };
}

/** Columns of a new row, and its values in their order. */
export const NEW_COLUMNS =
  'id, owner, state, place, operation, input_format, output_format, warning_count, changed_count, lost_count, ' +
  'created_at, input_bytes, record_bytes, idempotency_key, request_hash, inputs, request_findings, request, trace';

/** QueueFacts. Looks at one job of each owner that waits: a queue can be long. */
export const QUEUE_FACTS = `(SELECT coalesce(sum(waiting), 0) FROM owners WHERE waiting > 0) AS waiting,
  (SELECT coalesce(sum(running), 0) FROM owners WHERE running > 0) AS running,
  (SELECT min((SELECT created_at FROM jobs WHERE state = 'QUEUED' AND owner = o.owner ORDER BY place LIMIT 1))
    FROM owners AS o WHERE waiting > 0) AS "oldestAt"`;

export function newRow(job: NewJob, record: RecordTexts, place: number, now: number) {
  const severities = severitiesOf({ warnings: job.requestFindings }, catalogue);
  return [
    job.id,
    job.owner,
    'QUEUED',
    place,
    job.request.operation,
    job.request.input.format,
    deliveredFormat(job.request),
    totalOf(severities),
    severities.changed,
    severities.lost,
    now,
    inputBytesOf(job),
    record.byteLength,
    job.idempotency?.key ?? null,
    job.idempotency?.requestHash ?? null,
    record.inputs,
    record.requestFindings,
    record.request,
    job.trace ?? null,
  ];
}

/** What a success adds to the row: times, output, report, counts of findings, bytes that were fetched, bytes of findings. */
export function successRow(output: JobOutput, report: JobReport, now: number, expiresAt: number) {
  const { byteLength, findingsBytes = 0, mediaType, fileName } = output;
  const reportJson = JSON.stringify(report);
  const severities = severitiesOf(report, catalogue);
  return {
    /** Of output and report together. */
    byteLength: byteLength + findingsBytes + Buffer.byteLength(reportJson),
    values: [
      now,
      expiresAt,
      byteLength,
      mediaType,
      fileName,
      reportJson,
      totalOf(severities),
      severities.changed,
      severities.lost,
      fetchedBytes(report),
      findingsBytes,
    ],
  };
}

function totalOf({ info, changed, lost }: SeverityCounts): number {
  return info + changed + lost;
}

/** The error as it is stored: always bounded. */
export function errorText(error: PlainError): string {
  return JSON.stringify(reviveError(error, catalogue).toPlain());
}

/** Of those that are stored. */
export function inputBytesOf({ inputs }: NewJob): number {
  return inputs.reduce((sum, { byteLength }) => sum + (byteLength ?? 0), 0);
}

/** The error of a job whose attempts were all cut short. */
export function attemptsExhausted(attempts: number): PlainError {
  const reason = 'the service itself ended or failed during the last one';
  return plainError(jobErrors.JOB_ATTEMPTS_EXHAUSTED, { attempts, reason });
}
