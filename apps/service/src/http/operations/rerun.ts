/** POST /v1/jobs/{job_id}/rerun: the request of a job again, with another input. */
import { ownerOf } from '../context.ts';
import type { Operation } from '../operation.ts';
import { submissionResponses } from '../schemas/outputs.ts';
import { refuseEarly } from '../submission.ts';
import { findJob, jobIdParameter } from './result.ts';
import { idempotencyKeyParameter, preferParameter, waitParameter } from './submission-parameters.ts';
import { answerJob } from './transform.ts';

export const rerunJob: Operation = {
  id: 'rerunJob',
  method: 'POST',
  path: '/v1/jobs/{job_id}/rerun',
  tag: 'Jobs',
  access: 'jobs:write',
  summary: 'Run a job again with another input',
  description:
    'Submits a new job with the request of an earlier one, in whatever state that is, and another input of the same format. ' +
    'Possible until the record of the earlier job is deleted. Files with polygons for steps are sent again, in parts of the ' +
    'same names. Large polygons in the config are deleted with the input too, and an upload with polygons may be deleted or expired: ' +
    'they are sent again as a file with polygons, in the part `mask`. A request without them is a 410, which names the part. Files of steps that were fetched by URL are fetched again.',
  parameters: [jobIdParameter, waitParameter, preferParameter, idempotencyKeyParameter],
  submits: { endpoint: null, body: 'rerun' },
  responses: submissionResponses('JobAccepted'),
  examples: ['curl -F input_file=@samples/harbour.geojson BASE_URL/v1/jobs/JOB_ID/rerun'],
  refuseEarly: (context, request) => refuseEarly(true, context, request),
  handle: async (context, request, reply) => {
    const job = await findJob(context, request);
    const [{ rerunIntake }, { submitRequest }] = await Promise.all([
      import('../rerun-intake.ts'),
      import('../submit-job.ts'),
    ]);
    const intake = await rerunIntake(job, ownerOf(request), context);
    const accepted = await submitRequest(intake.endpoint, context, request, intake);
    return answerJob(context, request, reply, accepted);
  },
};
