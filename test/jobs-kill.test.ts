/**
 * kill -9 of runners and of the whole service at random moments under load: every accepted job ends with the right
 * output, none is lost, doubled or half. The moments are seeded; what they hit depends on the machine.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Database } from '../src/engines/sqlite/database.ts';

const MOMENTS = 50;
const SERVICE_MOMENTS = 15;
/** Jobs that must have been hit while they ran; on a busy machine it takes more than MOMENTS to meet so many. */
const HITS = 5;
const CLIENTS = 12;
const FEATURES = 400;

const MAIN = join(import.meta.dirname, '..', 'src', 'main.ts');

/** mulberry32. */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** The service as its own process, which can be killed and started again on the same data. */
class Mill {
  readonly dataDirectory = mkdtempSync(join(tmpdir(), 'geomill-kill-'));
  url = '';
  #port = '0';
  #process: ChildProcess | null = null;

  async start(): Promise<void> {
    const child = spawn(process.execPath, [MAIN, 'serve'], {
      env: {
        DATA_DIR: this.dataDirectory,
        PORT: this.#port,
        RUNNERS: '2',
        LOG_LEVEL: 'error',
        // The limit of three has a test of its own; here one job may well be hit more often.
        JOB_ATTEMPTS: '50',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#process = child;
    let text = '';
    const listening = new Promise<void>((resolve) => {
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        const match = /geomill listens on (http:\/\/[\d.]+:(\d+))/.exec(text);
        if (match === null) return;
        [, this.url, this.#port] = match;
        resolve();
      });
    });
    if (this.#port === '0') await listening;
  }

  async kill(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    const child = this.#process;
    this.#process = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }

  jobsTriedAgain(): number {
    const database = new Database(join(this.dataDirectory, 'jobs.sqlite'), { synchronous: 'NORMAL' });
    try {
      const sql = 'SELECT count(*) AS found FROM jobs WHERE attempts > 1';
      return database.prepare(sql).get<{ found: number }>()?.found ?? 0;
    } finally {
      database.close();
    }
  }

  /** Kills one of the runner processes there are; false when there is none. */
  killRunner(random: () => number): boolean {
    const slots = join(this.dataDirectory, 'slots');
    const files = readdirSync(slots).filter((name) => name.endsWith('.pid'));
    if (files.length === 0) return false;
    try {
      const pid = Number(readFileSync(join(slots, files[Math.floor(random() * files.length)]), 'utf8'));
      process.kill(pid, 'SIGKILL');
      return true;
    } catch {
      return false; // it is being replaced
    }
  }
}

function inputOf(marker: string): string {
  const features = Array.from({ length: FEATURES }, (_, index) => ({
    type: 'Feature',
    properties: { marker, index },
    geometry: { type: 'Point', coordinates: [8 + index / 1000, 53 + index / 2000] },
  }));
  return JSON.stringify({ type: 'FeatureCollection', features });
}

/** Does it until it succeeds; a service that is down or starting is what this test is about. */
async function insist<Result>(act: () => Promise<Result | null>): Promise<Result> {
  for (let tries = 0; tries < 3000; tries++) {
    try {
      const result = await act();
      if (result !== null) return result;
    } catch (error) {
      if (!(error instanceof TypeError) && !(error instanceof DOMException)) throw error; // fetch failed
    }
    await pause(10);
  }
  throw new Error('the service did not come back');
}

/** Submits until there is an answer, always with the same key, and waits for the output. */
async function carryThrough(mill: Mill, marker: string): Promise<{ id: string; output: string }> {
  const config = JSON.stringify({ input: { format: 'geojson' }, output: { format: 'csv', epsg: 3857 } });
  const id = await insist(async () => {
    const form = new FormData();
    form.append('config', config);
    form.append('input_file', new Blob([inputOf(marker)]), `${marker}.geojson`);
    const headers = { 'idempotency-key': marker };
    const response = await fetch(`${mill.url}/transform`, { method: 'POST', body: form, headers });
    const body = (await response.json()) as { job_id?: string };
    if (response.status === 503) return null;
    assert.equal(response.status, 202, JSON.stringify(body));
    return body.job_id ?? null;
  });
  await insist(async () => {
    const response = await fetch(`${mill.url}/result/status/${id}`);
    const body = (await response.json()) as { status: string; error?: string };
    assert.equal(response.status, 200, `accepted job ${id} is lost: ${JSON.stringify(body)}`);
    assert.notEqual(body.status, 'FAILED', String(body.error));
    return body.status === 'SUCCESS' ? true : null;
  });
  const output = await insist(async () => {
    const response = await fetch(`${mill.url}/result/output/${id}`);
    assert.equal(response.status, 200);
    return response.text();
  });
  return { id, output };
}

test(`kill -9 at ${MOMENTS} moments loses, doubles and halves nothing`, { timeout: 180_000 }, async () => {
  const mill = new Mill();
  const random = seededRandom(20260);
  const ids = new Map<string, string>();
  try {
    await mill.start();
    const reference = (await carryThrough(mill, 'reference')).output;
    assert.equal(reference.split('reference').length - 1, FEATURES);

    let serial = 0;
    let killing = true;
    const client = async (): Promise<void> => {
      while (killing) {
        serial += 1;
        const marker = `m${serial}`;
        const { id, output } = await carryThrough(mill, marker);
        assert.equal(output, reference.replaceAll('reference', marker));
        ids.set(marker, id);
      }
    };
    const clients = Promise.all(Array.from({ length: CLIENTS }, client));
    const killer = (async () => {
      const kinds = Array.from({ length: MOMENTS }, (_, index) => index < SERVICE_MOMENTS);
      kinds.sort(() => random() - 0.5);
      for (const isService of kinds) {
        // Up to well before the service listens again, so that its start is hit as well.
        await pause(isService ? 50 + random() * 900 : 5 + random() * 250);
        if (isService) {
          await mill.kill();
          await mill.start();
        } else await insist(async () => mill.killRunner(random) || null);
      }
      while (mill.jobsTriedAgain() < HITS) {
        await pause(100 + random() * 900);
        mill.killRunner(random);
      }
    })();
    await Promise.race([killer, clients]);
    await killer;
    killing = false;
    await clients;
    await mill.kill('SIGTERM');

    const database = new Database(join(mill.dataDirectory, 'jobs.sqlite'), { synchronous: 'NORMAL' });
    const rows = database.prepare('SELECT id, state, attempts, idempotency_key AS key FROM jobs').all<{
      id: string;
      state: string;
      attempts: number;
      key: string;
    }>();
    database.close();
    assert.equal(rows.length, ids.size + 1, 'as many jobs as were asked for');
    for (const { id, state, key } of rows) {
      assert.equal(state, 'SUCCESS');
      if (key !== 'reference') assert.equal(ids.get(key), id);
    }
    assert.ok(rows.filter(({ attempts }) => attempts > 1).length >= HITS, 'the kills hit running jobs');
    assert.deepEqual(readdirSync(join(mill.dataDirectory, 'inputs')), []);
    assert.equal(readdirSync(join(mill.dataDirectory, 'outputs')).length, rows.length);
  } finally {
    await mill.kill();
    rmSync(mill.dataDirectory, { recursive: true, force: true });
  }
});
