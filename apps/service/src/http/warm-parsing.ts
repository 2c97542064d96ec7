/**
 * Compiles the schemas of requests, a few at a time, as soon as the service listens. At the first request it would block all
 * others for 100 ms. Also loads the rest of what the first submission needs.
 */
import './submit-job.ts';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isInputFormat, isOutputFormat } from '@geomill/formats/format.ts';
import { formats } from '@geomill/formats/registry.ts';
import { exampleStep } from '@geomill/operations/parts/example-step.ts';
import { transformations } from '@geomill/operations/registry.ts';
import { parseSteps } from '@geomill/operations/requested-steps.ts';
import type { Endpoint } from '@geomill/requests/config-fields.ts';
import { parseJobRequest } from '@geomill/requests/parse-job-request.ts';

export async function warmParsing(): Promise<void> {
  const registries = { formats, transformations };
  const output = formats.filter(isOutputFormat)[0];
  for (const record of transformations) {
    await nextTurn();
    parseSteps([exampleStep(record)], 'transformations', transformations);
  }
  for (const { id } of formats.filter(isInputFormat))
    for (const operation of ['transform', 'append', 'merge'] as const) {
      await nextTurn();
      const endpoint: Endpoint = { operation, inputFormat: id, spelling: 'flat' };
      const crs = operation === 'merge' ? {} : { input_crs: 4326 };
      const mapping = operation === 'append' ? 'append_crs_mapping' : 'input_crs_mapping';
      const mapped = operation === 'transform' ? {} : { [mapping]: [4326] };
      const common = {
        input_format: id,
        output_format: output.id,
        output_crs: 4326,
        input_layer: 'a',
        to_file: true,
      };
      parseJobRequest({ ...crs, ...mapped, ...common }, endpoint, registries);
    }
}
