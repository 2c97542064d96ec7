/** Bodies of requests at their limits, forms with nothing in them, outputs whose time is over, and sweeps that are due. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import test from 'node:test';
import type { FastifyRequest } from 'fastify';
import { receiveJsonBody } from '../src/http/json-job-body.ts';
import { createByForm, UPLOAD_PART } from '../src/http/receive-upload.ts';
import { ReceivedFiles } from '../src/http/received-files.ts';
import { sendOutput } from '../src/http/send-output.ts';
import { readSmallText } from '../src/http/small-body.ts';
import { LastTime } from '../src/jobs/retention.ts';
import type { UploadRecord } from '../src/jobs/upload.ts';
import type { Uploads } from '../src/jobs/uploads.ts';

const requestOf = (...chunks: string[]): FastifyRequest => ({ raw: Readable.from(chunks.map((text) => Buffer.from(text))) }) as unknown as FastifyRequest; // biome-ignore format: one line

test('a small body has all its pieces, up to the last byte of its limit', async () => {
  assert.equal(await readSmallText(requestOf('abc', 'de', 'f'), 'it', 6), 'abcdef');
  assert.equal(await readSmallText(requestOf(), 'it', 0), '');
  for (const chunks of [['abc', 'de', 'fg'], ['abcdefg'], ['abcdef', 'g'], ['a', 'bcdefg']])
    await assert.rejects(readSmallText(requestOf(...chunks), 'it', 6), { code: 'LIMIT_EXCEEDED' });
});

test('a JSON body has at most the bytes of its limit, in all its pieces together', async () => {
  const limits = { maxUploadBytes: 100, maxFiles: 5, maxMaskBytes: 100, maxConfigBytes: 100, maxJsonBodyBytes: 20 }; // biome-ignore format: one line
  const receive = (...chunks: string[]) => {
    const files = new ReceivedFiles({ open: () => assert.fail('it has no files'), limits, wantHash: false });
    const options = { files, documents: null, fileParameters: new Set<string>() };
    return receiveJsonBody(requestOf(...chunks).raw, options);
  };
  const body = '{"a":"0123456789ab"}';
  assert.equal(body.length, 20);
  for (const chunks of [[body], [body.slice(0, 8), body.slice(8)]])
    assert.deepEqual((await receive(...chunks)).config, { a: '0123456789ab' });
  for (const chunks of [[`${body} `], [body, ' '], [body.slice(0, 8), body.slice(8), ' ']])
    await assert.rejects(receive(...chunks), { code: 'LIMIT_EXCEEDED' });
});

/** Receives a form with these parts, in uploads that note which are removed. */
async function sendForm(parts: readonly { readonly field: string; readonly text: string }[]) {
  const removed: string[] = [];
  let count = 0;
  const record = (id: string, offset: number, byteLength: number | null): UploadRecord => ({ id, owner: 'ann', offset, byteLength }) as UploadRecord; // biome-ignore format: one line
  const uploads = {
    create: async () => record(`u${++count}`, 0, null),
    append: async (_: string, id: string, { body }: { readonly body: AsyncIterable<Uint8Array> }) => {
      let byteLength = 0;
      for await (const bytes of body) byteLength += bytes.length;
      return record(id, byteLength, byteLength);
    },
    remove: async (_: string, id: string) => removed.push(id),
  } as unknown as Uploads;
  const request = {
    async *parts() {
      for (const { field, text } of parts)
        yield { type: 'file', fieldname: field, filename: 'a.csv', file: Readable.from(text === '' ? [] : [Buffer.from(text)]) }; // biome-ignore format: one line
    },
  } as unknown as FastifyRequest;
  const outcome = await createByForm(uploads, 'ann', request).then(
    ({ id, byteLength }) => `${id}: ${byteLength}`,
    ({ code }: { readonly code?: string }) => code,
  );
  return { outcome, removed };
}

test('a form has one file, which has content; otherwise no upload is left', async () => {
  const file = (text: string, field = UPLOAD_PART) => ({ field, text });
  assert.deepEqual(await sendForm([file('abc')]), { outcome: 'u1: 3', removed: [] });
  assert.deepEqual(await sendForm([file('')]), { outcome: 'INPUT_EMPTY', removed: ['u1'] });
  assert.deepEqual(await sendForm([]), { outcome: 'PART_MISSING', removed: [] });
  assert.deepEqual(await sendForm([file('abc', 'other')]), { outcome: 'PART_MISSING', removed: [] });
  assert.deepEqual(await sendForm([file('abc'), file('d')]), { outcome: 'PART_DUPLICATE', removed: ['u1'] });
});

test('an output whose time is over is not sent, and not said to be unchanged', async () => {
  const reply = { header: () => reply, code: () => reply, send: () => assert.fail('it was sent') };
  const job = {
    id: 'j1',
    state: 'SUCCESS',
    output: { byteLength: 3 },
    endedAt: 1,
    expiresAt: 2,
    error: null,
  };
  const context = { service: { jobsOf: () => ({ isExpired: () => true }) } };
  const request = { method: 'GET', headers: { 'if-none-match': '"j1"' }, principal: { owner: 'ann', scopes: [] }, log: {}, span: { context: {}, join() {}, set() {} } }; // biome-ignore format: one line
  const send = (more: object) => sendOutput(context as never, request as never, reply as never, { ...job, ...more } as never); // biome-ignore format: one line
  await assert.rejects(send({}), { code: 'JOB_EXPIRED' });
  await assert.rejects(send({ state: 'RUNNING', output: null }), { code: 'JOB_NOT_DONE' });
});

test('an output that is removed while it is asked for is not sent', async () => {
  const reply = { header: () => reply, headers: () => reply, code: () => reply, removeHeader() {}, raw: { once() {} }, send: () => assert.fail('it was sent') }; // biome-ignore format: one line
  const request = { method: 'GET', headers: {}, principal: { owner: 'ann', scopes: [] }, log: {}, span: { context: {}, join() {}, set() {} } }; // biome-ignore format: one line
  const job = { id: 'j1', state: 'SUCCESS', output: { byteLength: 3, fileName: 'a.csv', mediaType: 'text/csv' }, endedAt: 1, expiresAt: 2, report: null, inputs: [], request: { operation: 'transform', input: { format: 'csv' }, transformations: [], output: { format: 'csv', toFile: true } } }; // biome-ignore format: one line
  const context = {
    config: {},
    service: { jobsOf: () => ({ isExpired: () => false, openOutput: async () => null, presign: async () => null }) }, // biome-ignore format: one line
    openRequests: { enter: () => () => {} },
    tracer: { span: () => ({ fail() {}, end() {} }) },
    metrics: { outputSent() {} },
  };
  const sent = sendOutput(context as never, request as never, reply as never, job as never);
  await assert.rejects(sent, { code: 'JOB_EXPIRED' });
});

test('what is done once in an interval is due when the interval is over, and then after another one', () => {
  const last = new LastTime();
  last.set(1000);
  const due = [1000, 1059, 1060, 1061, 1119, 1120].map((now) => last.isDue(now, 60));
  assert.deepEqual(due, [false, false, true, false, false, true]);
});
