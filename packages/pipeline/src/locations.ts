/** Locations of a partition, or of a piece, as locations in its layer. */
import { GeomillError, type Location } from '@geomill/core/messages/errors.ts';
import type { MessageParam } from '@geomill/core/messages/message.ts';

/** Records, lines and features of the layer before a partition; NaN: not known, after parts that were not read. */
export interface PartitionBase {
  readonly records: number;
  readonly lines: number;
  readonly rows: number;
}

export type LayerLocation = Pick<Location, 'file' | 'layer'>;

/** A location within a partition as a location within the layer. */
export function locateInLayer(location: Location, base: PartitionBase, layerName: string): Location {
  return locateAt(location, base, { layer: layerName });
}

/** As `locateInLayer`, for a layer of one of several files. */
export function locateAt(location: Location, base: PartitionBase, at: LayerLocation): Location {
  const { record, line, ...others } = location;
  return {
    ...at,
    ...others,
    ...(record === undefined || Number.isNaN(base.records) ? {} : { record: record + base.records }),
    ...(line === undefined || Number.isNaN(base.lines) ? {} : { line: line + base.lines }),
  };
}

/** Errors count records and lines from 1 within their partition; users need them from 1 within the layer. */
export function locateErrorAt(error: unknown, base: PartitionBase, at: LayerLocation): unknown {
  if (!(error instanceof GeomillError) || error.fault === 'ours') return error;
  const location = locateAt(error.location ?? {}, base, at);
  const params: Record<string, MessageParam> = { ...error.params };
  if ('record' in params && location.record !== undefined) params.record = location.record;
  if ('line' in params && location.line !== undefined) params.line = location.line;
  if ('place' in params && location.record !== undefined) {
    const file = at.file === undefined ? '' : `'${at.file}', `;
    params.place = `${file}layer '${at.layer}', feature ${location.record}`;
  }
  return new GeomillError(error.entry, params, location, error);
}
