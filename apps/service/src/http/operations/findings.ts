/** GET /v1/jobs/{job_id}/findings: where the features are that the warnings of a job are about. */
import type { Operation } from '../operation.ts';
import { outputValidators } from '../schemas/outputs.ts';
import { ref } from '../schemas/schema.ts';
import { sendFindings } from '../send-findings.ts';
import { findJob, jobIdParameter } from './result.ts';

const disposition = { 'Content-Disposition': { description: 'A file name.', schema: { type: 'string' } } };

export const getFindings: Operation = {
  id: 'getFindings',
  method: 'GET',
  path: '/v1/jobs/{job_id}/findings',
  tag: 'Jobs',
  access: 'jobs:read',
  summary: 'Get the places of warnings',
  description:
    'A GeoJSON FeatureCollection in EPSG:4326: the point or box of each feature that was dropped, repaired, cut or changed. At most ' +
    '10,000 features of a code, and 50,000 or 20 MB in all; `totals` has the full numbers. Available as long as the output.',
  parameters: [jobIdParameter],
  responses: {
    200: {
      description: 'The places.',
      headers: { ...outputValidators, ...disposition },
      content: { 'application/geo+json': { schema: ref('FindingCollection') } },
    },
    206: {
      description: 'The requested range.',
      headers: {
        ...outputValidators,
        ...disposition,
        'Content-Range': {
          description: '`bytes FIRST-LAST/LENGTH`, both inclusive.',
          schema: { type: 'string' },
        },
      },
      content: { 'application/geo+json': { schema: {} } },
    },
    304: { description: 'Not modified: If-None-Match has its tag.', headers: outputValidators },
    409: { description: 'The job is not SUCCESS: `detail` gives its state and, if it failed, the error.' },
    410: { description: 'The output has expired, and the places with it.' },
    416: {
      description: 'The range is outside the places.',
      headers: { 'Content-Range': { description: '`bytes */LENGTH`', schema: { type: 'string' } } },
    },
  },
  examples: ['curl BASE_URL/v1/jobs/JOB_ID/findings'],
  handle: async (context, request, reply) =>
    sendFindings(context, request, reply, await findJob(context, request)),
};
