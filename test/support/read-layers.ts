/** Reads a whole input through a FormatReader as the pipeline does, one partition after another. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { castBatch } from '../../packages/core/src/columns/cast.ts';
import type { FeatureBatch } from '../../packages/core/src/columns/feature-batch.ts';
import { MisfitList } from '../../packages/core/src/columns/misfits.ts';
import type { Field } from '../../packages/core/src/columns/schema.ts';
import {
  batchStatistics,
  emptyStatistics,
  fieldsOf,
  mergeStatistics,
} from '../../packages/core/src/columns/statistics.ts';
import { type Finding, Findings } from '../../packages/core/src/messages/findings.ts';
import { generalFindings } from '../../packages/core/src/messages/general-findings.ts';
import type {
  FormatReader,
  OpenContext,
  Partition,
  PartitionRead,
  SourceLayer,
} from '../../packages/formats/src/reader.ts';
import type { InputLimits } from '../../packages/io/src/limits.ts';
import { DEFAULT_INPUT_LIMITS } from './limits.ts';
import { batchRows, type Row } from './rows.ts';

export interface ReadSettings {
  readonly options?: Readonly<Record<string, unknown>>;
  readonly partitionBytes?: number;
  readonly limits?: InputLimits;
  /** As in OpenContext. */
  readonly tables?: readonly string[];
  /** As in OpenContext. */
  readonly describeCrs?: OpenContext['describeCrs'];
}

export interface ReadLayer {
  readonly source: SourceLayer;
  readonly fields: readonly Field[];
  readonly rows: readonly Row[];
  readonly batches: readonly FeatureBatch[];
  readonly lineCount: number;
}

export interface ReadInput {
  readonly layers: readonly ReadLayer[];
  readonly findings: readonly Finding[];
}

export async function readFileLayers(
  reader: FormatReader,
  path: string,
  settings: ReadSettings = {},
): Promise<ReadInput> {
  const scratchDirectory = mkdtempSync(join(tmpdir(), 'geomill-read-'));
  try {
    const findings = new Findings();
    const limits = settings.limits ?? DEFAULT_INPUT_LIMITS;
    const sources = await reader.open(
      { path, name: basename(path) },
      {
        scratchDirectory,
        limits,
        options: settings.options ?? {},
        findings,
        partitionBytes: settings.partitionBytes ?? 1 << 22,
        ...(settings.tables === undefined ? {} : { tables: settings.tables }),
        ...(settings.describeCrs === undefined ? {} : { describeCrs: settings.describeCrs }),
      },
    );
    const layers = sources.map((source) => readLayer(reader, source, findings, limits));
    return { layers, findings: findings.list() };
  } finally {
    rmSync(scratchDirectory, { recursive: true, force: true });
  }
}

/** The same for bytes, which are first written to a file with this name. */
export async function readBytesLayers(
  reader: FormatReader,
  bytes: Uint8Array | string,
  settings: ReadSettings & { readonly name?: string } = {},
): Promise<ReadInput> {
  const directory = mkdtempSync(join(tmpdir(), 'geomill-input-'));
  try {
    const path = join(directory, settings.name ?? 'input.csv');
    writeFileSync(path, bytes);
    return await readFileLayers(reader, path, settings);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function readLayer(
  reader: FormatReader,
  opened: SourceLayer,
  findings: Findings,
  limits: InputLimits,
): ReadLayer {
  if (opened.fault !== undefined) throw opened.fault;
  let source = opened;
  let first = readPartitions(reader, source, source.partitions, null, limits);
  const misfits = new MisfitList();
  for (const read of first) misfits.merge(read.misfits ?? [], (location) => location);
  if (reader.undeclare !== undefined && misfits.list().length > 0) {
    source = reader.undeclare(source, new Set(misfits.list().map(({ field }) => field)));
    first = readPartitions(reader, source, source.partitions, null, limits);
  }
  for (const read of first) findings.merge(read.findings);
  const statistics = emptyStatistics();
  for (const { batch } of first)
    mergeStatistics(statistics, batchStatistics(batch, 'fields'), reader.mixedType);
  const fields = source.fields ?? fieldsOf(statistics);
  for (const { field, declared, count, locations: places } of misfits.list()) {
    const type = fields.find(({ name }) => name === field)?.type ?? '';
    const params = { field, declared, type };
    const entry = generalFindings.FIELD_WIDENED;
    findings.merge([{ entry, code: entry.code, params, count, places, message: '' }]);
  }
  const reads =
    reader.typing === 'layer'
      ? readPartitions(reader, source, source.partitions, fields, limits)
      : reader.typing === 'declared'
        ? first.map((read) => ({ ...read, batch: castBatch(read.batch, fields) }))
        : first;
  return {
    source,
    fields,
    rows: reads.flatMap(({ batch }) => batchRows(batch)),
    batches: reads.map(({ batch }) => batch),
    lineCount: reads.reduce((sum, read) => sum + read.lineCount, 0),
  };
}

function readPartitions(
  reader: FormatReader,
  source: SourceLayer,
  partitions: readonly Partition[],
  fields: readonly Field[] | null,
  limits: InputLimits,
): PartitionRead[] {
  const reads: PartitionRead[] = [];
  let start = partitions[0]?.start ?? 0;
  for (const { end } of partitions) {
    const partition = { start, end: Math.max(start, end) };
    const read = reader.readPartition(source, partition, { fields, limits });
    reads.push(read);
    start = read.nextStart;
  }
  return reads;
}
