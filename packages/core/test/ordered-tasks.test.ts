import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { OrderedTasks } from '../src/ordered-tasks.ts';

/** Tasks 0, 1, 2, ... whose ends the test decides. */
class Work {
  readonly started: number[] = [];
  readonly released: number[] = [];
  most = 0;
  readonly #running = new Map<number, PromiseWithResolvers<number>>();

  readonly run = (task: number): Promise<number> => {
    this.started.push(task);
    const end = Promise.withResolvers<number>();
    this.#running.set(task, end);
    this.most = Math.max(this.most, this.#running.size);
    return end.promise;
  };

  readonly release = (task: number): void => void this.released.push(task);

  get running(): number[] {
    return [...this.#running.keys()];
  }

  end(task: number, error?: Error): void {
    const end = this.#running.get(task);
    assert.ok(end, `task ${task} is not running`);
    this.#running.delete(task);
    if (error === undefined) end.resolve(task);
    else end.reject(error);
  }
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

/** Lets everything happen that waits for nothing else. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function* slowly(tasks: readonly number[]): AsyncGenerator<number> {
  for (const task of tasks) {
    await settle();
    yield task;
  }
}

test('whatever the order in which tasks end, their outcomes come in their order, and few tasks run at a time', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 30 }),
      fc.integer({ min: 1, max: 6 }),
      fc.array(fc.nat(), { minLength: 40, maxLength: 40 }),
      fc.array(fc.integer({ min: 1, max: 10 }), { minLength: 30, maxLength: 30 }),
      fc.option(fc.integer({ min: 1, max: 20 }), { nil: null }),
      fc.boolean(),
      fc.uniqueArray(fc.nat(29)),
      async (count, width, picks, costs, room, isAsync, failing) => {
        const work = new Work();
        const spent = (): number => work.running.reduce((sum, task) => sum + costs[task], 0);
        const ordered = new OrderedTasks({
          tasks: isAsync ? slowly(numbers(count)) : numbers(count),
          run: (task: number) => {
            if (room !== null && work.running.length > 0)
              assert.ok(spent() + costs[task] <= room, 'a task was started without room for it');
            return work.run(task);
          },
          width,
          ...(room === null ? {} : { costs: { of: (task: number) => costs[task], room } }),
        });
        const outcomes: string[] = [];
        let isDone = false;
        const taking = (async () => {
          for (let next = await ordered.next(); next !== null; next = await ordered.next()) {
            const { task, outcome } = next;
            outcomes.push('result' in outcome ? `${task}: ${outcome.result}` : `${task}: ${outcome.error}`);
          }
          isDone = true;
        })();
        for (let turn = 0; !isDone; turn++) {
          await settle();
          const { running } = work;
          if (running.length === 0) continue;
          const task = running[picks[turn % picks.length] % running.length];
          work.end(task, failing.includes(task) ? new Error('bad') : undefined);
        }
        await taking;
        assert.deepEqual(
          outcomes,
          numbers(count).map((task) => `${task}: ${failing.includes(task) ? 'Error: bad' : task}`),
        );
        assert.deepEqual(work.started, numbers(count));
        assert.ok(work.most <= width, `${work.most} tasks at a time`);
      },
    ),
    { numRuns: 60 },
  );
});

test('the failure of an early task comes before that of a later one that failed first', async () => {
  const work = new Work();
  const ordered = new OrderedTasks({ tasks: numbers(3), run: work.run, width: 3 });
  const first = ordered.next();
  await settle();
  work.end(2, new Error('later'));
  await settle();
  work.end(0, new Error('early'));
  assert.match(String(Object.values((await first)?.outcome ?? {})), /early/);
});

test('after a failure, the results of the others are released, and no more tasks are started', async () => {
  const work = new Work();
  const ordered = new OrderedTasks({
    tasks: numbers(10),
    run: work.run,
    width: 4,
    release: work.release,
  });
  const first = ordered.next();
  await settle();
  work.end(2);
  work.end(0, new Error('bad'));
  const taken = await first;
  assert.ok(taken !== null && 'error' in taken.outcome);
  const closing = ordered.close();
  let isClosed = false;
  void closing.then(() => {
    isClosed = true;
  });
  await settle();
  assert.equal(isClosed, false, 'closed while tasks were under way');
  work.end(3);
  // An error that nobody takes is no unhandled rejection.
  work.end(1, new Error('not taken'));
  await closing;
  assert.deepEqual(work.released, [2, 3]);
  assert.deepEqual(work.started, [0, 1, 2, 3]);
  assert.equal(await ordered.next(), null);
});

test('tasks end with the caller: what makes them is closed, too', async () => {
  const work = new Work();
  let isClosed = false;
  async function* endless(): AsyncGenerator<number> {
    try {
      for (let task = 0; ; task++) yield task;
    } finally {
      isClosed = true;
    }
  }
  const ordered = new OrderedTasks({ tasks: endless(), run: work.run, width: 2 });
  const first = ordered.next();
  await settle();
  work.end(0);
  await first;
  const closing = ordered.close();
  work.end(1);
  await closing;
  assert.equal(isClosed, true);
});

test('a caller that takes no outcome stops the work', async () => {
  const work = new Work();
  const ordered = new OrderedTasks({ tasks: numbers(10), run: work.run, width: 2 });
  await settle();
  assert.deepEqual(work.started, []);
  const first = ordered.next();
  await settle();
  work.end(0);
  work.end(1);
  await first;
  await settle();
  assert.deepEqual(work.started, [0, 1]);
});

test('a wrong guess is discarded, and the right task runs at once', async () => {
  const work = new Work();
  const ordered = new OrderedTasks({ tasks: [0, 1], run: work.run, width: 2, release: work.release });
  const first = ordered.next();
  await settle();
  work.end(1);
  work.end(0);
  const taken = await first;
  assert.ok(taken !== null);
  ordered.discard(taken.outcome);
  const right = ordered.runNow(7);
  work.end(7);
  assert.deepEqual(await right, { result: 7 });
  assert.deepEqual(work.released, [0]);
  assert.deepEqual((await ordered.next())?.outcome, { result: 1 });
});

test('what makes the tasks fails in its turn, after the tasks before', async () => {
  async function* broken(): AsyncGenerator<number> {
    yield 0;
    throw new Error('no more tasks');
  }
  const ordered = new OrderedTasks({ tasks: broken(), run: async (task) => task, width: 4 });
  assert.deepEqual((await ordered.next())?.outcome, { result: 0 });
  await assert.rejects(ordered.next(), /no more tasks/);
});

test('a task that throws before it begins has an error as its outcome', async () => {
  const ordered = new OrderedTasks({
    tasks: [0],
    run: (): Promise<number> => {
      throw new Error('at once');
    },
    width: 1,
  });
  const taken = await ordered.next();
  assert.ok(taken !== null && 'error' in taken.outcome);
});
