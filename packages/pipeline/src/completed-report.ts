/** What the caller of a conversion or inspection adds to its report. */
import type { Catalogue } from '@geomill/core/messages/catalogue-entries.ts';
import { type Finding, severitiesOf, sumSeverities } from '@geomill/core/messages/findings.ts';
import { boundedReport } from './bounded-report.ts';
import type { FetchReport, JobReport } from './report.ts';

/** What was fetched for a run. */
export interface FetchReports {
  /** The first input; null: it was not fetched. */
  readonly fetched: FetchReport | null;
  /** Other inputs and files of steps that were fetched. */
  readonly fetchedSources: readonly FetchReport[];
}

/** The report with the findings that were made before the run, and with what was fetched for it; bounded again. */
export function completedReport(
  report: JobReport,
  findings: readonly Finding[],
  { fetched, fetchedSources }: FetchReports,
  catalogue: Catalogue,
): JobReport {
  const { totals } = report;
  const warningTotal = totals?.warnings;
  return boundedReport({
    ...report,
    ...(fetched === null ? {} : { fetched }),
    ...(fetchedSources.length === 0 ? {} : { fetchedSources }),
    warnings: [...findings, ...report.warnings],
    severities: sumSeverities(
      severitiesOf({ warnings: findings }, catalogue),
      severitiesOf(report, catalogue),
    ),
    ...(warningTotal === undefined
      ? {}
      : { totals: { ...totals, warnings: warningTotal + findings.length } }),
  });
}
