/** Jobs and tasks as the three surfaces show them. */
import { errorCatalogue } from '../../errors.ts';
import { jobStates } from '../../jobs/job.ts';
import type { JsonSchema } from '../operation.ts';
import { closedObject, count, listOf, nullable, nullableTime, ref, TEXT, text, time } from './schema.ts';

const jobId = text('Names the job in paths.');
const state = (...states: readonly string[]): JsonSchema =>
  states.length === 1 ? { const: states[0] } : { type: 'string', enum: states };

const outputUrl: JsonSchema = {
  type: 'string',
  format: 'uri',
  description: 'Where the output is, until it expires.',
};

const statusSchemas: Readonly<Record<string, JsonSchema>> = {
  JobStatusWaiting: closedObject({ job_id: jobId, status: state('QUEUED', 'RUNNING') }),
  JobStatusSuccess: closedObject({ job_id: jobId, status: state('SUCCESS'), output_url: outputUrl }),
  JobStatusFailed: closedObject({
    job_id: jobId,
    status: state('FAILED'),
    error: text('One sentence for a person: what is wrong, where, what to do.'),
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
    description: 'The state of a job, with the fields that belong to it.',
  },
  JobAccepted: closedObject({ job_id: jobId, status: state(...jobStates) }),
};

const progress = closedObject({
  fraction: { type: 'number', minimum: 0, maximum: 1 },
  stage: {
    type: 'string',
    enum: ['waiting', 'opening', 'scanning', 'collecting', 'converting', 'finishing', 'ended'],
  },
});

const fileCount = count('How many files there are.');

const input = closedObject({
  format: TEXT,
  files: listOf(
    closedObject({
      name: TEXT,
      bytes: nullable(
        count('Length of the file.'),
        'Length of the file; null where it is fetched by its URL.',
      ),
      crs: nullable(TEXT, 'CRS that the request states for it.'),
    }),
    'In the order of the request; of very many the first ones.',
  ),
  file_count: fileCount,
});

const outputProperties = {
  format: nullable(TEXT, 'Null: an inspection, which answers with JSON.'),
  crs: nullable(TEXT, 'CRS that the request states; null: it states none, so EPSG:4326.'),
  name: text('File name of the output. From SUCCESS on, as `bytes` and `media_type`.'),
  bytes: count('Length of the output.'),
  media_type: TEXT,
  url: { ...outputUrl, description: 'Where the output is. Absent once it has expired.' },
};
const laterProperties = ['name', 'bytes', 'media_type', 'url'];
const output = closedObject(outputProperties, laterProperties);

const jobSchema = closedObject({
  job_id: jobId,
  status: state(...jobStates),
  progress: ref('Progress'),
  attempts: count('Times it was begun: more than one after a crash.'),
  operation: state('transform', 'append', 'merge', 'inspect'),
  input,
  output,
  created_at: time('When it was accepted.'),
  started_at: nullableTime('Begin of the latest attempt.'),
  ended_at: nullableTime('End.'),
  expires_at: nullableTime('When the output is removed; null before the end.'),
  timings: closedObject({
    waited_ms: nullable({ type: 'integer' }, 'Milliseconds in the queue.'),
    ran_ms: nullable({ type: 'integer' }, 'Milliseconds of the latest attempt.'),
  }),
  warnings: listOf(ref('Finding'), 'Those of the report; before it is there, those of the request.'),
  report: nullable(ref('Report'), 'From SUCCESS on; of an inspection always null: its report is its output.'),
  error: nullable(ref('JobError'), 'Of a failed job.'),
});

const shortInput = closedObject({
  format: TEXT,
  files: listOf(
    closedObject({ name: TEXT, bytes: nullable(count('Length of the file.')) }),
    'The first ten.',
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
  created_at: time('When it was accepted.'),
  started_at: nullableTime('Begin of the latest attempt.'),
  ended_at: nullableTime('End.'),
  expires_at: nullableTime('When the output is removed; null before the end.'),
  warning_count: count('Kinds of warnings.'),
  error: nullable(TEXT, 'Of a failed job: what is wrong, where, what to do.'),
});

export const jobSchemas: Readonly<Record<string, JsonSchema>> = {
  ...statusSchemas,
  Progress: { ...progress, description: 'How far a job is; `fraction` never falls.' },
  JobError: closedObject({
    code: { type: 'string', enum: Object.keys(errorCatalogue), description: 'Does not change.' },
    message: text('One sentence for a person.'),
    place: nullable(ref('Place')),
  }),
  Job: { ...jobSchema, description: 'All there is to know about a job.' },
  JobShort: { ...shortJobSchema, description: 'A job as lists show it.' },
  JobPage: {
    ...closedObject({
      jobs: listOf(ref('JobShort'), 'Newest first.'),
      next_cursor: nullable(TEXT, 'Leads to the next page; null: this is the last.'),
    }),
    description: 'A page of the list of jobs.',
  },
};

const taskId = text('Names the task in paths; also the id of its job.');

export const taskSchemas: Readonly<Record<string, JsonSchema>> = {
  TaskAccepted: closedObject({ message: TEXT, task_id: taskId, state: state('TASK CREATED') }),
  Task: {
    ...closedObject(
      {
        state: state('TASK CREATED', 'PROCESSING', 'SUCCESS', 'FAILED'),
        message: TEXT,
        output_url: { ...outputUrl, description: 'Where the output is. With SUCCESS.' },
        error: text('What is wrong, where, what to do. With FAILED.'),
      },
      ['output_url', 'error'],
    ),
    description: 'The state of a task of the versioned surface.',
  },
};
