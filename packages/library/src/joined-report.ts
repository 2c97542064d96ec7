/** One report of several runs. */
import type { Catalogue } from '@geomill/core/messages/catalogue-entries.ts';
import { severitiesOf, sumSeverities } from '@geomill/core/messages/findings.ts';
import type { ConversionReport } from '@geomill/pipeline/report.ts';

/** The report of runs of which each appended to the output of the one before. */
export function joinedReport(reports: readonly ConversionReport[], catalogue: Catalogue): ConversionReport {
  return reports.reduce((sum, next) => joinedPair(sum, next, catalogue));
}

function joinedPair(sum: ConversionReport, next: ConversionReport, catalogue: Catalogue): ConversionReport {
  const [, ...files] = next.input.files;
  const appended = next.features.appended ?? 0;
  const fetchedSources = [...(sum.fetchedSources ?? []), ...(next.fetchedSources ?? [])];
  return {
    ...sum,
    ...(fetchedSources.length === 0 ? {} : { fetchedSources }),
    input: {
      ...sum.input,
      files: [...sum.input.files, ...files],
      layers: [...sum.input.layers, ...next.input.layers.filter(({ file }) => file !== sum.input.name)],
    },
    output: next.output,
    features: {
      ...sum.features,
      skipped: (sum.features.skipped ?? 0) + (next.features.skipped ?? 0),
      read: sum.features.read + appended,
      appended: (sum.features.appended ?? 0) + appended,
      written: next.features.written,
      dropped: sum.features.dropped + next.features.dropped,
      repaired: sum.features.repaired + next.features.repaired,
      split: sum.features.split + next.features.split,
    },
    fields: {
      renamed: [...sum.fields.renamed, ...next.fields.renamed],
      retyped: [...sum.fields.retyped, ...next.fields.retyped],
      dropped: [...sum.fields.dropped, ...next.fields.dropped],
    },
    reprojections: [...sum.reprojections, ...next.reprojections],
    warnings: [...sum.warnings, ...next.warnings],
    severities: sumSeverities(severitiesOf(sum, catalogue), severitiesOf(next, catalogue)),
    timings: { totalMs: sum.timings.totalMs + next.timings.totalMs },
  };
}
