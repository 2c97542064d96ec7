/** Reads TopoJSON: the arcs once, into memory that all threads share, and the features in partitions. */
import { Findings } from '@geomill/core/messages/findings.ts';
import { COMMA } from '@geomill/core/text/ascii.ts';
import { JsonFault } from '@geomill/core/text/json-fault.ts';
import { openFileSource } from '@geomill/io/byte-source.ts';
import { JsonWindow } from '@geomill/io/json-window.ts';
import { countedParts, PART_STRIDE } from '../counted-parts.ts';
import type { FormatReader, Partition, PartitionRead, PartitionRequest, SourceLayer } from '../reader.ts';
import { TOPOJSON } from './dialect.ts';
import { FeatureParser } from './feature-parser.ts';
import { openTopology } from './open.ts';
import type { LayerState } from './state.ts';

export const reader: FormatReader = {
  typing: 'value',
  mixedType: 'json',
  ids: 'data',

  excerpts: countedParts,

  open: openTopology,

  readPartition(layer: SourceLayer, { start, end }: Partition, request: PartitionRequest): PartitionRead {
    const { topology, parts } = layer.state as LayerState;
    using source = openFileSource(topology.path);
    const findings = new Findings();
    const window = new JsonWindow(source, topology.fileName, TOPOJSON);
    const features = new FeatureParser(window.scanner, layer.name, topology, request.limits, findings);
    if (end > start) {
      // The parts of a layer are the elements of one array.
      window.load(parts[start * PART_STRIDE], parts[(end - 1) * PART_STRIDE + 1]);
      try {
        readFeatures(window, features);
      } catch (fault) {
        if (!(fault instanceof JsonFault)) throw fault;
        throw window.failureOf(fault, { layer: layer.name, record: features.rowCount + 1 });
      }
    }
    const batch = features.finish(request.fields);
    return { batch, nextStart: end, recordCount: batch.rowCount, lineCount: 0, findings: findings.found() };
  },
};

/** The features in the window, which has whole ones with commas between them. */
function readFeatures({ scanner }: JsonWindow, features: FeatureParser): void {
  let at = 0;
  for (;;) {
    at = scanner.space(features.feature(at));
    if (at >= scanner.limit) return;
    at = scanner.punctuation(at, COMMA);
  }
}
