/** Entry of a worker thread: takes a session, then tasks and calls, one at a time. */
import { parentPort, workerData } from 'node:worker_threads';
import { asGeomillError } from '../errors.ts';
import { createPerformer, type Performer, preload } from './perform.ts';
import type { Expectation, Session, StepCall, Task, TaskOutcome } from './task.ts';

const port = parentPort;
if (port === null) throw new Error('worker.ts runs in a worker thread only');

type Message = { readonly session: Session } | { readonly task: Task } | { readonly call: StepCall };

let performer: Promise<Performer> | null = null;
// What cannot be loaded is reported by the session that needs it.
if (workerData !== null) preload(workerData as Expectation).catch(() => {});

port.on('message', async (message: Message) => {
  if ('session' in message) {
    performer = createPerformer(message.session);
    // A failure to load is reported by the first task; without a handler it would end the thread first.
    performer.catch(() => {});
    return;
  }
  let outcome: TaskOutcome;
  let transfer: readonly ArrayBuffer[] = [];
  try {
    if (performer === null) throw new Error('a task came before its session');
    if ('call' in message) {
      const done = await (await performer).call(message.call);
      outcome = { answer: done.result };
      transfer = done.transfer;
    } else {
      const done = await (await performer).perform(message.task);
      outcome = { result: done.result };
      transfer = done.transfer;
    }
  } catch (thrown) {
    outcome = {
      error: asGeomillError(thrown).toPlain(),
      stack: thrown instanceof Error ? thrown.stack : undefined,
    };
  }
  port.postMessage(outcome, [...transfer]);
});
