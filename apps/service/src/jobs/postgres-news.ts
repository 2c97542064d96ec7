/**
 * What the processes of a queue tell each other, over LISTEN and NOTIFY. Messages of a few milliseconds are sent together, in a
 * statement of their own: a NOTIFY within a transaction holds a lock of the whole server until its commit is durable.
 *
 * A message can be lost, while the connection is lost or behind a pooler that has no sessions; nothing depends on it.
 */
import { type Progress, progressStages } from '@geomill/pipeline/report.ts';
import type { PostgresDatabase } from '../postgres/database.ts';
import { NOTIFY } from './postgres-statements.ts';
import type { QueueNews } from './queue.ts';

/** The messages of this time are sent together. */
const COLLECT_MS = 5;
/** A NOTIFY carries less than 8,000 bytes. */
const MAX_PAYLOAD_LENGTH = 7000;
const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 30_000;
/**
 * The server wakes every connection that listens for each message, whatever it is about. Where more workers than that are idle, one
 * of them soon asks for jobs by itself.
 */
const WORKER_SEATS = 8;
/** Time after which a worker without a seat tries again. */
const SEAT_MS = 60_000;

export interface PostgresNewsOptions {
  /** Name of this process, which does not hear its own messages; one line. */
  readonly sender: string;
  readonly onTrouble: (error: Error) => void;
}

export class PostgresNews {
  readonly #database: PostgresDatabase;
  readonly #options: PostgresNewsOptions;
  readonly #channel: string;
  /** In the order in which they were reported; a change that is reported twice is sent once. */
  #untold = new Set<string>();
  #timer: NodeJS.Timeout | null = null;
  #listener: { close(): Promise<void> } | null = null;
  #retry: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(database: PostgresDatabase, options: PostgresNewsOptions) {
    this.#database = database;
    this.#options = options;
    this.#channel = `${database.schema} jobs`;
  }

  get channel(): string {
    return this.#channel;
  }

  /** Parameters of a `pg_notify` that reports the change. */
  changeOf(id: string): readonly [channel: string, payload: string] {
    return [this.#channel, `${this.#options.sender}\nchanged ${id}`];
  }

  queued(): void {
    this.#tell('queued');
  }

  changed(id: string): void {
    this.#tell(`changed ${id}`);
  }

  progressed(id: string, { fraction, stage }: Progress): void {
    this.#tell(`progress ${id} ${fraction.toFixed(4)} ${stage}`);
  }

  /**
   * Listens from now on, also after connections were lost; then `news.queued` is called, because messages may have been missed. Of
   * many processes that are `workersOnly`, a few listen.
   */
  listen(news: QueueNews, workersOnly: boolean): void {
    void this.#listen(news, workersOnly ? WORKER_SEATS : undefined, FIRST_DELAY_MS);
  }

  async #listen(news: QueueNews, seats: number | undefined, delayMs: number): Promise<void> {
    if (this.#isClosed) return;
    const retryAfter = (ms: number, nextMs: number): void => {
      this.#retry = setTimeout(() => void this.#listen(news, seats, nextMs), ms).unref();
    };
    let isLost = false;
    const again = (error: Error): void => {
      if (isLost || this.#isClosed) return;
      isLost = true;
      this.#listener = null;
      this.#options.onTrouble(error);
      retryAfter(delayMs, Math.min(LONGEST_DELAY_MS, delayMs * 2));
    };
    try {
      const onMessage = (text: string): void => {
        const [sender, ...messages] = text.split('\n');
        if (sender !== this.#options.sender) for (const message of messages) read(message, news);
      };
      const client = await this.#database.listen(this.#channel, { onMessage, onLost: again }, seats);
      if (this.#isClosed || isLost) return void client?.close();
      if (client === null) return retryAfter(SEAT_MS * (0.5 + Math.random()), FIRST_DELAY_MS);
      this.#listener = client;
      delayMs = FIRST_DELAY_MS;
      news.queued();
    } catch (error) {
      again(error as Error);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#retry !== null) clearTimeout(this.#retry);
    await this.#send();
    await this.#listener?.close();
  }

  #tell(message: string): void {
    if (this.#isClosed) return;
    this.#untold.add(message);
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      void this.#send();
    }, COLLECT_MS);
  }

  async #send(): Promise<void> {
    const messages = this.#untold;
    this.#untold = new Set();
    const payloads: string[] = [];
    for (const message of messages) {
      const last = payloads.at(-1);
      const isFull = last === undefined || last.length + message.length > MAX_PAYLOAD_LENGTH;
      if (isFull) payloads.push(`${this.#options.sender}\n${message}`);
      else payloads[payloads.length - 1] = `${last}\n${message}`;
    }
    try {
      for (const payload of payloads) await this.#database.run(NOTIFY, [this.#channel, payload]);
    } catch (error) {
      this.#options.onTrouble(error as Error);
    }
  }
}

/** Messages of other versions that are not understood are ignored. */
function read(message: string, news: QueueNews): void {
  const [kind, id, fraction, stage] = message.split(' ');
  if (kind === 'queued') news.queued();
  else if (kind === 'changed' && id !== undefined) news.changed(id);
  else if (kind === 'progress' && id !== undefined) {
    const known = progressStages.find((one) => one === stage);
    if (known !== undefined) news.progressed(id, { fraction: Number(fraction), stage: known });
  }
}
