/** deploy/kubernetes, as kustomize would build it. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { PostgresQueue } from '../../apps/service/src/jobs/postgres-queue.ts';
import {
  containersOf,
  DEPLOY,
  imageEnvironment,
  kustomize,
  type Manifest,
  processConfig,
  SECRETS,
} from '../support/deployment.ts';
import { manifestFaults } from '../support/manifest-schema.ts';
import { sharedPostgres, noPostgres as skip } from '../support/postgres.ts';
import { newJob } from '../support/queue.ts';

const KUBERNETES = join(DEPLOY, 'kubernetes');
const base = kustomize(join(KUBERNETES, 'base'));
const example = kustomize(join(KUBERNETES, 'example'));

/** Secrets that docs/operate.md creates, and their keys. */
const GIVEN: Readonly<Record<string, readonly string[]>> = {
  'geomill-database': ['DATABASE_URL', 'SCALER_URL'],
  'geomill-store': ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'],
};

function find(manifests: readonly Manifest[], kind: string, name: string): Manifest {
  const found = manifests.filter((one) => one.kind === kind && one.metadata.name === name);
  assert.equal(found.length, 1, `${kind} ${name}`);
  return found[0];
}

function matches(labels: Record<string, string>, selector: Record<string, string>): boolean {
  return Object.entries(selector).every(([name, value]) => labels[name] === value);
}

const podLabels = (manifest: Manifest): Record<string, string> => manifest.spec.template.metadata.labels;
const deployments = (manifests: readonly Manifest[]) => manifests.filter(({ kind }) => kind === 'Deployment');

/** The environment of the one container; values of secrets are replaced. */
function environmentOf(manifests: readonly Manifest[], deployment: Manifest): Record<string, string> {
  const [container] = deployment.spec.template.spec.containers;
  const environment = imageEnvironment();
  for (const { configMapRef } of container.envFrom)
    Object.assign(environment, find(manifests, 'ConfigMap', configMapRef.name).data);
  for (const { name, value, valueFrom } of container.env) {
    assert.equal(SECRETS.has(name), value === undefined, `${name} is a secret exactly if it comes from one`);
    if (valueFrom !== undefined) {
      const { name: secret, key } = valueFrom.secretKeyRef;
      assert.ok(GIVEN[secret]?.includes(key), `${secret} ${key}`);
      assert.equal(key, name);
    }
    environment[name] = value ?? 'postgres://secret';
  }
  return environment;
}

for (const [name, manifests] of Object.entries({ base, example }))
  test(`${name}: objects have no unknown field, and names are unique`, () => {
    for (const manifest of manifests)
      assert.deepEqual(manifestFaults(manifest), [], `${manifest.kind} ${manifest.metadata.name}`);
    const names = manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    assert.equal(new Set(names).size, names.length);
  });

for (const [name, manifests] of Object.entries({ base, example }))
  test(`${name}: processes have valid settings, few rights and time to stop`, () => {
    for (const deployment of deployments(manifests)) {
      const { spec } = deployment.spec.template;
      const [container] = spec.containers;
      const where = deployment.metadata.name;
      const role = deployment.metadata.labels?.['app.kubernetes.io/component'];
      assert.deepEqual(container.args, ['serve', '--role', role]);
      const config = processConfig(environmentOf(manifests, deployment), where);
      assert.equal(config.auth, 'required', where);
      const stop = config.shutdownDelaySeconds + config.graceSeconds;
      assert.ok(spec.terminationGracePeriodSeconds >= stop + 5, where);
      assert.equal(container.ports[0].containerPort, config.port);
      for (const [probe, path] of [
        ['startupProbe', '/healthz'],
        ['livenessProbe', '/healthz'],
        ['readinessProbe', '/readyz'],
      ])
        assert.deepEqual(container[probe].httpGet, { path, port: 'http' }, `${where}: ${probe}`);
      assert.equal(spec.securityContext.runAsNonRoot, true);
      assert.deepEqual([spec.securityContext.runAsUser, spec.securityContext.fsGroup], [10001, 10001]);
      assert.deepEqual(container.securityContext, {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      assert.equal(spec.automountServiceAccountToken, false);
      // All that the service writes.
      assert.deepEqual(
        container.volumeMounts.map(({ mountPath }: { mountPath: string }) => mountPath),
        [config.dataDirectory, '/tmp'],
      );
      assert.deepEqual(
        container.volumeMounts.map((mount: { name: string }) => mount.name),
        spec.volumes.map((volume: { name: string }) => volume.name),
      );
      const memory = Number(/^(\d+)Gi$/.exec(container.resources.limits.memory)?.[1]) * 1024 ** 3;
      if (role === 'worker')
        assert.ok(memory >= config.runners * config.runnerMemoryBytes + 512 * 1024 ** 2, 'memory of runners');
      for (const { labelSelector } of spec.topologySpreadConstraints)
        assert.ok(matches(podLabels(deployment), labelSelector.matchLabels));
      assert.ok(matches(podLabels(deployment), deployment.spec.selector.matchLabels));
      // Time until the readiness probe has failed often enough.
      const { periodSeconds, failureThreshold } = container.readinessProbe;
      if (role === 'api') assert.ok(config.shutdownDelaySeconds > periodSeconds * failureThreshold);
    }
  });

for (const [name, manifests] of Object.entries({ base, example }))
  test(`${name}: everything that an object refers to exists`, () => {
    const pods = deployments(manifests).map(podLabels);
    for (const { kind, spec } of manifests) {
      if (kind === 'Service' || kind === 'PodDisruptionBudget' || kind === 'NetworkPolicy') {
        const selector = kind === 'Service' ? spec.selector : (spec.selector ?? spec.podSelector).matchLabels;
        const count = pods.filter((labels) => matches(labels, selector)).length;
        assert.ok(kind === 'NetworkPolicy' ? count > 0 : count === 1, `${kind} ${JSON.stringify(selector)}`);
      }
      if (kind === 'HorizontalPodAutoscaler' || kind === 'ScaledObject') {
        const { name: target } = spec.scaleTargetRef;
        const deployment = find(manifests, 'Deployment', target);
        assert.equal(
          deployment.spec.replicas,
          undefined,
          'a number here would undo the scaling at each apply',
        );
      }
      if (kind === 'ScaledObject')
        for (const trigger of spec.triggers)
          find(manifests, 'TriggerAuthentication', trigger.authenticationRef.name);
      if (kind === 'TriggerAuthentication')
        for (const { name: secret, key } of spec.secretTargetRef)
          assert.ok(GIVEN[secret]?.includes(key), `${secret} ${key}`);
      if (kind === 'Ingress')
        for (const { host, http } of spec.rules) {
          assert.ok(spec.tls[0].hosts.includes(host));
          const { service } = http.paths[0].backend;
          const ports = find(manifests, 'Service', service.name).spec.ports;
          assert.ok(ports.some((port: { name: string }) => port.name === service.port.name));
          const { BASE_URL } = find(manifests, 'ConfigMap', 'geomill-settings').data;
          assert.equal(new URL(BASE_URL).host, host);
        }
    }
    // Each Deployment keeps some pods during maintenance.
    for (const labels of pods)
      assert.ok(
        manifests.some(
          ({ kind, spec }) => kind === 'PodDisruptionBudget' && matches(labels, spec.selector.matchLabels),
        ),
      );
  });

test('example: objects are in its namespace, with a pinned image', () => {
  for (const { kind, metadata } of example)
    assert.equal(metadata.namespace, kind === 'Namespace' ? undefined : 'geomill', metadata.name);
  for (const { image } of example.flatMap(containersOf)) assert.match(image, /^[\w./-]+:\d+\.\d+\.\d+$/);
});

test('the sandbox component lets no worker start that cannot isolate jobs by namespaces', () => {
  const [worker] = deployments(example).filter(({ metadata }) => metadata.name === 'geomill-worker');
  assert.equal(environmentOf(example, worker).RUNNER_SANDBOX, 'bwrap');
  assert.deepEqual(worker.spec.template.spec.securityContext.seccompProfile, {
    type: 'Localhost',
    localhostProfile: 'geomill.json',
  });
});

test('pods send only to DNS, the database and the store, in private networks', () => {
  const policies = base.filter(({ kind }) => kind === 'NetworkPolicy');
  const all = find(policies, 'NetworkPolicy', 'geomill-default');
  assert.deepEqual(all.spec.policyTypes, ['Ingress', 'Egress']);
  for (const deployment of deployments(base))
    assert.ok(matches(podLabels(deployment), all.spec.podSelector.matchLabels));
  // Without rules nothing comes in; the other policies add to it.
  assert.equal(all.spec.ingress, undefined);
  assert.deepEqual(
    policies.filter(({ spec }) => spec.egress !== undefined),
    [all],
  );
  const ports = all.spec.egress.map((rule: { ports: { port: number }[] }) =>
    rule.ports.map(({ port }) => port),
  );
  assert.deepEqual(ports, [
    [53, 53],
    [5432, 443],
  ]);
  for (const { ipBlock } of all.spec.egress[1].to)
    assert.match(ipBlock.cidr, /^(10\.|172\.16\.|192\.168\.|fc00:)/);
});

test('the component for inputs by URL opens public addresses to workers only', () => {
  assert.deepEqual(readdirSync(join(KUBERNETES, 'components')), ['sandbox', 'url-inputs']);
  const manifests = kustomize(
    join(KUBERNETES, 'components', 'url-inputs'),
    kustomize(join(KUBERNETES, 'base')),
  );
  for (const manifest of manifests) assert.deepEqual(manifestFaults(manifest), []);
  const policy = find(manifests, 'NetworkPolicy', 'geomill-url-inputs');
  const open = deployments(manifests).filter((one) =>
    matches(podLabels(one), policy.spec.podSelector.matchLabels),
  );
  assert.deepEqual(
    open.map(({ metadata }) => metadata.name),
    ['geomill-worker'],
  );
  assert.equal(processConfig(environmentOf(manifests, open[0]), 'worker').inputUrlHosts, '*');
});

test('KEDA counts jobs that wait and run, with a role that can read nothing else', { skip }, async () => {
  const { url } = await sharedPostgres();
  const { query, targetQueryValue } = find(base, 'ScaledObject', 'geomill-worker').spec.triggers[0].metadata;
  const [worker] = deployments(base).filter(({ metadata }) => metadata.name === 'geomill-worker');
  const config = processConfig(environmentOf(base, worker), 'worker');
  assert.equal(Number(targetQueryValue), config.runners);
  const schema = config.databaseSchema;
  const queue = await PostgresQueue.open({
    ...{ url, schema, maxConnections: 2, worker: 'test', leaseMs: 30_000 },
    ...{ maxLength: 100, retryAfterSeconds: 5 },
  });
  // As docs/operate.md says.
  const { default: pg } = await import('pg');
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  await admin.query('CREATE ROLE geomill_scaler LOGIN');
  await admin.query(`GRANT USAGE ON SCHEMA ${schema} TO geomill_scaler`);
  await admin.query(`GRANT SELECT ON ${schema}.owners TO geomill_scaler`);
  const scaler = new pg.Client({
    connectionString: url.replace('//geomill@', '//geomill_scaler@'),
  });
  await scaler.connect();
  try {
    const value = async (): Promise<number> => {
      const { rows, fields } = await scaler.query({ text: query, rowMode: 'array' });
      assert.equal(rows.length, 1);
      assert.equal(fields[0].dataTypeID, pg.types.builtins.INT8);
      return Number(rows[0][0]);
    };
    assert.equal(await value(), 0);
    for (const owner of ['a', 'a', 'b']) await queue.enqueue(newJob(randomUUID(), { owner }));
    assert.equal(await value(), 3);
    const claim = await queue.claim();
    assert.ok(claim !== null);
    assert.equal(await value(), 3, 'a job that runs counts');
    await queue.fail(claim, { code: 'CANCELLED', params: {} }, Date.now() + 1000);
    assert.equal(await value(), 2);
    await assert.rejects(scaler.query(`SELECT * FROM ${schema}.jobs`), /permission denied/);
  } finally {
    await scaler.end();
    await queue.close();
    await admin.end();
  }
});
