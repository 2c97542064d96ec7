/** The errors and findings that a conversion can have. */
import { catalogueOf } from '@geomill/core/messages/catalogue-entries.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { generalFindings } from '@geomill/core/messages/general-findings.ts';
import { formatErrors } from '@geomill/formats/errors.ts';
import { formatFindings } from '@geomill/formats/findings.ts';
import { formats } from '@geomill/formats/registry.ts';
import { commonTableFindings } from '@geomill/formats/tables/findings.ts';
import { geosErrors } from '@geomill/geos/errors.ts';
import { ioErrors } from '@geomill/io/errors.ts';
import { stepErrors } from '@geomill/operations/errors.ts';
import { stepFindings } from '@geomill/operations/findings.ts';
import { projErrors } from '@geomill/proj/errors.ts';
import { sqliteErrors } from '@geomill/sqlite/errors.ts';
import { pipelineErrors } from './errors.ts';
import { pipelineFindings } from './findings.ts';

export const pipelineCatalogue = catalogueOf(() => ({
  errors: [
    generalErrors,
    ioErrors,
    sqliteErrors,
    geosErrors,
    projErrors,
    formatErrors,
    ...formats.map(({ errors }) => errors),
    stepErrors,
    pipelineErrors,
  ],
  findings: [
    generalFindings,
    commonTableFindings,
    formatFindings,
    ...formats.map(({ findings }) => findings),
    stepFindings,
    pipelineFindings,
  ],
}));
