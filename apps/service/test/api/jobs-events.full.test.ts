/** The stream of events of a job, over real HTTP with the fake runner. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { allEventsOf, eventsOf, type ServerEvent } from '../../../../test/support/event-stream.ts';
import { checkedFetch as fetch } from '../../../../test/support/response-check.ts';
import { startTestService, submitJob, type TestService } from '../../../../test/support/service.ts';

const ENDLESS = 'wait 1000000';

const open = (service: TestService, id: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${service.url}/v1/jobs/${id}/events`, init);

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await turn();
}

const statusesOf = (events: readonly ServerEvent[]): unknown[] =>
  events.filter(({ event }) => event === 'state').map(({ data }) => data.status);

test('a stream tells every state and the progress, and ends with the job', async () => {
  await using service = await startTestService({ settings: { RUNNERS: '1' } });
  const before = await submitJob(service, { file: ENDLESS });
  const id = await submitJob(service, { file: 'wait 700' });
  const response = await open(service, id);
  // Only now, so that the stream begins while the job waits.
  await fetch(`${service.url}/v1/jobs/${before}`, { method: 'DELETE' });
  assert.equal(response.headers.get('content-type'), 'text/event-stream');
  assert.equal(response.headers.get('cache-control'), 'no-store');
  const events = await allEventsOf(response);
  assert.deepEqual(statusesOf(events), ['QUEUED', 'RUNNING', 'SUCCESS']);
  const job = await (await fetch(`${service.url}/v1/jobs/${id}`)).json();
  assert.deepEqual(events.at(-1), { id: 'end', event: 'state', data: job });
  assert.deepEqual(
    events.slice(0, -1).map((event) => event.id),
    events.slice(0, -1).map((_, index) => String(index + 1)),
  );
  const fractions = events
    .filter(({ event }) => event === 'progress')
    .map(({ data }) => Number(data.fraction));
  assert.ok(fractions.length >= 2 && fractions.length <= 5, `${fractions.length} in 0.7 s`);
  assert.deepEqual(fractions, [...fractions].sort());
  assert.equal((await service.ended(before)).error?.code, 'CANCELLED');
  assert.equal(service.service.watcherCount, 0);
});

test('a job that has ended is told once; who has been told the end is sent away', async () => {
  await using service = await startTestService();
  const id = await submitJob(service, { file: 'refuse' });
  await service.ended(id);
  for (const headers of [{}, { 'last-event-id': '7' }, { 'last-event-id': 'what?' }]) {
    const events = await allEventsOf(await open(service, id, { headers }));
    assert.deepEqual(statusesOf(events), ['FAILED']);
  }
  assert.equal((await open(service, id, { headers: { 'last-event-id': 'end' } })).status, 204);
  const head = await open(service, id, { method: 'HEAD' });
  assert.deepEqual([head.status, head.headers.get('content-type')], [200, 'text/event-stream']);
  assert.equal((await open(service, 'nope')).status, 404);
});

test('a client that goes away is forgotten, one of many or the last', async () => {
  await using service = await startTestService({ settings: { RUNNERS: '1' } });
  const id = await submitJob(service, { file: ENDLESS });
  const clients = Array.from({ length: 20 }, () => new AbortController());
  const first = await Promise.all(
    clients.map(async ({ signal }) => {
      const events = eventsOf(await open(service, id, { signal }));
      return (await events.next()).value?.event;
    }),
  );
  assert.deepEqual([...new Set(first)], ['state']);
  assert.equal(service.service.watcherCount, 20);
  for (const client of clients.slice(1)) client.abort();
  await until(() => service.service.watcherCount === 1);
  clients[0].abort();
  await until(() => service.service.watcherCount === 0);
});

test('every stream of a job is told its cancellation, and ends', async () => {
  await using service = await startTestService({ settings: { RUNNERS: '1' } });
  const running = await submitJob(service, { file: ENDLESS });
  const waiting = await submitJob(service, { file: 'a' });
  const streams = await Promise.all([running, running, waiting].map((id) => open(service, id)));
  const ends = streams.map(allEventsOf);
  await fetch(`${service.url}/v1/jobs/${waiting}`, { method: 'DELETE' });
  await fetch(`${service.url}/v1/jobs/${running}`, { method: 'DELETE' });
  for (const events of await Promise.all(ends)) {
    assert.equal(statusesOf(events).at(-1), 'FAILED');
    assert.match(JSON.stringify(events.at(-1)?.data.error), /"code":"CANCELLED"/);
  }
  assert.equal(service.service.watcherCount, 0);
});

test('a service that stops ends its streams, without calling that the end of the job', async () => {
  const service = await startTestService({ settings: { RUNNERS: '1' } });
  const id = await submitJob(service, { file: ENDLESS });
  const response = await open(service, id);
  const events = eventsOf(response);
  const { value: begin } = await events.next();
  assert.equal(begin?.event, 'state');
  const rest = allEventsOf(events);
  await service[Symbol.asyncDispose]();
  assert.ok((await rest).every((event) => event.id !== 'end'));
  assert.equal(service.service.watcherCount, 0);
});

test('a job that crashes its runner is told as waiting and running again', async () => {
  await using service = await startTestService({ settings: { RUNNERS: '1' } });
  const before = await submitJob(service, { file: 'wait 100' });
  const id = await submitJob(service, { file: 'crash' });
  const events = await allEventsOf(await open(service, id));
  assert.deepEqual(
    events.map(({ data }) => `${data.status} ${data.attempts}`),
    ['QUEUED 0', 'RUNNING 1', 'QUEUED 1', 'RUNNING 2', 'QUEUED 2', 'RUNNING 3', 'FAILED 3'],
  );
  await service.ended(before);
});
