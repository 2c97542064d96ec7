/** Opens a file: reads its header and divides its features into partitions of whole features. */

import { UTF8 } from '@geomill/core/bytes/utf8.ts';
import type { LayerFacts } from '@geomill/core/columns/field-facts.ts';
import { UniqueNames } from '@geomill/core/columns/unique-names.ts';
import { failure, type GeomillError } from '@geomill/core/messages/errors.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { generalFindings } from '@geomill/core/messages/general-findings.ts';
import { type ByteSource, openFileSource } from '@geomill/io/byte-source.ts';
import { checkFieldCount } from '@geomill/io/limits.ts';
import { HEAD_BYTES } from '../content.ts';
import type { InputFile, OpenContext, Partition, SourceLayer } from '../reader.ts';
import { binaryLookOf, lookOf } from '../recognise.ts';
import { FlatFault } from './flat-tables.ts';
import { type Column, type Header, MAGIC, MAX_HEADER_BYTES, PREFIX_BYTES, readHeader } from './header.ts';
import { ENTRY_BYTES, levelsOf, REFERENCE_AT } from './index-layout.ts';
import { flatgeobufErrors, flatgeobufFindings } from './messages.ts';

/** What a worker needs to read features. Plain data. */
export interface FlatGeobufState {
  readonly path: string;
  readonly fileName: string;
  /** Type of the geometries that state none. */
  readonly geometryType: number;
  /** Null: features have columns of their own. */
  readonly columns: readonly Column[] | null;
  readonly index: IndexPlace | null;
  /** Number of features before each partition. */
  readonly featuresBefore: Float64Array;
}

/** Where the index is in the file. */
export interface IndexPlace {
  readonly start: number;
  readonly count: number;
  readonly nodeSize: number;
}

/** Partitions are ranges of bytes of the file. */
interface Cut {
  readonly partitions: readonly Partition[];
  readonly featuresBefore: Float64Array;
  readonly featureCount: number;
}

/** As large as its readers allow; GDAL's limit is 2 GB. */
const MAX_FEATURE_BYTES = 1 << 30;
const WALK_BYTES = 1 << 20;

export function openFlatGeobuf(file: InputFile, context: OpenContext): SourceLayer {
  using source = openFileSource(file.path);
  const { header, end } = readHead(source, file.name);
  const { findings, limits } = context;
  const name = header.name !== null && header.name !== '' ? header.name : file.name.replace(/\.[^.]*$/, '');
  checkFieldCount(name, header.columns?.length ?? 0, limits);
  const columns = header.columns === null ? null : withUniqueNames(header.columns, findings);
  if (header.described.length > 0)
    findings.note(flatgeobufFindings.DESCRIPTIONS_DROPPED, {
      source: file.name,
      names: shownNames(header.described),
    });
  const index =
    header.featureCount > 0 && header.nodeSize > 0
      ? { start: end, count: header.featureCount, nodeSize: header.nodeSize }
      : null;
  const featuresStart = end + (index === null ? 0 : indexBytes(index));
  if (featuresStart > source.byteLength)
    throw failure(flatgeobufErrors.FLATGEOBUF_HEADER, {
      source: file.name,
      reason: `its index ends at byte ${featuresStart}, and the file has ${source.byteLength} bytes; is it complete?`,
    });
  const { cut, usedIndex } = cutFeatures(source, file.name, { header, index, featuresStart }, context);
  const state: FlatGeobufState = {
    path: file.path,
    fileName: file.name,
    geometryType: header.geometryType,
    columns,
    index: usedIndex,
    featuresBefore: cut.featuresBefore,
  };
  return {
    name,
    // Without features nothing has columns of its own.
    fields: columns === null && cut.featureCount > 0 ? null : fieldsOf(columns ?? []),
    featureCount: cut.featureCount,
    crs: header.crs,
    ...(header.crsDefinition === null ? {} : { crsDefinitions: [header.crsDefinition] }),
    crsMissingReason: 'its header has no CRS',
    statedExtent: header.envelope,
    encoding: UTF8,
    partitions: cut.partitions,
    facts: factsOf(header, columns ?? []),
    state,
  };
}

function factsOf({ title, description }: Header, columns: readonly Column[]): LayerFacts {
  const described = columns.filter(({ facts }) => Object.keys(facts).length > 0);
  return {
    ...(title === '' ? {} : { title }),
    ...(description === '' ? {} : { description }),
    fields: new Map(described.map(({ name, facts }) => [name, facts])),
  };
}

export function fieldsOf(columns: readonly Column[]): { name: string; type: Column['fieldType'] }[] {
  return columns.map(({ name, fieldType }) => ({ name, type: fieldType }));
}

/** Throws INPUT_EMPTY, INPUT_WRONG_FORMAT, FLATGEOBUF_HEADER. */
function readHead(source: ByteSource, name: string): { readonly header: Header; readonly end: number } {
  const fail = (reason: string): GeomillError =>
    failure(flatgeobufErrors.FLATGEOBUF_HEADER, { source: name, reason });
  if (source.byteLength === 0) throw failure(generalErrors.INPUT_EMPTY, { source: name });
  const head = source.slice(0, HEAD_BYTES);
  // The first three bytes are "fgb", then comes the version; some writers leave out what follows it.
  if (MAGIC.subarray(0, 3).some((byte, i) => head[i] !== byte))
    throw failure(generalErrors.INPUT_WRONG_FORMAT, {
      source: name,
      expected: 'a FlatGeobuf file',
      found: binaryLookOf(head) ?? lookOf(head),
    });
  const start = MAGIC.length + PREFIX_BYTES;
  if (head.length < start) throw fail(`it has only ${head.length} bytes; is it complete?`);
  if (head[3] !== MAGIC[3])
    throw fail(`it has version ${head[3]} of the format; only version 3 is supported`);
  const byteLength = new DataView(head.buffer).getUint32(MAGIC.length, true);
  const end = start + byteLength;
  if (byteLength > MAX_HEADER_BYTES)
    throw fail(`its header has ${byteLength} bytes; the limit is ${MAX_HEADER_BYTES}`);
  if (end > source.byteLength)
    throw fail(
      `its header ends at byte ${end}, and the file has ${source.byteLength} bytes; is it complete?`,
    );
  try {
    return { header: readHeader(source.slice(start, end)), end };
  } catch (error) {
    if (error instanceof FlatFault) throw fail(`its header is damaged: ${error.message}`);
    throw error;
  }
}

/** Many may be described. */
const SHOWN_NAMES = 10;

function shownNames(names: readonly string[]): string {
  const shown = names.slice(0, SHOWN_NAMES);
  if (names.length > SHOWN_NAMES) shown.push(`${names.length - SHOWN_NAMES} more`);
  return shown.join(', ');
}

function withUniqueNames(columns: readonly Column[], findings: Findings): Column[] {
  const names = new UniqueNames({ taken: [] });
  return columns.map((column) => {
    const name = names.take(column.name);
    if (name !== column.name) findings.note(generalFindings.NAME_DUPLICATE, { from: column.name, to: name });
    return { ...column, name };
  });
}

function indexBytes({ count, nodeSize }: IndexPlace): number {
  return levelsOf(count, nodeSize)[0].end * ENTRY_BYTES;
}

/** By the index if it agrees with the features as far as they are looked at, else by walking from feature to feature. */
function cutFeatures(
  source: ByteSource,
  name: string,
  {
    header,
    index,
    featuresStart,
  }: { readonly header: Header; readonly index: IndexPlace | null; readonly featuresStart: number },
  { partitionBytes, findings }: OpenContext,
): { readonly cut: Cut; readonly usedIndex: IndexPlace | null } {
  const byIndex = index === null ? null : cutByIndex(source, index, featuresStart, partitionBytes);
  if (byIndex !== null) return { cut: byIndex, usedIndex: index };
  const cut = walk(source, name, featuresStart, partitionBytes);
  const { featureCount: declared } = header;
  if (cut.featureCount < declared)
    throw failure(flatgeobufErrors.FLATGEOBUF_HEADER, {
      source: name,
      reason: `its header declares ${declared} features, and ${cut.featureCount} are there; is it complete?`,
    });
  if (declared > 0 && cut.featureCount > declared)
    findings.note(flatgeobufFindings.FEATURE_COUNT_DIFFERS, {
      source: name,
      declared,
      found: cut.featureCount,
    });
  if (index !== null)
    findings.note(flatgeobufFindings.INDEX_NOT_USED, {
      source: name,
      reason: 'it does not have the features in their order',
    });
  return { cut, usedIndex: null };
}

/**
 * Halves the features until a part has at most `partitionBytes`, or one feature. Null if the offsets in the index do not ascend
 * or do not reach from the first feature to the end of the file. Offsets that are wrong otherwise are found by the reader:
 * a partition that does not end with a feature makes the pipeline read from there.
 */
function cutByIndex(
  source: ByteSource,
  index: IndexPlace,
  featuresStart: number,
  partitionBytes: number,
): Cut | null {
  const { count, nodeSize } = index;
  const entries = index.start + levelsOf(count, nodeSize)[0].start * ENTRY_BYTES;
  const { byteLength } = source;
  const startOf = (feature: number): number => {
    const at = entries + feature * ENTRY_BYTES + REFERENCE_AT;
    return featuresStart + Number(new DataView(source.slice(at, at + 8).buffer).getBigUint64(0, true));
  };
  const last = startOf(count - 1);
  if (startOf(0) !== featuresStart || !(last + PREFIX_BYTES <= byteLength)) return null;
  const prefix = new DataView(source.slice(last, last + PREFIX_BYTES).buffer);
  if (last + PREFIX_BYTES + prefix.getUint32(0, true) !== byteLength) return null;
  const partitions: Partition[] = [];
  const featuresBefore: number[] = [];
  // Features that are still to be divided, those in front last: first feature and its start, end.
  const open = [{ first: 0, start: featuresStart, end: count, endAt: byteLength }];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    const { first, start, end, endAt } = part;
    if (end - first === 1 || endAt - start <= partitionBytes) {
      partitions.push({ start, end: endAt });
      featuresBefore.push(first);
      continue;
    }
    const middle = first + ((end - first) >> 1);
    const middleAt = startOf(middle);
    if (!(middleAt > start && middleAt < endAt)) return null;
    open.push({ first: middle, start: middleAt, end, endAt }, { first, start, end: middle, endAt: middleAt });
  }
  return { partitions, featuresBefore: Float64Array.from(featuresBefore), featureCount: count };
}

/** Goes from feature to feature by their sizes. Throws FLATGEOBUF_FEATURE. */
function walk(source: ByteSource, name: string, featuresStart: number, partitionBytes: number): Cut {
  const { byteLength } = source;
  const partitions: Partition[] = [];
  const featuresBefore: number[] = [];
  let window = new DataView(new ArrayBuffer(0));
  let windowStart = 0;
  let start = featuresStart;
  let firstFeature = 0;
  let feature = 0;
  let at = featuresStart;
  const close = (): void => {
    partitions.push({ start, end: at });
    featuresBefore.push(firstFeature);
    start = at;
    firstFeature = feature;
  };
  while (at < byteLength) {
    if (at < windowStart || at + PREFIX_BYTES > windowStart + window.byteLength) {
      windowStart = at;
      window = new DataView(source.slice(at, at + WALK_BYTES).buffer);
    }
    const size = window.byteLength < PREFIX_BYTES ? null : window.getUint32(at - windowStart, true);
    at = featureEnd(at, size, byteLength, name, feature + 1);
    feature++;
    if (at - start >= partitionBytes) close();
  }
  if (at > start || partitions.length === 0) close();
  return { partitions, featuresBefore: Float64Array.from(featuresBefore), featureCount: feature };
}

/**
 * End of the feature at `start` with this size; null: the file ends before it. `source`, `record`: its place for messages. Throws
 * FLATGEOBUF_FEATURE.
 */
export function featureEnd(
  start: number,
  size: number | null,
  byteLength: number,
  source: string,
  record: number,
): number {
  const left = byteLength - start - PREFIX_BYTES;
  if (size !== null && size <= left && size <= MAX_FEATURE_BYTES) return start + PREFIX_BYTES + size;
  let reason = `it has ${size} bytes; the limit is ${MAX_FEATURE_BYTES}`;
  if (size === null) reason = 'the file ends within its size; is it complete?';
  else if (size > left)
    reason = `it has ${size} bytes, and the file ends after ${Math.max(0, left)}; is it complete?`;
  const location = { record, offset: start };
  throw failure(flatgeobufErrors.FLATGEOBUF_FEATURE, { source, ...location, reason }, location);
}
