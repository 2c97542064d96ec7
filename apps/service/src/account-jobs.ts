/** The jobs and the usage that the account area shows, read from the job service. */
import { json } from 'node:stream/consumers';
import { failure, reviveError } from '@geomill/core/messages/errors.ts';
import { severitiesOf, severityCounts, shownFindings } from '@geomill/core/messages/findings.ts';
import { CONFIG_FORM, type FieldForm } from '@geomill/core/messages/message.ts';
import {
  documentText,
  findingLine,
  parametersOf,
  reportDocument,
  requestDocument,
  stepChanges,
  summaryOf,
} from '@geomill/pipeline/report-document.ts';
import { catalogue } from './catalogue.ts';
import type { HttpContext } from './http/context.ts';
import { httpErrors } from './http/errors.ts';
import { sendFindings } from './http/send-findings.ts';
import { sendOutput } from './http/send-output.ts';
import type { ListPosition } from './jobs/job.ts';
import { convertedInputs, errorText, isFinal, type Job, type JobSummary } from './jobs/job.ts';
import type {
  OwnInspectedLayer,
  OwnInspection,
  OwnJob,
  OwnJobDetails,
  UsageSource,
} from './pages/account/own-jobs.ts';

const DAY_SECONDS = 24 * 3600;
const EVERY = { state: null, operation: null } as const;

/** `form`: how errors name the fields of a request. */
export function accountJobs(context: HttpContext, form: FieldForm = CONFIG_FORM): UsageSource {
  const { service, config } = context;
  const find = async (owner: string, id: string): Promise<Job> => {
    const job = id.length > 100 ? null : await service.jobsOf(owner).get(id);
    if (job === null) throw failure(httpErrors.JOB_UNKNOWN, { id: id.slice(0, 100) });
    return job;
  };
  return {
    async page(owner, cursor, limit) {
      const after = cursor === null ? null : positionIn(cursor);
      // One more than the limit, to see whether there is a next page.
      const found = await service.jobsOf(owner).list(EVERY, after, limit + 1);
      const jobs = found.slice(0, limit);
      const last = found.length > limit ? jobs.at(-1) : undefined;
      return {
        jobs: jobs.map((job) => toOwnJob(job, form)),
        next: last === undefined ? null : `${last.createdAt}.${last.id}`,
      };
    },
    async usage(owner, since) {
      const { jobs, inputBytes, outputBytes } = await service.usage(owner, since);
      const all = Object.values(jobs).reduce((sum, count) => sum + count, 0);
      return { jobs: all, failedJobs: jobs.FAILED, inputBytes, outputBytes };
    },
    recordDays: config.recordRetentionSeconds / DAY_SECONDS,
    async details(owner, id) {
      const job = await find(owner, id);
      return toDetails(job, service.jobsOf(owner).progressOf(job)?.fraction ?? null, form);
    },
    async inspection(owner, id) {
      const job = await find(owner, id);
      const byteLength = job.output?.byteLength ?? 0;
      const isKept = job.state === 'SUCCESS' && job.outputKept && job.request.operation === 'inspect';
      if (!isKept || byteLength > MAX_INSPECTION_BYTES) return null;
      const file = await service.jobsOf(owner).openOutput(job);
      return file === null ? null : toInspection(await json(file.stream(0, byteLength)));
    },
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
    async sendFindings(owner, id, request, reply) {
      const job = await find(owner, id);
      request.principal = { owner, scopes: ['jobs:read'], credential: { kind: 'session', id: owner } };
      return sendFindings(context, request, reply, job);
    },
  };
}

function positionIn(cursor: string): ListPosition | null {
  const match = /^(\d{1,15})\.([\w-]{1,64})$/.exec(cursor);
  return match === null ? null : { createdAt: Number(match[1]), id: match[2] };
}

/** Warnings that a page lists. */
const MAX_WARNINGS = 200;

function toDetails(job: Job, progress: number | null, form: FieldForm): OwnJobDetails {
  const { report, request } = job;
  const found = shownFindings(report?.warnings ?? job.requestFindings, catalogue);
  const severities = report === null ? severityCounts(found) : severitiesOf(report, catalogue);
  const all = severities.info + severities.changed + severities.lost;
  const warnings = found.slice(0, MAX_WARNINGS).map((finding) => ({
    severity: finding.severity,
    code: finding.code,
    text: findingLine(finding, catalogue),
  }));
  const config = requestDocument(request);
  const common = {
    ...toOwnJob(job, form),
    startedAt: job.startedAt,
    progress,
    outputName: job.output?.fileName ?? null,
    findingsBytes: job.output?.findingsBytes ?? 0,
    hasStepFiles: job.inputs.some(({ stepInput }) => stepInput !== undefined),
    suggestions: job.error === null ? [] : reviveError(job.error, catalogue).suggestions,
    readCrs: report !== null && 'input' in report ? (report.input.layers[0]?.crs ?? null) : null,
    warnings,
    hiddenWarnings: all - warnings.length,
    severities,
    request: config === null ? null : JSON.stringify(config, null, 2),
  };
  if (report === null || !('input' in report) || request.operation === 'inspect')
    return { ...common, report: null, summary: null, steps: [], readLayers: [], writtenLayers: [] };
  return {
    ...common,
    report: documentText(reportDocument(report, request, catalogue)),
    summary: summaryOf(report, catalogue),
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

/** Longer inspections are not shown on a page, only as JSON. */
const MAX_INSPECTION_BYTES = 4_000_000;

/** The JSON of an inspection (http/schemas/inspection.ts) as pages show it. */
function toInspection(document: unknown): OwnInspection {
  const { layers } = document as { readonly layers: readonly InspectedLayer[] };
  return {
    layers: layers.map(({ crs, ...layer }) => ({
      ...layer,
      geometryTypes: layer.geometry_types,
      hasZ: layer.has_z,
      crs: crs === null ? null : { name: crs.name, code: codeOf(crs.authority), unit: crs.unit_name },
      fields: layer.fields.map(({ non_null: nonNull, ...field }) => ({ ...field, nonNull })),
    })),
  };
}

interface InspectedLayer extends Pick<OwnInspectedLayer, 'name' | 'features' | 'extent' | 'encoding'> {
  readonly geometry_types: OwnInspectedLayer['geometryTypes'];
  readonly has_z: boolean;
  readonly crs: {
    readonly name: string;
    readonly authority: { readonly name: string; readonly code: string } | null;
    readonly unit_name: string;
  } | null;
  readonly fields: readonly { readonly name: string; readonly type: string; readonly non_null: number }[];
}

function codeOf(authority: { readonly name: string; readonly code: string } | null): string | null {
  return authority === null ? null : `${authority.name}:${authority.code}`;
}

function toOwnJob(job: JobSummary, form: FieldForm): OwnJob {
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
    severities: job.severities,
    error: job.error === null ? null : errorText(job.id, job.error, form),
  };
}
