/** Reads GPX 1.0 and 1.1 in partitions. */
import { Findings } from '@geomill/core/messages/findings.ts';
import { XmlFault } from '@geomill/core/text/xml-fault.ts';
import { openSegment } from '@geomill/io/file-segment.ts';
import { XmlWindow } from '@geomill/io/xml-window.ts';
import type { FormatReader, Partition, PartitionRead, PartitionRequest, SourceLayer } from '../reader.ts';
import { LineReader } from './line-reader.ts';
import { openGpx } from './open.ts';
import { PointReader } from './point-reader.ts';
import { countsOf, type LayerState, PIECE, PIECE_STRIDE } from './state.ts';

/** Pieces that follow each other are read at once up to this length. */
const WINDOW_BYTES = 1 << 22;

export const reader: FormatReader = {
  typing: 'layer',
  mixedType: 'string',
  ids: 'none',

  excerpts: {
    boundaries: 'known',
    countFeatures({ state }: SourceLayer, { start, end }: Partition): number {
      const { kind } = state as LayerState;
      const { features, points } = countsOf(state as LayerState, start, end);
      return kind === 'track_points' || kind === 'route_points' ? points : features;
    },
  },

  open: openGpx,

  readPartition(layer: SourceLayer, { start, end }: Partition, request: PartitionRequest): PartitionRead {
    const state = layer.state as LayerState;
    const { segment, fileName } = state.document;
    const { pieces, partStarts } = state;
    const isLine = state.kind === 'routes' || state.kind === 'tracks';
    using source = openSegment(segment);
    const findings = new Findings();
    const window = new XmlWindow(source, fileName);
    const Reader = isLine ? LineReader : PointReader;
    const counts = countsOf(state, start, end);
    const features = new Reader(window.scanner, state, request.limits, findings, counts);
    const endPiece = partStarts[end];
    let before = -1;
    for (let piece = partStarts[start]; piece < endPiece; ) {
      const from = pieces[piece * PIECE_STRIDE];
      if (from !== before) features.begin(piece);
      let last = piece;
      while (last + 1 < endPiece && isContinued(pieces, last, from)) last++;
      before = pieces[last * PIECE_STRIDE + PIECE.end];
      window.load(from, before);
      try {
        features.read();
      } catch (fault) {
        if (!(fault instanceof XmlFault)) throw fault;
        throw window.failureOf(fault, { layer: layer.name, record: features.rowCount + 1 });
      }
      window.checkEncoding(window.scanner.limit);
      piece = last + 1;
    }
    const batch = features.finish(request.fields);
    return { batch, nextStart: end, recordCount: batch.rowCount, lineCount: 0, findings: findings.found() };
  },
};

/** Whether the next piece follows directly, and the window has room for it. */
function isContinued(pieces: Float64Array, piece: number, windowStart: number): boolean {
  const at = piece * PIECE_STRIDE;
  const next = at + PIECE_STRIDE;
  return pieces[next] === pieces[at + PIECE.end] && pieces[next + PIECE.end] - windowStart <= WINDOW_BYTES;
}
