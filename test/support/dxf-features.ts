/** Reads features of a drawing given as lists of entities, without a file. */
import { valueAt } from '../../packages/core/src/columns/attribute-column.ts';
import type { FeatureBatch } from '../../packages/core/src/columns/feature-batch.ts';
import { GEOMETRY_TYPE_NAMES, strideOf } from '../../packages/core/src/geometry/geometry-column.ts';
import { type Finding, Findings } from '../../packages/core/src/messages/findings.ts';
import type { Entity } from '../../packages/formats/src/dxf/contract.ts';
import {
  DrawingFeatures,
  type DrawingSettings,
} from '../../packages/formats/src/dxf/features/drawing-features.ts';
import type {
  BlockRecord,
  Drawing,
  EntityScan,
  LayerRecord,
} from '../../packages/formats/src/dxf/head/drawing.ts';
import { foldName } from '../../packages/formats/src/dxf/head/drawing.ts';
import { SHAPES } from '../../packages/formats/src/dxf/shapes/shapes.ts';
import type { InputLimits } from '../../packages/io/src/limits.ts';
import { LINES } from './dxf-entity.ts';
import { DEFAULT_INPUT_LIMITS } from './limits.ts';

export interface BlockSketch {
  readonly entities: readonly Entity[];
  readonly base?: readonly [x: number, y: number, z: number];
  readonly flags?: number;
  readonly path?: string;
}

export interface Sketch {
  readonly layers?: readonly Partial<LayerRecord>[];
  readonly blocks?: Readonly<Record<string, BlockSketch>>;
  readonly entities: readonly Entity[];
  readonly clipDictionaries?: readonly string[];
  readonly settings?: Partial<DrawingSettings>;
  readonly limits?: Partial<InputLimits>;
}

export interface SketchFeature {
  readonly type: string;
  /** Parts, their rings, their positions. */
  readonly parts: number[][][][];
  readonly id: unknown;
  readonly fields: Record<string, unknown>;
}

export interface Read {
  readonly batch: FeatureBatch;
  readonly features: readonly SketchFeature[];
  readonly findings: readonly Finding[];
}

/** The location of an entity is its index; entities of block number n start at 1000 * (n + 1). */
export function readSketch(sketch: Sketch): Read {
  const places: Entity[] = [...sketch.entities];
  const blocks = new Map<string, BlockRecord>();
  let next = 1000;
  for (const [name, { entities, base = [0, 0, 0], flags = 0, path = '' }] of Object.entries(
    sketch.blocks ?? {},
  )) {
    entities.forEach((entity, i) => {
      places[next + i] = entity;
    });
    const [baseX, baseY, baseZ] = base;
    const end = next + entities.length;
    blocks.set(foldName(name), { name, start: next, end, baseX, baseY, baseZ, flags, path });
    next = end + 1000;
  }
  const layers = new Map<string, LayerRecord>();
  for (const layer of sketch.layers ?? []) {
    const record = {
      name: '0',
      colorIndex: 7,
      trueColor: -1,
      linetype: 'Continuous',
      isFrozen: false,
      ...layer,
    };
    layers.set(foldName(record.name), record);
  }
  const drawing: Drawing = { layers, blocks, clipDictionaries: new Set(sketch.clipDictionaries) };
  const scan: EntityScan = (start, end, visit) => {
    for (let i = start; i < end; i++) visit(places[i]);
  };
  const findings = new Findings();
  const features = new DrawingFeatures(
    drawing,
    scan,
    {
      layouts: 'model',
      blocks: 'explode',
      drawingFields: false,
      hasOffsets: true,
      stroke: LINES,
      shapes: SHAPES,
      ...sketch.settings,
    },
    { ...DEFAULT_INPUT_LIMITS, ...sketch.limits },
    findings,
    'drawing',
  );
  sketch.entities.forEach((entity, i) => {
    features.add(entity, i, i + 1, 2 * i + 1);
  });
  const batch = features.finish(null);
  return { batch, features: featuresOf(batch), findings: findings.list() };
}

export function featuresOf(batch: FeatureBatch): SketchFeature[] {
  const { geometry } = batch;
  const stride = strideOf(geometry.dimensions);
  const features: SketchFeature[] = [];
  for (let row = 0; row < batch.rowCount; row++) {
    const parts: number[][][][] = [];
    for (let part = geometry.partOffsets[row]; part < geometry.partOffsets[row + 1]; part++) {
      const rings: number[][][] = [];
      for (let ring = geometry.ringOffsets[part]; ring < geometry.ringOffsets[part + 1]; ring++) {
        const positions: number[][] = [];
        for (let at = geometry.coordOffsets[ring]; at < geometry.coordOffsets[ring + 1]; at++) {
          const position = [...geometry.coordinates.subarray(at * stride, (at + 1) * stride)];
          positions.push(position.filter((ordinate) => !Number.isNaN(ordinate)));
        }
        rings.push(positions);
      }
      parts.push(rings);
    }
    const fields: Record<string, unknown> = {};
    batch.fields.forEach(({ name }, i) => {
      const value = valueAt(batch.columns[i], row);
      if (value !== null) fields[name] = value;
    });
    features.push({
      type: GEOMETRY_TYPE_NAMES[geometry.types[row]],
      parts,
      id: batch.ids === null ? null : valueAt(batch.ids, row),
      fields,
    });
  }
  return features;
}
