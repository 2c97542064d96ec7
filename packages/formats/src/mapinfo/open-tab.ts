/** Opens MapInfo tables: the .tab, the rows of the .dat or .dbf, and the objects of the .map by the .id. */
import type { Field } from '@geomill/core/columns/schema.ts';
import { UniqueNames } from '@geomill/core/columns/unique-names.ts';
import { failure, GeomillError } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { field } from '@geomill/core/messages/message.ts';
import { type FileSegment, withSegment } from '@geomill/io/file-segment.ts';
import { checkFieldCount } from '@geomill/io/limits.ts';
import { ScratchSpace } from '@geomill/io/scratch-space.ts';
import { latin1Text } from '@geomill/platform/bytes.ts';
import { type FileSet, type FileSetKind, findFileSets } from '../file-sets.ts';
import { formatFindings } from '../findings.ts';
import { type PackedSet, unpackedSet } from '../packed-set.ts';
import {
  CRS_WITHOUT_POSITIONS,
  type InputFile,
  type OpenContext,
  type Partition,
  type SourceLayer,
} from '../reader.ts';
import { decoded, encodingOf, latin1Bytes } from './charset.ts';
import { type MapInfoColumn, parseColumns } from './columns.ts';
import { crsOfCoordSys } from './crs-of-coord-sys.ts';
import { type DatTable, openDat } from './dat-table.ts';
import { type MapHeader, readMapHeader } from './map-file.ts';
import { mapInfoErrors, mapInfoFindings } from './messages.ts';
import { styleFields } from './styles.ts';
import { parseTab } from './tab-definition.ts';
import { textFields } from './text-columns.ts';

type Part = '.tab' | '.dat' | '.dbf' | '.map' | '.id';

const KIND: FileSetKind<Part> = {
  parts: ['.tab', '.dat', '.dbf', '.map', '.id'],
  isMain: (start) => /^\s*!table\b/i.test(latin1Text(start.subarray(0, 64)).replace(/^\xef\xbb\xbf/, '')),
  expected: 'a .tab of MapInfo, or a zip archive with it and its other files',
  one: 'MapInfo table',
  missing: (source, found) =>
    failure(mapInfoErrors.MAPINFO_MEMBER_MISSING, { source, member: '.tab file', found }),
};

const TAB_BYTES = 1 << 20;
const SAMPLE_BYTES = 1 << 20;
const ID_BYTES = 4;
const TEXT_COUNT = 0x148;

/** What a worker needs to read a partition. */
export interface TabState {
  readonly layer: string;
  readonly data: FileSegment;
  readonly map: FileSegment | null;
  readonly id: FileSegment | null;
  readonly packed: PackedSet | null;
  readonly table: DatTable;
  readonly header: MapHeader | null;
  readonly columns: readonly MapInfoColumn[];
  readonly encoding: string;
  readonly hasStyles: boolean;
  readonly hasTexts: boolean;
  /** All fields, those of styles and texts at the end. */
  readonly fields: readonly Field[];
}

export async function openTab(file: InputFile, context: OpenContext): Promise<readonly SourceLayer[]> {
  const { sets } = await findFileSets(file, KIND, context);
  const scratch = context.scratch ?? new ScratchSpace();
  const layers: SourceLayer[] = [];
  const skipped: { readonly name: string; readonly error: GeomillError }[] = [];
  for (const set of sets) {
    const unpacked = set.packed === null ? null : unpackedSet(set.packed);
    if (unpacked !== null) await scratch.hold(unpacked);
    try {
      layers.push(openSet(set, context));
    } catch (error) {
      if (!(error instanceof GeomillError) || error.code !== mapInfoErrors.MAPINFO_TABLE_KIND.code)
        throw error;
      skipped.push({ name: set.name, error });
    }
    if (unpacked !== null) scratch.release(unpacked);
  }
  if (layers.length === 0) throw skipped[0].error;
  for (const { name, error } of skipped)
    context.findings.note(formatFindings.LAYER_SKIPPED, { layer: name, reason: error.message });
  return layers;
}

function openSet({ name, files, packed }: FileSet<Part>, context: OpenContext): SourceLayer {
  const { findings, options, limits } = context;
  const tab = files['.tab'] as FileSegment;
  const definition = parseTab(
    withSegment(tab, (source) => latin1Text(source.slice(0, TAB_BYTES))),
    tab.name,
  );
  if (definition.isSeamless)
    throw failure(mapInfoErrors.MAPINFO_TABLE_KIND, {
      file: tab.name,
      kind: 'a seamless table, which only lists other tables',
      advice: 'convert those tables, with all their files in one zip archive',
    });
  const isText = definition.kind === 'dbf';
  const member = isText ? '.dbf' : '.dat';
  const data = files[member] ?? (isText ? null : files['.dbf']);
  if (data === null)
    throw failure(mapInfoErrors.MAPINFO_MEMBER_MISSING, {
      source: tab.name,
      member: `${member} beside it, with the attributes`,
      found: 'the .tab alone',
    });
  // The charset decides how names are read, and texts may contradict it, so columns are read first as Latin-1.
  const raw = parseColumns(definition.columnLines, tab.name, findings);
  checkFieldCount(name, raw.length, limits);
  const table = withSegment(data, (source) => openDat(source, raw, isText, data.name));
  const samples = withSegment(data, (source) => textSamples(source, table, raw));
  const { encoding, origin } = encodingOf(
    definition.charset,
    options.encoding,
    [...definition.columnLines.map(latin1Bytes), ...samples],
    tab.name,
    findings,
  );
  const columns = raw.map((column) => ({ ...column, name: decoded(latin1Bytes(column.name), encoding) }));
  const { map, id } = { map: files['.map'], id: files['.id'] };
  const header =
    map === null || id === null ? null : withSegment(map, (source) => readMapHeader(source, map.name));
  const { rowCount } = table;
  if (rowCount > limits.features)
    throw failure(generalErrors.LIMIT_EXCEEDED, {
      what: `the number of features in ${data.name}`,
      actual: rowCount,
      limit: limits.features,
      setting: 'MAX_FEATURES',
    });
  if ((map === null) !== (id === null) && (map?.byteLength ?? 1) > 0)
    throw failure(mapInfoErrors.MAPINFO_MEMBER_MISSING, {
      source: tab.name,
      member:
        map === null
          ? '.map beside it, with the objects'
          : '.id beside it, which says which row has which object',
      found: `its ${map === null ? '.id' : '.map'} only`,
    });
  const hasTexts =
    map !== null &&
    header !== null &&
    withSegment(
      map,
      (source) => new DataView(source.slice(TEXT_COUNT, TEXT_COUNT + 4).buffer).getInt32(0, true) > 0,
    );
  const hasStyles = options.styles === true && header !== null;
  const hasPositions = header !== null && id !== null && withSegment(id, hasObjects);
  if (hasPositions && !hasStyles)
    findings.note(mapInfoFindings.MAPINFO_STYLES_DROPPED, { styles: field('input.styles') });
  const names = new UniqueNames({ taken: columns.map((column) => column.name) });
  const more = [...(hasTexts ? textFields : []), ...(hasStyles ? styleFields : [])];
  const fields = [
    ...columns.map((column) => ({ name: column.name, type: column.type })),
    ...more.map(({ name: wanted, type }) => ({ name: names.take(wanted), type })),
  ];
  const { crs, missingReason, metresPerUnit } = crsOfCoordSys(header?.system ?? null);
  const state: TabState = {
    layer: name,
    data,
    map: header === null ? null : map,
    id: header === null ? null : id,
    packed,
    table,
    header,
    columns,
    encoding,
    hasStyles,
    hasTexts,
    fields,
  };
  const bytesOfRow = table.rowBytes + (map?.byteLength ?? 0) / Math.max(1, rowCount);
  return {
    name,
    fields,
    featureCount: null,
    crs,
    crsMissingReason: missingReason,
    metresPerUnit: hasPositions ? metresPerUnit : null,
    ...(hasPositions ? {} : { assumedCrs: CRS_WITHOUT_POSITIONS }),
    encoding,
    encodingOrigin: origin,
    partitions: cut(rowCount, Math.max(1, Math.floor(context.partitionBytes / bytesOfRow))),
    state,
  };
}

function cut(rowCount: number, rowsOfPartition: number): Partition[] {
  const partitions: Partition[] = [];
  for (let start = 0; start < rowCount || partitions.length === 0; start += rowsOfPartition)
    partitions.push({ start, end: Math.min(rowCount, start + rowsOfPartition) });
  return partitions;
}

const CHUNK_BYTES = 1 << 20;

function hasObjects(source: {
  readonly byteLength: number;
  slice(start: number, end: number): Uint8Array;
}): boolean {
  for (let at = 0; at < source.byteLength; at += CHUNK_BYTES)
    if (source.slice(at, at + CHUNK_BYTES).some((byte) => byte !== 0)) return true;
  return false;
}

/** Some texts of the first rows. */
function textSamples(
  source: { slice(start: number, end: number): Uint8Array<ArrayBuffer> },
  { firstRow, rowBytes, rowCount, cells }: DatTable,
  columns: readonly MapInfoColumn[],
): Uint8Array[] {
  const rows = Math.min(rowCount, Math.floor(SAMPLE_BYTES / rowBytes));
  const bytes = source.slice(firstRow, firstRow + rows * rowBytes);
  const texts: Uint8Array[] = [];
  for (const [i, { kind }] of columns.entries()) {
    if (kind !== 'char') continue;
    const { offset, width } = cells[i];
    for (let row = 0; row < rows; row++) {
      const at = row * rowBytes + offset;
      let end = bytes.indexOf(0, at);
      if (end < 0 || end >= at + width) end = at + width;
      // A text that fills its column may end within a character.
      if (end > at && end < at + width) texts.push(bytes.subarray(at, end));
    }
  }
  return texts;
}

export { ID_BYTES };
