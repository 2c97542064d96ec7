/** What the library says: the entries of its errors and findings, and how messages refer to the members of a job. */
import { catalogueOf } from '@geomill/core/messages/catalogue-entries.ts';
import { asGeomillError, failure, type GeomillError } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { CONFIG_FORM, type FieldForm } from '@geomill/core/messages/message.ts';
import { crsSearchErrors } from '@geomill/crs-search/errors.ts';
import { pipelineCatalogue } from '@geomill/pipeline/catalogue.ts';
import { requestErrors, requestFindings } from '@geomill/requests/messages.ts';
import { urlErrors, urlFindings } from './url-messages.ts';

export const libraryCatalogue = catalogueOf(() => ({
  errors: [pipelineCatalogue.errors, requestErrors, crsSearchErrors, urlErrors],
  findings: [pipelineCatalogue.findings, requestFindings, urlFindings],
}));

/** Paths of a config as those of a job of the library. */
function jobPath(path: string): string {
  return path
    .replace(/^transformations\b/, 'steps')
    .replace(/^append_crs_mapping\[(\d+)\]$/, (_, i) => `inputs[${Number(i) + 1}].epsg`)
    .replace(/^input_crs_mapping\[(\d+)\]$/, (_, i) => `inputs[${i}].epsg`)
    .replace(/^(?:append|input)_crs_mapping$/, 'inputs[].epsg');
}

export const JOB_FORM: FieldForm = {
  name: (path) => jobPath(CONFIG_FORM.name(path)),
  required: (path) => CONFIG_FORM.required(JOB_FORM.name(path)),
  set: (path, value) => CONFIG_FORM.set(JOB_FORM.name(path), value),
};

/** Any thrown value as an error of the library. */
export function asJobError(thrown: unknown): GeomillError {
  const error = asGeomillError(thrown);
  const shown = error.inForm(JOB_FORM);
  shown.stack = error.stack?.replace(error.message, () => shown.message);
  return shown;
}

export function invalidJob(detail: string, cause?: unknown): GeomillError {
  return failure(generalErrors.CONFIG_INVALID, { detail }, undefined, cause);
}
