import { type ShownFinding, severities, shownFindings } from '@geomill/core/messages/findings.ts';
import { counted } from '@geomill/core/messages/message.ts';
import type { ConversionReport } from '@geomill/pipeline/report.ts';
import { findingLine, severityText, stepLine } from '@geomill/pipeline/report-document.ts';
import { catalogue } from '@geomill/service/catalogue.ts';
import { FLAG_FORM } from './wording.ts';

/** More are shown as one line: an append may have a thousand files. */
const SHOWN_LAYERS = 20;

/** The report in a few lines for a terminal. */
export function summarize(report: ConversionReport, form = FLAG_FORM): string {
  const { features, input, output } = report;
  const lines = [
    `${counted(features.written, 'feature')} written as ${output.format} in ${output.crs} (${megabytes(output.byteLength)}, ${(report.timings.totalMs / 1000).toFixed(2)} s)`,
  ];
  for (const layer of input.layers.slice(0, SHOWN_LAYERS)) {
    const file = input.files.length === 1 ? '' : ` of '${layer.file}'`;
    lines.push(
      `  read ${layer.features} from '${layer.name}'${file} (${layer.crsName}${layer.encoding === null ? '' : `, ${layer.encoding}`})`,
    );
  }
  if (input.layers.length > SHOWN_LAYERS) {
    const rest = input.layers.slice(SHOWN_LAYERS);
    const features = rest.reduce((sum, layer) => sum + layer.features, 0);
    lines.push(`  read ${features} from ${rest.length} more layers`);
  }
  for (const { operation, accuracyMeters, layer } of report.reprojections) {
    const accuracy = accuracyMeters === null ? 'accuracy unknown' : `accuracy ${accuracyMeters} m`;
    lines.push(`  reprojected '${layer}': ${operation} (${accuracy})`);
  }
  for (const step of report.steps ?? []) lines.push(`  ${stepLine(step)}`);
  lines.push(...findingLines(shownFindings(report.warnings, catalogue, form)).map((line) => `  ${line}`));
  if (report.warnings.length > 0) lines.push(`  ${severityText(report, catalogue)}`);
  return `${lines.join('\n')}\n`;
}

export function megabytes(bytes: number): string {
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** A line for each finding, the most serious first: "lost: Z values were dropped". */
export function findingLines(findings: readonly ShownFinding[]): string[] {
  return [...severities]
    .reverse()
    .flatMap((severity) => findings.filter((finding) => finding.severity === severity))
    .map((finding) => `${finding.severity}: ${findingLine(finding, catalogue)}`);
}
