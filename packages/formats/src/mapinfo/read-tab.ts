/** Reads MapInfo tables: see docs/formats/mapinfo.md for the rules. A partition is a range of rows, from 0. */
import type { AttributeColumn } from '@geomill/core/columns/attribute-column.ts';
import { failure, type Location } from '@geomill/core/messages/errors.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import { Findings } from '@geomill/core/messages/findings.ts';
import { openSegment, withSegment } from '@geomill/io/file-segment.ts';
import { unpackedSet } from '../packed-set.ts';
import type { FormatReader, Partition, PartitionRead, PartitionRequest, SourceLayer } from '../reader.ts';
import { datRows, isDeleted, readCells } from './dat-table.ts';
import { MapFile } from './map-file.ts';
import { MapObjects } from './map-objects.ts';
import { MapTools } from './map-tools.ts';
import { mapInfoErrors, mapInfoFindings } from './messages.ts';
import { ObjectBuilder } from './object-builder.ts';
import { ID_BYTES, openTab, type TabState } from './open-tab.ts';
import { StyleColumns } from './styles.ts';
import { TextColumns } from './text-columns.ts';

function readPartition(
  layer: SourceLayer,
  { start, end }: Partition,
  request: PartitionRequest,
): PartitionRead {
  const state = layer.state as TabState;
  const findings = new Findings();
  const hasFields = request.fields?.length !== 0;
  const offsets = objectOffsets(state, start, end);
  const rows = withSegment(state.data, (source) => datRows(source, state.table, start, end));
  const kept: number[] = [];
  const deleted = new RowTally();
  for (let row = 0; row < rows.count; row++) {
    // A deleted row without an object is none; MapInfo shows one that still has an object.
    if (isDeleted(rows, row) && offsets[row] === 0) deleted.add(-1, row + 1);
    else kept.push(row);
  }
  findings.noteTally(mapInfoFindings.MAPINFO_ROW_DELETED, {}, deleted);
  const read = readObjects(state, offsets, kept, request, hasFields, findings);
  const numbers = Int32Array.from(kept);
  const columns = hasFields
    ? [...readCells(state.table, rows, numbers, state.columns, state.encoding, findings), ...read.columns]
    : [];
  return {
    batch: {
      rowCount: kept.length,
      geometry: read.builder.finish(findings),
      fields: hasFields ? state.fields : [],
      columns,
      ids: null,
    },
    nextStart: end,
    recordCount: end - start,
    lineCount: 0,
    findings: findings.found(),
  };
}

/** Where the objects of the rows are in the .map; 0: a row has none. */
function objectOffsets({ id }: TabState, start: number, end: number): Uint32Array {
  const offsets = new Uint32Array(end - start);
  if (id === null) return offsets;
  const bytes = withSegment(id, (source) => source.slice(start * ID_BYTES, end * ID_BYTES));
  const view = new DataView(bytes.buffer);
  // The .id may be shorter than the table.
  for (let i = 0; i < Math.floor(bytes.length / ID_BYTES); i++)
    offsets[i] = view.getUint32(i * ID_BYTES, true);
  return offsets;
}

function readObjects(
  state: TabState,
  offsets: Uint32Array,
  kept: readonly number[],
  { limits }: PartitionRequest,
  hasFields: boolean,
  findings: Findings,
): { readonly builder: ObjectBuilder; readonly columns: AttributeColumn[] } {
  let record = 1;
  const locate = (): Location => ({ layer: state.layer, record });
  const refuse = (reason: string): never => {
    const file = state.map?.name ?? state.layer;
    throw failure(mapInfoErrors.MAPINFO_FILE, { file, reason: `row ${record}: ${reason}` }, locate());
  };
  const builder = new ObjectBuilder(limits.coordinatesPerFeature, locate, refuse);
  const { map, header } = state;
  if (map === null || header === null) {
    for (let i = 0; i < kept.length; i++) builder.none();
    return { builder, columns: [] };
  }
  using source = openSegment(map);
  const tools = hasFields && state.hasStyles ? new MapTools(source, header) : null;
  const objects = new MapObjects(
    new MapFile(source, header, refuse),
    builder,
    { tools, encoding: state.encoding },
    refuse,
  );
  const texts = hasFields && state.hasTexts ? new TextColumns() : null;
  const styles = hasFields && state.hasStyles ? new StyleColumns() : null;
  const textRows = new RowTally();
  for (const [row, number] of kept.entries()) {
    record = number + 1;
    const offset = offsets[number];
    if (offset === 0) builder.none();
    else objects.read(offset, record);
    const text = offset === 0 ? null : objects.text;
    if (text !== null) textRows.add(row, record);
    texts?.add(text);
    styles?.add(offset === 0 ? null : objects.style);
  }
  const field = state.fields[state.columns.length]?.name ?? '';
  findings.noteTally(mapInfoFindings.MAPINFO_TEXT_AS_POINT, { field }, textRows);
  return { builder, columns: [...(texts?.finish() ?? []), ...(styles?.finish() ?? [])] };
}

export const reader: FormatReader = {
  typing: 'declared',
  mixedType: 'string',
  ids: 'none',
  open: openTab,
  readPartition,
  unpackedSet({ state }) {
    const { packed } = state as TabState;
    return packed === null ? null : unpackedSet(packed);
  },
};
