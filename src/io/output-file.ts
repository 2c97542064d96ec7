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

  /** Overwrites bytes that were appended before. */
  patch(offset: number, bytes: Uint8Array): void {
    this.#sink.patch(offset, bytes);
  }

  /** Makes room for `byteCount` more bytes at `offset`: what stands from there on moves back. Costs one copy of it. */
  insert(offset: number, byteCount: number): void {
    this.#sink.insert(offset, byteCount);
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
