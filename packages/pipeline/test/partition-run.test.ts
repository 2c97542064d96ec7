import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { failure, GeomillError } from '../../core/src/messages/errors.ts';
import { csvErrors } from '../../formats/src/csv/messages.ts';
import type { Partition } from '../../formats/src/reader.ts';
import { UNLIMITED } from '../../io/src/limits.ts';
import type { Executor } from '../src/executor.ts';
import type { PartitionBase } from '../src/locations.ts';
import { runPartitions } from '../src/partition-run.ts';
import type { Task, TaskResult } from '../src/task.ts';

/**
 * A source of records that begin at `starts` and end where the next begins (the last at `byteLength`). Reading from a
 * place that is no start of a record makes nonsense: an error, or rows that do not exist.
 */
function recordExecutor(
  starts: readonly number[],
  byteLength: number,
  onWrongStart: 'throw' | 'nonsense',
): Executor {
  return {
    width: 3,
    begin: () => {},
    useEncodings: () => {},
    stop: async () => {},
    call: () => Promise.reject(new Error('no calls here')),
    async run(task: Task): Promise<TaskResult> {
      if (task.input.kind !== 'partition') throw new Error('only partitions here');
      const { start, end } = task.input.partition;
      // Results of later partitions may come first.
      await new Promise((resolve) => setImmediate(resolve));
      if (start < byteLength && !starts.includes(start)) {
        if (onWrongStart === 'throw')
          throw failure(csvErrors.CSV_SYNTAX, { line: 1, reason: 'nonsense' }, { line: 1 });
        return result([-1], end);
      }
      const rows = starts.filter((at) => at >= start && at < end);
      const after = starts.find((at) => at >= end) ?? byteLength;
      return result(rows, rows.length === 0 ? start : after);
    },
  };
}

function result(rows: readonly number[], nextStart: number): TaskResult {
  return {
    rowCount: rows.length,
    rowsRead: rows.length,
    fields: [],
    nextStart,
    recordCount: rows.length,
    lineCount: rows.length,
    readFindings: [],
    misfits: [],
    mappingFindings: [],
    encodeFindings: [],
    statistics: null,
    batch: null,
    chunk: rows,
    range: null,
    reprojections: [],
    steps: [],
  };
}

function makeTask(partition: Partition): Task {
  return {
    layerIndex: 0,
    input: { kind: 'partition', partition, fields: null },
    stage: null,
    stageFields: null,
    statisticsDepth: null,
    keepBatch: false,
    encoding: null,
  };
}

async function collect(
  executor: Executor,
  partitions: readonly Partition[],
): Promise<{ rows: number[]; bases: PartitionBase[] }> {
  const rows: number[] = [];
  const bases: PartitionBase[] = [];
  await runPartitions({
    limits: UNLIMITED,
    executor,
    partitions,
    makeTask,
    signal: new AbortController().signal,
    layerName: 'records',
    consume: (done, _partition, base) => {
      rows.push(...(done.chunk as number[]));
      bases.push(base);
    },
  });
  return { rows, bases };
}

function cut(byteLength: number, cuts: readonly number[]): Partition[] {
  const ends = [...new Set(cuts.filter((at) => at > 0 && at < byteLength))]
    .sort((a, b) => a - b)
    .concat(byteLength);
  return ends.map((end, i) => ({ start: i === 0 ? 0 : ends[i - 1], end }));
}

for (const onWrongStart of ['throw', 'nonsense'] as const) {
  test(`whatever the guesses, every record is read once and in order (a wrong start means ${onWrongStart})`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 40 }),
        fc.array(fc.integer({ min: 1, max: 1200 }), { maxLength: 20 }),
        async (lengths, cuts) => {
          const starts: number[] = [];
          let at = 0;
          for (const length of lengths) {
            starts.push(at);
            at += length;
          }
          const { rows } = await collect(recordExecutor(starts, at, onWrongStart), cut(at, cuts));
          assert.deepEqual(rows, starts);
        },
      ),
    );
  });
}

test('an error names the record and line within the layer, not within its partition', async () => {
  const executor = recordExecutor([0, 10, 20, 30], 40, 'throw');
  const failing: Executor = {
    ...executor,
    async run(task) {
      if (task.input.kind === 'partition' && task.input.partition.start === 20) {
        throw failure(
          csvErrors.CSV_GEOMETRY,
          { line: 2, column: 'geom_wkt', reason: 'no number', value: 'POINT(' },
          { line: 2, record: 2 },
        );
      }
      return executor.run(task);
    },
  };
  await assert.rejects(collect(failing, cut(40, [10, 20])), (error) => {
    assert.ok(error instanceof GeomillError);
    assert.match(error.message, /^CSV line 4, /);
    assert.deepEqual(error.location, { layer: 'records', line: 4, record: 4 });
    return true;
  });
});

test('an aborted signal ends the run with CANCELLED', async () => {
  const abort = new AbortController();
  abort.abort();
  await assert.rejects(
    runPartitions({
      limits: UNLIMITED,
      executor: recordExecutor([0], 10, 'throw'),
      partitions: [{ start: 0, end: 10 }],
      makeTask,
      signal: abort.signal,
      layerName: 'records',
      consume: () => assert.fail('nothing is consumed after an abort'),
    }),
    (error) => error instanceof GeomillError && error.code === 'CANCELLED',
  );
});

test('reads the partitions of a sequential layer one at a time', async () => {
  const starts = [0, 10, 20, 30, 40];
  const partitions = starts.map((start) => ({ start, end: start + 10 }));
  for (const isSequential of [undefined, true] as const) {
    const executor = recordExecutor(starts, 50, 'throw');
    let running = 0;
    let most = 0;
    await runPartitions({
      limits: UNLIMITED,
      executor: {
        ...executor,
        async run(task) {
          most = Math.max(most, ++running);
          const done = await executor.run(task);
          running--;
          return done;
        },
      },
      partitions,
      isSequential,
      makeTask,
      signal: new AbortController().signal,
      layerName: 'records',
      consume: () => {},
    });
    assert.equal(most, isSequential === true ? 1 : 5);
  }
});
