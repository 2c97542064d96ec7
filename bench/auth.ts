import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openAccounts } from '../apps/service/src/accounts/accounts.ts';
import { accountsPath } from '../apps/service/src/jobs/data-directory.ts';
import { median } from './measure.ts';
import { startServiceProcess } from './service-process.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '300' },
    requests: { type: 'string', default: '100' },
  },
});
const ROUNDS = Number(values.rounds);
/** Of each kind in each round. */
const REQUESTS = Number(values.requests);
const data = mkdtempSync(join(tmpdir(), 'geomill-bench-auth-'));

async function doneJob(url: URL, headers: Readonly<Record<string, string>>): Promise<string> {
  const form = new FormData();
  form.set('config', '{"input":{"format":"geojson"},"output":{"format":"geojson"}}');
  form.set('input_file', new Blob(['{"type":"Point","coordinates":[8.57,53.54]}']), 'point.geojson');
  const response = await fetch(new URL('/transform?async=false', url), {
    method: 'POST',
    body: form,
    headers,
  });
  if (!response.ok) throw new Error(`a job failed: ${await response.text()}`);
  return String(response.headers.get('location')).split('/').at(-1)!;
}

/** A connection on which one request is asked over and over. */
class Asker {
  readonly #request: string;
  readonly #socket: Socket;
  #answer = '';
  #done: PromiseWithResolvers<void> = Promise.withResolvers();
  readonly microseconds: number[] = [];

  constructor(url: URL, path: string, header: string) {
    this.#request = `GET ${path} HTTP/1.1\r\nHost: ${url.host}\r\n${header}\r\n`;
    this.#socket = connect(Number(url.port), url.hostname).setNoDelay().setEncoding('latin1');
    this.#socket.on('data', (text) => {
      this.#answer += text;
      const length = /content-length: (\d+)/i.exec(this.#answer)?.[1];
      const end = this.#answer.indexOf('\r\n\r\n');
      if (length !== undefined && end >= 0 && this.#answer.length >= end + 4 + Number(length))
        this.#done.resolve();
    });
  }

  /** Asks `count` times in turn; notes the mean time of one unless it is a warm-up. */
  async ask(count: number, isWarmUp = false): Promise<void> {
    const begun = performance.now();
    for (let i = 0; i < count; i++) {
      this.#answer = '';
      this.#done = Promise.withResolvers();
      this.#socket.write(this.#request);
      await this.#done.promise;
    }
    if (!this.#answer.startsWith('HTTP/1.1 200')) throw new Error(this.#answer);
    if (!isWarmUp) this.microseconds.push(((performance.now() - begun) * 1000) / count);
  }

  end(): void {
    this.#socket.destroy();
  }
}

const service = await startServiceProcess(data, { RUNNERS: '1' });
const url = new URL(service.url);
const accounts = openAccounts({ path: accountsPath(data) });
try {
  const wanted = {
    owner: 'bench',
    name: 'bench',
    scopes: ['jobs:read', 'jobs:write'],
    expiresAt: null,
  } as const;
  const key = (await accounts.credentials.create({ ...wanted, kind: 'key' }, 'bench')).secret;
  const client = await accounts.credentials.create({ ...wanted, kind: 'client' }, 'bench');
  const issued = await accounts.tokens.issue(client.credential.id, client.secret);
  const theirs = await doneJob(url, { apiKey: key });
  const nobodys = await doneJob(url, {});
  const askers = {
    'no credential': new Asker(url, `/result/status/${nobodys}`, ''),
    // As many bytes for Node to read, of which nobody takes notice: what is left is the check.
    'unread header': new Asker(url, `/result/status/${nobodys}`, `unread: ${key}\r\n`),
    'API key': new Asker(url, `/result/status/${theirs}`, `apiKey: ${key}\r\n`),
    'access token': new Asker(
      url,
      `/result/status/${theirs}`,
      `Authorization: Bearer ${issued.ok?.accessToken}\r\n`,
    ),
  };
  const all = Object.values(askers);
  for (let i = 0; i < 20; i++) for (const asker of all) await asker.ask(REQUESTS, true);
  for (let round = 0; round < ROUNDS; round++) {
    // Another one first each time: whatever comes in turn with the rounds meets all alike.
    for (let i = 0; i < all.length; i++) await all[(round + i) % all.length].ask(REQUESTS);
  }
  const base = median(askers['no credential'].microseconds);
  for (const [name, asker] of Object.entries(askers)) {
    const time = median(asker.microseconds);
    process.stdout.write(
      `${name.padEnd(14)} ${time.toFixed(1)} µs a request, ${(time / base).toFixed(3)} times that without\n`,
    );
    asker.end();
  }
} finally {
  await accounts.close();
  service.process.kill('SIGTERM');
  service.process.once('exit', () => rmSync(data, { recursive: true, force: true }));
}
