/**
 * Writes a drawing front to back. Space for its head is reserved, because its content is known last: layers by field,
 * the extent, the first free handle. Layers beyond that space require moving the file once.
 */
import { failure } from '@geomill/core/messages/errors.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { field } from '@geomill/core/messages/message.ts';
import { LF, SPACE } from '@geomill/core/text/ascii.ts';
import { OutputFileSink } from '@geomill/io/output-file.ts';
import { formatFindings } from '../../findings.ts';
import type { OutputFile, OutputSink, WriteContext } from '../../writer.ts';
import { dxfErrors, dxfFindings } from '../messages.ts';
import { drawingHead } from './drawing-head.ts';
import type { DrawingFacts, DrawingTotals } from './drawing-tables.ts';
import { drawingTail } from './drawing-tail.ts';
import type { DrawingChunk, DrawingEncoding } from './encode.ts';
import { writeHandle } from './entity-writer.ts';
import { emptyExtent, extendExtent } from './extent.ts';
import { FIRST_ENTITY_HANDLE, LAST_ENTITY_HANDLE } from './handles.ts';
import { FIXED_LAYERS, layerKey } from './layer-names.ts';
import type { PointBlock } from './point-blocks.ts';

/** For the numbers of the extent and the view, which become longer. */
const NUMBER_ROOM = 512;
/** Tables store the number of their records in 16 bits. */
const MOST_LAYERS = 32_767;
/** For about 250 layers. */
const LAYER_ROOM = 1 << 16;
/** For about 200 attributes of a block. */
const BLOCK_ROOM = 1 << 16;
const ENTITIES = '0\nSECTION\n2\nENTITIES\n';
/** A comment is the only tag without a meaning: 999, then a line of any text. */
const SHORTEST_COMMENT = 5;
const LONGEST_COMMENT = 200;
const encoder = new TextEncoder();

export class DrawingSink implements OutputSink {
  readonly #path: string;
  readonly #facts: DrawingFacts;
  readonly #encoding: DrawingEncoding;
  readonly #findings: Findings;
  readonly #file: OutputFileSink;
  readonly #extent = emptyExtent();
  readonly #layers = new Map<string, string>();
  readonly #blocks = new Map<string, PointBlock>();
  readonly #fixedLayers = new Set<string>(['0', ...FIXED_LAYERS.map(({ name }) => name)]);
  #headBytes: number;
  #rowCount = 0;
  #hasLayerField = false;
  #hasColorField = false;
  #hasLabelField = false;
  #handleSeed = FIRST_ENTITY_HANDLE;

  constructor(path: string, facts: DrawingFacts, encoding: DrawingEncoding, context: WriteContext) {
    this.#path = path;
    this.#facts = facts;
    this.#encoding = encoding;
    this.#findings = context.findings;
    const head = this.#head();
    const hasLayers = encoding.layerField !== null || encoding.partLayer !== null;
    const blockRoom = encoding.pointBlock === null ? 0 : BLOCK_ROOM;
    this.#headBytes = head.length + NUMBER_ROOM + (hasLayers ? LAYER_ROOM : 0) + blockRoom;
    this.#file = new OutputFileSink(path, context.expected);
    this.#file.append(padded(head, this.#headBytes));
  }

  append(_layerIndex: number, data: unknown): void {
    const chunk = data as DrawingChunk;
    const { bytes, handleOffsets } = chunk;
    const first = this.#handleSeed;
    if (first + handleOffsets.length > LAST_ENTITY_HANDLE)
      throw failure(dxfErrors.DXF_TOO_LARGE, { entities: LAST_ENTITY_HANDLE - FIRST_ENTITY_HANDLE });
    for (let i = 0; i < handleOffsets.length; i++) writeHandle(bytes, handleOffsets[i], first + i);
    for (let i = 0; i < chunk.owners.length; i += 2)
      writeHandle(bytes, chunk.owners[i], first + chunk.owners[i + 1]);
    if (chunk.block !== null) this.#addBlock(chunk.block);
    this.#handleSeed = first + handleOffsets.length;
    extendExtent(this.#extent, chunk.extent);
    this.#addLayers(chunk.layers);
    this.#rowCount += chunk.rowCount;
    this.#hasLayerField ||= chunk.hasLayerField;
    this.#hasColorField ||= chunk.hasColorField;
    this.#hasLabelField ||= chunk.hasLabelField;
    this.#file.append(bytes);
  }

  async finish(): Promise<OutputFile> {
    this.#noteMissingFields();
    this.#file.append(encoder.encode(drawingTail(this.#extent, this.#facts)));
    const head = this.#head();
    if (this.#headBytes < head.length + SHORTEST_COMMENT) {
      const more = head.length + SHORTEST_COMMENT - this.#headBytes;
      this.#file.insert(this.#headBytes, more);
      this.#headBytes += more;
    }
    this.#file.patch(0, padded(head, this.#headBytes));
    return { path: this.#path, byteLength: this.#file.finish() };
  }

  abort(): void {
    this.#file.abort();
  }

  #noteMissingFields(): void {
    for (const [key, { name }] of this.#facts.layerStyles)
      if (!this.#fixedLayers.has(key) && !this.#layers.has(key))
        this.#findings.note(dxfFindings.LAYER_STYLE_UNUSED, {
          layer: name,
          option: field('output.layer_styles'),
        });
    const { layerField, colorField, labelField } = this.#encoding;
    if (this.#rowCount === 0) return;
    if (layerField !== null && !this.#hasLayerField)
      this.#findings.note(formatFindings.FIELD_NOT_FOUND, {
        field: layerField,
        option: field('output.layer_field'),
      });
    if (colorField !== null && !this.#hasColorField)
      this.#findings.note(formatFindings.FIELD_NOT_FOUND, {
        field: colorField,
        option: field('output.color_field'),
      });
    if (labelField !== null && !this.#hasLabelField)
      this.#findings.note(formatFindings.FIELD_NOT_FOUND, {
        field: labelField,
        option: field('output.label_field'),
      });
  }

  #addLayers(names: readonly string[]): void {
    for (const name of names) {
      const key = layerKey(name);
      if (!this.#fixedLayers.has(key) && !this.#layers.has(key)) this.#layers.set(key, name);
    }
    if (this.#layers.size + this.#fixedLayers.size > MOST_LAYERS)
      throw failure(dxfErrors.DXF_TOO_MANY_LAYERS, {
        field: this.#encoding.layerField ?? '',
        limit: MOST_LAYERS,
      });
  }

  /** Other batches may have other fields. */
  #addBlock({ name, attributes }: PointBlock): void {
    const key = layerKey(name);
    const known = this.#blocks.get(key)?.attributes ?? [];
    const tags = new Set(known.map(({ tag }) => layerKey(tag)));
    const added = attributes.filter(({ tag }) => !tags.has(layerKey(tag)));
    if (added.length > 0 || !this.#blocks.has(key))
      this.#blocks.set(key, { name, attributes: [...known, ...added] });
  }

  /** Everything before the entities with the values known so far, except the head of ENTITIES. */
  #head(): Uint8Array {
    const totals: DrawingTotals = {
      handleSeed: this.#handleSeed,
      extent: this.#extent,
      layers: [...this.#layers.values()],
      blocks: this.#blocks,
    };
    return encoder.encode(drawingHead(this.#facts, totals) + ENTITIES);
  }
}

/** Pads the head to `byteLength` with comments before the line that begins the entities. */
function padded(head: Uint8Array, byteLength: number): Uint8Array {
  const result = new Uint8Array(byteLength);
  const bodyEnd = head.length - ENTITIES.length;
  result.set(head.subarray(0, bodyEnd));
  let at = bodyEnd;
  for (let rest = byteLength - head.length; rest > 0; ) {
    // The rest must be enough for one more comment, or 0.
    const length = rest < LONGEST_COMMENT + SHORTEST_COMMENT ? rest : LONGEST_COMMENT;
    result.fill(SPACE, at, at + length);
    result.set(COMMENT_CODE, at);
    at += length;
    result[at - 1] = LF;
    rest -= length;
  }
  result.set(head.subarray(bodyEnd), at);
  return result;
}

const COMMENT_CODE = encoder.encode('999\n');
