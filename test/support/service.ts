/** A whole service for tests: own data directory, free port, the fake runner unless told otherwise. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ANY_OWNER, type Job } from '../../apps/service/src/jobs/job.ts';
import { type RunningService, type StartOptions, startService } from '../../apps/service/src/service.ts';
import { readConfig } from '../../apps/service/src/settings/config.ts';
import { RUNNER } from './program.ts';
import { checkedFetch, expectFakeOutputs } from './response-check.ts';
import { strippedCopy } from './stripped-copy.ts';
import { until } from './until.ts';

export const FAKE_RUNNER = {
  entry: strippedCopy(join(import.meta.dirname, 'fake-runner.ts')),
  readPaths: [import.meta.dirname],
};

/** A look at a job returns as soon as it has ended. */
const LOOK_MS = 60_000;

export interface TestService extends RunningService, AsyncDisposable {
  /** Waits for the end of a job. */
  ended(id: string): Promise<Job>;
}

export interface TestServiceOptions {
  /** Settings by their variables. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Undefined: the fake one. Null: the real one. */
  readonly runner?: null;
  /** Undefined: a directory of its own, removed afterwards. */
  readonly dataDirectory?: string;
  /** `runner` in place of the fake one. */
  readonly start?: StartOptions;
}

export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const dataDirectory = options.dataDirectory ?? mkdtempSync(join(tmpdir(), 'geomill-test-'));
  const config = readConfig({
    PORT: '0',
    DATA_DIR: dataDirectory,
    LOG_LEVEL: process.env.TEST_LOG ?? 'silent',
    // A real one takes as long to start as most of the jobs of tests.
    RUNNERS: options.runner === null ? '1' : '2',
    SHUTDOWN_GRACE: '0',
    // Tests ask faster than people; those of the limit set it.
    RATE_LIMIT: '0',
    // Nicer runners wait for the other tests that run at the same time.
    RUNNER_NICENESS: '0',
    ...options.settings,
  });
  const running = await startService(config, {
    runner: options.runner === null ? RUNNER : FAKE_RUNNER,
    ...options.start,
  });
  if (options.runner !== null) expectFakeOutputs(running.url);
  return {
    ...running,
    async ended(id) {
      return until(`job ${id} has ended`, async () => {
        const job = await running.service.jobsOf(ANY_OWNER).waitForEnd(id, LOOK_MS);
        if (job === null) throw new Error(`job ${id} is gone`);
        return job.endedAt !== null && job;
      });
    },
    async [Symbol.asyncDispose]() {
      await running.stop();
      if (options.dataDirectory === undefined) rmSync(dataDirectory, { recursive: true, force: true });
    },
  };
}

export const GEOJSON_TO_GEOJSON = { input: { format: 'geojson' }, output: { format: 'geojson' } };

export interface Submission {
  /** Sent as JSON, or as it is when it is a string. Null: no such part. */
  readonly config?: unknown;
  readonly file?: string | Uint8Array<ArrayBuffer> | null;
  readonly fileName?: string;
  readonly configPart?: string;
  readonly filePart?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly morePart?: readonly [string, string][];
}

export function submit(service: RunningService, submission: Submission = {}): Promise<Response> {
  const { config = GEOJSON_TO_GEOJSON, file = 'some input', fileName = 'roads.geojson' } = submission;
  const form = new FormData();
  if (config !== null)
    form.append(
      submission.configPart ?? 'config',
      typeof config === 'string' ? config : JSON.stringify(config),
    );
  if (file !== null) form.append(submission.filePart ?? 'input_file', new Blob([file]), fileName);
  for (const [name, value] of submission.morePart ?? []) form.append(name, value);
  return checkedFetch(`${service.url}/transform${submission.query ?? ''}`, {
    method: 'POST',
    body: form,
    headers: submission.headers,
  });
}

/** Submits and expects 202; the job's id. */
export async function submitJob(service: RunningService, submission: Submission = {}): Promise<string> {
  const response = await submit(service, submission);
  const body = (await response.json()) as { job_id?: string };
  if (response.status !== 202 || body.job_id === undefined)
    throw new Error(`expected 202, got ${response.status} ${JSON.stringify(body)}`);
  return body.job_id;
}

/** A part of a form: its name, its content, and for files a file name. */
export type FormPart = readonly [name: string, content: string | Uint8Array<ArrayBuffer>, fileName?: string];

export interface FormSubmission {
  /** In their order; the config is a part as any other, JSON unless it is a string. */
  readonly parts: readonly FormPart[];
  readonly config?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Posts a form to a path of the versioned API; the config comes last when `parts` holds none. */
export function postForm(
  service: RunningService,
  path: string,
  submission: FormSubmission,
): Promise<Response> {
  const form = new FormData();
  for (const [name, content, fileName] of submission.parts) {
    if (fileName === undefined && typeof content === 'string') form.append(name, content);
    else form.append(name, new Blob([content]), fileName ?? 'some file');
  }
  const { config } = submission;
  if (config !== undefined)
    form.append('config', typeof config === 'string' ? config : JSON.stringify(config));
  return checkedFetch(service.url + path, { method: 'POST', body: form, headers: submission.headers });
}

export function postJson(
  service: RunningService,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return checkedFetch(service.url + path, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  });
}
