// Entry of a worker thread. Plain JavaScript on purpose: a thread that is kept for large jobs costs half as much memory while
// it waits when nothing had its types stripped in it. What it does is in worker.ts, loaded with the first message.
import { receiveMessages } from '@geomill/platform/thread-port.js';

let worker;
receiveMessages((message, answer) => {
  worker ??= import('./worker.ts');
  void worker.then(({ receive }) => receive(message, answer));
});
