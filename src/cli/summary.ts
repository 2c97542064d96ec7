import type { Place } from '../errors.ts';
import type { Finding } from '../findings.ts';
import type { ConversionReport } from '../pipeline/report.ts';
import { inFlags } from './wording.ts';

/** The report in a few lines for a terminal. */
export function summarize(report: ConversionReport): string {
  const { features, input, output } = report;
  const lines = [
    `${features.written} features written as ${output.format} in ${output.crs} (${megabytes(output.byteLength)}, ${(report.timings.totalMs / 1000).toFixed(2)} s)`,
  ];
  for (const layer of input.layers) {
    lines.push(
      `  read ${layer.features} from '${layer.name}' (${layer.crsName}${layer.encoding === null ? '' : `, ${layer.encoding}`})`,
    );
  }
  for (const { operation, accuracyMeters, layer } of report.reprojections) {
    const accuracy = accuracyMeters === null ? 'accuracy unknown' : `accuracy ${accuracyMeters} m`;
    lines.push(`  reprojected '${layer}': ${operation} (${accuracy})`);
  }
  for (const warning of report.warnings) lines.push(`  note: ${findingLine(warning)}`);
  return `${lines.join('\n')}\n`;
}

function megabytes(bytes: number): string {
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** A finding in one line: what, how often, where first. */
export function findingLine({ message: text, count, places }: Finding): string {
  const message = inFlags(text);
  const where = places.length === 0 ? null : placeText(places[0]);
  if (where === null) return count > 1 ? `${message} (${count} times)` : message;
  return count > 1 ? `${message} (${count} times, first at ${where})` : `${message} (at ${where})`;
}

/** Null for a place that is only a layer or a field: the message names them. */
function placeText({ line, record, offset, id }: Place): string | null {
  const known = id === undefined ? '' : `, id ${id}`;
  if (line !== undefined) return `line ${line}${known}`;
  if (record !== undefined) return `feature ${record}${known}`;
  if (offset !== undefined) return `byte ${offset}${known}`;
  return id === undefined ? null : `id ${id}`;
}
