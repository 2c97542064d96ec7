/** deploy/compose.yaml, deploy/compose.cluster.yaml, and the files that they mount. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { promisify } from 'node:util';
import { SIZES } from '../../apps/service/src/settings/setting-values.ts';
import { beside, DEPLOY, imageEnvironment, processConfig, readYaml, SECRETS } from '../support/deployment.ts';
import { S3TestServer } from '../support/s3-server.ts';

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly user?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly restart?: string;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly stop_grace_period?: string;
  readonly volumes?: readonly string[];
  readonly networks?: readonly string[];
  readonly ports?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly mem_limit?: string;
  readonly cpus?: number;
  readonly pids_limit?: number;
  readonly deploy?: { readonly replicas: number };
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly networks?: Readonly<Record<string, { readonly internal?: boolean } | null>>;
  readonly volumes: Readonly<Record<string, null>>;
}

const SINGLE = join(DEPLOY, 'compose.yaml');
const CLUSTER = join(DEPLOY, 'compose.cluster.yaml');
const read = (path: string): Compose => readYaml(path)[0] as Compose;
const cluster = read(CLUSTER);

/** As compose replaces `${NAME:-default}`, and `${NAME:?message}` for a secret. */
function interpolated(text: string): string {
  return text.replace(/\$\{(\w+)(?::-([^}]*)|:\?[^}]*)\}/g, (_, name: string, byDefault?: string) =>
    byDefault === undefined ? `value-of-${name.toLowerCase()}` : byDefault,
  );
}

function environmentOf(service: Service): Record<string, string> {
  const own = Object.entries(service.environment ?? {}).map(([name, value]) => [name, interpolated(value)]);
  return { ...imageEnvironment(), ...Object.fromEntries(own) };
}

/** `1m20s` in seconds. */
function seconds(duration: string): number {
  const units: Record<string, number> = { s: 1, m: 60, h: SIZES.HOUR };
  return [...duration.matchAll(/(\d+)([smh])/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * units[unit],
    0,
  );
}

for (const path of [SINGLE, CLUSTER])
  test(`${path.slice(DEPLOY.length + 1)}: containers have few rights, limits and health checks`, () => {
    const { services, networks = {}, volumes } = read(path);
    for (const [name, service] of Object.entries(services)) {
      assert.equal(service.read_only, true, name);
      assert.deepEqual(service.cap_drop, ['ALL'], name);
      assert.ok(service.security_opt?.includes('no-new-privileges:true'), name);
      assert.ok(service.mem_limit !== undefined && service.cpus !== undefined, name);
      assert.ok(service.pids_limit !== undefined || name === 'geomill', name);
      // Runs once.
      const isTask = service.restart === 'on-failure';
      assert.ok(isTask || service.restart === 'unless-stopped', name);
      assert.ok(isTask || (service.healthcheck?.test.length ?? 0) > 1, name);
      assert.ok(isTask || service.stop_grace_period !== undefined, name);
      if (service.image !== 'geomill')
        assert.match(service.image, /^docker\.io\/\w+\/[\w-]+:\d+\.\d+(\.\d+)?(-\w+)?$/, 'a pinned image');
      for (const volume of service.volumes ?? []) {
        const [source] = volume.split(':');
        if (source.startsWith('./')) assert.ok(existsSync(beside(path, source)), volume);
        else assert.ok(Object.hasOwn(volumes, source), volume);
      }
      for (const option of service.security_opt ?? []) {
        const file = /^seccomp=(\.\/.*)$/.exec(option)?.[1];
        if (file !== undefined) assert.ok(existsSync(beside(path, file)), option);
      }
      for (const network of service.networks ?? []) assert.ok(Object.hasOwn(networks, network), network);
      for (const other of Object.keys(service.depends_on ?? {})) assert.ok(other in services, other);
      for (const port of service.ports ?? []) assert.match(port, /^127\.0\.0\.1:/, 'published here only');
    }
  });

test('settings of processes are valid, and their stop is not cut short', () => {
  const processes: [string, Service, string | undefined][] = [
    ['geomill', read(SINGLE).services.geomill, undefined],
    ['api', cluster.services.api, 'api'],
    ['worker', cluster.services.worker, 'worker'],
  ];
  for (const [name, service, role] of processes) {
    assert.deepEqual(service.command, role === undefined ? undefined : ['serve', '--role', role]);
    const config = processConfig(environmentOf(service), name);
    const stop = config.shutdownDelaySeconds + config.graceSeconds;
    assert.ok(seconds(service.stop_grace_period ?? '') >= stop + 5, name);
    assert.ok(service.healthcheck?.test.at(-1)?.includes(`127.0.0.1:${config.port}/healthz`), name);
    assert.equal(config.auth, 'required', name);
  }
});

test('the processes of the cluster share one database and one store, and no secret is written down', () => {
  const { api, worker, postgres, s3, bucket } = cluster.services;
  const [first, second] = [api, worker].map((service) => environmentOf(service));
  for (const name of ['DATABASE_URL', 'STORE_URL', 'S3_ENDPOINT', 'BASE_URL'] as const)
    assert.equal(first[name], second[name], name);
  const database = new URL(first.DATABASE_URL);
  const own = environmentOf(postgres);
  assert.equal(database.hostname, 'postgres');
  assert.deepEqual(
    [database.username, database.password, database.pathname],
    [own.POSTGRES_USER, own.POSTGRES_PASSWORD, `/${own.POSTGRES_DB}`],
  );
  assert.equal(new URL(first.S3_ENDPOINT).host, `s3:${environmentOf(s3).RUSTFS_ADDRESS.split(':')[1]}`);
  assert.equal(first.STORE_URL.split('/')[2], bucket.environment?.S3_BUCKET);
  assert.equal(first.AWS_SECRET_ACCESS_KEY, environmentOf(s3).RUSTFS_SECRET_KEY);
  for (const [name, { environment = {} }] of Object.entries(cluster.services))
    for (const [variable, value] of Object.entries(environment))
      if (SECRETS.has(variable) || /PASSWORD|SECRET|ACCESS_KEY/.test(variable))
        assert.match(value, /\$\{[A-Z0-9_]+:\?/, `${name}: ${variable} is required from outside`);
  const { databaseConnections } = processConfig(first, 'api');
  // A rolling update starts new processes beside the old ones.
  const connections = 2 * 5 * (databaseConnections + 1);
  const most = Number(/max_connections=(\d+)/.exec(String(postgres.command))?.[1]);
  assert.ok(most > connections, `${connections} connections`);
});

test('workers and the database cannot be reached from outside, and reach nothing there', () => {
  assert.equal(cluster.networks?.back?.internal, true);
  for (const name of ['worker', 'postgres', 's3', 'bucket'])
    assert.deepEqual(cluster.services[name].networks, ['back'], name);
  assert.deepEqual(cluster.services.proxy.networks, ['front']);
  assert.deepEqual(
    Object.entries(cluster.services).flatMap(([name, { ports }]) => (ports === undefined ? [] : [name])),
    ['proxy'],
  );
  assert.deepEqual([cluster.services.api.deploy?.replicas, cluster.services.worker.deploy?.replicas], [2, 3]);
});

test('the proxy waits longer than the service, and notices in time that a process stops', () => {
  const text = readFileSync(join(DEPLOY, 'haproxy.cfg'), 'utf8');
  const { api, proxy } = cluster.services;
  const config = processConfig(environmentOf(api), 'api');
  const value = (pattern: RegExp): number => {
    const found = pattern.exec(text)?.[1];
    assert.ok(found !== undefined, String(pattern));
    return Number(found);
  };
  assert.ok(value(/timeout server (\d+)s/) > config.syncTimeoutSeconds);
  // A check can take as long as its interval before it counts as failed.
  const noticed = value(/check inter (\d+)s/) * value(/ready[\s\S]* fall (\d+)/) * 2;
  assert.ok(noticed < config.shutdownDelaySeconds, `${noticed} s`);
  assert.match(text, new RegExp(`server-template api 1-\\d+ api:${config.port} `));
  const port = /:(\d+)$/.exec(proxy.ports?.[0] ?? '')?.[1];
  assert.match(text, new RegExp(`^ +bind :${port}$`, 'm'));
  assert.match(text, /^ +retry-on conn-failure$/m, 'nothing is sent twice');
});

test('HAProxy accepts its configuration', (context) => {
  if (spawnSync('haproxy', ['-v']).error !== undefined) return context.skip('no HAProxy here');
  const { status, stderr } = spawnSync('haproxy', ['-c', '-f', join(DEPLOY, 'haproxy.cfg')], {
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  assert.doesNotMatch(stderr, /WARNING/);
});

test('the bucket is created once, with the credentials of the settings', async (context) => {
  if (spawnSync('curl', ['--version']).error !== undefined) return context.skip('no curl here');
  const directory = mkdtempSync(join(tmpdir(), 'geomill-s3-'));
  try {
    await using server = await S3TestServer.start(directory);
    if (server === null) return context.skip('no S3 server here');
    const { bucket } = cluster.services;
    const environment = {
      ...bucket.environment,
      S3_ENDPOINT: server.url,
      S3_ACCESS_KEY: server.settings('').accessKeyId,
      S3_SECRET_KEY: server.settings('').secretAccessKey,
      PATH: process.env.PATH ?? '',
    };
    const run = (changes: Record<string, string> = {}) =>
      promisify(execFile)('sh', [join(DEPLOY, 'create-bucket.sh')], { env: { ...environment, ...changes } });
    assert.equal((await run()).stdout, 'created the bucket geomill\n');
    assert.ok(existsSync(join(directory, 'geomill')));
    assert.equal((await run()).stdout, 'the bucket geomill exists\n');
    await assert.rejects(run({ S3_SECRET_KEY: 'wrong', S3_BUCKET: 'other' }), {
      code: 1,
      stderr: /answered 403\n$/,
    });
  } finally {
    rmSync(directory, { recursive: true });
  }
});
