/**
 * A worker thread gets a session, then tasks and calls, one at a time, until the session ends. A thread that is
 * kept gets many sessions; their code is loaded with the first.
 */
import { freeBuffers } from '@geomill/core/columns/feature-batch.ts';
import { asGeomillError } from '@geomill/core/messages/errors.ts';
import { createPerformer, type Performer, preload, readerWork } from './perform.ts';
import type { PartEncodings, Piece, ReaderWork, Session, StepCall, Task, TaskOutcome } from './task.ts';
import type { ThreadNote } from './threads.ts';

type Message =
  | { readonly session: Session }
  | { readonly task: Task }
  | { readonly call: StepCall }
  | { readonly piece: Piece }
  | { readonly reading: ReaderWork }
  /** For the writer. */
  | { readonly work: unknown }
  | { readonly encodings: PartEncodings }
  | ThreadNote;

let performer: Promise<Performer> | null = null;
/** Resolves after the last message. */
let turn = Promise.resolve();

type Answer = (outcome: TaskOutcome, transfer: readonly ArrayBuffer[]) => void;

/** Messages are answered in their order. */
export function receive(message: Message, answer: Answer): Promise<void> {
  turn = turn.then(() => handle(message, answer));
  return turn;
}

async function handle(message: Message, answer: Answer): Promise<void> {
  if ('expect' in message) {
    // A failure to load is reported by the session that needs the code.
    preload(message.expect).catch(() => {});
    return;
  }
  if ('end' in message) {
    performer = null;
    return;
  }
  if ('session' in message) {
    performer = createPerformer(message.session);
    // A failure to load is reported by the first task; without a handler it would end the thread first.
    performer.catch(() => {});
    return;
  }
  if ('encodings' in message) {
    // As with a session, the first task reports a failure to load.
    performer?.then((ready) => ready.useEncodings(message.encodings)).catch(() => {});
    return;
  }
  let outcome: TaskOutcome;
  let transfer: readonly ArrayBuffer[] = [];
  let spent: readonly ArrayBuffer[] = [];
  try {
    if ('piece' in message) {
      const { packPiece } = await import('@geomill/io/zip-pack.ts');
      const { bytes, content } = message.piece;
      const packed = packPiece(bytes, content);
      outcome = { answer: packed };
      transfer = [packed.packed.buffer];
      spent = [bytes.buffer];
    } else if ('reading' in message) {
      const done = await readerWork(message.reading);
      outcome = { answer: done.result };
      transfer = done.transfer;
    } else if (performer === null) throw new Error('a task came before its session');
    else if ('call' in message) {
      const done = await (await performer).call(message.call);
      outcome = { answer: done.result };
      transfer = done.transfer;
    } else if ('work' in message) {
      const done = (await performer).work(message.work);
      outcome = { answer: done.result };
      transfer = done.transfer;
    } else {
      const done = await (await performer).perform(message.task);
      outcome = { result: done.result };
      ({ transfer, spent } = done);
    }
  } catch (thrown) {
    outcome = {
      error: asGeomillError(thrown).toPlain(),
      stack: thrown instanceof Error ? thrown.stack : undefined,
    };
  }
  answer(outcome, transfer);
  freeBuffers(spent);
}
