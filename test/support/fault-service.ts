/** A job service over the fake runner whose parts can be made to fail, and what must hold once they no longer do. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ANY_OWNER, isFinal } from '../../apps/service/src/jobs/job.ts';
import { RunnerProcess } from '../../apps/service/src/jobs/runner-process.ts';
import { JobService } from '../../apps/service/src/jobs/service.ts';
import { SqliteQueue } from '../../apps/service/src/jobs/sqlite-queue.ts';
import { LocalStore } from '../../apps/service/src/storage/local-store.ts';
import { Slot } from '../../apps/service/src/storage/workspace.ts';
import { UNLIMITED } from '../../packages/io/src/limits.ts';
import { outputOf } from './fake-conversion.ts';
import { Faults } from './faults.ts';
import { newJob, recordBytes } from './queue.ts';
import { FAKE_RUNNER } from './service.ts';
import { until } from './until.ts';

const RUNNERS = 2;
const OWNERS = ['ann', 'bob'];
const EVERYTHING = { state: null, operation: null };

export class FaultService implements AsyncDisposable {
  readonly faults = new Faults();
  readonly directory = mkdtempSync(join(tmpdir(), 'geomill-faults-'));
  readonly queue: SqliteQueue;
  readonly service: JobService;
  /** Texts of the jobs that were accepted, by id. */
  readonly accepted = new Map<string, string>();
  readonly #ends = new Map<string, number>();
  /** Jobs that a client deleted. */
  readonly #removed = new Set<string>();
  readonly #removals: Promise<void>[] = [];
  /** Jobs at the last time that all held. */
  #foundRight: readonly string[] = [];

  private constructor(retentionMs: number) {
    this.queue = new SqliteQueue({
      path: join(this.directory, 'jobs.sqlite'),
      maxLength: 1000,
      retryAfterSeconds: 5,
    });
    const log = { info() {}, warn() {}, error() {} };
    this.service = new JobService({
      queue: this.queue,
      store: new LocalStore(this.directory),
      uploads: { retentionMs, maxBytes: 1e6, maxPerOwner: null },
      runner: {
        slotsDirectory: join(this.directory, 'slots'),
        memoryBytes: 1 << 29,
        gridDirectory: null,
        count: RUNNERS,
        threads: 1,
        ...FAKE_RUNNER,
      },
      limits: UNLIMITED,
      fetch: {
        policy: { hosts: 'none', privateNetworks: [] } as never,
        limits: { maxBytes: 1, totalMs: 1, headersMs: 1, stallMs: 1 },
        userAgent: 'test',
      },
      scratch: { jobBytes: Number.MAX_SAFE_INTEGER, ownerBytes: null },
      jobTimeoutMs: 5000,
      maxAttempts: 2,
      graceMs: 0,
      outputRetentionMs: retentionMs,
      recordRetentionMs: retentionMs,
      sweepIntervalMs: 50,
      orphanSweepIntervalMs: 0,
      orphanAgeMs: 500,
      outputFormat: () => ({ mediaType: 'text/plain', outputExtension: '.txt', inputExtensions: [] }),
      log,
      observer: {
        jobEnded: ({ id }) => this.#ends.set(id, (this.#ends.get(id) ?? 0) + 1),
        runnerDied() {},
        uploadStored() {},
        partRan() {},
        claimed() {},
        attemptEnded() {},
        takenUp() {},
        swept() {},
      },
    });
  }

  /** With faults installed in the queue, the store and its uploads, the slots and the runners. */
  static async start(retentionMs = 3_600_000): Promise<FaultService> {
    const started = new FaultService(retentionMs);
    const upload = await new LocalStore(started.directory).receive(started.service.newJobId());
    await upload.discard();
    await started.service.start();
    for (const one of [SqliteQueue, LocalStore, upload.constructor, Slot, RunnerProcess])
      started.faults.install(one as { name: string; prototype: object });
    await started.settle('the start');
    return started;
  }

  /** As a client does; false: it was refused. */
  async submit(owner: string, text: string): Promise<string | null> {
    const id = this.service.newJobId();
    try {
      const upload = await this.service.receive(owner, id, 0);
      try {
        await upload.write(Buffer.from(text));
        await upload.keep();
        const inputs = [{ name: 'a.csv', byteLength: text.length, fileIndex: 0 }];
        await this.service.submit(newJob(id, { owner, inputs }));
      } catch (error) {
        await upload.discard().catch(() => {});
        throw error;
      }
    } catch {
      return null;
    }
    this.accepted.set(id, text);
    return id;
  }

  /** Cancels or deletes it; the client may be told that it did not work. */
  remove(id: string): void {
    this.#removed.add(id);
    const removal = this.service.jobsOf(ANY_OWNER).remove(id);
    // Waited for when the fault is gone: it waits for the end of the attempt, which may not be recorded before.
    this.#removals.push(removal.then(() => {}).catch(() => {}));
  }

  /** Nothing more happens by itself; while a fault lasts that may not be known. */
  async isAtRest(): Promise<boolean> {
    try {
      const states = [...this.service.runners].map(({ state }) => state);
      const areIdle = states.length === RUNNERS && states.every((state) => state === 'idle');
      return areIdle && this.service.runningCount === 0 && (await this.service.queueLength()) === 0;
    } catch {
      return false;
    }
  }

  /** The fault is gone: waits until all that must hold does, and says what does not. */
  async settle(context: string): Promise<void> {
    this.faults.lift();
    await Promise.all(this.#removals.splice(0));
    let last = '';
    await until(
      () => `all is right after ${context}: ${last}`,
      async () => {
        try {
          await this.#check();
          return true;
        } catch (error) {
          last = String(error);
          return false;
        }
      },
    );
    for (const [id, times] of this.#ends) assert.ok(times <= 1, `${context}: job ${id} ended ${times} times`);
    await this.#forget();
  }

  /** Deletes the jobs that were found right twice, so that the checks do not become slower with each fault. */
  async #forget(): Promise<void> {
    for (const id of this.#foundRight) {
      await this.service.jobsOf(ANY_OWNER).remove(id);
      this.accepted.delete(id);
    }
    const jobs = await this.queue.list(ANY_OWNER, EVERYTHING, null, 100_000);
    this.#foundRight = [...this.accepted.keys(), ...jobs.map(({ id }) => id)];
  }

  async #check(): Promise<void> {
    const { queue, service } = this;
    service.checkReady();
    assert.equal(service.runningCount, 0, 'jobs that run');
    assert.equal(await queue.length(), 0, 'the length of the queue');
    const jobs = await queue.list(ANY_OWNER, EVERYTHING, null, 100_000);
    const found = new Map(jobs.map((job) => [job.id, job]));
    const outputs: string[] = [];
    for (const job of jobs) {
      assert.ok(isFinal(job.state), `job ${job.id} is ${job.state}`);
      if (job.state !== 'SUCCESS') continue;
      if (job.outputKept) outputs.push(job.id);
    }
    for (const [id, text] of this.accepted) {
      const job = found.get(id);
      if (job === undefined) assert.ok(this.#removed.has(id), `job ${id} is lost`);
      else if (job.state === 'SUCCESS')
        assert.equal(readFileSync(join(this.directory, 'outputs', id), 'utf8'), outputOf(text));
    }
    assert.deepEqual(readdirSync(join(this.directory, 'inputs')), [], 'inputs');
    assert.deepEqual(readdirSync(join(this.directory, 'outputs')).sort(), outputs.sort(), 'outputs');
    for (const owner of OWNERS) {
      let storedBytes = 0;
      for (const { id, output, outputKept } of jobs.filter((job) => job.owner === owner)) {
        const job = await queue.get(id);
        assert.ok(job !== null);
        storedBytes += recordBytes(job) + (outputKept ? (output?.byteLength ?? 0) : 0);
      }
      assert.deepEqual(await queue.holding(owner), { waiting: 0, running: 0, storedBytes }, owner);
    }
    const slots = readdirSync(join(this.directory, 'slots'));
    const pids = [...service.runners].map(({ pid }) => pid);
    assert.equal(pids.length, RUNNERS, 'runners');
    assert.equal(slots.length, 2 * RUNNERS, `slots: ${slots.join(', ')}`);
    for (const { state } of service.runners) assert.equal(state, 'idle', 'the state of a runner');
  }

  /** Nothing is left after its time. */
  async empty(): Promise<boolean> {
    const rows = await this.queue.list(ANY_OWNER, EVERYTHING, null, 10);
    const files = ['inputs', 'outputs'].flatMap((kind) => readdirSync(join(this.directory, kind)));
    return rows.length === 0 && files.length === 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.faults.uninstall();
    await this.service.stop();
    await this.queue.close();
    rmSync(this.directory, { recursive: true, force: true });
  }
}
