// Messages of a thread with the thread that started it. Plain JavaScript on purpose: a thread that is kept for large jobs costs half as
// much memory while it waits when nothing had its types stripped in it.
import { parentPort } from 'node:worker_threads';

// Before any message: what the process gives up does not reach into threads that are there already. See threads.ts.
process.permission?.drop?.('worker');

/** Calls `receive` with each message and a function that sends an answer, given the buffers to transfer. */
export function receiveMessages(receive) {
  const answer = (message, transfer) => parentPort.postMessage(message, transfer);
  parentPort.on('message', (message) => receive(message, answer));
}
