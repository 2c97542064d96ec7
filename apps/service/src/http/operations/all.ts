/** Every operation of the HTTP interface, in the order of the document. Adding one is its record and one line here. */
import type { Format } from '@geomill/formats/format.ts';
import type { Operation } from '../operation.ts';
import { listFormats, listTransformations } from './catalogue.ts';
import { continueUpload, overrideUpload } from './continue-upload.ts';
import { getCrs, searchCrs, suggestCrs } from './crs.ts';
import { documentOperations } from './documents.ts';
import { getJobEvents } from './events.ts';
import { getFindings } from './findings.ts';
import { getHealth, getMetrics, getReadiness } from './health.ts';
import { listJobs } from './job-list.ts';
import { deleteJob, getJob } from './jobs.ts';
import { getAuthorizationServer, getKeySet } from './oauth-documents.ts';
import { rerunJob } from './rerun.ts';
import { getOutput, getStatus } from './result.ts';
import { issueSessionToken } from './session-token.ts';
import { getTask, getTaskOutput } from './tasks.ts';
import { issueToken } from './token.ts';
import { submitJob } from './transform.ts';
import { createUpload, deleteUpload, describeUploads, getUpload, listUploads } from './uploads.ts';
import { inspect, versionedOperations } from './versioned.ts';

/** The operations of a process that only runs jobs. */
export const healthOperations: readonly Operation[] = [getHealth, getReadiness, getMetrics];

export function allOperations(formats: readonly Format[]): readonly Operation[] {
  const operations: Operation[] = [
    submitJob,
    getStatus,
    getOutput,
    listJobs,
    getJob,
    getFindings,
    getJobEvents,
    rerunJob,
    deleteJob,
    ...versionedOperations(formats),
    getTask,
    getTaskOutput,
    inspect,
    createUpload,
    listUploads,
    describeUploads,
    getUpload,
    continueUpload,
    overrideUpload,
    deleteUpload,
    listFormats,
    listTransformations,
    searchCrs,
    suggestCrs,
    getCrs,
    issueToken,
    issueSessionToken,
    getKeySet,
    getAuthorizationServer,
    ...documentOperations(() => operations),
    ...healthOperations,
  ];
  return operations;
}
