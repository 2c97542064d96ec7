/** What steps that use the features of a second source have in common: the parameter of the file, and the frame of the code. */

import type { Findings } from '@geomill/core/messages/findings.ts';
import { Geos } from '@geomill/geos/geos.ts';
import { stepFindings } from '../../findings.ts';
import type {
  ApplyStep,
  StepParameters,
  StepSetting,
  StreamingTransformation,
} from '../../transformation.ts';
import { SOURCE } from '../source-file.ts';
import { type FeatureSource, ROW_FLAG } from './feature-source.ts';
import { type AtAntimeridian, PlacedSource } from './placed-source.ts';
import { type AddedField, namedFields } from './source-fields.ts';

/** A step is not notified of its end: the memory of GEOS is freed when the step is garbage collected. */
const abandoned = new FinalizationRegistry<PlacedSource>((source) => source[Symbol.dispose]());

/** `addedFields` of the source, after those of the features. `prepare` gets the source in the CRS of the data, drawn as `how` says. */
export function featureStep(
  addedFields: (parameters: StepParameters) => readonly AddedField[],
  prepare: (geos: Geos, source: PlacedSource, parameters: StepParameters, setting: StepSetting) => ApplyStep,
  how: AtAntimeridian,
): StreamingTransformation {
  return {
    kind: 'streaming',
    outputFields: (fields, parameters) => [
      ...fields,
      ...namedFields(fields, addedFields(parameters), parameters),
    ],
    async prepare(parameters, setting) {
      const geos = await Geos.load();
      const placed = new PlacedSource(geos, sourceOf(parameters), setting, how);
      const apply = prepare(geos, placed, parameters, setting);
      abandoned.register(apply, placed);
      return apply;
    },
    conclude: (parameters, findings) => concludeSource(sourceOf(parameters), findings),
  };
}

/** The value that the collector of the step made. */
export function sourceOf(parameters: StepParameters): FeatureSource {
  return parameters[SOURCE] as FeatureSource;
}

function concludeSource({ table: { file }, flags }: FeatureSource, findings: Findings): void {
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
