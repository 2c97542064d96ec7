/**
 * Collects encoded features into one feature set, or into a feature collection with a layer for each set. A set after the first of
 * its layer waits in a spool until the sets before it are complete.
 */
import { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { writeInteger } from '@geomill/core/text/number-text.ts';
import { OutputFileSink } from '@geomill/io/output-file.ts';
import { Spool } from '@geomill/io/spool.ts';
import type { OutputFile, OutputSink, WriteContext } from '../writer.ts';
import { esrijsonFindings } from './messages.ts';
import type { EncodedSet } from './write-features.ts';
import type { SetPlan, SinkState } from './write-plan.ts';

const encoder = new TextEncoder();
const SEPARATOR = encoder.encode(',\n');

/** What was written of a set. */
interface SetProgress {
  featureCount: number;
  lastId: number;
  isOrdered: boolean;
}

export class EsriJsonSink implements OutputSink {
  readonly #path: string;
  readonly #file: OutputFileSink;
  readonly #states: readonly SinkState[];
  readonly #findings: Findings;
  readonly #isCollection: boolean;
  /** Index of the open layer; -1 before the first one. */
  #layer = -1;
  #progress: SetProgress[] = [];
  #spools: Spool[] = [];
  #setCount = 0;

  constructor(path: string, states: readonly SinkState[], { expected, findings }: WriteContext) {
    this.#path = path;
    this.#states = states;
    this.#findings = findings;
    this.#file = new OutputFileSink(path, expected);
    this.#isCollection = states.reduce((sum, { sets }) => sum + sets.length, 0) !== 1;
    if (this.#isCollection) this.#append('{"layers":[');
  }

  append(layerIndex: number, chunk: unknown): void {
    this.#openLayer(layerIndex);
    (chunk as readonly EncodedSet[]).forEach((set, i) => {
      this.#appendSet(set, i);
    });
  }

  async finish(): Promise<OutputFile> {
    this.#openLayer(this.#states.length);
    this.#append(this.#isCollection ? '\n]}\n' : '\n');
    return { path: this.#path, byteLength: this.#file.finish() };
  }

  abort(): void {
    for (const spool of this.#spools) spool.discard();
    this.#file.abort();
  }

  /** Completes the layers before this one, and begins it if there is one. */
  #openLayer(layerIndex: number): void {
    while (this.#layer < layerIndex) {
      if (this.#layer >= 0) this.#closeLayer(this.#states[this.#layer]);
      this.#layer++;
      if (this.#layer >= this.#states.length) return;
      const { sets } = this.#states[this.#layer];
      this.#progress = sets.map(() => ({
        featureCount: 0,
        lastId: Number.NEGATIVE_INFINITY,
        isOrdered: true,
      }));
      this.#spools = sets.slice(1).map((_, i) => new Spool(`${this.#path}.set${i + 1}.partial`));
      this.#beginSet(this.#states[this.#layer], 0);
    }
  }

  #closeLayer(state: SinkState): void {
    state.sets.forEach((_, i) => {
      if (i > 0) {
        this.#beginSet(state, i);
        this.#spools[i - 1].moveTo(this.#file);
      }
      this.#append(this.#progress[i].featureCount > 0 ? '\n]}' : ']}');
      if (this.#isCollection) this.#append('}');
    });
    const { objectId, layer, areIdsAdded } = state;
    if (objectId !== null && !areIdsAdded && this.#progress.some(({ isOrdered }) => !isOrdered))
      this.#findings.note(esrijsonFindings.ESRIJSON_IDS_UNORDERED, { field: objectId, layer });
  }

  #beginSet(state: SinkState, index: number): void {
    const set = state.sets[index];
    const members = setMembers(state, set);
    if (this.#isCollection) {
      const begin = this.#setCount === 0 ? '\n' : ',\n';
      const definition = JSON.stringify(layerDefinition(state, set));
      this.#append(`${begin}{"layerDefinition":${definition},"featureSet":`);
    }
    this.#append(`${JSON.stringify(members).slice(0, -1)},"features":[`);
    this.#setCount++;
  }

  #appendSet(set: EncodedSet, index: number): void {
    if (set.featureCount === 0) return;
    const progress = this.#progress[index];
    const target = index === 0 ? this.#file : this.#spools[index - 1];
    target.append(progress.featureCount > 0 ? SEPARATOR : SEPARATOR.subarray(1));
    if (set.idOffsets.length === 0) target.append(set.bytes);
    else appendNumbered(target, set, progress.featureCount + 1);
    progress.featureCount += set.featureCount;
    if (set.ids === null || set.ids.first <= progress.lastId) progress.isOrdered = false;
    else progress.lastId = set.ids.last;
  }

  #append(text: string): void {
    this.#file.append(encoder.encode(text));
  }
}

/** Bytes that are written at once: features of any length are not copied whole. */
const PIECE_BYTES = 1 << 20;

/** Appends the features with the object ids from `firstId` on. */
function appendNumbered(
  target: { append(bytes: Uint8Array): void },
  { bytes, idOffsets }: EncodedSet,
  firstId: number,
): void {
  const out = new ByteWriter(PIECE_BYTES);
  const flush = (): void => {
    target.append(out.written());
    out.reset();
  };
  let from = 0;
  for (let i = 0; i < idOffsets.length; i++) {
    const end = idOffsets[i];
    if (out.length + end - from > PIECE_BYTES) flush();
    if (end - from > PIECE_BYTES) target.append(bytes.subarray(from, end));
    else out.copy(bytes, from, end);
    writeInteger(out, firstId + i);
    from = end;
  }
  flush();
  target.append(bytes.subarray(from));
}

function setMembers({ objectId, members }: SinkState, { geometryType }: SetPlan): object {
  const { hasZ, hasM, spatialReference, fields } = members;
  return {
    ...(objectId === null ? {} : { objectIdFieldName: objectId }),
    ...(geometryType === null ? {} : { geometryType }),
    ...(spatialReference === null ? {} : { spatialReference }),
    ...(hasZ ? { hasZ } : {}),
    ...(hasM ? { hasM } : {}),
    fields,
  };
}

function layerDefinition({ objectId, members }: SinkState, { name, geometryType }: SetPlan): object {
  const { hasZ, hasM, spatialReference, fields } = members;
  return {
    name,
    type: geometryType === null ? 'Table' : 'Feature Layer',
    ...(geometryType === null ? {} : { geometryType }),
    ...(objectId === null ? {} : { objectIdField: objectId }),
    ...(spatialReference === null ? {} : { spatialReference }),
    hasZ,
    hasM,
    fields,
  };
}
