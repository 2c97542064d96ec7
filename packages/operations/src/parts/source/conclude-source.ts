/** Reports, after all batches, what happened to the features of a second source. */
import type { Findings } from '@geomill/core/messages/findings.ts';
import { stepFindings } from '../../findings.ts';
import { type FeatureSource, ROW_FLAG } from './feature-source.ts';

export function concludeSource({ table: { file }, flags }: FeatureSource, findings: Findings): void {
  let [unmatched, repaired, notShown] = [0, 0, 0];
  for (const flag of flags) {
    if ((flag & ROW_FLAG.matched) === 0) unmatched++;
    if ((flag & ROW_FLAG.repaired) !== 0) repaired++;
    if ((flag & ROW_FLAG.notShown) !== 0) notShown++;
  }
  const source = file;
  if (unmatched > 0) findings.note(stepFindings.SOURCE_ROWS_UNMATCHED, { source }, { file }, unmatched);
  if (repaired > 0) findings.note(stepFindings.SOURCE_REPAIRED, { source }, { file }, repaired);
  if (notShown > 0) findings.note(stepFindings.SOURCE_NOT_SHOWN, { source }, { file }, notShown);
}
