/**
 * A process of the simulated fleet (fleet.ts): workers that do everything but convert, or the API processes that submit jobs. Each
 * worker has a PostgresQueue and Peers of its own, as a `geomill serve --role worker` with one runner has.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { NewJob } from '../apps/service/src/jobs/job.ts';
import { JobFeed } from '../apps/service/src/jobs/job-feed.ts';
import type { JobLog } from '../apps/service/src/jobs/observer.ts';
import { Peers } from '../apps/service/src/jobs/peers.ts';
import { PostgresQueue } from '../apps/service/src/jobs/postgres-queue.ts';
import type { AttemptId, Claim } from '../apps/service/src/jobs/queue.ts';
import { sweep } from '../apps/service/src/jobs/retention.ts';
import { PostgresDatabase } from '../apps/service/src/postgres/database.ts';
import type { FileStore } from '../apps/service/src/storage/store.ts';
import type { ConversionReport } from '../packages/pipeline/src/report.ts';

export interface FleetOrder {
  readonly role: 'worker' | 'api';
  readonly url: string;
  readonly schema: string;
  /** Of this process, which its workers share as through a pooler in transaction mode; each of them has one more, for news. */
  readonly connections: number;
  readonly name: string;
  /** Workers of this process. */
  readonly workers: number;
  /** Mean time that a job takes, exponentially distributed. */
  readonly jobMs: number;
  readonly accounts: number;
  readonly zipf: number;
  /** Jobs of this process that wait or run at a time; with a rate, at most that many. */
  readonly backlog: number;
  /** Jobs a second that this process submits; 0: as many as are needed to keep the backlog. */
  readonly rate: number;
  /** Share of the jobs whose state a client waits for. */
  readonly watched: number;
  readonly retentionMs: number;
  readonly report: ConversionReport;
  readonly seed: number;
}

/** Of one job, in milliseconds since 1970. */
export type Trace = readonly [account: number, created: number, started: number, ended: number];

export interface FleetSamples {
  readonly traces: readonly Trace[];
  /** Milliseconds of each `claim` that returned a job, `enqueue`, and of the end of a job. */
  readonly claims: readonly number[];
  readonly emptyClaims: number;
  readonly enqueues: readonly number[];
  readonly ends: readonly number[];
  /** From the end of a job until the client that waits for it knows. */
  readonly news: readonly number[];
  readonly submitted: number;
  readonly refused: number;
  readonly swept: number;
  readonly errors: readonly string[];
}

const LEASE_MS = 30_000;
const POLL_MS = 2000;
const PROGRESS_MS = 500;
const SUBMITTERS = 16;

const samples = {
  traces: [] as Trace[],
  claims: [] as number[],
  emptyClaims: 0,
  enqueues: [] as number[],
  ends: [] as number[],
  news: [] as number[],
  submitted: 0,
  refused: 0,
  swept: 0,
  errors: [] as string[],
};
let isMeasuring = false;
let isOver = false;

const record = (error: unknown): void => {
  if (samples.errors.length < 20) samples.errors.push(String((error as Error)?.message ?? error));
};
const log: JobLog = {
  info: () => {},
  warn: () => {},
  error: (facts) => record((facts as { err?: unknown }).err),
};

async function timed<Result>(times: number[], act: () => Promise<Result>, counts = (_: Result) => true) {
  const begun = performance.now();
  const result = await act();
  if (isMeasuring && counts(result)) times.push(performance.now() - begun);
  return result;
}

/** Numbers from 0 to 1, the same for each run (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function openQueue(database: PostgresDatabase, worker: string): Promise<PostgresQueue> {
  return PostgresQueue.in(database, {
    ...{ worker, leaseMs: LEASE_MS, maxLength: 1_000_000, retryAfterSeconds: 5 },
    ownerLimits: { jobs: 5000, storedBytes: 2 ** 40 },
    onTrouble: record,
  });
}

/** What the dispatcher, the attempts and the peers of a worker with one runner ask of the queue. */
class SimulatedWorker {
  readonly #queue: PostgresQueue;
  readonly #peers: Peers;
  readonly #order: FleetOrder;
  readonly #random: () => number;
  #running: AttemptId | null = null;
  #isBusy = false;
  #isWanted = false;

  constructor(queue: PostgresQueue, order: FleetOrder, random: () => number) {
    this.#queue = queue;
    this.#order = order;
    this.#random = random;
    this.#peers = new Peers({
      queue,
      feed: new JobFeed((id) => queue.get(id), record),
      running: () => (this.#running === null ? [] : [this.#running]),
      end: () => record(new Error('an attempt was given to another worker')),
      dispatch: () => this.#dispatch(),
      reconcile: async () => {
        await queue.recover(
          3,
          Date.now(),
          (id, fence) => this.#running?.id === id && this.#running.fence === fence,
        );
      },
      workersOnly: true,
      log,
      pollMs: POLL_MS,
    });
  }

  start(): void {
    this.#peers.start();
    this.#dispatch();
  }

  async stop(): Promise<void> {
    this.#peers.stop();
    while (this.#isBusy || this.#running !== null) await pause(20);
    await this.#queue.close();
  }

  #dispatch(): void {
    this.#isWanted = true;
    if (!this.#isBusy) void this.#handOut();
  }

  async #handOut(): Promise<void> {
    this.#isBusy = true;
    try {
      while (this.#isWanted) {
        this.#isWanted = false;
        while (!isOver && this.#running === null && (await this.#queue.hasWork())) {
          const claim = await timed(
            samples.claims,
            () => this.#queue.claim(),
            (found) => found !== null,
          );
          if (claim === null) {
            if (isMeasuring) samples.emptyClaims++;
            break;
          }
          this.#running = { id: claim.job.id, fence: claim.fence };
          void this.#work(claim);
        }
      }
    } catch (error) {
      record(error);
    } finally {
      this.#isBusy = false;
    }
  }

  async #work(claim: Claim): Promise<void> {
    const { job } = claim;
    const claimedAt = Date.now();
    const attempt = { id: job.id, fence: claim.fence };
    try {
      const totalMs = -Math.log(1 - this.#random()) * this.#order.jobMs;
      for (let ran = 0; ran < totalMs && !isOver; ran += PROGRESS_MS) {
        this.#peers.progressed(job.id, { fraction: ran / totalMs, stage: 'converting' });
        await pause(Math.min(PROGRESS_MS, totalMs - ran));
      }
      const output = { byteLength: 100_000, mediaType: 'application/geo+json', fileName: 'output.geojson' };
      await timed(samples.ends, async () => {
        const expiresAt = Date.now() + this.#order.retentionMs / 2;
        await this.#queue.succeed(claim, output, this.#order.report, expiresAt);
      });
      if (isMeasuring)
        samples.traces.push([Number(job.owner.slice(1)), job.createdAt, claimedAt, Date.now()]);
    } catch (error) {
      record(error);
    } finally {
      await this.#peers.ended(attempt);
      this.#running = null;
      this.#dispatch();
    }
  }
}

async function runWorkers(order: FleetOrder, database: PostgresDatabase): Promise<() => Promise<void>> {
  const random = randomNumbers(order.seed);
  const workers: SimulatedWorker[] = [];
  for (let i = 0; i < order.workers; i++) {
    const queue = await openQueue(database, `${order.name} ${i}`);
    workers.push(new SimulatedWorker(queue, order, random));
  }
  for (const worker of workers) worker.start();
  return async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
  };
}

/** The cumulative shares of demand: account k asks for 1 / k^zipf of what the first asks for. */
function demand(accounts: number, zipf: number): (share: number) => number {
  const shares = Array.from({ length: accounts }, (_, i) => 1 / (i + 1) ** zipf);
  const total = shares.reduce((sum, share) => sum + share, 0);
  let sum = 0;
  const limits = shares.map((share) => (sum += share / total));
  return (share) => Math.min(accounts - 1, limits.findIndex((limit) => share < limit) >>> 0);
}

function newJob(id: string, account: number): NewJob {
  return {
    id,
    owner: `o${account}`,
    inputs: [{ name: 'harbour.gpkg', byteLength: 65_536, fileIndex: 0 }],
    request: {
      operation: 'transform',
      input: {
        format: 'gpkg',
        files: [{ crs: null, crsPath: 'input.crs' }],
        layers: null,
        options: {},
      },
      transformations: [],
      output: { format: 'geojson', crs: 'EPSG:25832', toFile: true, options: {} },
    },
    requestFindings: [],
    idempotency: null,
  };
}

const noFiles = { remove: async () => {} } as Partial<FileStore> as FileStore;

async function runApi(order: FleetOrder, database: PostgresDatabase): Promise<() => Promise<void>> {
  const queue = await openQueue(database, order.name);
  const feed = new JobFeed((id) => queue.get(id), record);
  const peers = new Peers({
    ...{ queue, feed, log, pollMs: POLL_MS, workersOnly: false },
    running: () => [],
    end: () => {},
    dispatch: () => {},
    reconcile: async () => {},
  });
  peers.start();
  const random = randomNumbers(order.seed);
  const accountOf = demand(order.accounts, order.zipf);
  const begun = performance.now();
  let isStopped = false;
  let count = 0;
  /** Read twice a second: most clients do not wait for their jobs. */
  let waiting = 0;
  const isDue = (): boolean =>
    waiting < order.backlog &&
    (order.rate === 0 || count < ((performance.now() - begun) / 1000) * order.rate);
  const submit = async (): Promise<void> => {
    while (!isStopped) {
      if (!isDue()) {
        await pause(5);
        continue;
      }
      waiting++;
      const account = accountOf(random());
      const id = `${order.name}-${(count++).toString().padStart(9, '0')}-0123-456789abcdef`;
      try {
        await queue.checkRoom(`o${account}`, 65_536);
        await timed(samples.enqueues, () => queue.enqueue(newJob(id, account)));
        if (isMeasuring) samples.submitted++;
        feed.changed(id);
        if (random() < order.watched) await watch(feed, id);
      } catch (error) {
        if ((error as { code?: string }).code === 'OWNER_JOBS_EXCEEDED') samples.refused++;
        else record(error);
      }
    }
  };
  const submitters = Array.from({ length: SUBMITTERS }, submit);
  /** Goes on after an error: a database that is too busy for a while must not end the run. */
  const repeat = async (ms: number, act: () => Promise<void>): Promise<void> => {
    while (!isStopped) {
      await act().catch(record);
      await pause(ms);
    }
  };
  const poll = async (): Promise<void> => {
    waiting = await queue.length();
  };
  const retain = async (): Promise<void> => {
    const options = { recordRetentionMs: order.retentionMs, orphanAgeMs: null, isReceiving: () => false };
    samples.swept += (await sweep(queue, noFiles, Date.now(), options)).records;
  };
  const others = [repeat(250, poll), ...(order.retentionMs > 0 ? [repeat(2000, retain)] : [])];
  return async () => {
    isStopped = true;
    await Promise.all([...submitters, ...others]);
    peers.stop();
    feed.close();
    await queue.close();
  };
}

async function watch(feed: JobFeed, id: string): Promise<void> {
  await feed.watch(id, (news) => {
    if (!isMeasuring || news.kind !== 'state' || news.job?.state !== 'SUCCESS') return;
    samples.news.push(Date.now() - (news.job.endedAt ?? 0));
  });
}

let stop: () => Promise<void> = async () => {};
/** Claims that were told before. */
let told = 0;
process.on('message', async (message: FleetOrder | 'measure' | 'claims' | 'stop') => {
  if (message === 'measure') isMeasuring = true;
  else if (message === 'claims') {
    process.send?.(samples.claims.slice(told));
    told = samples.claims.length;
  } else if (message === 'stop') {
    isMeasuring = false;
    isOver = true;
    await stop();
    process.send?.(samples satisfies FleetSamples);
  } else {
    const { url, schema, connections: maxConnections } = message;
    const database = await PostgresDatabase.open({ url, schema, maxConnections });
    const run = message.role === 'api' ? runApi : runWorkers;
    const end = await run(message, database);
    stop = async () => {
      await end();
      await database.close();
    };
    process.send?.('started');
  }
});
