/** POST /transform: takes a job. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type FieldId, fieldNames, type Surface } from '../config-fields.ts';
import { configSchema, type FormatRegistry } from '../config-schema.ts';
import { baseUrlOf, type HttpContext } from '../context.ts';
import type { JsonSchema, Operation } from '../operation.ts';
import { sendJobFailure, sendOutput } from '../send-output.ts';
import { type AcceptedJob, abortSignalOf, refuseEarly, submitRequest, waitOf } from '../submit-job.ts';
