/** The channel between the service and a process that it does not trust: what is read, and where reading ends. */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import test from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../../test/support/any-text.ts';
import { startServerProcess } from '../../../test/support/server-process.ts';
import { until } from '../../../test/support/until.ts';
import { LineCollector, ServiceEnd } from '../src/processes/process-channel.ts';

/** Cuts the bytes at places that the numbers tell. */
function inPieces(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const at = cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b);
  return [0, ...at].map((start, i) => bytes.subarray(start, at[i] ?? bytes.length));
}

test('lines come whole however their bytes are cut', () => {
  const line = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\n', ' '));
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.nat()), anyText(), (lines, cuts, rest) => {
      const collector = new LineCollector(1_000_000);
      const bytes = Buffer.from(lines.map((text) => `${text}\n`).join('') + rest.replaceAll('\n', ' '));
      const found = inPieces(bytes, cuts).flatMap((piece) => [...collector.push(piece)]);
      assert.deepEqual(found, lines.map((text) => text.toWellFormed())); // biome-ignore format: one line
    }),
  );
});

test('a line that is too long ends the reading, whether or not it ends, and is not kept', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 40 }), fc.boolean(), fc.array(fc.nat()), (length, hasEnd, cuts) => {
      const collector = new LineCollector(20);
      const bytes = Buffer.from(`first\n${'x'.repeat(length)}${hasEnd ? '\nlast\n' : ''}`);
      const found = inPieces(bytes, cuts).flatMap((piece) => [...collector.push(piece)]);
      assert.equal(collector.isTooLong, length > 20);
      const ended = length <= 20 && hasEnd ? ['x'.repeat(length), 'last'] : [];
      assert.deepEqual(found, ['first', ...ended]);
    }),
  );
});

function endOf(messages: PassThrough, check: (message: unknown) => string | null) {
  const read: unknown[] = [];
  const violations: string[] = [];
  const child = { stdio: [null, null, null, messages], stdin: null } as unknown as ChildProcess;
  new ServiceEnd<unknown, never>(child, {
    maxBytes: 1000,
    check,
    onMessage: (message) => void read.push(message),
    onViolation: (reason) => void violations.push(reason),
  });
  return { read, violations };
}

const isGood = (message: unknown): string | null => (Array.isArray(message) ? null : 'is no list');

test('after the first thing that is no message nothing is read', async () => {
  const bad = fc.oneof(
    fc.uint8Array({ minLength: 1 }).map((bytes) => {
      const text = Buffer.from(bytes).toString('latin1').replaceAll('\n', ' ');
      return Buffer.from(`!${text}\n`, 'latin1');
    }),
    fc.jsonValue().map((value) => Buffer.from(`${JSON.stringify({ value })}\n`)),
    fc.integer({ min: 1001, max: 3000 }).map((length) => Buffer.from('['.repeat(length))),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(fc.nat())), bad, fc.array(fc.nat()), async (good, wrong, cuts) => {
      const stream = new PassThrough();
      const { read, violations } = endOf(stream, isGood);
      const closed = new Promise((resolve) => stream.once('close', resolve));
      const before = Buffer.from(good.map((list) => `${JSON.stringify(list)}\n`).join(''));
      for (const piece of inPieces(Buffer.concat([before, wrong, Buffer.from('["late"]\n')]), cuts))
        if (!stream.destroyed) stream.write(piece);
      await closed;
      assert.deepEqual(read, good);
      assert.equal(violations.length, 1);
      assert.ok(violations[0].length < 200);
    }),
    { numRuns: 50 },
  );
});

test('messages that come in a flood all arrive, in their order', async () => {
  const stream = new PassThrough();
  const { read } = endOf(stream, isGood);
  const wanted = Array.from({ length: 500 }, (_, i) => [i]);
  for (const message of wanted) stream.write(`${JSON.stringify(message)}\n`);
  stream.end();
  await new Promise((resolve) => stream.once('close', resolve));
  assert.deepEqual(read, wanted);
});

test('runners end when their service is killed', async (context) => {
  if (!existsSync('/proc/self/task')) return context.skip('only Linux tells the children of a process');
  await using server = await startServerProcess({ RUNNERS: '2' });
  const children = readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8').split(' ');
  const runners = children.filter((pid) => pid !== '');
  assert.equal(runners.length, 2);
  await server.kill();
  for (const pid of runners) await until(`process ${pid} has ended`, () => !existsSync(`/proc/${pid}`));
});
