/** What must hold when all faults are over: rows against what clients were told, and objects of the store against rows. */
import { setTimeout as pause } from 'node:timers/promises';
import { PostgresQueue } from '../../apps/service/src/jobs/postgres-queue.ts';
import { sweep } from '../../apps/service/src/jobs/retention.ts';
import { Uploads } from '../../apps/service/src/jobs/uploads.ts';
import { PostgresDatabase } from '../../apps/service/src/postgres/database.ts';
import { S3Store } from '../../apps/service/src/storage/s3-store.ts';
import { BUCKET, KEY_ID, SECRET } from '../support/s3-server.ts';
import type { Accepted } from './clients.ts';
import type { Cluster } from './cluster.ts';
import type { Problems } from './problems.ts';

const SETTLE_MS = 90_000;
const SETTLE_LEASES = 10;
const YEAR_MS = 366 * 86_400_000;

interface Row {
  readonly id: string;
  readonly owner: string;
  readonly state: string;
  readonly fence: number;
  readonly attempts: number;
  readonly key: string | null;
  readonly outputKept: number;
}

export class Checks implements AsyncDisposable {
  readonly #cluster: Cluster;
  readonly #problems: Problems;
  readonly #database: PostgresDatabase;
  readonly #queue: PostgresQueue;
  readonly #store: S3Store;

  private constructor(
    cluster: Cluster,
    problems: Problems,
    database: PostgresDatabase,
    queue: PostgresQueue,
  ) {
    this.#cluster = cluster;
    this.#problems = problems;
    this.#database = database;
    this.#queue = queue;
    this.#store = new S3Store({
      bucket: BUCKET,
      prefix: 'all',
      endpoint: cluster.storeEndpoint,
      publicEndpoint: null,
      region: 'us-east-1',
      accessKeyId: KEY_ID,
      secretAccessKey: SECRET,
      sessionToken: null,
    });
  }

  static async open(cluster: Cluster, problems: Problems): Promise<Checks> {
    const place = { url: cluster.databaseUrl, schema: cluster.schema, maxConnections: 2 };
    const queue = await PostgresQueue.open({
      ...place,
      worker: 'checks',
      leaseMs: 30_000,
      maxLength: 1,
      retryAfterSeconds: 1,
    });
    return new Checks(cluster, problems, await PostgresDatabase.open(place), queue);
  }

  rows(): Promise<readonly Row[]> {
    return this.#database.rows<Row>(
      'SELECT id, owner, state, fence, attempts, idempotency_key AS key, output_kept AS "outputKept" FROM jobs',
    );
  }

  /** The attempts that a process has, by its process id. */
  async runningOn(pid: number): Promise<readonly { readonly id: string; readonly fence: number }[]> {
    return this.#database.rows(
      "SELECT id, fence FROM jobs WHERE state = 'RUNNING' AND worker ~ $1",
      // The name of a process: machine, process id, random digits.
      [`-${pid}-[0-9a-f]+$`],
    );
  }

  /** Waits until no job is open and no worker has a part: also jobs of which no answer came end as all others. */
  async settle(leaseSeconds: number): Promise<void> {
    const patienceMs = SETTLE_MS + SETTLE_LEASES * leaseSeconds * 1000;
    for (const end = performance.now() + patienceMs; performance.now() < end; await pause(100)) {
      const [{ open }] = await this.#database.rows<{ open: number }>(
        "SELECT (SELECT count(*) FROM jobs WHERE state IN ('QUEUED', 'RUNNING')) + (SELECT count(*) FROM parts) AS open",
      );
      if (open === 0) return;
    }
    for (const { id, state } of await this.rows())
      if (state === 'QUEUED' || state === 'RUNNING')
        this.#problems.add('lost', `${id} never ended: ${state}`);
  }

  /** Returns the number of jobs, and of those that were run more than once. */
  async records(accepted: readonly Accepted[]): Promise<{ readonly jobs: number; readonly again: number }> {
    const rows = await this.rows();
    const found = new Map(rows.map((row) => [row.id, row]));
    const keys = rows.flatMap(({ owner, key }) => (key === null ? [] : `${owner} ${key}`));
    if (new Set(keys).size !== keys.length) this.#problems.add('doubled', 'a key has several rows');
    for (const { id, owner, key, state, job } of accepted) {
      const row = found.get(id);
      const expected = state === 'SUCCESS' ? 'SUCCESS' : 'FAILED';
      if (row === undefined) this.#problems.add('lost', `${job.name}: ${id} has no row`);
      else if (row.owner !== owner || row.key !== key)
        this.#problems.add(
          'mixed up',
          `${id} of ${owner} with key ${key} is of ${row.owner} with key ${row.key}`,
        );
      else if (row.state !== expected) this.#problems.add('wrong', `${id} is ${row.state}, not ${expected}`);
    }
    const owners = await this.#database.rows<{ owner: string; wrong: boolean }>(
      `SELECT owner, waiting <> 0 OR running <> 0 OR stored_bytes <>
         coalesce((SELECT sum(stored_bytes) FROM jobs WHERE jobs.owner = owners.owner), 0) +
         coalesce((SELECT sum(stored_bytes) FROM uploads WHERE uploads.owner = owners.owner), 0) AS wrong FROM owners`,
    );
    for (const { owner, wrong } of owners)
      if (wrong) this.#problems.add('wrong', `the numbers of ${owner} are not those of its jobs and uploads`);
    return { jobs: rows.length, again: rows.filter(({ fence }) => fence > 1).length };
  }

  /** Jobs that were divided, and the runs of their parts that have ended: of which parts again. None waits or runs any more. */
  async parts(): Promise<{ readonly divided: number; readonly done: number; readonly again: number }> {
    const [{ left }] = await this.#database.rows<{ left: number }>('SELECT count(*) AS left FROM parts');
    if (left > 0) this.#problems.add('orphaned', `${left} rows of parts`);
    const [{ wrong }] = await this.#database.rows<{ wrong: number }>(
      'SELECT count(*) AS wrong FROM owners WHERE waiting_parts <> 0 OR running_parts <> 0',
    );
    if (wrong > 0) this.#problems.add('wrong', `${wrong} owners have parts that wait or run`);
    const [counts] = await this.#database.rows<{ divided: number; done: number; again: number }>(
      `SELECT count(DISTINCT job) AS divided, count(*) FILTER (WHERE state = 'DONE') AS done,
         count(*) FILTER (WHERE state = 'QUEUED') AS again FROM noted_parts`,
    );
    return counts;
  }

  /** After the sweep each job that succeeded has one output, and nothing else is there; after everything has expired, nothing is. */
  async files(): Promise<{ readonly orphans: number }> {
    const { orphans } = await this.#sweep(Date.now());
    const kept = (await this.rows()).filter((row) => row.state === 'SUCCESS' && row.outputKept === 1);
    const outputs = new Set<string>();
    for await (const { key, attempt } of this.#store.list('output')) outputs.add(`${key} ${attempt}`);
    for (const { id, fence } of kept)
      if (!outputs.delete(`${id} ${fence}`))
        this.#problems.add('lost', `the output of ${id} is not in the store`);
    for (const output of outputs) this.#problems.add('orphaned', `output ${output}`);
    for await (const { key } of this.#store.list('input')) this.#problems.add('orphaned', `input ${key}`);
    for await (const { id, fence } of this.#store.parts.list())
      this.#problems.add('orphaned', `files of parts of ${id}, attempt ${fence}`);
    await this.#sweep(Date.now() + YEAR_MS);
    for (const kind of ['input', 'output', 'upload'] as const)
      for await (const { key } of this.#store.list(kind))
        this.#problems.add('orphaned', `${kind} ${key} at the end`);
    for (const table of ['jobs', 'uploads']) {
      const [{ left }] = await this.#database.rows<{ left: number }>(`SELECT count(*) AS left FROM ${table}`);
      if (left > 0) this.#problems.add('orphaned', `${left} rows in ${table}`);
    }
    return { orphans };
  }

  async #sweep(now: number): Promise<{ readonly orphans: number }> {
    const isReceiving = (): boolean => false;
    const options = { recordRetentionMs: now > Date.now() ? 0 : YEAR_MS, orphanAgeMs: 0, isReceiving };
    const swept = await sweep(this.#queue, this.#store, now, options);
    const uploads = new Uploads({
      records: this.#queue.uploads,
      store: this.#store,
      settings: { retentionMs: 0, maxBytes: 0, maxPerOwner: null, now: () => now },
      received: { add() {}, of: () => 0 } as never,
      checkReady() {},
      watched: (act) => act(),
      log: { info() {}, warn() {}, error() {} },
      onStored() {},
    });
    await uploads.sweep(options.recordRetentionMs);
    return { orphans: swept.orphans + (await uploads.sweepOrphans()) };
  }

  /** No secret is in what the processes logged, or in the rows of jobs. */
  async secrets(): Promise<void> {
    const texts = [...this.#cluster.logs()].map(([name, text]): [string, string] => [
      `the log of ${name}`,
      text,
    ]);
    const rows = await this.#database.rows<{ row: string }>('SELECT jobs::text AS row FROM jobs');
    texts.push(['a row', rows.map(({ row }) => row).join('\n')]);
    const secrets = [...this.#cluster.keys.values(), SECRET, 'postgres://'];
    for (const [where, text] of texts)
      for (const secret of secrets)
        if (text.includes(secret)) this.#problems.add('unexpected', `a secret is in ${where}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#store.close();
    await this.#queue.close();
    await this.#database.close();
  }
}
