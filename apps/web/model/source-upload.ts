/** Hands a file to the engine once; inspection, preview and all jobs use what it has. */
import { GeomillProblem } from '@geomill/client/client.ts';
import { type ReadonlySignal, signal } from '@preact/signals';
import { engine } from '../engines/current.ts';
import type { Engine, EngineFile } from '../engines/engine.ts';
import { messageOf } from '../service.ts';
import { isPassing, pause } from './reconnect.ts';

export type UploadState =
  | { readonly state: 'idle' }
  | { readonly state: 'sending'; readonly sentBytes: number; readonly bytesPerSecond: number | null }
  | { readonly state: 'paused'; readonly sentBytes: number }
  | { readonly state: 'failed'; readonly sentBytes: number; readonly message: string }
  | { readonly state: 'done' };

/** An upload that expires sooner is not used for a new job. */
const MARGIN_MS = 60_000;

export class SourceUpload {
  readonly #name: string;
  readonly #content: Blob;
  readonly #state = signal<UploadState>({ state: 'idle' });
  /** Of the upload that was begun, to continue it. */
  #id: string | null = null;
  #abort: AbortController | null = null;
  /** That has it, or gets it. */
  #engine: Engine = engine.peek();
  /** Attempts since the last byte was sent. */
  #failures = 0;
  #waiting = waitForFile();
  #file: EngineFile | null = null;

  constructor(name: string, content: Blob) {
    this.#name = name;
    this.#content = content;
  }

  get state(): ReadonlySignal<UploadState> {
    return this.#state;
  }

  /** Whether `content` is the same file of the disk: chosen again, it is another object. */
  holds(content: Blob | null): boolean {
    const [own, other] = [this.#content, content];
    if (!(own instanceof File && other instanceof File)) return own === other;
    return own.name === other.name && own.size === other.size && own.lastModified === other.lastModified;
  }

  /** The file as the engine has it; starts the upload if that was not done. Waits while it is paused or has failed; rejects if it is discarded before. */
  file(): Promise<EngineFile> {
    const now = engine.peek();
    if (this.#engine !== now) {
      this.discard();
      this.#engine = now;
    }
    if (this.#file !== null && this.#file.expiresAt.getTime() < Date.now() + MARGIN_MS) this.#forget();
    if (this.#state.peek().state === 'idle') this.resume();
    return this.#waiting.promise;
  }

  pause(): void {
    this.#abort?.abort();
    this.#state.value = { state: 'paused', sentBytes: sentBytesOf(this.#state.peek()) };
  }

  /** Starts the upload, or continues it after a pause or a failure. Continues by itself when the service answers again. */
  resume(): void {
    this.#abort?.abort();
    const abort = new AbortController();
    this.#abort = abort;
    const started = performance.now();
    const first = sentBytesOf(this.#state.peek());
    this.#state.value = { state: 'sending', sentBytes: first, bytesPerSecond: null };
    this.#engine
      .receive(this.#name, this.#content, {
        signal: abort.signal,
        resume: this.#id,
        onProgress: ({ id, sentBytes }) => {
          if (abort.signal.aborted) return;
          this.#id = id;
          this.#failures = 0;
          const seconds = (performance.now() - started) / 1000;
          const bytesPerSecond = sentBytes > first ? (sentBytes - first) / seconds : null;
          this.#state.value = { state: 'sending', sentBytes, bytesPerSecond };
        },
      })
      .then(
        (file) => {
          if (abort.signal.aborted) return;
          this.#file = file;
          this.#state.value = { state: 'done' };
          this.#waiting.resolve(file);
        },
        (error) => {
          if (abort.signal.aborted) return;
          // It expired while it was paused: the next attempt begins anew.
          const isGone = error instanceof GeomillProblem && (error.status === 404 || error.status === 410);
          if (isGone) this.#id = null;
          const sentBytes = isGone ? 0 : sentBytesOf(this.#state.peek());
          this.#state.value = { state: 'failed', sentBytes, message: messageOf(error) };
          if (!isPassing(error)) return;
          pause(this.#failures++, abort.signal).then(
            () => this.resume(),
            // Continued, paused or discarded by the user.
            () => {},
          );
        },
      );
  }

  /** Removes it from the engine, also if it has only a part. `file` starts again. */
  discard(): void {
    this.#abort?.abort();
    // If this fails it expires by itself.
    if (this.#id !== null) this.#engine.forget(this.#id).catch(() => {});
    this.#waiting.reject(new Error(`'${this.#name}' was removed before it was sent.`));
    this.#forget();
  }

  #forget(): void {
    this.#id = null;
    this.#file = null;
    this.#waiting = waitForFile();
    this.#state.value = { state: 'idle' };
  }
}

/** Nobody may wait when it is rejected. */
function waitForFile(): PromiseWithResolvers<EngineFile> {
  const waiting = Promise.withResolvers<EngineFile>();
  waiting.promise.catch(() => {});
  return waiting;
}

function sentBytesOf(state: UploadState): number {
  return 'sentBytes' in state ? state.sentBytes : 0;
}
