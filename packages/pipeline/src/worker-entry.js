// Entry of a worker thread. Plain JavaScript on purpose: a thread that is kept for large jobs costs half as much memory while
// it waits when nothing had its types stripped in it. What it does is in worker.ts, loaded with the first message.
import { parentPort } from 'node:worker_threads';

// Before any message: what the process gives up does not reach into threads that are there already. See threads.ts.
process.permission?.drop?.('worker');

let worker;
parentPort.on('message', (message) => {
  worker ??= import('./worker.ts');
  void worker.then(({ receive }) => receive(message));
});
