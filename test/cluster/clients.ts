/**
 * The clients of a campaign: they submit, wait, download, cancel, upload in pieces, break off, each time at any of the processes that
 * answer requests, and note whatever a client must not see.
 */
import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { type CampaignJob, fingerprint, formOf } from '../faults/jobs.ts';
import type { Cluster } from './cluster.ts';
import type { Problems } from './problems.ts';

/** For a job that is hit again and again. */
const PATIENCE_LEASES = 30;
const PATIENCE_MS = 60_000;
const REQUEST_TIMEOUT_MS = 6000;
const PAUSE_MS = 50;
/** Shares of what a client does. */
const BROKEN_SHARE = 0.08;
const CANCELLED_SHARE = 0.08;
const UPLOADED_SHARE = 0.15;
const PIECES = 4;

export interface Accepted {
  readonly id: string;
  readonly owner: string;
  readonly job: CampaignJob;
  readonly key: string;
  state: 'SUCCESS' | 'CANCELLED';
}

/** Answers of a service of which a part is missing: the same request can succeed later. */
const PASSING = new Set([500, 502, 503, 504, 507]);

export class Clients {
  readonly accepted: Accepted[] = [];
  /** Numbers of things that happened, for the report. */
  readonly counts = { ended: 0, cancelled: 0, uploads: 0, broken: 0, asked: 0, unanswered: 0 };
  /** Answers 5xx by their codes. */
  readonly refusals = new Map<string, number>();
  readonly #cluster: Cluster;
  readonly #jobs: readonly CampaignJob[];
  readonly #references: ReadonlyMap<string, string>;
  readonly #problems: Problems;
  readonly #random: () => number;
  readonly #patienceMs: number;
  #isOpen = true;

  constructor(
    cluster: Cluster,
    jobs: readonly CampaignJob[],
    references: ReadonlyMap<string, string>,
    problems: Problems,
    random: () => number,
    leaseSeconds: number,
  ) {
    this.#cluster = cluster;
    this.#jobs = jobs;
    this.#references = references;
    this.#problems = problems;
    this.#random = random;
    this.#patienceMs = PATIENCE_MS + PATIENCE_LEASES * leaseSeconds * 1000;
  }

  /** Works until `close`, and ends what it has begun. */
  async run(): Promise<void> {
    while (this.#isOpen) {
      const job = this.#jobs[Math.floor(this.#random() * this.#jobs.length)];
      const owners = [...this.#cluster.keys.keys()];
      const owner = owners[Math.floor(this.#random() * owners.length)];
      const choice = this.#random();
      try {
        if (choice < BROKEN_SHARE) await this.#breakOff(job, owner);
        else if (choice < BROKEN_SHARE + CANCELLED_SHARE) await this.#cancel(job, owner);
        else if (choice < BROKEN_SHARE + CANCELLED_SHARE + UPLOADED_SHARE && job.files.length === 1)
          await this.#carryThrough(await this.#uploaded(job, owner), owner);
        else await this.#carryThrough(job, owner);
      } catch (error) {
        this.#problems.add('unexpected', `${job.name}: ${error instanceof Error ? error.stack : error}`);
      }
    }
  }

  close(): void {
    this.#isOpen = false;
  }

  /** A request at any of the processes, as the owner. Null: no answer, or one that says to try again. */
  async #ask(owner: string, path: string, init: RequestInit = {}): Promise<Response | null> {
    const { apis, keys } = this.#cluster;
    const { url } = apis[Math.floor(this.#random() * apis.length)];
    const headers = { apikey: keys.get(owner) as string, ...(init.headers as Record<string, string>) };
    const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
    this.counts.asked += 1;
    try {
      const response = await fetch(url + path, { ...init, headers, signal });
      // Read whole here: what breaks off is asked for again.
      const body = response.status === 204 ? null : await response.arrayBuffer();
      if (!PASSING.has(response.status)) return new Response(body, response);
      const { code = '' } = jsonOf(body) as { code?: string };
      const name = `${response.status} ${code}`;
      this.refusals.set(name, (this.refusals.get(name) ?? 0) + 1);
      return null;
    } catch (error) {
      if (!(error instanceof TypeError) && !(error instanceof DOMException)) throw error; // fetch failed
      this.counts.unanswered += 1;
      return null;
    }
  }

  /** Asks until there is an answer that `read` takes. */
  async #insist<Result>(what: string, act: () => Promise<Result | null>): Promise<Result> {
    for (const end = performance.now() + this.#patienceMs; performance.now() < end; await pause(PAUSE_MS)) {
      const result = await act();
      if (result !== null) return result;
    }
    throw new Error(`${what}: no answer within ${this.#patienceMs / 1000} s`);
  }

  /** Submits until there is an answer, always with the same key. */
  #submit(job: CampaignJob, owner: string, key: string): Promise<string> {
    return this.#insist(`submission of ${job.name}`, async () => {
      const init = { method: 'POST', body: formOf(job), headers: { 'idempotency-key': key } };
      const response = await this.#ask(owner, `${job.path}?async=true`, init);
      if (response === null) return null;
      const body = (await response.json()) as { task_id?: string };
      if (body.task_id === undefined) throw new Error(`${response.status} ${JSON.stringify(body)}`);
      return body.task_id;
    });
  }

  async #carryThrough(job: CampaignJob, owner: string): Promise<void> {
    const key = randomUUID();
    const id = await this.#submit(job, owner, key);
    const end = await this.#end(id, owner);
    this.counts.ended += 1;
    this.accepted.push({ id, owner, job, key, state: 'SUCCESS' });
    if (end !== 'SUCCESS') return this.#problems.add('lost', `${job.name} (${id}): ${end}`);
    await this.checkOutput(id, owner, job);
    const again = await this.#submit(job, owner, key);
    if (again !== id) this.#problems.add('doubled', `${key} is ${id} and ${again}`);
    const other = [...this.#cluster.keys.keys()].find((one) => one !== owner) as string;
    const foreign = await this.#insist('a foreign job', () => this.#ask(other, `/v1/jobs/${id}`));
    if (foreign.status !== 404)
      this.#problems.add('mixed up', `${other} is answered ${foreign.status} for ${id} of ${owner}`);
  }

  /** The final state, with the error. */
  #end(id: string, owner: string): Promise<string> {
    return this.#insist(`end of ${id}`, async () => {
      const response = await this.#ask(owner, `/v1/jobs/${id}`);
      if (response === null) return null;
      const body = (await response.json()) as { status?: string; error?: { code: string; message: string } };
      if (body.status === 'SUCCESS') return 'SUCCESS';
      if (body.status === 'FAILED') return `FAILED ${body.error?.code} ${body.error?.message}`;
      return response.status === 200 ? null : `${response.status} ${JSON.stringify(body)}`;
    });
  }

  async checkOutput(id: string, owner: string, job: CampaignJob): Promise<void> {
    const response = await this.#insist(`output of ${id}`, () => this.#ask(owner, `/result/output/${id}`));
    const output = Buffer.from(await response.arrayBuffer());
    if (response.status !== 200 || (await fingerprint(output)) !== this.#references.get(job.name))
      this.#problems.add('wrong', `${job.name} (${id}): ${response.status}, ${output.length} bytes`);
  }

  /** Submits, cancels some time later, and finds the job either cancelled or, if it was faster, deleted. */
  async #cancel(job: CampaignJob, owner: string): Promise<void> {
    const key = randomUUID();
    const id = await this.#submit(job, owner, key);
    await pause(this.#random() * 300);
    const answer = await this.#insist(`cancellation of ${id}`, () =>
      this.#ask(owner, `/v1/jobs/${id}`, { method: 'DELETE' }),
    );
    // 404: an earlier request of the same, of which no answer came.
    if (answer.status !== 204 && answer.status !== 404)
      return this.#problems.add(
        'unexpected',
        `cancellation of ${id}: ${answer.status} ${await answer.text()}`,
      );
    const end = await this.#end(id, owner);
    const isRight = end.startsWith('FAILED CANCELLED') || end.startsWith('404');
    if (!isRight) this.#problems.add('wrong', `${id} was cancelled and is ${end}`);
    this.counts.cancelled += 1;
    if (!end.startsWith('404')) this.accepted.push({ id, owner, job, key, state: 'CANCELLED' });
  }

  /** The job with its file as an upload, which is sent in pieces by several processes. */
  async #uploaded(job: CampaignJob, owner: string): Promise<CampaignJob> {
    const [[, { name, bytes }]] = job.files;
    const tus = { 'tus-resumable': '1.0.0' };
    const metadata = `filename ${Buffer.from(name).toString('base64')}`;
    const created = await this.#insist('a new upload', () =>
      this.#ask(owner, '/v1/uploads', {
        method: 'POST',
        headers: { ...tus, 'upload-length': String(bytes.length), 'upload-metadata': metadata },
      }),
    );
    const location = created.headers.get('location') ?? '';
    if (created.status !== 201) throw new Error(`a new upload: ${created.status} ${await created.text()}`);
    const { pathname } = new URL(location);
    const pieceLength = Math.ceil(bytes.length / PIECES);
    let acknowledged = 0;
    await this.#insist(`upload ${pathname}`, async () => {
      const head = await this.#ask(owner, pathname, { method: 'HEAD', headers: tus });
      if (head === null) return null;
      const offset = Number(head.headers.get('upload-offset') ?? Number.NaN);
      if (head.status !== 200) throw new Error(`${pathname}: ${head.status}`);
      if (offset < acknowledged)
        this.#problems.add(
          'lost',
          `${pathname} has ${offset} bytes of ${acknowledged} that were acknowledged`,
        );
      if (offset === bytes.length) return true;
      const piece = await this.#ask(owner, pathname, {
        method: 'PATCH',
        headers: {
          ...tus,
          'content-type': 'application/offset+octet-stream',
          'upload-offset': String(offset),
        },
        body: Uint8Array.from(bytes.subarray(offset, offset + pieceLength)),
      });
      // 409 and 423: an earlier piece, of which no answer came, was stored or is being stored.
      if (piece !== null && ![204, 409, 423].includes(piece.status))
        throw new Error(`${pathname}: ${piece.status} ${await piece.text()}`);
      if (piece?.status === 204) acknowledged = Number(piece.headers.get('upload-offset'));
      return null;
    });
    this.counts.uploads += 1;
    const id = pathname.split('/').at(-1);
    return { ...job, config: { ...job.config, input_upload: id }, files: [] };
  }

  /** Sends a part of a request and closes the connection. */
  async #breakOff(job: CampaignJob, owner: string): Promise<void> {
    const { apis, keys } = this.#cluster;
    const { url } = apis[Math.floor(this.#random() * apis.length)];
    const body = Buffer.from(await new Response(formOf(job)).arrayBuffer());
    const boundary = /^--(\S+)/.exec(body.toString('latin1'))?.[1] ?? '';
    this.counts.broken += 1;
    await new Promise<void>((resolve) => {
      const sent = request(url + job.path, {
        method: 'POST',
        timeout: REQUEST_TIMEOUT_MS,
        headers: {
          apikey: keys.get(owner),
          'content-type': `multipart/form-data; boundary=${boundary}`,
          'content-length': body.length,
        },
      });
      sent.on('error', () => resolve());
      sent.on('timeout', () => sent.destroy());
      sent.on('close', () => resolve());
      sent.on('response', (response) => response.resume().on('close', resolve));
      sent.write(body.subarray(0, Math.floor(this.#random() * body.length)), () => sent.destroy());
    });
  }
}

function jsonOf(body: ArrayBuffer | null): unknown {
  try {
    return JSON.parse(Buffer.from(body ?? new ArrayBuffer()).toString());
  } catch {
    return {};
  }
}
