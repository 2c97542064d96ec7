/**
 * Converts entities to features: selects the geometry and attributes of each entity, and skips and reports the others.
 * The reader of a partition adds one entity after another and takes the batch at the end.
 */
import type { AttributeColumn } from '@geomill/core/columns/attribute-column.ts';
import { castBatch } from '@geomill/core/columns/cast.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import { GEOMETRY_TYPE, GeometryBuilder } from '@geomill/core/geometry/geometry-column.ts';
import { failure, type Location } from '@geomill/core/messages/errors.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { field, phrase } from '@geomill/core/messages/message.ts';
import { type InputLimits, tooManyFields } from '@geomill/io/limits.ts';
import {
  type AffineMap,
  type Entity,
  EntityError,
  type EntityTags,
  type ShapeFunction,
  type StrokeOptions,
} from '../contract.ts';
import type { Drawing, EntityScan } from '../head/drawing.ts';
import { dxfFindings } from '../messages.ts';
import { IDENTITY } from '../shapes/affine-map.ts';
import { pen } from '../shapes/pen.ts';
import { BlockLibrary } from './blocks.ts';
import { dimensionShape } from './dimension.ts';
import { DrawingColumns, finished, joined } from './drawing-columns.ts';
import { type Emit, InsertExpander, isUnfolding } from './insert.ts';
import { appendInsertPoints } from './insert-points.ts';
import { OwnColumns } from './own-columns.ts';
import { OwnFeatures } from './own-features.ts';
import { EntityProperties, type Inherited, LayerTable } from './properties.ts';
import { ShapeNotes } from './shape-notes.ts';
import { appendTextFields } from './text-fields.ts';
import { OwnXdata } from './xdata-read.ts';

/**
 * Per partition, since all positions are in memory together. A partition of 8 MiB of text has a million, without blocks
 * and curves.
 */
const MAX_POSITIONS = 1 << 25;

export interface DrawingSettings {
  /** Layouts whose entities become features. */
  readonly layouts: 'model' | 'all';
  /** Whether an INSERT becomes the entities of its block or one point. */
  readonly blocks: 'explode' | 'points';
  /** Features of our own writer get the fields of a drawing too. */
  readonly drawingFields: boolean;
  /** Places of entities without a line are offsets in the file; otherwise only handles say where they are. */
  readonly hasOffsets: boolean;
  readonly stroke: StrokeOptions;
  readonly shapes: ReadonlyMap<string, ShapeFunction>;
}

export class DrawingFeatures {
  readonly #settings: DrawingSettings;
  readonly #limits: InputLimits;
  readonly #findings: Findings;
  readonly #notes: ShapeNotes;
  readonly #builder: GeometryBuilder;
  readonly #properties: EntityProperties;
  readonly #expander: InsertExpander;
  readonly #columns: DrawingColumns;
  readonly #ownColumns: OwnColumns;
  readonly #own: OwnFeatures;
  readonly #xdata = new OwnXdata();
  /** Line of the current entity in the file. */
  #line = 0;
  #offset = 0;
  /** The entity of the layout that is being read; null: none yet. */
  #top: EntityTags | null = null;

  constructor(
    drawing: Drawing,
    scan: EntityScan,
    settings: DrawingSettings,
    limits: InputLimits,
    findings: Findings,
    layerName: string,
  ) {
    this.#settings = settings;
    this.#limits = limits;
    this.#findings = findings;
    this.#notes = new ShapeNotes(findings);
    this.#builder = new GeometryBuilder('XY');
    this.#properties = new EntityProperties(new LayerTable(drawing));
    const library = new BlockLibrary(drawing, scan);
    this.#expander = new InsertExpander(
      library,
      this.#properties,
      findings,
      () => (this.#top === null ? {} : this.#locationOf(this.#top)),
      limits.features,
    );
    const checkFields = (count: number): void => {
      if (count > limits.fields) throw tooManyFields(layerName, `more than ${limits.fields}`, limits.fields);
    };
    this.#columns = new DrawingColumns(findings, checkFields);
    this.#ownColumns = new OwnColumns(checkFields);
    this.#own = new OwnFeatures(this.#builder, scan, settings.shapes, settings.stroke, (tags, error) =>
      this.#skip(tags, error),
    );
  }

  /** Whether the entity belongs to the current feature, so that the partition cannot end before it. */
  continues(entity: Entity): boolean {
    return this.#own.isOpen && this.#xdata.read(entity.tags) && !this.#xdata.isHead;
  }

  /**
   * Adds the entity in bytes `[start, end)`. `line` counts from 1 within the partition; 0 in binary files. An entity
   * that cannot be read is skipped and noted. Throws LIMIT_EXCEEDED.
   */
  add(entity: Entity, start: number, end: number, line: number, isPaperSpace = false): void {
    this.#line = line;
    this.#offset = start;
    this.#top = entity.tags;
    const xdata = this.#xdata;
    const isOwn = xdata.read(entity.tags);
    if (xdata.hasForeign)
      this.#findings.note(
        dxfFindings.XDATA_DROPPED,
        {},
        this.#locationOf(entity.tags),
        1,
        this.#builder.featureCount,
      );
    if (isOwn && (xdata.isHead || this.#own.isOpen)) this.#addOwn(entity, start, end);
    else {
      if (this.#own.isOpen) this.#closeOwn();
      this.#addForeign(entity, isPaperSpace);
    }
  }

  /** The features so far as a batch; null: with the fields that were found. */
  finish(fields: readonly Field[] | null): FeatureBatch {
    if (this.#own.isOpen) this.#closeOwn();
    this.#notes.finish();
    const rowCount = this.#builder.featureCount;
    const { columns } = this.#ownColumns;
    const found = this.#columns.finish(rowCount, columns, this.#settings.drawingFields);
    const ids = columns.filter(({ isId }) => isId).map(({ builder }) => finished(builder, rowCount));
    const batch: FeatureBatch = {
      rowCount,
      geometry: this.#builder.finish(),
      ...found,
      ids: ids.length === 0 ? null : joinedIds(ids, rowCount),
    };
    return fields === null ? batch : castBatch(batch, fields);
  }

  #addOwn(entity: Entity, start: number, end: number): void {
    const own = this.#own;
    const xdata = this.#xdata;
    const { tags } = entity;
    if (xdata.isHead) {
      if (own.isOpen) this.#closeOwn();
      const row = this.#builder.featureCount;
      own.begin(xdata);
      if (!this.#ownColumns.read(tags, xdata.attributesStart, xdata.end, row))
        this.#findings.note(dxfFindings.XDATA_DAMAGED, {}, this.#locationOf(tags), 1, row);
      if (this.#settings.drawingFields) {
        this.#properties.read(tags, null);
        this.#columns.appendEntity(row, tags, this.#properties, null);
      }
    }
    const before = this.#builder.positionCount;
    own.add(entity, xdata, start, end);
    this.#checkPositions(before);
  }

  #closeOwn(): void {
    this.#own.close();
    this.#checkFeatures();
  }

  #addForeign(entity: Entity, isPaperSpace: boolean): void {
    const { tags } = entity;
    const properties = this.#properties;
    properties.read(tags, null);
    if (isPaperSpace) properties.isPaperSpace = true;
    if (properties.isPaperSpace && this.#settings.layouts === 'model') {
      this.#findings.note(dxfFindings.PAPER_SPACE_LEFT_OUT, {}, this.#locationOf(tags));
      return;
    }
    if (!isUnfolding(tags.type)) {
      this.#draw(entity, IDENTITY, null);
      return;
    }
    if (tags.type === 'INSERT' && this.#settings.blocks === 'points') {
      this.#drawPoints(entity);
      return;
    }
    let isShown = false;
    try {
      isShown = this.#expander.expand(entity, isPaperSpace, this.#drawPart);
    } catch (error) {
      this.#skip(tags, error);
      return;
    }
    if (isShown || tags.type === 'INSERT') return;
    this.#findings.note(
      dxfFindings.PICTURE_MISSING,
      { type: tags.type },
      this.#locationOf(tags),
      1,
      this.#builder.featureCount,
    );
    properties.read(tags, null);
    if (isPaperSpace) properties.isPaperSpace = true;
    this.#draw(entity, IDENTITY, null);
  }

  #drawPoints(entity: Entity): void {
    try {
      this.#expander.countCells(entity.tags);
      appendInsertPoints(entity, this.#properties, this.#columns, this.#builder);
    } catch (error) {
      this.#skip(entity.tags, error);
    }
    this.#checkFeatures();
  }

  /** Draws an entity of an unfolded INSERT. */
  readonly #drawPart: Emit = (part, map, inherited, surrounding) => {
    this.#properties.read(part.tags, surrounding);
    if (inherited.isPaperSpace) this.#properties.isPaperSpace = true;
    this.#draw(part, map, inherited);
  };

  /** Draws one entity as one feature, transformed by `map`; `#properties` are its properties. */
  #draw(entity: Entity, map: AffineMap, inherited: Inherited | null): void {
    const { tags } = entity;
    const builder = this.#builder;
    const shape =
      this.#settings.shapes.get(tags.type) ?? (isUnfolding(tags.type) ? dimensionShape : undefined);
    if (shape === undefined) {
      this.#noteSkipped(
        tags.type,
        new EntityError('they have no geometry that can be read'),
        this.#locationOf(tags),
      );
      return;
    }
    const before = builder.positionCount;
    let type: number;
    try {
      type = shape(entity, map, this.#settings.stroke, builder);
    } catch (error) {
      builder.rollback();
      this.#skip(tags, error);
      return;
    }
    if (type === GEOMETRY_TYPE.none) {
      builder.rollback();
      this.#noteSkipped(tags.type, new EntityError('they are empty'), this.#locationOf(tags));
      return;
    }
    this.#checkPositions(before);
    if (pen.notes !== 0)
      this.#notes.add(pen.notes, builder.featureCount, this.#line, () => this.#locationOf(tags));
    const row = builder.featureCount;
    this.#columns.appendEntity(row, tags, this.#properties, inherited);
    appendTextFields(this.#columns, row, tags, map);
    builder.endFeature(type);
    this.#checkFeatures();
  }

  /** Notes an entity that could not be read; rethrows other errors. */
  #skip(tags: EntityTags, error: unknown): void {
    this.#noteSkipped(tags.type, error, this.#locationOf(tags));
  }

  #noteSkipped(type: string, error: unknown, location: Location): void {
    if (!(error instanceof EntityError)) throw error;
    this.#findings.note(dxfFindings.ENTITY_SKIPPED, { type, reason: error.message }, location);
  }

  #locationOf(tags: EntityTags): Location {
    const at = tags.find(5);
    return {
      ...(this.#line > 0 ? { line: this.#line } : this.#settings.hasOffsets ? { offset: this.#offset } : {}),
      ...(at < 0 ? {} : { id: tags.text(at) }),
    };
  }

  #checkPositions(before: number): void {
    const actual = this.#builder.positionCount - before;
    if (actual > this.#limits.coordinatesPerFeature)
      throw failure(generalErrors.LIMIT_EXCEEDED, {
        what: 'the number of positions of a feature',
        actual,
        limit: this.#limits.coordinatesPerFeature,
        setting: 'MAX_FEATURE_COORDINATES',
      });
    if (this.#builder.positionCount > MAX_POSITIONS)
      throw failure(generalErrors.LIMIT_EXCEEDED, {
        what: 'the number of positions that blocks and curves of a part of the drawing unfold to',
        actual: this.#builder.positionCount,
        limit: MAX_POSITIONS,
        setting: phrase`a fixed limit; a greater '${field('input.curve_tolerance')}', or 'points' as '${field('input.blocks')}', needs fewer`,
      });
  }

  #checkFeatures(): void {
    const { featureCount } = this.#builder;
    if (featureCount > this.#limits.features)
      throw failure(generalErrors.LIMIT_EXCEEDED, {
        what: 'the number of features',
        actual: featureCount,
        limit: this.#limits.features,
        setting: 'MAX_FEATURES',
      });
  }
}

/** Ids of several kinds become JSON values, the only column type that distinguishes the number 1 from the text "1". */
function joinedIds(ids: readonly AttributeColumn[], rowCount: number): AttributeColumn {
  return joined(ids, rowCount, 'json');
}
