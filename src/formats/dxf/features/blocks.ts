/** The contents of blocks, read when an INSERT first asks for them. */
import type { Entity, EntityTags } from '../contract.ts';
import { clipHandle } from '../head/clips.ts';
import { type BlockRecord, type Drawing, type EntityScan, foldName } from '../head/drawing.ts';
import { keepEntity } from '../tags/kept-tags.ts';

/** Blocks beyond are scanned anew each time: kept, an entity takes about three times its bytes in the file. */
const MAX_KEPT_BLOCK_BYTES = 1 << 20;
const MAX_KEPT_BYTES = 1 << 24;

interface KeptBlocks {
  readonly entities: Map<BlockRecord, readonly Entity[]>;
  readonly wasRead: Set<BlockRecord>;
  byteLength: number;
}

/** By drawing and held weakly: contents serve all partitions of a job that a worker reads, and go with the job. */
const keptByDrawing = new WeakMap<Drawing, KeptBlocks>();

export class BlockLibrary {
  readonly #drawing: Drawing;
  readonly #scan: EntityScan;
  readonly #kept: KeptBlocks;

  constructor(drawing: Drawing, scan: EntityScan) {
    this.#drawing = drawing;
    this.#scan = scan;
    let kept = keptByDrawing.get(drawing);
    if (kept === undefined) {
      kept = { entities: new Map(), wasRead: new Set(), byteLength: 0 };
      keptByDrawing.set(drawing, kept);
    }
    this.#kept = kept;
  }

  find(name: string): BlockRecord | undefined {
    return this.#drawing.blocks.get(foldName(name));
  }

  isClipped(insert: EntityTags): boolean {
    const clips = this.#drawing.clipDictionaries;
    if (clips.size === 0) return false;
    const handle = clipHandle(insert);
    return handle !== null && clips.has(handle);
  }

  /** Calls `visit` with each entity of the block; they are valid until it returns. Visits may nest. */
  visit(block: BlockRecord, visit: (entity: Entity) => void): void {
    const entities = this.#kept.entities.get(block) ?? this.#keep(block);
    if (entities === null) this.#scan(block.start, block.end, visit);
    else for (const entity of entities) visit(entity);
  }

  /** The entities, from the second time on that they are asked for: most blocks of plans are inserted once. */
  #keep(block: BlockRecord): readonly Entity[] | null {
    const kept = this.#kept;
    const byteLength = block.end - block.start;
    if (byteLength > MAX_KEPT_BLOCK_BYTES || kept.byteLength + byteLength > MAX_KEPT_BYTES) return null;
    if (!kept.wasRead.has(block)) {
      kept.wasRead.add(block);
      return null;
    }
    const entities: Entity[] = [];
    this.#scan(block.start, block.end, (entity) => {
      entities.push(keepEntity(entity));
    });
    kept.entities.set(block, entities);
    kept.byteLength += byteLength;
    return entities;
  }
}
