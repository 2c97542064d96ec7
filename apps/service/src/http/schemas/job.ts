/** Jobs and tasks in the job API and the versioned API. */
import type { JsonSchema } from '@geomill/core/schemas/schema-check.ts';
import { progressStages } from '@geomill/pipeline/report.ts';
import { catalogue } from '../../catalogue.ts';
import { jobStates } from '../../jobs/job.ts';
import { FIXES, SUGGESTIONS } from './problem.ts';
import { closedObject, count, listOf, nullable, nullableTime, ref, TEXT, text, time } from './schema.ts';

const jobId = text('Id of the job.');
const state = (...states: readonly string[]): JsonSchema =>
  states.length === 1 ? { const: states[0] } : { type: 'string', enum: states };

const outputUrl: JsonSchema = {
  type: 'string',
  format: 'uri',
  description: 'Address of the output until it expires.',
};

const statusSchemas: Readonly<Record<string, JsonSchema>> = {
  JobStatusWaiting: closedObject({ job_id: jobId, status: state('QUEUED', 'RUNNING') }),
  JobStatusSuccess: closedObject({ job_id: jobId, status: state('SUCCESS'), output_url: outputUrl }),
  JobStatusFailed: closedObject({
    job_id: jobId,
    status: state('FAILED'),
    error: text('One sentence: what is wrong, where, and what to do.'),
  }),
  JobStatus: {
    oneOf: [ref('JobStatusWaiting'), ref('JobStatusSuccess'), ref('JobStatusFailed')],
    discriminator: {
      propertyName: 'status',
      mapping: {
        QUEUED: '#/components/schemas/JobStatusWaiting',
        RUNNING: '#/components/schemas/JobStatusWaiting',
        SUCCESS: '#/components/schemas/JobStatusSuccess',
        FAILED: '#/components/schemas/JobStatusFailed',
      },
    },
    description: 'The state of a job.',
  },
  JobAccepted: closedObject({ job_id: jobId, status: state(...jobStates) }),
};

const progress = closedObject({
  fraction: { type: 'number', minimum: 0, maximum: 1 },
  stage: {
    type: 'string',
    enum: ['waiting', ...progressStages, 'ended'],
  },
});

const fileCount = count('Number of files.');

const input = closedObject({
  format: TEXT,
  files: listOf(
    closedObject({
      name: TEXT,
      bytes: nullable(count('Size in bytes.'), 'Size in bytes; null if the file is fetched by URL.'),
      crs: nullable(TEXT, 'CRS given in the request.'),
    }),
    'In the order of the request; only the first files if there are very many.',
  ),
  file_count: fileCount,
});

const outputProperties = {
  format: nullable(TEXT, 'Null: an inspection, whose result is JSON.'),
  crs: nullable(TEXT, 'CRS given in the request; null: not given, so EPSG:4326.'),
  name: text('File name of the output. Present after SUCCESS, like `bytes` and `media_type`.'),
  bytes: count('Size of the output in bytes.'),
  media_type: TEXT,
  url: { ...outputUrl, description: 'Address of the output. Absent after it has expired.' },
};
const laterProperties = ['name', 'bytes', 'media_type', 'url'];
const output = closedObject(outputProperties, laterProperties);

const jobSchema = closedObject({
  job_id: jobId,
  status: state(...jobStates),
  progress: ref('Progress'),
  attempts: count('Number of attempts; more than one after a crash.'),
  operation: state('transform', 'append', 'merge', 'inspect'),
  input,
  output,
  created_at: time('When the job was accepted.'),
  started_at: nullableTime('Start of the latest attempt.'),
  ended_at: nullableTime('End.'),
  expires_at: nullableTime('When the output expires; null until the job has ended.'),
  timings: closedObject({
    waited_ms: nullable({ type: 'integer' }, 'Time in the queue, in milliseconds.'),
    ran_ms: nullable({ type: 'integer' }, 'Duration of the latest attempt, in milliseconds.'),
  }),
  warnings: listOf(ref('Finding'), 'Warnings of the report; until it exists, warnings about the request.'),
  report: nullable(
    ref('Report'),
    'Present after SUCCESS. Always null for inspections: their output is the report.',
  ),
  request: ref('RequestDocument'),
  error: nullable(ref('JobError'), 'Error of a failed job.'),
});

const shortInput = closedObject({
  format: TEXT,
  files: listOf(
    closedObject({ name: TEXT, bytes: nullable(count('Size in bytes.')) }),
    'The first ten files.',
  ),
  file_count: fileCount,
});

const { crs: _, ...shortOutputProperties } = outputProperties;

const shortJobSchema = closedObject({
  job_id: jobId,
  status: state(...jobStates),
  operation: state('transform', 'append', 'merge', 'inspect'),
  input: shortInput,
  output: closedObject(shortOutputProperties, laterProperties),
  created_at: time('When the job was accepted.'),
  started_at: nullableTime('Start of the latest attempt.'),
  ended_at: nullableTime('End.'),
  expires_at: nullableTime('When the output expires; null until the job has ended.'),
  warning_count: count('Number of distinct warnings.'),
  severities: nullable(
    ref('SeverityCounts'),
    'How many of the warnings have each severity; null for jobs that were stored by geomill 0.2.',
  ),
  error: nullable(TEXT, 'Error of a failed job: what is wrong, where, and what to do.'),
});

export const jobSchemas: Readonly<Record<string, JsonSchema>> = {
  ...statusSchemas,
  Progress: { ...progress, description: 'Progress of a job; `fraction` never decreases.' },
  JobError: closedObject(
    {
      code: { type: 'string', enum: Object.keys(catalogue.errors), description: 'Stable error code.' },
      message: text('One sentence for people.'),
      place: nullable(ref('Place')),
      suggestions: SUGGESTIONS,
      fixes: FIXES,
    },
    ['suggestions', 'fixes'],
  ),
  Job: { ...jobSchema, description: 'A job with all details.' },
  JobShort: { ...shortJobSchema, description: 'A job in a list.' },
  JobPage: {
    ...closedObject({
      jobs: listOf(ref('JobShort'), 'Newest first.'),
      next_cursor: nullable(TEXT, 'Cursor of the next page; null on the last page.'),
    }),
    description: 'A page of jobs.',
  },
};

const taskId = text('Id of the task; also the id of its job.');

export const taskSchemas: Readonly<Record<string, JsonSchema>> = {
  TaskAccepted: closedObject({ message: TEXT, task_id: taskId, state: state('TASK CREATED') }),
  Task: {
    ...closedObject(
      {
        state: state('TASK CREATED', 'PROCESSING', 'SUCCESS', 'FAILED'),
        message: TEXT,
        output_url: { ...outputUrl, description: 'Address of the output. Only with SUCCESS.' },
        error: text('What is wrong, where, and what to do. Only with FAILED.'),
      },
      ['output_url', 'error'],
    ),
    description: 'The state of a task of the versioned API.',
  },
};
