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
  const first = places[0];
  const where =
    first?.line !== undefined
      ? `line ${first.line}`
      : first?.record !== undefined
        ? `feature ${first.record}`
        : null;
  if (where !== null) return `${message} (${count} times, first at ${where})`;
  return count > 1 ? `${message} (${count} times)` : message;
}
