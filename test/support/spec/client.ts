/**
 * A client of the HTTP interface for tests: forms, jobs and what they deliver, as a foreign program would do it. Every
 * answer is held against the OpenAPI document.
 */
import assert from 'node:assert/strict';
import { checkedFetch } from '../response-check.ts';

/** Anything that is served: a process or an application in the test's own. */
export interface Served {
  readonly url: string;
}

/** A part of a form: a text, or a file with its name and media type. */
export type FormPart =
  | readonly [name: string, text: string]
  | readonly [name: string, content: string | Uint8Array, fileName: string, mediaType?: string];

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer<ArrayBuffer>;
  readonly text: string;
  /** The media type alone, without parameters. */
  readonly mediaType: string;
  /** Parsed; throws when it is no JSON. */
  json(): Json;
}

/** What JSON.parse gives, for tests that look deep into it. */
export interface Json {
  readonly [key: string]: Json;
  readonly [index: number]: Json;
}

export async function send(served: Served, path: string, init: RequestInit = {}): Promise<Answer> {
  const response = await checkedFetch(new URL(path, served.url), init);
  const bytes = Buffer.from(await response.arrayBuffer());
  const { status, headers } = response;
  const text = bytes.toString('utf8');
  return {
    status,
    headers,
    bytes,
    text,
    mediaType: (headers.get('content-type') ?? '').split(';', 1)[0],
    json: () => JSON.parse(text) as Json,
  };
}

export function get(served: Served, path: string): Promise<Answer> {
  return send(served, path);
}

export function formOf(parts: readonly FormPart[]): FormData {
  const form = new FormData();
  for (const [name, content, fileName, type = 'application/octet-stream'] of parts)
    if (fileName === undefined) form.append(name, content as string);
    else form.append(name, new Blob([content as string | Uint8Array<ArrayBuffer>], { type }), fileName);
  return form;
}

export function postForm(
  served: Served,
  path: string,
  parts: readonly FormPart[],
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return send(served, path, { method: 'POST', body: formOf(parts), headers });
}

export function postJson(served: Served, path: string, body: unknown): Promise<Answer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return send(served, path, {
    method: 'POST',
    body: text,
    headers: { 'content-type': 'application/json' },
  });
}

// --- job API ------------------------------------------------------------------------------------------------

export interface File {
  readonly name: string;
  readonly content: string | Uint8Array;
}

export function jobParts(config: unknown, { name, content }: File): FormPart[] {
  return [
    ['config', JSON.stringify(config)],
    ['input_file', content, name],
  ];
}

/** Submits a job as the specification shows it and expects 202; its id. */
export async function submitJob(served: Served, config: unknown, file: File): Promise<string> {
  const answer = await postForm(served, '/transform', jobParts(config, file));
  assert.equal(answer.status, 202, answer.text);
  return String(answer.json().job_id);
}

/** Asks for the status until it is SUCCESS or FAILED; all documents that differ, in their order. */
export async function pollToEnd(served: Served, id: string): Promise<readonly Json[]> {
  const seen: Json[] = [];
  for (;;) {
    const answer = await get(served, `/result/status/${id}`);
    assert.equal(answer.status, 200, answer.text);
    const document = answer.json();
    if (String(document.status) !== String(seen.at(-1)?.status)) seen.push(document);
    if (/^(SUCCESS|FAILED)$/.test(String(document.status))) return seen;
  }
}

export interface Converted extends Answer {
  readonly jobId: string;
  /** From Content-Disposition; null when there is none. */
  readonly fileName: string | null;
}

/** Submits, waits in the same request, expects success; the answer as /result/output gives it. */
export async function convert(served: Served, config: unknown, file: File): Promise<Converted> {
  const answer = await postForm(served, '/transform', jobParts(config, file), { prefer: 'wait=60' });
  assert.equal(answer.status, 200, answer.text.slice(0, 2000));
  return converted(answer);
}

/** Submits, waits in the same request, expects that the job fails; the `error` of its status. */
export async function failedError(served: Served, config: unknown, file: File): Promise<string> {
  const id = await submitJob(served, config, file);
  const last = (await pollToEnd(served, id)).at(-1);
  assert.equal(last?.status, 'FAILED', JSON.stringify(last));
  return String(last?.error);
}

/** What a request that is refused at once says: the problem document. */
export function problemOf(answer: Answer, status: number): Json {
  assert.equal(answer.status, status, answer.text.slice(0, 2000));
  assert.equal(answer.headers.get('content-type'), 'application/problem+json');
  const problem = answer.json();
  assert.equal(problem.status, status);
  return problem;
}

/** Submits what cannot be meant and expects 400; the detail. */
export async function refusal(served: Served, config: unknown, file: File): Promise<string> {
  return String(problemOf(await postForm(served, '/transform', jobParts(config, file)), 400).detail);
}

// --- versioned API ------------------------------------------------------------------------------------------

/** Posts to a path of the versioned API and expects the output in the answer. */
export async function convertVersioned(
  served: Served,
  path: string,
  parts: readonly FormPart[],
): Promise<Converted> {
  const answer = await postForm(served, path, parts);
  assert.equal(answer.status, 200, answer.text.slice(0, 2000));
  return converted(answer);
}

/** Posts a JSON body and expects the output in the answer. */
export async function convertJson(served: Served, path: string, body: unknown): Promise<Converted> {
  const answer = await postJson(served, path, body);
  assert.equal(answer.status, 200, answer.text.slice(0, 2000));
  return converted(answer);
}

/** A 400 of the versioned API; the detail. */
export async function refusalVersioned(
  served: Served,
  path: string,
  parts: readonly FormPart[],
): Promise<string> {
  return String(problemOf(await postForm(served, path, parts), 400).detail);
}

/** Warnings of the report by their codes. */
export async function warningsOf(served: Served, jobId: string): Promise<ReadonlyMap<string, Json>> {
  const document = (await get(served, `/v1/jobs/${jobId}`)).json();
  const warnings = document.warnings as unknown as readonly Json[];
  return new Map(warnings.map((warning) => [String(warning.code), warning]));
}

/** Polls a task until it ended; the states it was seen in and the last document. */
export async function taskToEnd(
  served: Served,
  id: string,
): Promise<{ readonly states: readonly string[]; readonly last: Json }> {
  const states: string[] = [];
  for (;;) {
    const answer = await get(served, `/v1/transform/result/${id}`);
    assert.equal(answer.status, 200, answer.text);
    const last = answer.json();
    const state = String(last.state);
    if (states.at(-1) !== state) states.push(state);
    if (/^(SUCCESS|FAILED)$/.test(state)) return { states, last };
  }
}

function converted(answer: Answer): Converted {
  const location = answer.headers.get('location') ?? answer.headers.get('link') ?? '';
  return {
    ...answer,
    jobId: /[0-9a-f-]{36}/.exec(location)?.[0] ?? '',
    fileName: /filename="([^"]*)"/.exec(answer.headers.get('content-disposition') ?? '')?.[1] ?? null,
  };
}
