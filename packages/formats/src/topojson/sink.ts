/** Collects the features of all layers and writes them, when they are complete, as one topology. */
import { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { OutputFileSink } from '@geomill/io/output-file.ts';
import { unfinishedPath } from '@geomill/io/output-place.ts';
import type { OutputFile, OutputSink, WriteContext } from '../writer.ts';
import { cutArcs } from './arc-cutter.ts';
import { AttributeSpool } from './attribute-spool.ts';
import type { EncodedFeatures } from './encode.ts';
import { type Grid, gridOf, onGrid } from './line-set.ts';
import { LineCollector } from './lines.ts';
import { topojsonErrors, topojsonFindings } from './messages.ts';
import type { KeptFeatures, WriteState } from './write-state.ts';
import { writeTopology } from './write-topology.ts';

/** Of lines and rings. Coordinates, ids, junctions and arcs of so many take about 1.2 GiB. */
const MAX_POSITIONS = 1 << 24;

export class TopologySink implements OutputSink {
  readonly #path: string;
  readonly #file: OutputFileSink;
  readonly #states: readonly WriteState[];
  readonly #context: WriteContext;
  readonly #attributes: AttributeSpool;
  readonly #lines = new LineCollector();
  readonly #chunks: KeptFeatures[][];
  readonly #bounds = Float64Array.of(
    Number.POSITIVE_INFINITY,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
  );

  constructor(path: string, states: readonly WriteState[], context: WriteContext) {
    this.#path = path;
    this.#states = states;
    this.#context = context;
    this.#file = new OutputFileSink(path, context.expected);
    this.#attributes = new AttributeSpool(`${unfinishedPath(path, context.expected)}.attributes.partial`);
    this.#chunks = states.map(() => []);
  }

  append(layerIndex: number, data: unknown): void {
    const { geometry, attributes, attributeOffsets, bounds } = data as EncodedFeatures;
    if (geometry.types.length === 0) return;
    for (let i = 0; i < 2; i++) {
      this.#bounds[i] = Math.min(this.#bounds[i], bounds[i]);
      this.#bounds[i + 2] = Math.max(this.#bounds[i + 2], bounds[i + 2]);
    }
    this.#attributes.append(attributes);
    this.#chunks[layerIndex].push({ geometry: this.#lines.take(geometry), attributeOffsets });
    if (this.#lines.positionCount > MAX_POSITIONS)
      throw failure(topojsonErrors.TOPOJSON_OUTPUT_TOO_LARGE, {
        limit: MAX_POSITIONS,
        what: 'positions of lines and polygons',
      });
  }

  async finish(): Promise<OutputFile> {
    let lines = this.#lines.finish();
    const grid = this.#grid();
    if (grid !== null) {
      const gridded = onGrid(lines, grid);
      lines = gridded.lines;
      this.#noteGrid(grid, gridded.collapsed);
    }
    const topology = cutArcs(lines);
    const out = new ByteWriter(1 << 21);
    const flush = (): void => {
      this.#file.append(out.written());
      out.reset();
    };
    writeTopology(
      {
        states: this.#states,
        chunks: this.#chunks,
        attributes: this.#attributes.texts(),
        bounds: this.#bounds,
        grid,
        lines,
        topology,
      },
      out,
      flush,
    );
    flush();
    this.#attributes.discard();
    return { path: this.#path, byteLength: this.#file.finish() };
  }

  abort(): void {
    this.#attributes.discard();
    this.#file.abort();
  }

  /** Null: coordinates are not rounded to a grid. */
  #grid(): Grid | null {
    const count = this.#gridCount();
    return count > 0 && this.#bounds[0] <= this.#bounds[2] ? gridOf(this.#bounds, count) : null;
  }

  #gridCount(): number {
    const { quantization } = this.#context.options;
    return typeof quantization === 'number' ? quantization : 0;
  }

  #noteGrid({ scale }: Grid, collapsed: number): void {
    const [x, y] = scale.map((step) => String(Number((step / 2).toPrecision(3))));
    this.#context.findings.note(topojsonFindings.TOPOJSON_QUANTIZED, { count: this.#gridCount(), x, y });
    if (collapsed > 0)
      this.#context.findings.note(topojsonFindings.TOPOJSON_COLLAPSED, {}, undefined, collapsed);
  }
}
