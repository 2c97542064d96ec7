/** Every named schema of the document. */
import type { JsonSchema } from '@geomill/core/schemas/schema-check.ts';
import type { Registries } from '@geomill/requests/config-fields.ts';
import { jobDocumentSchema } from '@geomill/requests/job-document.ts';
import { catalogueSchemas } from './catalogue.ts';
import { credentialSchemas } from './credentials.ts';
import { crsSchemas } from './crs.ts';
import { geojsonSchemas } from './geojson.ts';
import { inspectionSchemas } from './inspection.ts';
import { jobSchemas, taskSchemas } from './job.ts';
import { problemSchemas } from './problem.ts';
import { reportSchemas } from './report.ts';
import { optionSchemas, stepSchemas } from './steps.ts';
import { uploadSchemas } from './upload.ts';

export function componentSchemas({ formats, transformations }: Registries): Record<string, JsonSchema> {
  return {
    ...jobSchemas,
    ...taskSchemas,
    ...reportSchemas,
    ...inspectionSchemas,
    ...uploadSchemas,
    ...catalogueSchemas,
    ...crsSchemas,
    JobDocument: jobDocumentSchema({ formats }),
    ...stepSchemas(transformations),
    ...optionSchemas(formats),
    ...geojsonSchemas,
    ...credentialSchemas,
    ...problemSchemas,
  };
}
