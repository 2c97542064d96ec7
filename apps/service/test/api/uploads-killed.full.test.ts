/** Uploads to a service that is killed at random moments, and what a large upload costs its process. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import test from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { insist, KilledService } from '../../../../test/faults/killed-service.ts';
import { IS_EXHAUSTIVE } from '../../../../test/support/exhaustive.ts';
import { appendTo, newUpload, offsetOf, PIECE } from '../../../../test/support/tus.ts';

const ROUNDS = IS_EXHAUSTIVE ? 30 : 1;
const MiB = 1024 ** 2;

/** Seeded, so that a failure can be repeated (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

function pathOf(service: KilledService, url: string): string {
  return join(service.dataDirectory, 'uploads', url.split('/').at(-1)!);
}

/** Sends the bytes as the body of one PATCH and calls `onSent` after each 64 KiB; resolves with the status, or null if the connection broke. */
function patch(
  url: string,
  offset: number,
  bytes: Iterable<Uint8Array>,
  length: number,
  onSent: (sent: number) => void,
): Promise<number | null> {
  return new Promise((resolve) => {
    const headers = { ...PIECE, 'upload-offset': offset, 'content-length': length };
    const sending = request(url, { method: 'PATCH', headers, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? null);
    });
    sending.on('error', () => resolve(null));
    const closed = new Promise((done) => {
      sending.once('close', done);
    });
    const send = async (): Promise<void> => {
      let sent = 0;
      for (const piece of bytes) {
        if (sending.destroyed) return;
        if (!sending.write(piece))
          await Promise.race([new Promise((done) => sending.once('drain', done)), closed]);
        sent += piece.length;
        onSent(sent);
      }
      sending.end();
    };
    void send();
  });
}

function* slices(content: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < content.length; at += 65_536) yield content.subarray(at, at + 65_536);
}

test(`no acknowledged byte is lost when the service is killed in mid-upload (seeds up to ${ROUNDS})`, async () => {
  const service = new KilledService();
  try {
    await service.start();
    await service.ready();
    let kills = 0;
    for (let seed = 1; seed <= ROUNDS; seed++) {
      const random = randomOf(seed);
      const content = randomBytes(2 * MiB + Math.floor(random() * 6 * MiB));
      const url = await newUpload(service, content.length);
      let acknowledged = 0;
      for (let tries = 0; acknowledged < content.length; tries++) {
        const rest = content.length - acknowledged;
        // The last tries send all, so that it ends.
        const length = tries > 4 || random() < 0.3 ? rest : Math.ceil(rest * random());
        const piece = content.subarray(acknowledged, acknowledged + length);
        const killAt = tries > 4 ? Number.POSITIVE_INFINITY : random() * length * 1.5;
        let killed: Promise<void> | null = null;
        const status = await patch(url, acknowledged, slices(piece), length, (sent) => {
          if (killed === null && sent >= killAt) killed = service.end('SIGKILL');
        });
        if (killed !== null) {
          kills += 1;
          await (killed as Promise<void>);
          await service.start();
          await service.ready();
        }
        const offset = await insist(() => offsetOf(url));
        const floor = status === 204 ? acknowledged + length : acknowledged;
        assert.ok(offset >= floor, `seed ${seed}: ${offset} bytes, but ${floor} were acknowledged`);
        acknowledged = offset;
      }
      assert.ok(readFileSync(pathOf(service, url)).equals(content), `seed ${seed}: other bytes`);
      await fetch(url, { method: 'DELETE' });
    }
    assert.ok(kills >= ROUNDS / 2, `${kills} kills`);
    assert.deepEqual(service.files('uploads'), []);
  } finally {
    await service.end('SIGKILL');
    service.remove();
  }
});

async function memoryOf(service: KilledService): Promise<number> {
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  return Number(/^process_resident_memory_bytes (\d+)$/m.exec(metrics)![1]);
}

const LARGE_MIB = IS_EXHAUSTIVE ? 500 : 96;

test(`one request with ${LARGE_MIB} MiB: the offset advances, memory stays flat, other requests are answered`, async (context) => {
  const service = new KilledService();
  try {
    await service.start();
    await service.ready();
    const url = await newUpload(service, LARGE_MIB * MiB);
    const block = randomBytes(65_536);
    const count = (LARGE_MIB * MiB) / block.length;
    const before = await memoryOf(service);
    const sending = patch(
      url,
      0,
      Array.from({ length: count }, () => block),
      LARGE_MIB * MiB,
      () => {},
    );
    let isDone = false;
    void sending.then(() => {
      isDone = true;
    });
    const seen: { offset: number; memory: number; ms: number }[] = [];
    while (!isDone) {
      const at = performance.now();
      const offset = await offsetOf(url);
      const ms = performance.now() - at;
      seen.push({ offset, memory: await memoryOf(service), ms });
      await pause(10);
    }
    assert.equal(await sending, 204);
    assert.equal(statSync(pathOf(service, url)).size, LARGE_MIB * MiB);
    assert.equal(await offsetOf(url), LARGE_MIB * MiB);
    const between = new Set(seen.map(({ offset }) => offset));
    assert.ok(between.size > 2, `the offset during the request: ${[...between].join()}`);
    const grown = Math.max(...seen.map(({ memory }) => memory)) - before;
    const slowest = Math.max(...seen.map(({ ms }) => ms));
    context.diagnostic(`memory + ${Math.round(grown / MiB)} MiB, slowest answer ${Math.round(slowest)} ms`);
    assert.ok(grown < 80 * MiB, `memory grew by ${grown} bytes`);
  } finally {
    await service.end('SIGKILL');
    service.remove();
  }
});

test('of one long request that dies with the service, what was recorded on the way is kept', async () => {
  const service = new KilledService();
  try {
    await service.start();
    await service.ready();
    const size = 64 * MiB;
    const content = randomBytes(size);
    const url = await newUpload(service, size);
    const sending = patch(url, 0, slices(content.subarray(0, size - MiB)), size, () => {});
    const recorded = await insist(async () => {
      const offset = await offsetOf(url);
      return offset >= 16 * MiB ? offset : null;
    });
    await service.end('SIGKILL');
    assert.equal(await sending, null);
    await service.start();
    await service.ready();
    const offset = await offsetOf(url);
    assert.ok(offset >= recorded);
    assert.equal((await appendTo(url, offset, content.subarray(offset))).status, 204);
    assert.ok(readFileSync(pathOf(service, url)).equals(content));
  } finally {
    await service.end('SIGKILL');
    service.remove();
  }
});
