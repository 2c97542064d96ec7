/**
 * Writes zip archives whose members all grow at the same time and whose first bytes are known last.
 * One member at a time, the first one of those that grow, is written to its place in the archive; the others wait in spools.
 * yazl writes one stream after another and supports neither.
 */
import { removeFile } from '@geomill/platform/files.ts';
import { type ByteSink, createFileSink } from './byte-sink.ts';
import type { OutputMember, OutputPackage } from './output-package.ts';
import { type ExpectedFile, moveIntoPlace, unfinishedPath } from './output-place.ts';
import { Spool } from './spool.ts';
import { type DirectoryEntry, dosTime, FIRST_TIME, writeDirectory, writeMember } from './zip-directory.ts';
import { Packing, ZipMember } from './zip-member.ts';
import type { Content, Packer } from './zip-pack.ts';

export interface ZipOptions {
  readonly expected?: readonly ExpectedFile[] | undefined;
  /** Members are not compressed: other programs can read any part of them. */
  readonly isStored?: boolean;
  /** Default: the threads of the runtime. */
  readonly packer?: Packer | undefined;
  /** Of the members. Default: a fixed one, so that the same members give the same archive. */
  readonly time?: Date | undefined;
}

export class ZipWriter implements OutputPackage {
  readonly #path: string;
  readonly #unfinishedPath: string;
  readonly #expected: readonly ExpectedFile[] | undefined;
  /** Not in the archive yet. */
  #members: ZipMember[] = [];
  #memberCount = 0;
  readonly #entries: DirectoryEntry[] = [];
  #sink: ByteSink | null = null;
  readonly #isStored: boolean;
  readonly #dosTime: number;
  readonly #packing: Packing;

  /** `path` is the path of the finished archive; temporary files are in the same directory. */
  constructor(path: string, { expected, isStored = false, packer, time = FIRST_TIME }: ZipOptions = {}) {
    this.#path = path;
    this.#dosTime = dosTime(time);
    this.#isStored = isStored;
    this.#packing = new Packing(packer ?? null);
    this.#unfinishedPath = unfinishedPath(path, expected);
    this.#expected = expected;
  }

  /** `name` with '/' between folders. */
  addMember(name: string, headBytes: number, content: Content = 'bytes'): OutputMember {
    const spoolPath = `${this.#unfinishedPath}.part${this.#memberCount++}`;
    const body = this.#members.length === 0 ? this.#archive() : new Spool(spoolPath);
    const packing = this.#isStored ? null : this.#packing;
    const member = new ZipMember(name, headBytes, content, body, packing);
    this.#members.push(member);
    return member;
  }

  /** Completes the members that were added so far: they are moved to the archive, which is returned, and can no longer grow. */
  async flush(): Promise<ByteSink> {
    for (const member of this.#members) await member.complete();
    const sink = this.#archive();
    for (const member of this.#members) this.#entries.push(writeMember(sink, member, this.#dosTime));
    this.#members = [];
    return sink;
  }

  async finish(): Promise<number> {
    try {
      const sink = await this.flush();
      writeDirectory(sink, this.#entries);
      this.#close();
      moveIntoPlace([{ partial: this.#partial, path: this.#path }], this.#expected);
      return sink.byteLength;
    } catch (error) {
      // Also of pieces that are still being compressed.
      this.abort();
      throw error;
    }
  }

  abort(): void {
    for (const member of this.#members) member.discard();
    this.#close();
    removeFile(this.#partial);
  }

  #archive(): ByteSink {
    this.#sink ??= createFileSink(this.#partial, true);
    return this.#sink;
  }

  get #partial(): string {
    return `${this.#unfinishedPath}.part`;
  }

  #close(): void {
    this.#sink?.close();
    this.#sink = null;
  }
}
