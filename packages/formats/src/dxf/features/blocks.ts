/** Reads the contents of blocks when an INSERT first needs them. */
import type { Entity, EntityTags } from '../contract.ts';
import { clipHandle } from '../head/clips.ts';
import { type BlockRecord, type Drawing, type EntityScan, foldName } from '../head/drawing.ts';
import { keepEntity } from '../tags/kept-tags.ts';

/** Larger blocks are scanned again each time: in memory, an entity takes about three times its bytes in the file. */
const MAX_KEPT_BLOCK_BYTES = 1 << 20;
const MAX_KEPT_BYTES = 1 << 24;

interface KeptBlocks {
  readonly entities: Map<BlockRecord, readonly Entity[]>;
  readonly wasRead: Set<BlockRecord>;
  byteLength: number;
}

/**
 * By drawing, with weak keys: contents serve all partitions of a job that a worker reads and are released with the job.
 */
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

  /** Calls `visit` with each entity of the block, which is valid until `visit` returns. Visits may be nested. */
  visit(block: BlockRecord, visit: (entity: Entity) => void): void {
    const entities = this.#kept.entities.get(block) ?? this.#keep(block);
    if (entities === null) this.#scan(block.start, block.end, visit);
    else for (const entity of entities) visit(entity);
  }

  /** The kept entities from the second request on: most blocks of plans are inserted only once. */
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
