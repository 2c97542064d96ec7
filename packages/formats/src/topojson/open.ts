/** Opens a topology: its objects are the layers. */
import { UniqueNames } from '@geomill/core/columns/unique-names.ts';
import { crsInMember } from '@geomill/core/crs/crs-member.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { openFileSource } from '@geomill/io/byte-source.ts';
import { PART_STRIDE, partitionsOf } from '../counted-parts.ts';
import { formatFindings } from '../findings.ts';
import type { InputFile, OpenContext, SourceLayer } from '../reader.ts';
import { topojsonFindings } from './messages.ts';
import type { TopologyObject } from './objects.ts';
import { type Root, readRoot } from './root.ts';
import type { Arcs, LayerState, TopologyState } from './state.ts';

/** Layers of a conversion cost memory each. */
const MAX_LAYERS = 10_000;

/** Throws INPUT_EMPTY, INPUT_WRONG_FORMAT, LIMIT_EXCEEDED, TEXT_ENCODING_INVALID, TOPOJSON_ codes. */
export async function openTopology(file: InputFile, context: OpenContext): Promise<SourceLayer[]> {
  using source = openFileSource(file.path);
  const root = readRoot(source, file.name, context.limits);
  checkCounts(root, context);
  noteRoot(root, context);
  const topology: TopologyState = {
    path: file.path,
    fileName: file.name,
    arcs: root.arcs.finish(root.transform),
    transform: root.transform,
  };
  const { objects } = root;
  const partitionBytes = textOfPartition(objects, topology.arcs, context.partitionBytes);
  const names = new UniqueNames();
  // A topology without objects is a layer without features, as is an empty collection of GeoJSON.
  const all = objects.length > 0 ? objects : [EMPTY];
  return all.map(({ name, parts, featureCount }) => {
    const state: LayerState = { topology, parts: Float64Array.from(parts) };
    return {
      name: names.take(name || file.name.replace(/\.[^.]*$/, '')),
      fields: null,
      featureCount,
      crs: 'EPSG:4326',
      crsMissingReason: '',
      encoding: 'UTF-8',
      partitions: partitionsOf(parts, partitionBytes),
      state,
    };
  });
}

const EMPTY: TopologyObject = { name: '', parts: [], featureCount: 0, dropped: [] };

function checkCounts({ objects }: Root, { limits }: OpenContext): void {
  if (objects.length > MAX_LAYERS)
    throw failure(generalErrors.LIMIT_EXCEEDED, {
      what: 'the number of objects of the topology',
      actual: objects.length,
      limit: MAX_LAYERS,
      setting: 'a fixed limit',
    });
  const actual = objects.reduce((sum, { featureCount }) => sum + featureCount, 0);
  if (actual > limits.features)
    throw failure(generalErrors.LIMIT_EXCEEDED, {
      what: 'the number of features',
      actual,
      limit: limits.features,
      setting: 'MAX_FEATURES',
    });
}

function noteRoot({ crsTexts, foreign, objects }: Root, { findings }: OpenContext): void {
  for (const text of crsTexts) {
    const crs = crsInMember(text);
    if (crs !== null) findings.note(formatFindings.CRS_MEMBER_IGNORED, { crs: crs.slice(0, 200) });
  }
  if (foreign.count > 0)
    findings.note(
      topojsonFindings.TOPOJSON_MEMBERS_DROPPED,
      { names: foreign.names.join(', ') },
      undefined,
      foreign.count,
    );
  for (const { name, dropped } of objects)
    if (dropped.length > 0)
      findings.note(
        topojsonFindings.TOPOJSON_COLLECTION_MEMBERS_DROPPED,
        { names: dropped.join(', '), object: name },
        undefined,
        dropped.length,
      );
}

/**
 * Bytes of text whose features have about as many bytes of coordinates as a partition of another format: few arc numbers may
 * stand for many positions. Each arc is assumed to be used by two features of each layer.
 */
function textOfPartition(
  objects: readonly TopologyObject[],
  { coordinates }: Arcs,
  partitionBytes: number,
): number {
  let textBytes = 0;
  for (const { parts } of objects)
    for (let i = 0; i < parts.length; i += PART_STRIDE) textBytes += parts[i + 1] - parts[i];
  const readBytes = textBytes + coordinates.byteLength * 2;
  return Math.max(1, partitionBytes * (textBytes / Math.max(1, readBytes)));
}
