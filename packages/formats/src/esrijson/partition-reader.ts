/** Reads the elements that begin in one partition. */
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { MisfitList } from '@geomill/core/columns/misfits.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { COLON } from '@geomill/core/text/ascii.ts';
import type { ByteSource } from '@geomill/io/byte-source.ts';
import { JsonElements } from '@geomill/io/json-elements.ts';
import { JsonWindow } from '@geomill/io/json-window.ts';
import type { InputLimits } from '@geomill/io/limits.ts';
import type { Partition } from '../reader.ts';
import { ESRIJSON } from './dialect.ts';
import { FeatureParser } from './feature-parser.ts';
import { Members } from './members.ts';
import { noteIncomplete } from './open.ts';
import type { LayerState } from './state.ts';

export class PartitionReader extends JsonElements {
  readonly #parser: FeatureParser;
  readonly #layerName: string;
  readonly #state: LayerState;
  readonly #findings: Findings;
  readonly #byteLength: number;

  constructor(
    source: ByteSource,
    layerName: string,
    state: LayerState,
    partition: Partition,
    limits: InputLimits,
    findings: Findings,
  ) {
    const window = new JsonWindow(source, state.fileName, ESRIJSON);
    const bytes = Math.max(0, partition.end - partition.start);
    const parser = new FeatureParser(window.scanner, layerName, state, limits, findings, bytes);
    super(window, partition, parser, 'element');
    this.#parser = parser;
    this.#layerName = layerName;
    this.#state = state;
    this.#findings = findings;
    this.#byteLength = source.byteLength;
  }

  /** Returns the offset of the next element, or the end of the layer after the last one. */
  read(): number {
    const { start } = this.partition;
    const layerEnd = this.#state.end ?? this.#byteLength;
    return start >= layerEnd ? layerEnd : this.scanPartition(start === this.#state.firstStart);
  }

  finish(fields: readonly Field[] | null, misfits: MisfitList): FeatureBatch {
    return this.#parser.finish(fields, misfits);
  }

  protected override scan(): number {
    const { content, end } = this.#state;
    if (this.phase === 'tail') {
      this.#tail();
      return -1;
    }
    if (this.phase === 'end') {
      if (end !== null) return end;
      this.endOfFile();
      return this.#byteLength;
    }
    if (content === 'features' || content === 'geometries') return this.elements('a feature');
    if (content === 'sequence') return this.#sequence();
    this.#parser.element(this.scanner.space(this.resumeAt));
    this.phase = 'end';
    return -1;
  }

  protected override element(at: number): number {
    return this.#parser.element(at);
  }

  protected override endArray(at: number): void {
    this.phase = this.#state.end === null ? 'tail' : 'end';
    this.resumeAt = at + 1;
  }

  protected override get isInElement(): boolean {
    return this.phase === 'element';
  }

  /** Reads features that follow one another without commas. Returns the same as `elements`. */
  #sequence(): number {
    const scanner = this.scanner;
    for (;;) {
      const at = scanner.space(this.resumeAt);
      this.resumeAt = at;
      const offset = this.window.base + at;
      if (at >= scanner.limit) {
        if (this.window.reachesEnd) return this.#byteLength;
        throw scanner.unexpected(at, 'a feature');
      }
      if (offset >= this.partition.end) return offset;
      this.resumeAt = this.#parser.element(at);
    }
  }

  #tail(): void {
    const { scanner } = this;
    const members = new Members();
    this.members((at) => {
      const keyEnd = scanner.string(at);
      const key = JSON.parse(scanner.text(at, keyEnd + 1)) as string;
      const valueAt = scanner.punctuation(keyEnd + 1, COLON);
      if (key === 'features') throw scanner.fault(at, "the member 'features' came twice", 'structure');
      return members.take(scanner, key, valueAt, 1);
    });
    if (members.flags.exceededTransferLimit === true) noteIncomplete(this.#layerName, this.#findings);
  }
}
