/**
 * `npm run test:cluster -- --faults 100 --seed 1`: two processes that answer requests, three that run jobs, PostgreSQL and S3, each on
 * a machine of its own (network.ts), under load from several accounts while faults hit them (faults.ts). Every accepted job must
 * end once, with the output of a single machine, and nothing may be left without a job. See README.md.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { seededRandom } from '../../bench/data.ts';
import { campaignJobs } from '../faults/jobs.ts';
import { noPostgres } from '../support/postgres-server.ts';
import { Checks } from './checks.ts';
import { Clients } from './clients.ts';
import { Cluster } from './cluster.ts';
import { dividedJobs, notePartsOf, someOf } from './divided.ts';
import { FaultLanes } from './faults.ts';
import { measure } from './figures.ts';
import { noFakeTime } from './member.ts';
import { insideNamespaces } from './network.ts';
import { Problems } from './problems.ts';
import { SingleMachine } from './single-machine.ts';

const { values } = parseArgs({
  options: {
    faults: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    lease: { type: 'string', default: '3' },
    clients: { type: 'string', default: '8' },
    minutes: { type: 'string', default: '7' },
    jobs: { type: 'string', default: '1000' },
    logs: { type: 'boolean', default: false },
  },
});

/** Of the jobs, where not all are used. */
const DIVIDED_SHARE = 0.15;

if (noPostgres !== false) {
  console.log(`cluster: skipped, ${noPostgres}`);
  process.exit();
}
const status = insideNamespaces();
if (status !== null) process.exit(status);

const startedAt = performance.now();
const leaseSeconds = Number(values.lease);
const random = seededRandom(Number(values.seed));
const problems = new Problems();
const scratch = mkdtempSync(join(tmpdir(), 'geomill-single-'));

try {
  await using single = await SingleMachine.start(scratch);
  const count = Number(values.jobs);
  const divided = await dividedJobs(single, Math.ceil(count * DIVIDED_SHARE));
  const jobs = [...someOf(campaignJobs(await single.inputs()), count - divided.length), ...divided];
  const references = await single.references(jobs);
  await single.end();
  await using cluster = await Cluster.start({
    apis: 2,
    workers: 3,
    leaseSeconds,
    owners: ['ann', 'bob', 'carl', 'dora'],
  });
  using _ = {
    // Also if something is thrown: the directory with the logs goes with the cluster.
    [Symbol.dispose]() {
      if (values.logs)
        for (const [name, text] of cluster.logs()) console.log(`--- ${name}\n${text.slice(-20_000)}`);
    },
  };
  if (cluster.network.fallback !== null) console.log(`machines are processes: ${cluster.network.fallback}`);
  if (noFakeTime !== false) console.log(`clocks are not stepped: ${noFakeTime}`);
  console.log(`${jobs.length} references, cluster started: ${seconds()} s`);
  await notePartsOf(cluster);
  const clients = new Clients(cluster, jobs, references, problems, random, leaseSeconds);
  const faults = new FaultLanes(
    cluster,
    Number(values.faults),
    leaseSeconds,
    () => clients.counts.ended,
    random,
  );
  const work = Promise.all(Array.from({ length: Number(values.clients) }, () => clients.run()));
  const untilMs = performance.now() + Number(values.minutes) * 60_000;
  const progress = setInterval(
    () => console.log(`${faults.begun} faults, ${clients.counts.ended} jobs, ${seconds()} s`),
    30_000,
  );
  await faults.run(() => performance.now() > untilMs);
  clients.close();
  await work;
  clearInterval(progress);
  await using checks = await Checks.open(cluster, problems);
  await checks.settle(leaseSeconds);
  const { jobs: rows, again } = await checks.records(clients.accepted);
  const parts = await checks.parts();
  const figures = await measure(cluster, checks, problems, leaseSeconds).catch((error: Error) => {
    // The other checks tell more.
    problems.add('unexpected', error.message);
    return 'not measured';
  });
  await checks.secrets();
  const { orphans } = await checks.files();
  const ends = await Promise.all(cluster.members.map((member) => member.end('SIGTERM')));
  for (const [kind, count] of [...faults.counts].sort()) console.log(`${String(count).padStart(5)} ${kind}`);
  for (const [answer, count] of clients.refusals)
    console.log(`${String(count).padStart(5)} answers ${answer}`);
  const { ended, cancelled, uploads, broken, asked, unanswered } = clients.counts;
  console.log(
    `${asked} requests, ${unanswered} without an answer; ${rows} jobs (${again} were hit while they ran), ${ended} carried ` +
      `through, ${cancelled} cancelled, ${uploads} uploads in pieces, ${broken} broken off; ${orphans} orphans swept`,
  );
  console.log(
    `parts of ${parts.divided} jobs ran at other workers: ${parts.done}, ${parts.again} of them once more`,
  );
  console.log(`${figures}; processes ended in at most ${Math.round(Math.max(...ends))} ms`);
  console.log(
    `${faults.begun} faults, seed ${values.seed}, lease ${leaseSeconds} s, ${seconds()} s: ${problems}`,
  );
  if (faults.begun < Number(values.faults)) console.log(`stopped after ${values.minutes} minutes`);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
if (problems.total > 0) process.exitCode = 1;

function seconds(): number {
  return Math.round((performance.now() - startedAt) / 1000);
}
