/** The errors and findings that a conversion can have. */
import { type Catalogue, joinedTables } from '../catalogue-entries.ts';
import { geosErrors } from '../engines/geos/errors.ts';
import { projErrors } from '../engines/proj/errors.ts';
import { sqliteErrors } from '../engines/sqlite/errors.ts';
import { formatErrors } from '../formats/errors.ts';
import { formatFindings } from '../formats/findings.ts';
import { formats } from '../formats/registry.ts';
import { generalErrors } from '../general-errors.ts';
import { generalFindings } from '../general-findings.ts';
import { ioErrors } from '../io/errors.ts';
import { tableErrors } from '../tables/errors.ts';
import { tableFindings } from '../tables/findings.ts';
import { stepErrors } from '../transformations/errors.ts';
import { stepFindings } from '../transformations/findings.ts';
import { pipelineErrors } from './errors.ts';
import { pipelineFindings } from './findings.ts';

export const pipelineCatalogue: Catalogue = {
  errors: joinedTables([
    generalErrors,
    ioErrors,
    sqliteErrors,
    geosErrors,
    projErrors,
    tableErrors,
    formatErrors,
    ...formats.map(({ errors }) => errors),
    stepErrors,
    pipelineErrors,
  ]),
  findings: joinedTables([
    generalFindings,
    tableFindings,
    formatFindings,
    ...formats.map(({ findings }) => findings),
    stepFindings,
    pipelineFindings,
  ]),
};
