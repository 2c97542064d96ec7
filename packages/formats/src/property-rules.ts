/** What the readers of formats of JSON do with the attributes of a layer that PropertyParser cannot decide. */
import type { PropertyRules } from '@geomill/core/columns/property-parser.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { type InputLimits, tooManyFields } from '@geomill/io/limits.ts';
import { formatFindings } from './findings.ts';

/**
 * `member`: the one with the attributes. `keep` gets the notes of a feature that may have to be discarded. The rules throw
 * LIMIT_EXCEEDED.
 */
export function propertyRules(
  member: string,
  layerName: string,
  { fields }: InputLimits,
  findings: Findings,
  keep: (note: () => void) => void = (note) => note(),
): PropertyRules {
  return {
    member,
    checkCount: (count) => {
      if (count > fields) throw tooManyFields(layerName, `more than ${fields}`, fields);
    },
    onReplaced: (field, row) => {
      const params = { field, encoding: 'Unicode (lone surrogates)' };
      keep(() => findings.note(formatFindings.TEXT_REPLACED, params, { record: row + 1 }));
    },
  };
}
