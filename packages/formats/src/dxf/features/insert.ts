/**
 * Unfolds INSERTs into the entities of their blocks: nested, scaled, mirrored, in rows and columns. Also unfolds
 * entities that are drawn by an anonymous block: dimensions and tables.
 *
 * Small files can request any number of entities this way. The number is computed before the first one is made (rows
 * and columns) or counted while they are made (nested blocks), and files beyond the limits are rejected.
 */
import { failure, type Location } from '@geomill/core/messages/errors.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { type AffineMap, type Entity, EntityError, type EntityTags } from '../contract.ts';
import type { BlockRecord } from '../head/drawing.ts';
import { dxfFindings } from '../messages.ts';
import { composed, IDENTITY } from '../shapes/affine-map.ts';
import { ownEnd, realOf } from '../shapes/tag-values.ts';
import { textOf } from '../shapes/text.ts';
import type { BlockLibrary } from './blocks.ts';
import { cellShift, pictureMap, readArray, readFrame, setLocal } from './insert-placement.ts';
import type { AttribValue, EntityProperties, Inherited } from './properties.ts';

/** Greatest nesting of blocks; plans have a few levels. */
const MAX_DEPTH = 64;
/** Entities that one INSERT may unfold to, including nested INSERTs. */
const MAX_ENTITIES_PER_INSERT = 1 << 21;
/** Entities that all INSERTs of a partition may unfold to: a batch is held in memory. */
const MAX_ENTITIES_PER_PARTITION = 1 << 23;
/** INSERTs of a partition that are unfolded, including empty ones: blocks can contain one another in n! ways. */
const MAX_INSERTS_PER_PARTITION = 1 << 22;
/**
 * Values of ATTRIBs that the features of one INSERT, or of the INSERTs of a partition, may have in total: each feature
 * gets all ATTRIBs of its INSERT, so 50,000 ATTRIBs would be 50,000 fields of 50,000 features.
 */
const MAX_VALUES_PER_INSERT = 1 << 21;
const MAX_VALUES_PER_PARTITION = 1 << 25;
/**
 * Bytes of blocks that the INSERTs of a partition may read: a block can be large and produce few entities. Takes some
 * seconds.
 */
const MAX_BLOCK_BYTES_PER_PARTITION = 2 ** 31;
/** Code 70 of BLOCK: an external reference, attached or overlaid. */
const EXTERNAL = 4 | 8;
/** Code 70 of ATTDEF: the text is the same in each INSERT, so it is drawn with the block. */
const CONSTANT = 2;

/** Entities drawn by an anonymous block that is named in their code 2. */
const DIMENSIONS = new Set(['DIMENSION', 'ARC_DIMENSION', 'LARGE_RADIAL_DIMENSION']);
/** Entities that are drawn as the content of a block. */
export const UNFOLDING_TYPES: ReadonlySet<string> = new Set(['INSERT', 'ACAD_TABLE', ...DIMENSIONS]);

/**
 * Receives the parts of an unfolded INSERT: an entity and its `map`, both valid until the call returns, and
 * `inherited`, the values from the outermost INSERT. `surrounding` is the meaning of layer 0 and ByBlock for the
 * entity; null outside of all blocks, as for ATTRIBs, which are beside the block of their INSERT.
 */
export type Emit = (
  entity: Entity,
  map: AffineMap,
  inherited: Inherited,
  surrounding: Inherited | null,
) => void;

export function isUnfolding(type: string): boolean {
  return UNFOLDING_TYPES.has(type);
}

export function isDimension(type: string): boolean {
  return DIMENSIONS.has(type);
}

export class InsertExpander {
  readonly #library: BlockLibrary;
  readonly #properties: EntityProperties;
  readonly #findings: Findings;
  readonly #locate: () => Location;
  readonly #maxSum: number;
  readonly #open: BlockRecord[] = [];
  /** Number of entities that one insertion of a block unfolds to, for blocks inserted before. */
  readonly #sizes = new Map<BlockRecord, number>();
  /** Number of INSERTs that were skipped although their block exists: a block that contains one has no known size. */
  #cutCount = 0;
  /** Maps from the innermost block to the world, by nesting depth. */
  readonly #maps: AffineMap[] = [];
  readonly #local: AffineMap = new Float64Array(12);
  #name = '';
  #entityCount = 0;
  /** Number of INSERTs so far, including empty ones: blocks can contain one another in n! ways. */
  #insertCount = 0;
  #partitionInsertCount = 0;
  #partitionBlockBytes = 0;
  #partitionCount = 0;
  #valueCount = 0;
  #partitionValueCount = 0;

  /**
   * `properties` is used for nested entities: its content from the caller is overwritten. `maxFeatures` is the job's
   * limit.
   */
  /** `locate`: the location of the entity of the layout that is unfolded. */
  constructor(
    library: BlockLibrary,
    properties: EntityProperties,
    findings: Findings,
    locate: () => Location,
    maxFeatures: number,
  ) {
    this.#locate = locate;
    this.#library = library;
    this.#properties = properties;
    this.#findings = findings;
    this.#maxSum = Math.min(maxFeatures, MAX_ENTITIES_PER_PARTITION);
  }

  /**
   * Unfolds an INSERT, DIMENSION or ACAD_TABLE of a layout. Returns false and emits nothing if there is no block to
   * show (reported for INSERTs, which cannot be drawn otherwise).
   */
  expand(entity: Entity, isPaperSpace: boolean, emit: Emit): boolean {
    this.#begin(entity.tags);
    this.#properties.read(entity.tags, null);
    if (isPaperSpace) this.#properties.isPaperSpace = true;
    const isEmitted = this.#unfold(entity, IDENTITY, null, emit);
    this.#partitionCount += this.#entityCount;
    return isEmitted;
  }

  /** Checks the rows and columns of an INSERT that is not unfolded against the limits. Throws LIMIT_EXCEEDED. */
  countCells(tags: EntityTags): void {
    this.#begin(tags);
    const { columns, rows } = readArray(tags);
    this.#count(columns * rows);
    this.#partitionCount += this.#entityCount;
  }

  #begin(tags: EntityTags): void {
    this.#entityCount = 0;
    this.#valueCount = 0;
    this.#insertCount = 0;
    this.#open.length = 0;
    const at = tags.find(2);
    this.#name = at < 0 ? '' : tags.text(at);
  }

  /** `#properties` are those of the entity. */
  #unfold(entity: Entity, map: AffineMap, outer: Inherited | null, emit: Emit): boolean {
    const { tags, parts } = entity;
    const isInsert = tags.type === 'INSERT';
    if (++this.#insertCount > MAX_ENTITIES_PER_INSERT) this.#checkCount(this.#insertCount);
    if (++this.#partitionInsertCount > MAX_INSERTS_PER_PARTITION)
      throw failure(generalErrors.LIMIT_EXCEEDED, {
        what: `the number of INSERTs to follow, those in blocks included, the last one of block '${this.#name}'`,
        actual: this.#partitionInsertCount,
        limit: MAX_INSERTS_PER_PARTITION,
        setting: 'a fixed limit',
      });
    const at = tags.find(2);
    const name = at < 0 ? '' : tags.text(at);
    const attribs = isInsert ? attribValues(parts) : [];
    if (outer !== null && attribs.length > 0) this.#countValues(attribs.length + outer.attribs.length);
    const inherited = this.#properties.handOn(tags, isInsert ? name : null, attribs, outer);
    const block = this.#admitted(name, isInsert);
    if (isInsert) {
      if (block !== null) this.#checkClip(tags);
      if (attribs.length > 0) this.#attribs(entity, map, outer, inherited, emit);
      if (block !== null) this.#cells(tags, block, map, inherited, emit);
    } else if (block !== null) {
      this.#open.push(block);
      this.#visit(block, this.#visitor(pictureMap(tags, block, map), inherited, emit));
      this.#open.pop();
    }
    return block !== null;
  }

  #checkClip(tags: EntityTags): void {
    if (!this.#library.isClipped(tags)) return;
    const at = tags.find(5);
    this.#findings.note(dxfFindings.CLIP_IGNORED, {}, at < 0 ? undefined : { id: tags.text(at) });
  }

  /** The ATTRIBs of an INSERT, which are drawn beside the block, at their own positions and on their own layers. */
  #attribs(
    { tags, parts }: Entity,
    map: AffineMap,
    outer: Inherited | null,
    inherited: Inherited,
    emit: Emit,
  ): void {
    const { columns, rows, columnSpacing, rowSpacing } = readArray(tags);
    this.#checkCount(columns * rows);
    const frame = readFrame(tags);
    for (let row = 0; row < rows; row++)
      for (let column = 0; column < columns; column++) {
        const isFirst = row === 0 && column === 0;
        const cell = isFirst
          ? map
          : composed(map, cellShift(frame, column * columnSpacing, row * rowSpacing));
        for (const part of parts) {
          if (part.type !== 'ATTRIB') continue;
          this.#count(1);
          this.#countValues(inherited.attribs.length);
          emit({ tags: part, parts: [] }, cell, inherited, outer);
        }
      }
  }

  /** The block, or null if it cannot be shown here. */
  #admitted(name: string, isInsert: boolean): BlockRecord | null {
    const block = this.#library.find(name);
    if (block === undefined) {
      if (isInsert) this.#findings.note(dxfFindings.BLOCK_MISSING, { block: name }, this.#locate());
      return null;
    }
    if ((block.flags & EXTERNAL) !== 0 && block.end <= block.start) {
      this.#findings.note(dxfFindings.EXTERNAL_REFERENCE, { block: name, path: block.path }, this.#locate());
      return null;
    }
    if (this.#open.includes(block)) {
      this.#cutCount++;
      this.#findings.note(dxfFindings.BLOCK_CIRCULAR, { block: name }, this.#locate());
      return null;
    }
    if (this.#open.length >= MAX_DEPTH) {
      this.#cutCount++;
      this.#findings.note(dxfFindings.BLOCK_TOO_DEEP, { depth: MAX_DEPTH }, this.#locate());
      return null;
    }
    return block;
  }

  #cells(tags: EntityTags, block: BlockRecord, map: AffineMap, inherited: Inherited, emit: Emit): void {
    const size = this.#sizes.get(block);
    // The block is empty at every depth: any number of insertions adds nothing.
    if (size === 0) return;
    const { columns, rows, columnSpacing, rowSpacing } = readArray(tags);
    this.#checkCount(columns * rows * (size ?? 1));
    const frame = readFrame(tags);
    this.#open.push(block);
    const depth = this.#open.length;
    this.#maps[depth] ??= new Float64Array(12);
    const content = this.#maps[depth];
    const cuts = this.#cutCount;
    const visit = this.#visitor(content, inherited, emit);
    for (let row = 0; row < rows; row++)
      for (let column = 0; column < columns; column++) {
        const before = this.#entityCount;
        setLocal(this.#local, frame, block, column * columnSpacing, row * rowSpacing);
        composed(map, frame.ocs === null ? this.#local : composed(frame.ocs, this.#local), content);
        this.#visit(block, visit);
        if (size === undefined && this.#cutCount === cuts) {
          this.#sizes.set(block, this.#entityCount - before);
          if (this.#entityCount === before) {
            this.#open.pop();
            return;
          }
        }
      }
    this.#open.pop();
  }

  #visit(block: BlockRecord, visit: (entity: Entity) => void): void {
    this.#partitionBlockBytes += block.end - block.start;
    if (this.#partitionBlockBytes > MAX_BLOCK_BYTES_PER_PARTITION)
      throw failure(generalErrors.LIMIT_EXCEEDED, {
        what: `the number of bytes of blocks that INSERTs bring in, the last one of block '${this.#name}'`,
        actual: this.#partitionBlockBytes,
        limit: MAX_BLOCK_BYTES_PER_PARTITION,
        setting: 'a fixed limit',
      });
    this.#library.visit(block, visit);
  }

  /** The visitor for entities of a block that `map` transforms to the world. */
  #visitor(map: AffineMap, inherited: Inherited, emit: Emit): (entity: Entity) => void {
    return (entity) => {
      const { tags } = entity;
      if (isUnfolding(tags.type)) {
        if (this.#nested(entity, map, inherited, emit) || tags.type === 'INSERT') return;
      } else if (tags.type === 'ATTDEF' && !isConstant(tags)) return;
      this.#count(1);
      this.#countValues(inherited.attribs.length);
      emit(entity, map, inherited, inherited);
    };
  }

  /** Unfolds an INSERT or picture within a block. If it cannot be read, only it is skipped. */
  #nested(entity: Entity, map: AffineMap, outer: Inherited, emit: Emit): boolean {
    const depth = this.#open.length;
    const { tags } = entity;
    try {
      this.#properties.read(tags, outer);
      return this.#unfold(entity, map, outer, emit);
    } catch (error) {
      if (!(error instanceof EntityError)) throw error;
      this.#open.length = depth;
      this.#findings.note(
        dxfFindings.ENTITY_SKIPPED,
        { type: tags.type, reason: error.message },
        this.#locate(),
      );
      return true;
    }
  }

  #count(entities: number): void {
    this.#entityCount += entities;
    this.#checkCount(0);
  }

  #countValues(values: number): void {
    this.#valueCount += values;
    this.#partitionValueCount += values;
    const isOwn = this.#valueCount > MAX_VALUES_PER_INSERT;
    if (!isOwn && this.#partitionValueCount <= MAX_VALUES_PER_PARTITION) return;
    throw failure(generalErrors.LIMIT_EXCEEDED, {
      what: isOwn
        ? `the number of ATTRIB values that the entities of an INSERT of block '${this.#name}' have`
        : 'the number of ATTRIB values that the entities of INSERTs have',
      actual: isOwn ? this.#valueCount : this.#partitionValueCount,
      limit: isOwn ? MAX_VALUES_PER_INSERT : MAX_VALUES_PER_PARTITION,
      setting: 'a fixed limit',
    });
  }

  /** Throws LIMIT_EXCEEDED if `more` entities would exceed a limit. */
  #checkCount(more: number): void {
    const own = this.#entityCount + more;
    const sum = this.#partitionCount + own;
    if (own > MAX_ENTITIES_PER_INSERT)
      throw failure(generalErrors.LIMIT_EXCEEDED, {
        what: `the number of entities that an INSERT of block '${this.#name}' unfolds to`,
        actual: own,
        limit: MAX_ENTITIES_PER_INSERT,
        setting: 'a fixed limit',
      });
    if (sum > this.#maxSum)
      throw failure(generalErrors.LIMIT_EXCEEDED, {
        what: 'the number of entities that INSERTs unfold to',
        actual: sum,
        limit: this.#maxSum,
        setting: this.#maxSum < MAX_ENTITIES_PER_PARTITION ? 'MAX_FEATURES' : 'a fixed limit',
      });
  }
}

export function attribValues(parts: readonly EntityTags[]): AttribValue[] {
  const values: AttribValue[] = [];
  for (const part of parts) {
    if (part.type !== 'ATTRIB') continue;
    const tagAt = part.find(2);
    if (tagAt >= 0) values.push({ tag: part.text(tagAt), text: textOf(part) ?? '' });
  }
  return values;
}

function isConstant(tags: EntityTags): boolean {
  return (realOf(tags, 70, 0, 0, ownEnd(tags)) & CONSTANT) !== 0;
}
