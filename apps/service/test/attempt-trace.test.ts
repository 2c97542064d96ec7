/** How attempts, and runs of parts of divided jobs, are named in traces and in the log. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { attemptSpan, factsOf, StageSpans } from '../src/jobs/attempt-trace.ts';
import type { Claim } from '../src/jobs/queue.ts';
import { Recorder, type SpanRecord } from '../src/tracing/recorder.ts';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT_ID = '00f067aa0ba902b7';
const job = {
  id: 'j',
  attempts: 2,
  operation: 'transform',
  inputFormat: 'geojson',
  outputFormat: 'csv',
  trace: `00-${TRACE_ID}-${PARENT_ID}-01`,
};
const claim = { job, fence: 3 } as unknown as Claim;
const ofPart = { ...claim, part: { number: 7, run: 1 } } as unknown as Claim;

function recorded(): { recorder: Recorder; spans: SpanRecord[] } {
  const spans: SpanRecord[] = [];
  const recorder = new Recorder(
    () => true,
    (span) => spans.push(span),
  );
  return { recorder, spans };
}

test('an attempt and the run of a part continue the trace of the job, from their claim on', () => {
  const { recorder, spans } = recorded();
  const claimedFrom = Date.now() - 50;
  for (const one of [claim, ofPart]) attemptSpan(recorder, one, claimedFrom).end();
  assert.deepEqual(
    spans.map(({ name, parentId }) => [name, parentId]),
    [
      ['claim jobs', spans[1].context.spanId],
      ['process jobs', PARENT_ID],
      ['claim jobs', spans[3].context.spanId],
      ['process job parts', PARENT_ID],
    ],
  );
  for (const { context, startedAt, endedAt } of spans) {
    assert.equal(context.traceId, TRACE_ID);
    assert.ok(startedAt === claimedFrom && endedAt >= claimedFrom + 50);
  }
  assert.equal(spans[1].attributes.has('geomill.job.part'), false);
  assert.deepEqual(
    ['messaging.message.id', 'geomill.job.attempt', 'geomill.job.fence', 'geomill.job.part'].map((name) =>
      spans[3].attributes.get(name),
    ),
    ['j', 2, 3, 7],
  );
});

test('log lines name job, attempt, fence and part, and the trace if there is one', () => {
  assert.deepEqual(factsOf(claim), { jobId: 'j', attempt: 2, fence: 3, traceId: TRACE_ID });
  assert.deepEqual(factsOf(ofPart), { jobId: 'j', attempt: 2, fence: 3, part: 7, traceId: TRACE_ID });
  const untraced = { ...claim, job: { ...claim.job, trace: null } };
  assert.deepEqual(factsOf(untraced), { jobId: 'j', attempt: 2, fence: 3 });
});

test('the stages of a conversion follow each other, and the last one of a runner that dies has failed', () => {
  const { recorder, spans } = recorded();
  const stages = new StageSpans(recorder, null);
  for (const stage of ['opening', 'scanning', 'scanning', 'converting'] as const) stages.enter(stage);
  stages.end(false);
  assert.deepEqual(
    spans.map(({ name, isFailed }) => [name, isFailed]),
    [
      ['opening', false],
      ['scanning', false],
      ['converting', true],
    ],
  );
});
