/** All errors and findings of the service: for the API, and for those who know only the code of a stored one. */

import { accountAreaErrors } from './account-area/errors.ts';
import { accountErrors } from './accounts/errors.ts';
import { type Catalogue, joinedTables } from './catalogue-entries.ts';
import { crsSearchErrors } from './crs-search/errors.ts';
import { postgresErrors } from './engines/postgres/errors.ts';
import { httpErrors } from './http/errors.ts';
import { httpFindings } from './http/findings.ts';
import { jobErrors } from './jobs/errors.ts';
import { jobFindings } from './jobs/findings.ts';
import { maintenanceErrors } from './maintenance/errors.ts';
import { pipelineCatalogue } from './pipeline/catalogue.ts';
import { remoteInputErrors } from './remote-input/errors.ts';
import { requestErrors } from './requests/errors.ts';
import { requestFindings } from './requests/findings.ts';
import { storageErrors } from './storage/errors.ts';

export const catalogue: Catalogue = {
  errors: joinedTables([
    pipelineCatalogue.errors,
    requestErrors,
    crsSearchErrors,
    storageErrors,
    remoteInputErrors,
    jobErrors,
    accountErrors,
    accountAreaErrors,
    maintenanceErrors,
    postgresErrors,
    httpErrors,
  ]),
  findings: joinedTables([pipelineCatalogue.findings, requestFindings, jobFindings, httpFindings]),
};
