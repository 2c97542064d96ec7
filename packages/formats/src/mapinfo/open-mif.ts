/** Opens MIF files: reads the head, finds the objects and rows, and cuts both into partitions. */

import type { Field } from '@geomill/core/columns/schema.ts';
import { UniqueNames } from '@geomill/core/columns/unique-names.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { field } from '@geomill/core/messages/message.ts';
import { type FileSegment, withSegment } from '@geomill/io/file-segment.ts';
import { checkFieldCount } from '@geomill/io/limits.ts';
import { ScratchSpace } from '@geomill/io/scratch-space.ts';
import { latin1Text } from '@geomill/platform/bytes.ts';
import { type FileSet, type FileSetKind, findFileSets } from '../file-sets.ts';
import { type PackedSet, unpackedSet } from '../packed-set.ts';
import { CRS_WITHOUT_POSITIONS, type InputFile, type OpenContext, type SourceLayer } from '../reader.ts';
import { decoded, encodingOf, latin1Bytes } from './charset.ts';
import { type MapInfoColumn, parseColumns } from './columns.ts';
import { parseCoordSys } from './coord-sys.ts';
import { crsOfCoordSys } from './crs-of-coord-sys.ts';
import { mapInfoErrors, mapInfoFindings } from './messages.ts';
import { type MifHeader, parseMifHeader } from './mif-header.ts';
import { indexObjects, indexRows } from './mif-index.ts';
import type { Transform } from './mif-objects.ts';
import { styleFields } from './styles.ts';
import { textFields } from './text-columns.ts';

type Part = '.mif' | '.mid';

const KIND: FileSetKind<Part> = {
  parts: ['.mif', '.mid'],
  isMain: (start) => /^\s*version\s+\d+/i.test(latin1Text(start.subarray(0, 64))),
  expected: 'a .mif of MapInfo, or a zip archive with it and its .mid',
  one: 'MIF file',
  missing: (source, found) =>
    failure(mapInfoErrors.MAPINFO_MEMBER_MISSING, { source, member: '.mif file', found }),
};

const HEAD_BYTES = 1 << 20;
const SAMPLE_BYTES = 1 << 20;

/** What a worker needs to read a partition. */
export interface MifState {
  readonly layer: string;
  readonly mif: FileSegment;
  readonly mid: FileSegment | null;
  readonly packed: PackedSet | null;
  readonly encoding: string;
  readonly transform: Transform | null;
  readonly columns: readonly MapInfoColumn[];
  readonly delimiter: number;
  /** Beginnings of the partitions, and the ends of the files. */
  readonly marks: readonly MifMark[];
  readonly objectCount: number;
  readonly hasStyles: boolean;
  readonly hasTexts: boolean;
  /** All fields, those of styles and texts at the end. */
  readonly fields: readonly Field[];
}

export interface MifMark {
  readonly record: number;
  readonly mifOffset: number;
  readonly midOffset: number;
  readonly line: number;
}

export async function openMif(file: InputFile, context: OpenContext): Promise<readonly SourceLayer[]> {
  const { sets } = await findFileSets(file, KIND, context);
  const scratch = context.scratch ?? new ScratchSpace();
  const layers: SourceLayer[] = [];
  for (const set of sets) {
    const unpacked = set.packed === null ? null : unpackedSet(set.packed);
    if (unpacked !== null) await scratch.hold(unpacked);
    layers.push(openSet(set, context));
    if (unpacked !== null) scratch.release(unpacked);
  }
  return layers;
}

function openSet({ name, files, packed }: FileSet<Part>, context: OpenContext): SourceLayer {
  const mif = files['.mif'] as FileSegment;
  const header = withSegment(mif, (source) => parseMifHeader(source.slice(0, HEAD_BYTES), mif.name));
  const mid = header.columnLines.length === 0 ? null : files['.mid'];
  const { findings, options, limits } = context;
  const { encoding, origin } = encodingOf(
    header.charset,
    options.encoding,
    samplesOf(mid, header),
    mif.name,
    findings,
  );
  const lines = header.columnLines.map((line) => decoded(latin1Bytes(line), encoding));
  const columns = parseColumns(lines, mif.name, findings);
  checkFieldCount(name, columns.length, limits);
  const delimiter = header.delimiter.charCodeAt(0);
  const { dataStart, dataLine } = header;
  const index = withSegment(mif, (source) =>
    indexObjects(source, dataStart, dataLine, context.partitionBytes),
  );
  const records = index.marks.slice(0, -1).map(({ record }) => record);
  const rows = mid === null ? null : withSegment(mid, (source) => indexRows(source, delimiter, records));
  const featureCount = Math.max(index.objectCount, rows?.rowCount ?? 0);
  if (featureCount > limits.features)
    throw failure(generalErrors.LIMIT_EXCEEDED, {
      what: `the number of features in ${mif.name}`,
      actual: featureCount,
      limit: limits.features,
      setting: 'MAX_FEATURES',
    });
  const rowCount = rows?.rowCount ?? 0;
  if (columns.length > 0 && rowCount !== index.objectCount)
    findings.note(mapInfoFindings.MAPINFO_COUNTS_DIFFER, {
      layer: name,
      objects: index.objectCount,
      rows: rowCount,
    });
  const hasStyles = options.styles === true;
  if (index.hasStyles && index.hasPositions && !hasStyles)
    findings.note(mapInfoFindings.MAPINFO_STYLES_DROPPED, { styles: field('input.styles') });
  const names = new UniqueNames({ taken: columns.map((column) => column.name) });
  const more = [...(index.hasTexts ? textFields : []), ...(hasStyles ? styleFields : [])];
  const fields = [
    ...columns.map((column) => ({ name: column.name, type: column.type })),
    ...more.map(({ name: wanted, type }) => ({ name: names.take(wanted), type })),
  ];
  const marks: MifMark[] = index.marks.slice(0, -1).map(({ record, offset, line }, i) => ({
    record,
    mifOffset: offset,
    midOffset: rows?.offsets[i] ?? 0,
    line,
  }));
  // Rows without an object are read with the last partition.
  const end = { record: featureCount, mifOffset: mif.byteLength, midOffset: mid?.byteLength ?? 0 };
  marks.push({ ...end, line: index.marks.at(-1)?.line ?? dataLine });
  const system = header.coordSys === null ? null : parseCoordSys(header.coordSys);
  const { crs, missingReason, metresPerUnit } = crsOfCoordSys(system);
  const state: MifState = {
    layer: name,
    mif,
    mid,
    packed,
    encoding,
    transform: header.transform,
    columns,
    delimiter,
    marks,
    objectCount: index.objectCount,
    hasStyles,
    hasTexts: index.hasTexts,
    fields,
  };
  return {
    name,
    fields,
    featureCount,
    crs,
    crsMissingReason: missingReason,
    metresPerUnit: index.hasPositions ? metresPerUnit : null,
    ...(index.hasPositions ? {} : { assumedCrs: CRS_WITHOUT_POSITIONS }),
    encoding,
    encodingOrigin: origin,
    partitions: marks.slice(0, -1).map(({ record }, i) => ({ start: record, end: marks[i + 1].record })),
    state,
  };
}

/** Bytes of texts: of the rows, and of the names of columns. */
function samplesOf(mid: FileSegment | null, { columnLines }: MifHeader): Uint8Array[] {
  const names = columnLines.map(latin1Bytes);
  if (mid === null) return names;
  const rows = withSegment(mid, (source) => source.slice(0, SAMPLE_BYTES));
  // The sample may end within a character.
  const end = rows.length < SAMPLE_BYTES ? rows.length : rows.lastIndexOf(0x0a) + 1;
  return [...names, rows.subarray(0, end)];
}
