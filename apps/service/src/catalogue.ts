/** All errors and findings of the service: for the API, and for those who know only the code of a stored one. */
import { catalogueOf } from '@geomill/core/messages/catalogue-entries.ts';
import { crsSearchErrors } from '@geomill/crs-search/errors.ts';
import { urlErrors, urlFindings } from '@geomill/library/url-messages.ts';
import { pipelineCatalogue } from '@geomill/pipeline/catalogue.ts';
import { requestErrors, requestFindings } from '@geomill/requests/messages.ts';
import { accountErrors } from './accounts/errors.ts';
import { httpErrors, httpFindings } from './http/errors.ts';
import { jobErrors, jobFindings } from './jobs/errors.ts';
import { maintenanceErrors } from './maintenance/errors.ts';
import { accountAreaErrors } from './pages/account/errors.ts';
import { postgresErrors } from './postgres/errors.ts';
import { remoteInputErrors } from './remote-input/errors.ts';
import { storageErrors } from './storage/errors.ts';

export const catalogue = catalogueOf(() => ({
  errors: [
    pipelineCatalogue.errors,
    requestErrors,
    urlErrors,
    crsSearchErrors,
    storageErrors,
    remoteInputErrors,
    jobErrors,
    accountErrors,
    accountAreaErrors,
    maintenanceErrors,
    postgresErrors,
    httpErrors,
  ],
  findings: [pipelineCatalogue.findings, requestFindings, urlFindings, jobFindings, httpFindings],
}));
