/**
 * How the service talks to a process that handles data of others: one JSON text a line, tasks on the standard input of
 * the process, messages on a pipe of its own (descriptor 3), so that a stray print does no harm.
 *
 * The process may have been taken over by its data, so the service believes nothing it says: a message has a greatest
 * length, which holds before it is parsed, and a shape that is checked before it is used. The first one that breaks
 * either rule is the last that is read. Alternative rejected: Node's IPC channel, which collects and parses a message of
 * any length in the service.
 *
 * When the service ends, however it ends, the standard input closes and the process ends.
 */
import type { ChildProcess, StdioOptions } from 'node:child_process';
import { writeSync } from 'node:fs';
import type { Readable } from 'node:stream';

/** `stdio` of a process with a channel. Its standard output is discarded; the caller reads its standard error. */
export const CHANNEL_STDIO: StdioOptions = ['pipe', 'ignore', 'pipe', 'pipe'];
const MESSAGES_DESCRIPTOR = 3;

/** After this many bytes in PACE_MS, a process is paused, so that it does not take all time of the service. */
const MESSAGES_AT_ONCE = 100;
const PACE_MS = 100;

export interface ServiceEndOptions<Message> {
  /** Longest message in bytes. */
  readonly maxBytes: number;
  /** Returns the fault of a message; null: it is a valid Message. */
  check(message: unknown): string | null;
  onMessage(message: Message): void;
  /** Called once; afterwards nothing is read. */
  onViolation(reason: string): void;
}

/** The service's end of the channel to `child`, which was started with CHANNEL_STDIO. */
export class ServiceEnd<Message, Task> {
  readonly #child: ChildProcess;
  readonly #options: ServiceEndOptions<Message>;
  readonly #lines: LineCollector;
  readonly #messages: Readable | undefined;
  #isBroken = false;
  #countInPace = 0;
  #paceEndsAt = 0;

  constructor(child: ChildProcess, options: ServiceEndOptions<Message>) {
    this.#child = child;
    this.#options = options;
    this.#lines = new LineCollector(options.maxBytes);
    // A process that could not be started has no pipes; its 'error' event has the reason.
    this.#messages = (child.stdio?.[MESSAGES_DESCRIPTOR] ?? undefined) as Readable | undefined;
    this.#messages?.on('data', (chunk: Buffer) => this.#read(chunk));
    // A broken pipe means that the process is ending; its 'close' event has the reason.
    this.#messages?.on('error', () => {});
    child.stdin?.on('error', () => {});
  }

  /** Sends a task. If the process is ending, the task is lost and the 'close' event follows. */
  send(task: Task): void {
    if (this.#child.stdin?.writable) this.#child.stdin.write(`${JSON.stringify(task)}\n`);
  }

  #read(chunk: Buffer): void {
    for (const line of this.#lines.push(chunk)) {
      if (this.#isBroken) return;
      this.#take(line);
    }
    if (this.#lines.isTooLong) this.#break(`a message is longer than ${this.#options.maxBytes} bytes`);
    if (!this.#isBroken) this.#pace();
  }

  #take(line: string): void {
    this.#countInPace++;
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      this.#break('a message is not JSON');
      return;
    }
    const fault = this.#options.check(message);
    if (fault === null) this.#options.onMessage(message as Message);
    else this.#break(fault);
  }

  #pace(): void {
    const now = performance.now();
    if (now >= this.#paceEndsAt) {
      this.#paceEndsAt = now + PACE_MS;
      this.#countInPace = 0;
    } else if (this.#countInPace > MESSAGES_AT_ONCE) {
      this.#messages?.pause();
      setTimeout(() => this.#messages?.resume(), this.#paceEndsAt - now);
    }
  }

  #break(reason: string): void {
    if (this.#isBroken) return;
    this.#isBroken = true;
    this.#messages?.destroy();
    this.#options.onViolation(reason);
  }
}

/**
 * The end of the process itself: hands on the tasks that come, and returns how to answer. The process ends when the
 * service is gone. An answer is written when `send` returns, whatever the process does next.
 */
export function openChildEnd<Task, Message>(onTask: (task: Task) => void): (message: Message) => void {
  // The service is trusted, and a task is limited like a request.
  const lines = new LineCollector(Number.POSITIVE_INFINITY);
  process.stdin.on('data', (chunk: Buffer) => {
    for (const line of lines.push(chunk)) onTask(JSON.parse(line) as Task);
  });
  process.stdin.on('error', () => process.exit(0));
  process.stdin.on('end', () => process.exit(0));
  return (message) => {
    const bytes = Buffer.from(`${JSON.stringify(message)}\n`);
    try {
      for (let written = 0; written < bytes.length; )
        written += writeSync(MESSAGES_DESCRIPTOR, bytes, written);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EPIPE') process.exit(0);
      throw error;
    }
  };
}

const LINE_FEED = 0x0a;

/** Cuts chunks of bytes into lines. */
export class LineCollector {
  readonly #maxBytes: number;
  #begun: Buffer = Buffer.alloc(0);
  #begunBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** A line exceeds the limit; no further lines are returned. */
  isTooLong = false;

  /** The lines that end within the chunk, without their line feed. */
  *push(chunk: Buffer): Generator<string> {
    let start = 0;
    while (!this.isTooLong) {
      const found = chunk.indexOf(LINE_FEED, start);
      const end = found < 0 ? chunk.length : found;
      if (this.#begunBytes + end - start > this.#maxBytes) {
        this.isTooLong = true;
        this.#begun = Buffer.alloc(0);
      } else if (found >= 0 && this.#begunBytes === 0) yield chunk.toString('utf8', start, end);
      else {
        this.#append(chunk.subarray(start, end));
        if (found < 0) return;
        const line = this.#begun.toString('utf8', 0, this.#begunBytes);
        this.#begunBytes = 0;
        yield line;
      }
      start = end + 1;
    }
  }

  /** One growing buffer instead of a list of chunks: a sender can send chunks of one byte, and each would need a hundred. */
  #append(piece: Buffer): void {
    const length = this.#begunBytes + piece.length;
    if (length > this.#begun.length) {
      const larger = Buffer.alloc(Math.max(length, 2 * this.#begun.length));
      this.#begun.copy(larger, 0, 0, this.#begunBytes);
      this.#begun = larger;
    }
    piece.copy(this.#begun, this.#begunBytes);
    this.#begunBytes = length;
  }
}
