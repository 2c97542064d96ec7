/** Opens GPX: finds its root and makes layers of its waypoints, routes, tracks and their points. */

import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { openSegment } from '@geomill/io/file-segment.ts';
import { fileSize } from '@geomill/platform/files.ts';
import type { InputFile, OpenContext, Partition, SourceLayer } from '../reader.ts';
import { inUtf8, readXmlRoot } from '../xml-document.ts';
import { gpxFindings } from './messages.ts';
import { gpxName } from './names.ts';
import type { LayerKind } from './standard-fields.ts';
import { type DocumentState, type LayerState, PIECE, PIECE_STRIDE } from './state.ts';
import { type ElementKind, readStructure, type Structure } from './structure.ts';

interface FoundLayer {
  readonly kind: LayerKind;
  readonly pieces: Float64Array;
  readonly featureCount: number;
  readonly arePoints: boolean;
}

/** Throws INPUT_EMPTY, INPUT_WRONG_FORMAT, TEXT_ENCODING_UNKNOWN, TEXT_ENCODING_INVALID, XML_SYNTAX and LIMIT_EXCEEDED. */
export async function openGpx(file: InputFile, context: OpenContext): Promise<SourceLayer[]> {
  const whole = { path: file.path, name: file.name, start: 0, byteLength: fileSize(file.path) };
  const { segment, encoding } = inUtf8(whole, file, context);
  using source = openSegment(segment);
  const root = readXmlRoot(source, file.name, 'GPX', (scanner, prefix) =>
    gpxName(scanner, prefix) === 'gpx' ? 'gpx' : null,
  );
  const structure = readStructure(source, file.name, root, context.partitionBytes);
  noteIgnored(structure, context);
  const layers = layersOf(structure, context.options.points !== false);
  checkCount(layers, context);
  const document: DocumentState = {
    segment,
    fileName: file.name,
    rootPrefix: structure.rootPrefix,
    hasStandardFields: context.options.standard_fields === 'all',
  };
  return layers.map(({ kind, pieces, featureCount, arePoints }) => {
    const partStarts = partStartsOf(pieces, arePoints);
    const state: LayerState = { kind, document, pieces, partStarts };
    return {
      name: kind,
      fields: null,
      featureCount,
      crs: 'EPSG:4326',
      crsMissingReason: '',
      encoding,
      partitions: partitionsOf(state, context.partitionBytes),
      state,
    };
  });
}

function noteIgnored({ metadata, ignored }: Structure, { findings }: OpenContext): void {
  if (metadata.length > 0)
    findings.note(
      gpxFindings.GPX_METADATA_IGNORED,
      { names: metadata.join(', ') },
      undefined,
      metadata.length,
    );
  for (const [name, count] of ignored)
    findings.note(gpxFindings.GPX_ELEMENTS_IGNORED, { name }, undefined, count);
}

/** The layers with features; of a file without any, the waypoints. */
function layersOf({ elements }: Structure, withPoints: boolean): FoundLayer[] {
  const layer = (kind: LayerKind, element: ElementKind, arePoints = false): FoundLayer => {
    const { pieces, featureCount, pointCount } = elements[element];
    return {
      kind,
      pieces: Float64Array.from(pieces),
      featureCount: arePoints ? pointCount : featureCount,
      arePoints,
    };
  };
  const all = [layer('waypoints', 'wpt'), layer('routes', 'rte'), layer('tracks', 'trk')];
  if (withPoints) all.push(layer('route_points', 'rte', true), layer('track_points', 'trk', true));
  const used = all.filter(({ featureCount }) => featureCount > 0);
  return used.length > 0 ? used : all.slice(0, 1);
}

function checkCount(layers: readonly FoundLayer[], { limits }: OpenContext): void {
  const actual = layers.reduce((sum, { featureCount }) => sum + featureCount, 0);
  if (actual <= limits.features) return;
  const [what, limit, setting] = ['the number of features', limits.features, 'MAX_FEATURES'];
  throw failure(generalErrors.LIMIT_EXCEEDED, { what, actual, limit, setting });
}

/** Lines are read whole: their parts begin with pieces that begin with a line. */
function partStartsOf(pieces: Float64Array, arePoints: boolean): Float64Array {
  const count = pieces.length / PIECE_STRIDE;
  const starts: number[] = [];
  for (let i = 0; i < count; i++)
    if (arePoints || pieces[i * PIECE_STRIDE + PIECE.level] === 0) starts.push(i);
  starts.push(count);
  return Float64Array.from(starts);
}

/** Partitions of parts, which count from 0. */
function partitionsOf({ pieces, partStarts }: LayerState, partitionBytes: number): Partition[] {
  const partitions: Partition[] = [];
  const count = partStarts.length - 1;
  let start = 0;
  let bytes = 0;
  for (let part = 0; part < count; part++) {
    for (let i = partStarts[part]; i < partStarts[part + 1]; i++)
      bytes += pieces[i * PIECE_STRIDE + PIECE.end] - pieces[i * PIECE_STRIDE];
    if (bytes < partitionBytes && part + 1 < count) continue;
    partitions.push({ start, end: part + 1 });
    start = part + 1;
    bytes = 0;
  }
  return partitions.length > 0 ? partitions : [{ start: 0, end: 0 }];
}
