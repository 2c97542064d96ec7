/** An output that is one file: written beside its place and moved there once whole, so that under its name it is never half. */
import { renameSync, rmSync } from 'node:fs';
import { type ByteSink, createFileSink } from './byte-sink.ts';

export class OutputFileSink {
  readonly #path: string;
  readonly #partialPath: string;
  readonly #sink: ByteSink;
  #isOpen = true;

  constructor(path: string) {
    this.#path = path;
    this.#partialPath = `${path}.partial`;
    // What a killed run left behind is nobody's.
    this.#sink = createFileSink(this.#partialPath, true);
  }

  append(bytes: Uint8Array): void {
    this.#sink.append(bytes);
  }

  /** Moves the file to its name, in place of one that stood there; returns its size. */
  finish(): number {
    const { byteLength } = this.#sink;
    this.#close();
    renameSync(this.#partialPath, this.#path);
    return byteLength;
  }

  /** Removes what was written; harmless after `finish`. */
  abort(): void {
    this.#close();
    rmSync(this.#partialPath, { force: true });
  }

  #close(): void {
    if (this.#isOpen) this.#sink.close();
    this.#isOpen = false;
  }
}
