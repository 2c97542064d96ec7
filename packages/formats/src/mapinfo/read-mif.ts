/** Reads MIF and MID files: see docs/formats/mif.md for the rules. A partition is a range of objects, from 0. */
import type { AttributeColumn } from '@geomill/core/columns/attribute-column.ts';
import { failure, type Location } from '@geomill/core/messages/errors.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import { Findings } from '@geomill/core/messages/findings.ts';
import { LF } from '@geomill/core/text/ascii.ts';
import { withSegment } from '@geomill/io/file-segment.ts';
import { unpackedSet } from '../packed-set.ts';
import type { FormatReader, Partition, PartitionRead, PartitionRequest, SourceLayer } from '../reader.ts';
import { mapInfoErrors, mapInfoFindings } from './messages.ts';
import { readMidRows } from './mid-rows.ts';
import { MifObjects } from './mif-objects.ts';
import { MifTokens } from './mif-tokens.ts';
import { ObjectBuilder } from './object-builder.ts';
import { type MifMark, type MifState, openMif } from './open-mif.ts';
import { StyleColumns } from './styles.ts';
import { TextColumns } from './text-columns.ts';

function readPartition(layer: SourceLayer, partition: Partition, request: PartitionRequest): PartitionRead {
  const state = layer.state as MifState;
  const findings = new Findings();
  const at = state.marks.findIndex(({ record }) => record === partition.start);
  const [mark, next] = [state.marks[at], state.marks[at + 1]];
  const rowCount = partition.end - partition.start;
  const hasFields = request.fields?.length !== 0;
  const read = readObjects(state, mark, next, request, hasFields, findings);
  let columns: AttributeColumn[] = [];
  if (hasFields) {
    const { mid } = state;
    const bytes =
      mid === null
        ? new Uint8Array(0)
        : withSegment(mid, (source) => source.slice(mark.midOffset, next.midOffset));
    const place = { file: mid?.name ?? state.mif.name, ...state };
    columns = [...readMidRows(bytes, rowCount, place, findings), ...read.columns];
  }
  return {
    batch: {
      rowCount,
      geometry: read.builder.finish(findings),
      fields: hasFields ? state.fields : [],
      columns,
      ids: null,
    },
    nextStart: partition.end,
    recordCount: rowCount,
    lineCount: next.line - (at === 0 ? 0 : mark.line),
    findings: findings.found(),
  };
}

function readObjects(
  state: MifState,
  mark: MifMark,
  next: MifMark,
  { limits }: PartitionRequest,
  hasFields: boolean,
  findings: Findings,
): { readonly builder: ObjectBuilder; readonly columns: AttributeColumn[] } {
  const bytes = withSegment(state.mif, (source) => source.slice(mark.mifOffset, next.mifOffset));
  // Lines of the first partition include those of the head.
  const linesBefore = mark.record === 0 ? mark.line : 0;
  let record = 1;
  const locate = (): Location => ({
    layer: state.layer,
    record,
    line: linesBefore + linesUntil(bytes, tokens.at) + 1,
  });
  const refuse = (reason: string): never => {
    throw failure(mapInfoErrors.MAPINFO_FILE, { file: state.mif.name, reason }, locate());
  };
  const tokens = new MifTokens(bytes, 0, bytes.length, refuse);
  const builder = new ObjectBuilder(limits.coordinatesPerFeature, locate, refuse);
  const objects = new MifObjects(tokens, builder, state, refuse);
  const texts = hasFields && state.hasTexts ? new TextColumns() : null;
  const styles = hasFields && state.hasStyles ? new StyleColumns() : null;
  const textRows = new RowTally();
  const count = Math.min(next.record, state.objectCount) - mark.record;
  for (; record <= count; record++) {
    objects.read(record);
    if (objects.text !== null) textRows.add(record - 1);
    texts?.add(objects.text);
    styles?.add(objects.style);
  }
  if (tokens.more()) refuse(`${tokens.shown()} belongs to no object`);
  for (; record <= next.record - mark.record; record++) {
    builder.none();
    texts?.add(null);
    styles?.add(null);
  }
  findings.noteTally(
    mapInfoFindings.MAPINFO_TEXT_AS_POINT,
    { field: state.fields[state.columns.length]?.name ?? '' },
    textRows,
  );
  return { builder, columns: [...(texts?.finish() ?? []), ...(styles?.finish() ?? [])] };
}

function linesUntil(bytes: Uint8Array, end: number): number {
  let lines = 0;
  for (let at = bytes.indexOf(LF); at >= 0 && at < end; at = bytes.indexOf(LF, at + 1)) lines++;
  return lines;
}

export const reader: FormatReader = {
  typing: 'declared',
  mixedType: 'string',
  ids: 'none',
  open: openMif,
  readPartition,
  unpackedSet({ state }) {
    const { packed } = state as MifState;
    return packed === null ? null : unpackedSet(packed);
  },
};
