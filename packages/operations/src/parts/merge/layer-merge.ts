/** Shared by union and dissolve: parts by kind, and which rows were changed, repaired or left out. */
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import {
  type GeometryColumn,
  hasM,
  PART_KIND_MASK,
  strideOf,
} from '@geomill/core/geometry/geometry-column.ts';
import { MAX_LISTED, RowTally } from '@geomill/core/messages/finding-rows.ts';
import { generalFindings } from '@geomill/core/messages/general-findings.ts';
import { stepFindings } from '../../findings.ts';
import type { CollectingHost, StepSetting } from '../../transformation.ts';
import type { FieldAggregate } from '../aggregate.ts';
import { assembleBatches } from './assemble.ts';
import { type Groups, keptGroups } from './groups.ts';
import { LayerRows, MIXED_KINDS } from './layer-rows.ts';
import { isDegenerateLine } from './merge-lines.ts';
import { PartList } from './part-list.ts';

export class LayerMerge {
  readonly layer: LayerRows;
  /** Columns of the batches, by the number of the batch, and after them those of results. */
  readonly columns: GeometryColumn[];
  /** Per row; see LayerRows.kinds. */
  readonly kinds: Uint8Array;
  /** 1 for each row whose geometry has changed. */
  readonly isChanged: Uint8Array;
  readonly #isRepaired: Uint8Array;
  readonly #operation: string;
  readonly #setting: StepSetting;
  readonly #host: CollectingHost;

  constructor(
    batches: readonly FeatureBatch[],
    operation: string,
    setting: StepSetting,
    host: CollectingHost,
  ) {
    this.layer = new LayerRows(batches);
    this.columns = this.layer.batches.map(({ geometry }) => geometry);
    this.kinds = this.layer.kinds();
    this.isChanged = new Uint8Array(this.layer.rowCount);
    this.#isRepaired = new Uint8Array(this.layer.rowCount);
    this.#operation = operation;
    this.#setting = setting;
    this.#host = host;
  }

  readonly onChange = (row: number, wasRepaired: boolean): void => {
    this.isChanged[row] = 1;
    if (wasRepaired) this.#isRepaired[row] = 1;
  };

  /**
   * Parts of one PART_KIND in input order. Parts of collections with several kinds only `withMixed`. Lines of one place
   * are left out and their rows marked as repaired.
   */
  partsOf(kind: number, withMixed: boolean): PartList {
    const list = new PartList(this.columns, Math.max(this.layer.rowCount, 8));
    const { kinds } = this;
    this.layer.batches.forEach(({ geometry, rowCount }, batch) => {
      const { partOffsets, partKinds, ringOffsets } = geometry;
      const firstRow = this.layer.firstRows[batch];
      for (let local = 0; local < rowCount; local++) {
        const rowKind = kinds[firstRow + local];
        if (rowKind !== kind && !(withMixed && rowKind === MIXED_KINDS)) continue;
        for (let part = partOffsets[local]; part < partOffsets[local + 1]; part++)
          if ((partKinds[part] & PART_KIND_MASK) === kind && ringOffsets[part] < ringOffsets[part + 1])
            list.push(batch, part, firstRow + local);
      }
    });
    return list;
  }

  /** The lines of more than one place. */
  drawableLines(withMixed: boolean): PartList {
    const all = this.partsOf(2, withMixed);
    const lines = new PartList(this.columns, Math.max(all.length, 8));
    for (let i = 0; i < all.length; i++) {
      if (isDegenerateLine(all, i)) this.onChange(all.row[i], true);
      else lines.pushFrom(all, i);
    }
    return lines;
  }

  /** Per group, 1: its one row keeps its geometry. */
  untouchedGroups({ count, offsets, rows }: Groups): Uint8Array {
    const isUntouched = new Uint8Array(count);
    for (let group = 0; group < count; group++)
      if (offsets[group + 1] - offsets[group] === 1 && this.isChanged[rows[offsets[group]]] === 0)
        isUntouched[group] = 1;
    return isUntouched;
  }

  /**
   * The result; `parts` are those of all groups that are not untouched. Groups of which repairs left nothing are left
   * out and noted; groups that never had a position stay, without a geometry.
   */
  finish(groups: Groups, parts: PartList, aggregates: readonly FieldAggregate[]): Iterable<FeatureBatch> {
    const partCounts = new Uint32Array(groups.count);
    for (let i = 0; i < parts.length; i++) partCounts[groups.groupOf[parts.row[i]]]++;
    let isUntouched = this.untouchedGroups(groups);
    const isKept = new Uint8Array(groups.count).fill(1);
    const droppedRows: number[] = [];
    for (let group = 0; group < groups.count; group++) {
      if (isUntouched[group] === 1 || partCounts[group] > 0) continue;
      const first = groups.rows[groups.offsets[group]];
      if (!this.#hadPosition(groups, group)) continue;
      isKept[group] = 0;
      droppedRows.push(first);
    }
    const rest = droppedRows.length === 0 ? groups : keptGroups(groups, isKept);
    if (rest !== groups) isUntouched = isUntouched.filter((_, group) => isKept[group] === 1);
    this.#note(stepFindings.GEOMETRY_DROPPED, droppedRows);
    this.#note(stepFindings.GEOMETRY_REPAIRED, rowsWith(this.#isRepaired));
    this.#noteLostM(rest, isUntouched);
    return assembleBatches({
      layer: this.layer,
      groups: rest,
      isUntouched,
      parts,
      aggregates,
      findings: this.#host.findings,
    });
  }

  #hadPosition({ offsets, rows }: Groups, group: number): boolean {
    for (let i = offsets[group]; i < offsets[group + 1]; i++) if (this.kinds[rows[i]] !== 0) return true;
    return false;
  }

  #note(
    entry: typeof stepFindings.GEOMETRY_DROPPED | typeof stepFindings.GEOMETRY_REPAIRED,
    rows: readonly number[],
  ): void {
    const { findings } = this.#host;
    const { layerName } = this.#setting;
    rows.forEach((row, i) => {
      const location = { layer: layerName, record: row + 1 };
      findings.note(entry, { operation: this.#operation }, i < MAX_LISTED ? location : undefined);
    });
  }

  #noteLostM({ offsets, rows, count }: Groups, isUntouched: Uint8Array): void {
    const { layer } = this;
    if (!hasM(layer.dimensions)) return;
    const concerned = new RowTally();
    for (let group = 0; group < count; group++) {
      if (isUntouched[group] === 1) continue;
      for (let i = offsets[group]; i < offsets[group + 1]; i++) {
        const batch = layer.batchOf[rows[i]];
        if (!rowHasM(layer.batches[batch].geometry, rows[i] - layer.firstRows[batch])) continue;
        concerned.add(rows[i]);
        break;
      }
    }
    this.#host.findings.noteTally(generalFindings.M_DROPPED, { format: this.#operation }, concerned);
  }
}

function rowsWith(flags: Uint8Array): number[] {
  const rows: number[] = [];
  for (let row = 0; row < flags.length; row++) if (flags[row] === 1) rows.push(row);
  return rows;
}

function rowHasM(geometry: GeometryColumn, row: number): boolean {
  const { partOffsets, ringOffsets, coordOffsets, coordinates, dimensions } = geometry;
  if (!hasM(dimensions)) return false;
  const stride = strideOf(dimensions);
  const end = coordOffsets[ringOffsets[partOffsets[row + 1]]] * stride;
  let at = coordOffsets[ringOffsets[partOffsets[row]]] * stride + stride - 1;
  for (; at < end; at += stride) if (!Number.isNaN(coordinates[at])) return true;
  return false;
}
