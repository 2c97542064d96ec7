/** The jobs and the usage that the account area shows, read from the job service. */
import type { OwnJob, OwnJobDetails, UsageSource } from './account-area/own-jobs.ts';
import { failure } from './errors.ts';
import { severitiesOf, severityCounts, shownFindings } from './findings.ts';
import type { HttpContext } from './http/context.ts';
import { sendOutput } from './http/send-output.ts';
import { convertedInputs, errorText, isFinal, type Job, type JobSummary } from './jobs/job.ts';
import type { ListPosition } from './jobs/queue.ts';
import {
  documentText,
  findingLine,
  parametersOf,
  reportDocument,
  requestDocument,
  stepChanges,
  summaryOf,
} from './pipeline/report-document.ts';

const DAY_SECONDS = 24 * 3600;
const EVERY = { state: null, operation: null } as const;

export function accountJobs(context: HttpContext): UsageSource {
  const { service, config } = context;
  const find = async (owner: string, id: string): Promise<Job> => {
    const job = id.length > 100 ? null : await service.jobsOf(owner).get(id);
    if (job === null) throw failure('JOB_UNKNOWN', { id: id.slice(0, 100) });
    return job;
  };
  return {
    async page(owner, cursor, limit) {
      const after = cursor === null ? null : positionIn(cursor);
      // One more than the limit, to see whether there is a next page.
      const found = await service.jobsOf(owner).list(EVERY, after, limit + 1);
      const jobs = found.slice(0, limit);
      const last = found.length > limit ? jobs.at(-1) : undefined;
      return { jobs: jobs.map(toOwnJob), next: last === undefined ? null : `${last.createdAt}.${last.id}` };
    },
    async usage(owner, since) {
      const { jobs, inputBytes, outputBytes } = await service.usage(owner, since);
      const all = Object.values(jobs).reduce((sum, count) => sum + count, 0);
      return { jobs: all, failedJobs: jobs.FAILED, inputBytes, outputBytes };
    },
    recordDays: config.recordRetentionSeconds / DAY_SECONDS,
    details: async (owner, id) => toDetails(await find(owner, id)),
    async cancel(owner, id) {
      if (isFinal((await find(owner, id)).state)) return false;
      return service.jobsOf(owner).remove(id);
    },
    async delete(owner, id) {
      await find(owner, id);
      await service.jobsOf(owner).remove(id);
    },
    async sendOutput(owner, id, request, reply) {
      const job = await find(owner, id);
      // A session may read jobs; the pages decide what else it may do.
      request.principal = { owner, scopes: ['jobs:read'], credential: { kind: 'session', id: owner } };
      return sendOutput(context, request, reply, job);
    },
  };
}

function positionIn(cursor: string): ListPosition | null {
  const match = /^(\d{1,15})\.([\w-]{1,64})$/.exec(cursor);
  return match === null ? null : { createdAt: Number(match[1]), id: match[2] };
}

/** Warnings that a page lists. */
const MAX_WARNINGS = 200;

function toDetails(job: Job): OwnJobDetails {
  const { report, request } = job;
  const found = shownFindings(report?.warnings ?? job.requestFindings);
  const severities = report === null ? severityCounts(found) : severitiesOf(report);
  const all = severities.info + severities.changed + severities.lost;
  const warnings = found.slice(0, MAX_WARNINGS).map((finding) => ({
    severity: finding.severity,
    code: finding.code,
    text: findingLine(finding),
  }));
  const config = requestDocument(request);
  const common = {
    ...toOwnJob(job),
    startedAt: job.startedAt,
    warnings,
    hiddenWarnings: all - warnings.length,
    severities,
    request: config === null ? null : JSON.stringify(config, null, 2),
  };
  if (report === null || !('input' in report) || request.operation === 'inspect')
    return { ...common, report: null, summary: null, steps: [], readLayers: [], writtenLayers: [] };
  return {
    ...common,
    report: documentText(reportDocument(report, request)),
    summary: summaryOf(report),
    steps: (report.steps ?? []).map((step, i) => {
      const parameters = JSON.stringify(parametersOf(request, i) ?? {});
      return {
        ...step,
        changes: stepChanges(step),
        parameters: parameters === '{}' || parameters.length > 1000 ? null : parameters,
      };
    }),
    readLayers: report.input.layers.slice(0, MAX_LAYERS),
    writtenLayers: (report.output.layers ?? []).slice(0, MAX_LAYERS),
  };
}

/** Layers that a page lists; the report has all. */
const MAX_LAYERS = 100;

function toOwnJob(job: JobSummary): OwnJob {
  const sizes = job.inputs.map(({ byteLength }) => byteLength);
  const isKept = job.state === 'SUCCESS' && job.outputKept;
  return {
    id: job.id,
    state: job.state,
    operation: job.operation,
    inputNames: convertedInputs(job.inputs).map(({ name }) => name),
    inputFormat: job.inputFormat,
    outputFormat: job.outputFormat,
    createdAt: job.createdAt,
    endedAt: job.endedAt,
    inputBytes: sizes.includes(null) ? null : sizes.reduce<number>((sum, one) => sum + (one ?? 0), 0),
    outputBytes: job.output?.byteLength ?? null,
    outputUntil: isKept ? job.expiresAt : null,
    error: job.error === null ? null : errorText(job.id, job.error),
  };
}
