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
