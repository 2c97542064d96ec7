/** What geomill supports, as GET /v1/formats and GET /v1/transformations of a service list it: for pages without a service. */
import { FOREIGN_FORMATS } from '../packages/formats/src/foreign-formats.ts';
import { allFormats, allSteps } from '../packages/library/src/lists.ts';
import { STEP_GROUPS } from '../packages/operations/src/transformation.ts';

/** As the page has it: `Catalogue` of apps/web/service.ts. */
export function webCatalogue(): string {
  const unsupported = FOREIGN_FORMATS.filter(({ extensions }) => extensions.length > 0).map(
    ({ found, extensions, advice }) => ({ name: found, extensions, advice }),
  );
  return JSON.stringify({
    formats: allFormats(),
    unsupported,
    transformations: allSteps(),
    stepGroups: STEP_GROUPS,
  });
}
