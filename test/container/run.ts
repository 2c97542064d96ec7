/**
 * `npm run test:container`: builds the image on a base of Debian's debootstrap and the Node.js of this checkout, and runs it
 * as docs/operate.md says. Needs root and Debian's packages podman, buildah, runc and debootstrap, and skips without them.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { ContainerEngine, missingPrograms } from './engine.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const IMAGE = 'localhost/geomill';
const POLL_MS = 100;
/** In seconds: longer than any job of this test. */
const NEVER = '3600';
/** Enough for a job to be still running when the service is stopped. */
const POINTS = 30_000;

interface ImageFacts {
  readonly Labels: Readonly<Record<string, string>>;
  readonly User: string;
  readonly Config: {
    readonly Volumes: object;
    readonly StopSignal: string;
  };
  readonly Healthcheck?: { readonly Test: readonly string[] };
}

interface Job {
  readonly status: string;
  readonly attempts: number;
  /** Of the last time. */
  readonly started_at: string;
}

/** A running container and a key for its service. */
class Service {
  readonly #engine: ContainerEngine;
  readonly name: string;
  #url = '';
  #key = '';

  constructor(engine: ContainerEngine, name: string) {
    this.#engine = engine;
    this.name = name;
  }

  static async run(engine: ContainerEngine, name: string, ...options: string[]): Promise<Service> {
    const service = new Service(engine, name);
    const place = ['--publish', '127.0.0.1::8080', '--volume', `${name}:/data`];
    await engine.podman('run', '--detach', '--read-only', '--name', name, ...place, ...options, IMAGE);
    await service.listening();
    const key = await service.exec('geomill', 'keys', 'create', '--owner', 'test', '--name', 'test');
    service.#key = key.split('\n')[0];
    return service;
  }

  async restart(): Promise<void> {
    await this.#engine.podman('start', this.name);
    await this.listening();
  }

  async listening(): Promise<void> {
    this.#url = `http://${await this.#engine.podman('port', this.name, '8080')}`;
    for (;;) {
      const answer = await fetch(`${this.#url}/readyz`).catch(() => null);
      if (answer?.ok) return;
      assert.equal(await this.inspect('{{.State.Running}}'), 'true', await this.logs());
      await pause(POLL_MS);
    }
  }

  exec(...command: readonly string[]): Promise<string> {
    return this.#engine.podman('exec', this.name, ...command);
  }

  inspect(format: string): Promise<string> {
    return this.#engine.podman('inspect', '--format', format, this.name);
  }

  logs(): Promise<string> {
    return this.#engine.podman('logs', this.name);
  }

  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const answer = await fetch(this.#url + path, { ...init, headers: { apiKey: this.#key } });
    assert.ok(answer.ok, `${path}: ${answer.status}`);
    return answer;
  }

  async submit(config: object, input: string): Promise<string> {
    const body = new FormData();
    body.append('config', JSON.stringify(config));
    body.append('input_file', new Blob([input]), 'input.geojson');
    const answer = await this.fetch('/transform', { method: 'POST', body });
    return ((await answer.json()) as { job_id: string }).job_id;
  }

  async job(id: string): Promise<Job> {
    return (await (await this.fetch(`/v1/jobs/${id}`)).json()) as Job;
  }

  async until(id: string, ...states: readonly string[]): Promise<Job> {
    for (;;) {
      const job = await this.job(id);
      if (states.includes(job.status)) return job;
      assert.ok(['QUEUED', 'RUNNING'].includes(job.status), job.status);
      await pause(POLL_MS);
    }
  }

  async output(id: string): Promise<string> {
    return (await this.fetch(`/result/output/${id}`)).text();
  }

  /** Exit code. */
  async stop(): Promise<number> {
    await this.#engine.podman('stop', '--time', NEVER, this.name);
    return Number(await this.inspect('{{.State.ExitCode}}'));
  }
}

test('the image', async (context) => {
  const missing = missingPrograms();
  if (missing !== null) return context.skip(missing);
  await using engine = new ContainerEngine();
  await engine.makeBase();
  const refusal = await engine.refusal();
  if (refusal !== null) return context.skip(`no container runs here: ${refusal}`);
  await engine.build(ROOT, IMAGE, { VERSION: '1.2.3', REVISION: 'abcdef' });
  await context.test('has labels, a user, a volume and a health check', () => checkFacts(engine));
  await context.test('has neither sources nor development dependencies', () => checkContents(engine));
  await context.test('runs a job read-only, as a user that is not root', () => checkJob(engine));
  await context.test('runs the commands of docs/operate.md', () => checkDocs(engine));
  await context.test('finishes a running job at SIGTERM', () => checkStop(engine, NEVER, 'finished'));
  await context.test('takes a job up again that a stop interrupted', () =>
    checkStop(engine, '0', 'interrupted'),
  );
});

async function checkFacts(engine: ContainerEngine): Promise<void> {
  const [image] = JSON.parse(await engine.podman('image', 'inspect', IMAGE)) as ImageFacts[];
  const { licenses, version, revision, title, description } = Object.fromEntries(
    Object.entries(image.Labels).map(([name, value]) => [
      name.replace('org.opencontainers.image.', ''),
      value,
    ]),
  );
  assert.deepEqual(
    { licenses, version, revision, title },
    {
      licenses: 'Apache-2.0',
      version: '1.2.3',
      revision: 'abcdef',
      title: 'geomill',
    },
  );
  assert.match(description, /vector geodata/);
  assert.equal(image.User, '10001:10001');
  assert.deepEqual(Object.keys(image.Config.Volumes), ['/data']);
  assert.equal(image.Config.StopSignal, 'SIGTERM');
  assert.equal(image.Healthcheck?.Test[0], 'CMD');
}

async function checkContents(engine: ContainerEngine): Promise<void> {
  const list = await engine.podman('run', '--rm', '--entrypoint', 'ls', IMAGE, '/app', '/app/node_modules');
  const names = list.split('\n');
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  for (const name of Object.keys(dependencies)) assert.ok(names.includes(name.split('/')[0]), name);
  for (const name of ['apps', 'packages', 'test', 'node', 'typescript', 'playwright-core'])
    assert.ok(!names.includes(name), name);
}

/** The commands for podman in docs/operate.md, but for the build, which takes another base here. */
async function checkDocs(engine: ContainerEngine): Promise<void> {
  const page = readFileSync(join(ROOT, 'docs/operate.md'), 'utf8');
  const block = /^```sh\n(podman build .*?)^```$/ms.exec(page)?.[1] ?? '';
  const [build, ...commands] = block.trimEnd().split('\n');
  assert.match(build, /^podman build .* --tag geomill \.$/);
  const output: string[] = [];
  for (const command of commands) {
    const line = command.replace('127.0.0.1:8080:8080', '127.0.0.1::8080');
    output.push(await engine.shell(line, ROOT));
    if (command.startsWith('podman run --detach')) await new Service(engine, 'geomill').listening();
  }
  const [, key, csv] = output;
  assert.match(key, /^gm_\w+$/m);
  assert.match(csv, /^1,Nordkai,.*POLYGON \(\(\d{6}\.\d+ \d{7}\.\d+/m);
}

async function checkJob(engine: ContainerEngine): Promise<void> {
  const service = await Service.run(engine, 'job');
  const config = { input: { format: 'geojson' }, output: { format: 'csv', epsg: 25832 } };
  const id = await service.submit(config, readFileSync(join(ROOT, 'samples/harbour.geojson'), 'utf8'));
  assert.equal((await service.until(id, 'SUCCESS')).attempts, 1);
  const positions = [...(await service.output(id)).matchAll(/(\d+\.\d+) (\d+\.\d+)/g)];
  assert.ok(positions.length > 10);
  for (const [, east, north] of positions) {
    assert.ok(Number(east) > 100_000 && Number(east) < 900_000, east);
    assert.ok(Number(north) > 5_000_000 && Number(north) < 7_000_000, north);
  }
  assert.match(await service.logs(), /"sandbox":"bwrap"/);
  const status = await service.exec('cat', '/proc/1/status');
  assert.match(status, /^Uid:\t10001\t10001\t10001\t10001$/m);
  assert.match(status, /^CapEff:\t0{16}$/m);
  for (const path of ['/new', '/app/new', '/usr/local/bin/new'])
    await assert.rejects(service.exec('touch', path), { stderr: /Read-only file system/ });
  const printed = /^ +(podman exec \w+ geomill keys create .*)$/m.exec(await service.logs())?.[1] ?? '';
  assert.match(await engine.shell(printed), /^gm_/);
  // Fails unless the health check exits with 0.
  await engine.podman('healthcheck', 'run', service.name);
  assert.equal(await service.stop(), 0);
}

async function checkStop(
  engine: ContainerEngine,
  grace: string,
  end: 'finished' | 'interrupted',
): Promise<void> {
  const features = Array.from({ length: POINTS }, (_, index) => {
    const coordinates = [8 + (index % 300) * 0.0005, 53 + Math.floor(index / 300) * 0.0005];
    return { type: 'Feature', properties: {}, geometry: { type: 'Point', coordinates } };
  });
  const input = JSON.stringify({ type: 'FeatureCollection', features });
  const transformations = [{ type: 'buffer', distance: 100, units: 'meters' }, { type: 'union' }];
  const config = { input: { format: 'geojson' }, output: { format: 'csv', epsg: 25832 }, transformations };
  const service = await Service.run(engine, end, '--env', `SHUTDOWN_GRACE=${grace}`);
  const id = await service.submit(config, input);
  const { started_at: started } = await service.until(id, 'RUNNING');
  assert.equal(await service.stop(), 0);
  await service.restart();
  const job = await service.until(id, 'SUCCESS');
  assert.equal(job.started_at === started, end === 'finished');
  assert.match(await service.output(id), /POLYGON/);
  assert.equal(await service.stop(), 0);
}
