/** Reads layers and blocks, which entities refer to by name. */
import type { EntityTags } from '../contract.ts';
import type { RecordReader } from '../tags/record-reader.ts';
import { type BlockRecord, foldName, type LayerRecord } from './drawing.ts';

const FROZEN = 1;
const WHITE = 7;

/** Adds the layers among the records from the reader's position to `end`. */
export function readLayers(
  reader: RecordReader,
  end: number,
  layers: Map<string, LayerRecord>,
  onBroken: (reader: RecordReader) => void,
): void {
  if (!reader.readTags()) onBroken(reader);
  while (reader.position < end) {
    if (!reader.next()) {
      onBroken(reader);
      continue;
    }
    const { tags } = reader.entity;
    if (tags.type !== 'LAYER') continue;
    const name = textOf(tags, 2);
    layers.set(foldName(name), {
      name,
      colorIndex: integerOf(tags, 62, WHITE),
      trueColor: integerOf(tags, 420, -1),
      linetype: textOf(tags, 6),
      isFrozen: (integerOf(tags, 70, 0) & FROZEN) !== 0,
    });
  }
}

/**
 * Adds the blocks among the records from the reader's position to `end`. If several blocks have the same name, the
 * first is used. Calls `onBrokenEntity` once for each broken entity of a block, regardless of how often the block is
 * inserted. Blocks of layouts are excluded, as their entities are read as entities of the drawing.
 */
export function readBlocks(
  reader: RecordReader,
  end: number,
  blocks: Map<string, BlockRecord>,
  onBroken: (reader: RecordReader) => void,
  onBrokenEntity: (reader: RecordReader) => void,
): void {
  if (!reader.readTags()) onBroken(reader);
  let open: Omit<BlockRecord, 'end'> | null = null;
  const close = (at: number): void => {
    if (open !== null && !blocks.has(foldName(open.name)))
      blocks.set(foldName(open.name), { ...open, end: at });
    open = null;
  };
  while (reader.position < end) {
    if (!reader.next()) {
      const type = reader.broken?.type;
      if (open === null || type === 'BLOCK' || type === 'ENDBLK') onBroken(reader);
      else if (layoutOfBlock(open.name) === null) onBrokenEntity(reader);
      continue;
    }
    const { tags } = reader.entity;
    if (tags.type === 'ENDBLK') close(reader.recordStart);
    else if (tags.type === 'BLOCK') {
      close(reader.recordStart);
      open = {
        name: textOf(tags, 2),
        start: reader.position,
        baseX: realOf(tags, 10),
        baseY: realOf(tags, 20),
        baseZ: realOf(tags, 30),
        flags: integerOf(tags, 70, 0),
        path: textOf(tags, 1),
      };
    }
  }
  close(end);
}

/** The layout whose block has this name; R12 writes a dollar sign. */
export function layoutOfBlock(name: string): 'model' | 'paper' | null {
  const match = /^[*$](MODEL|PAPER)_SPACE\d*$/i.exec(name);
  return match === null ? null : match[1].toUpperCase() === 'MODEL' ? 'model' : 'paper';
}

function textOf(tags: EntityTags, code: number): string {
  const at = tags.find(code);
  return at < 0 ? '' : tags.text(at).trim();
}

function integerOf(tags: EntityTags, code: number, fallback: number): number {
  const at = tags.find(code);
  const value = at < 0 ? fallback : Math.trunc(tags.real(at));
  return Number.isFinite(value) ? value : fallback;
}

function realOf(tags: EntityTags, code: number): number {
  const at = tags.find(code);
  const value = at < 0 ? 0 : tags.real(at);
  return Number.isFinite(value) ? value : 0;
}
