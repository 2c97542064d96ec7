/**
 * Reads the elements that begin in one partition. The scan keeps its state, so that one that reaches the end of the window can
 * be resumed in a larger one.
 */
import type { FeatureBatch } from '../../batch/feature-batch.ts';
import type { MisfitList } from '../../batch/misfits.ts';
import type { Field } from '../../batch/schema.ts';
import { CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, QUOTE } from '../../bytes/ascii.ts';
import { JsonFault } from '../../bytes/json-fault.ts';
import type { JsonScanner } from '../../bytes/json-scanner.ts';
import type { Findings } from '../../findings.ts';
import type { ByteSource } from '../../io/byte-source.ts';
import { JsonWindow } from '../../io/json-window.ts';
import type { InputLimits } from '../../io/limits.ts';
import type { Partition } from '../format.ts';
import { ESRIJSON } from './dialect.ts';
import { FeatureParser } from './feature-parser.ts';
import { Members } from './members.ts';
import { noteIncomplete } from './open.ts';
import type { LayerState } from './state.ts';

/** Bytes read after the partition's end with the first read: most features that begin before it end within them. */
const OVERLAP_BYTES = 1 << 16;

type Phase = 'element' | 'separator' | 'tail' | 'end';

export class PartitionReader {
  readonly #window: JsonWindow;
  readonly #scanner: JsonScanner;
  readonly #parser: FeatureParser;
  readonly #layerName: string;
  readonly #state: LayerState;
  readonly #partition: Partition;
  readonly #findings: Findings;
  readonly #byteLength: number;
  #phase: Phase = 'element';
  #resumeAt = 0;

  constructor(
    source: ByteSource,
    layerName: string,
    state: LayerState,
    partition: Partition,
    limits: InputLimits,
    findings: Findings,
  ) {
    this.#window = new JsonWindow(source, state.fileName, ESRIJSON);
    this.#scanner = this.#window.scanner;
    const bytes = Math.max(0, partition.end - partition.start);
    this.#parser = new FeatureParser(this.#scanner, layerName, state, limits, findings, bytes);
    this.#layerName = layerName;
    this.#state = state;
    this.#partition = partition;
    this.#findings = findings;
    this.#byteLength = source.byteLength;
  }

  /** Returns the offset of the next element, or the end of the layer after the last one. */
  read(): number {
    const { start, end } = this.#partition;
    const layerEnd = this.#state.end ?? this.#byteLength;
    if (start >= layerEnd) return layerEnd;
    const window = this.#window;
    window.load(start, end + OVERLAP_BYTES);
    if (start === this.#state.firstStart) {
      const first = this.#scanner.space(0);
      if (this.#scanner.bytes[first] === CLOSE_BRACKET) this.#endArray(first);
    }
    for (;;) {
      try {
        const next = this.#scan();
        if (next >= 0) return next;
      } catch (fault) {
        if (!(fault instanceof JsonFault)) throw fault;
        if (!window.needsMore(fault)) {
          const record = this.#parser.rowCount + 1;
          throw window.failureOf(fault, this.#phase === 'element' ? { record } : {});
        }
        this.#parser.rollback();
        window.grow(this.#resumeAt);
        this.#resumeAt = 0;
      }
    }
  }

  finish(fields: readonly Field[] | null, misfits: MisfitList): FeatureBatch {
    return this.#parser.finish(fields, misfits);
  }

  /** One phase or more; -1 if the scan goes on. */
  #scan(): number {
    const { content, end } = this.#state;
    if (this.#phase === 'tail') {
      this.#tail();
      return -1;
    }
    if (this.#phase === 'end') {
      if (end !== null) return end;
      this.#end();
      return this.#byteLength;
    }
    if (content === 'features' || content === 'geometries') return this.#elements();
    if (content === 'sequence') return this.#sequence();
    this.#parser.element(this.#scanner.space(this.#resumeAt));
    this.#phase = 'end';
    return -1;
  }

  /** Reads elements and the commas between them. Returns the offset of the first element after the end, -1 after `]`. */
  #elements(): number {
    const scanner = this.#scanner;
    const parser = this.#parser;
    const endAt = this.#partition.end - this.#window.base;
    let at = this.#resumeAt;
    if (this.#phase === 'element') at = scanner.space(at);
    for (;;) {
      if (this.#phase === 'element') {
        at = parser.element(at);
        this.#phase = 'separator';
        this.#resumeAt = at;
      }
      if (scanner.bytes[at] !== COMMA) {
        at = scanner.space(at);
        if (scanner.bytes[at] === CLOSE_BRACKET) {
          this.#endArray(at);
          return -1;
        }
        if (scanner.bytes[at] !== COMMA) throw scanner.unexpected(at, "',' or ']'");
      }
      at = scanner.punctuation(at, COMMA);
      if (at >= scanner.limit) throw scanner.unexpected(at, 'a feature');
      if (at >= endAt) return this.#window.base + at;
      this.#phase = 'element';
      this.#resumeAt = at;
    }
  }

  /** Reads features that follow one another without commas. Returns the same as #elements. */
  #sequence(): number {
    const scanner = this.#scanner;
    for (;;) {
      const at = scanner.space(this.#resumeAt);
      this.#resumeAt = at;
      const offset = this.#window.base + at;
      if (at >= scanner.limit) {
        if (this.#window.reachesEnd) return this.#byteLength;
        throw scanner.unexpected(at, 'a feature');
      }
      if (offset >= this.#partition.end) return offset;
      this.#resumeAt = this.#parser.element(at);
    }
  }

  #endArray(at: number): void {
    this.#phase = this.#state.end === null ? 'tail' : 'end';
    this.#resumeAt = at + 1;
  }

  /** Reads the members after the features and the end of the root object. */
  #tail(): void {
    const scanner = this.#scanner;
    const members = new Members();
    let at = scanner.space(this.#resumeAt);
    while (scanner.bytes[at] === COMMA) {
      at = scanner.punctuation(at, COMMA);
      if (scanner.bytes[at] !== QUOTE) throw scanner.unexpected(at, 'a key in double quotes');
      const keyEnd = scanner.string(at);
      const key = JSON.parse(scanner.text(at, keyEnd + 1)) as string;
      const valueAt = scanner.punctuation(keyEnd + 1, COLON);
      if (key === 'features') throw scanner.fault(at, "the member 'features' came twice", 'structure');
      at = scanner.space(members.take(scanner, key, valueAt, 1));
    }
    if (scanner.bytes[at] !== CLOSE_BRACE) throw scanner.unexpected(at, "',' or '}'");
    if (members.flags.exceededTransferLimit === true) noteIncomplete(this.#layerName, this.#findings);
    this.#phase = 'end';
    this.#resumeAt = at + 1;
  }

  /** Only white space may follow, up to the end of the file. */
  #end(): void {
    const scanner = this.#scanner;
    const at = scanner.space(this.#resumeAt);
    this.#resumeAt = at;
    if (at < scanner.limit) throw scanner.fault(at, 'there is text after the end of the JSON');
    if (!this.#window.reachesEnd) throw scanner.unexpected(at, 'the end of the file');
  }
}
