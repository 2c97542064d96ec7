/** Reads KML (2.0 to 2.3, with Google's extension) and KMZ in partitions. */
import { Findings } from '@geomill/core/messages/findings.ts';
import { tagName } from '@geomill/core/text/xml-elements.ts';
import { XmlFault } from '@geomill/core/text/xml-fault.ts';
import { openSegment } from '@geomill/io/file-segment.ts';
import { XmlWindow } from '@geomill/io/xml-window.ts';
import { countedParts, PART_STRIDE } from '../counted-parts.ts';
import type { FormatReader, Partition, PartitionRead, PartitionRequest, SourceLayer } from '../reader.ts';
import { isFeatureName, kmlName } from './names.ts';
import { openKml } from './open.ts';
import { PlacemarkReader } from './placemark.ts';
import type { DocumentState, LayerState } from './state.ts';

export const reader: FormatReader = {
  typing: 'layer',
  mixedType: 'string',
  ids: 'data',

  excerpts: countedParts,

  open: openKml,

  readPartition(layer: SourceLayer, { start, end }: Partition, request: PartitionRequest): PartitionRead {
    const state = layer.state as LayerState;
    const { segment, fileName } = state.document;
    using source = openSegment(segment);
    const findings = new Findings();
    const window = new XmlWindow(source, fileName);
    const placemarks = new PlacemarkReader(window.scanner, state, layer.name, request.limits, findings);
    for (let part = start; part < end; ) {
      // Parts that follow each other directly are read at once.
      let last = part;
      while (last + 1 < end && startOf(state, last + 1) === endOf(state, last)) last++;
      window.load(startOf(state, part), endOf(state, last));
      try {
        readFeatures(window, placemarks, state.document);
      } catch (fault) {
        if (!(fault instanceof XmlFault)) throw fault;
        throw window.failureOf(fault, { layer: layer.name, record: placemarks.rowCount + 1 });
      }
      window.checkEncoding(window.scanner.limit);
      part = last + 1;
    }
    const batch = placemarks.finish(request.fields);
    return { batch, nextStart: end, recordCount: batch.rowCount, lineCount: 0, findings: findings.found() };
  },
};

const startOf = ({ parts }: LayerState, part: number): number => parts[part * PART_STRIDE];
const endOf = ({ parts }: LayerState, part: number): number => parts[part * PART_STRIDE + 1];

/** The features in the window, which has whole elements. */
function readFeatures(
  { scanner }: XmlWindow,
  placemarks: PlacemarkReader,
  { rootPrefix, placemarkNames }: DocumentState,
): void {
  for (let at = scanner.find(0); at >= 0; at = scanner.find(at)) {
    at = scanner.tag(at);
    const name = kmlName(scanner, rootPrefix);
    if (isFeatureName(name)) at = placemarks.read(name, at);
    else if (placemarkNames.size > 0 && placemarkNames.has(tagName(scanner)))
      at = placemarks.readOfSchema(at);
    else at = scanner.skip(at);
  }
}
