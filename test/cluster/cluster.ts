/** The service of a campaign: two processes that answer requests, three that run jobs, PostgreSQL and S3, each on a machine of its own. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { ENTRANCE } from '../support/program.ts';
import { BUCKET, KEY_ID, SECRET } from '../support/s3-server.ts';
import { DIVISION } from './divided.ts';
import { Member, type Role } from './member.ts';
import { makeNetwork, type Network } from './network.ts';

const SCHEMA = 'campaign';
const RESTART_PAUSE_MS = 200;

export interface ClusterOptions {
  readonly apis: number;
  readonly workers: number;
  readonly leaseSeconds: number;
  /** Names of accounts. */
  readonly owners: readonly string[];
}

export class Cluster implements AsyncDisposable {
  readonly directory = mkdtempSync(join(tmpdir(), 'geomill-cluster-'));
  readonly members: Member[] = [];
  /** API keys by account. */
  readonly keys = new Map<string, string>();
  readonly network: Network;
  readonly postgres: PostgresServer;
  readonly #options: ClusterOptions;
  #store: ChildProcess | null = null;

  private constructor(network: Network, postgres: PostgresServer, options: ClusterOptions) {
    this.network = network;
    this.postgres = postgres;
    this.#options = options;
  }

  static async start(options: ClusterOptions): Promise<Cluster> {
    const network = await makeNetwork();
    const { address, port, within } = network.servers.database;
    // What was committed survives all faults but a failure of the machine itself: fsync is of no use here.
    const settings = ['fsync=off', 'synchronous_commit=on', `port=${port}`];
    const cluster = new Cluster(network, await startPostgres(settings, { address, within }), options);
    try {
      await cluster.startStore();
      for (let i = 1; i <= options.apis; i++) await cluster.#add(`api-${i}`, 'api');
      for (let i = 1; i <= options.workers; i++) await cluster.#add(`worker-${i}`, 'worker');
      await Promise.all(cluster.members.map((member) => member.start()));
      for (const owner of options.owners) cluster.keys.set(owner, cluster.#createKey(owner));
      return cluster;
    } catch (error) {
      await cluster[Symbol.asyncDispose]();
      throw error;
    }
  }

  get apis(): readonly Member[] {
    return this.members.filter(({ role }) => role === 'api');
  }

  get workers(): readonly Member[] {
    return this.members.filter(({ role }) => role === 'worker');
  }

  get schema(): string {
    return SCHEMA;
  }

  /** Address of the database for this process. */
  get databaseUrl(): string {
    return this.postgres.url.replace('?', `?port=${this.network.servers.database.port}&`);
  }

  get storeEndpoint(): string {
    const { address, port } = this.network.servers.store;
    return `http://${address}:${port}`;
  }

  get storePid(): number {
    return this.#store?.pid ?? 0;
  }

  async startStore(): Promise<void> {
    const { address, port, within } = this.network.servers.store;
    const program = join(import.meta.dirname, 's3-process.ts');
    const [file, ...args] = [
      ...within,
      process.execPath,
      program,
      join(this.directory, 's3'),
      address,
      String(port),
    ];
    this.#store = spawn(file, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    await once(this.#store, 'message');
  }

  async killStore(): Promise<void> {
    if (this.#store === null) return;
    const ended = once(this.#store, 'exit');
    this.#store.kill('SIGKILL');
    await ended;
    this.#store = null;
  }

  setStoreFull(isFull: boolean): void {
    this.#store?.send(isFull ? 'full' : 'free');
  }

  /** Starts the process again until that works: a process does not start without its database or its store. */
  async startAgain(member: Member, wanted: () => boolean = () => true): Promise<void> {
    while (wanted())
      try {
        return await member.start();
      } catch {
        await pause(RESTART_PAUSE_MS);
      }
  }

  async #add(name: string, role: Role): Promise<void> {
    const machine = await this.network.addMachine(name);
    const [database, store] = [machine.server('database'), machine.server('store')];
    const member = new Member({
      machine,
      role,
      directory: this.directory,
      settings: {
        DATABASE_URL: `postgres://geomill@${database.address}:${database.port}/postgres`,
        DATABASE_SCHEMA: SCHEMA,
        STORE_URL: `s3://${BUCKET}/all`,
        S3_ENDPOINT: `http://${store.address}:${store.port}`,
        S3_REGION: 'us-east-1',
        AWS_ACCESS_KEY_ID: KEY_ID,
        AWS_SECRET_ACCESS_KEY: SECRET,
        JOB_LEASE: String(this.#options.leaseSeconds),
        // The limit of three has a test of its own; here one job may well be hit more often.
        JOB_ATTEMPTS: '100',
        ...DIVISION,
        AUTH: 'required',
        RATE_LIMIT: '0',
        RUNNERS: '1',
        // Nicer runners wait for whatever else this machine does.
        RUNNER_NICENESS: '0',
        // Has tests of its own. Machines here share the users and processes of one machine.
        RUNNER_SANDBOX: 'none',
        SHUTDOWN_GRACE: '2',
      },
    });
    this.members.push(member);
  }

  #createKey(owner: string): string {
    const env = { PATH: process.env.PATH, DATABASE_URL: this.databaseUrl, DATABASE_SCHEMA: SCHEMA };
    const args = [ENTRANCE, 'keys', 'create', '--owner', owner, '--name', 'campaign'];
    return execFileSync(process.execPath, args, {
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  }

  /** What the processes logged. */
  logs(): ReadonlyMap<string, string> {
    return new Map(
      this.members.map(({ name, logPath }) => [
        name,
        existsSync(logPath) ? readFileSync(logPath, 'utf8') : '',
      ]),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.members.map((member) => member.end('SIGKILL')));
    await this.killStore();
    await this.postgres[Symbol.asyncDispose]();
    await this.network[Symbol.asyncDispose]();
    rmSync(this.directory, { recursive: true, force: true });
  }
}
