/** HTTP as bytes on a socket, for what no client library would send. */
import { connect } from 'node:net';

/** Sends `bytes` and resolves with all that comes back until `enough` of it or the end. */
export function exchange(url: string, bytes: string, enough: RegExp): Promise<string> {
  const { port, hostname } = new URL(url);
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.setEncoding('utf8');
    socket.on('data', (text) => {
      answer += text;
      if (enough.test(answer)) socket.destroy();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(answer));
  });
}

/** Sends `head`, then a byte at a time, and calls `onByte` with the number of bytes so far, until the connection is closed; resolves with what came back. */
export async function trickle(
  url: string,
  head: string,
  onByte: (sent: number) => Promise<void>,
): Promise<string> {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  let answer = '';
  socket.setEncoding('utf8').on('data', (text) => {
    answer += text;
  });
  // A write can meet the closed connection; 'close' follows.
  socket.on('error', () => {});
  let isClosed = false;
  socket.once('close', () => {
    isClosed = true;
  });
  try {
    socket.write(head);
    for (let sent = head.length + 1; !isClosed; sent++) {
      socket.write('x');
      await onByte(sent);
      // 'close' comes only when the event loop goes on.
      await new Promise((resolve) => setImmediate(resolve));
    }
    return answer;
  } finally {
    socket.destroy();
  }
}
