/** What the parts of the service get of its configuration. */
import { inputFormats, outputFormats } from '@geomill/formats/registry.ts';
import type { JobRequest } from '@geomill/pipeline/request.ts';
import { deliveredKind } from '@geomill/pipeline/split-request.ts';
import { packageVersion } from '@geomill/platform/package-version.ts';
import type { DataDirectory } from './jobs/data-directory.ts';
import type { JobServiceOptions } from './jobs/job-service-options.ts';
import type { JobLog, JobObserver } from './jobs/observer.ts';
import type { QueueSettings } from './jobs/open-queue.ts';
import type { JobQueue } from './jobs/queue.ts';
import type { RunnerOptions } from './jobs/runner-command.ts';
import type { OidcSettings } from './pages/account/library.ts';
import { HEADERS_TIMEOUT_MS, STALL_TIMEOUT_MS } from './remote-input/fetch-messages.ts';
import type { UrlPolicy } from './remote-input/policy.ts';
import type { Config } from './settings/config.ts';
import { inputLimits } from './settings/input-limits.ts';
import { directoryProbe } from './storage/local-store.ts';
import type { FileStore } from './storage/store.ts';

/** What a process of the service does: answer requests, run jobs, or both. */
export const roles = ['api', 'worker', 'all'] as const;
export type Role = (typeof roles)[number];

/** Null: users sign in with passwords only. */
export function oidcSignIn({ oidcIssuer, oidcClientId, oidcClientSecret }: Config): OidcSettings | null {
  if (oidcIssuer === null || oidcClientId === null || oidcClientSecret === null) return null;
  return { issuer: oidcIssuer, clientId: oidcClientId, clientSecret: oidcClientSecret };
}

/** For the log, without the address. */
export function storeKind({ storeUrl }: Config): string {
  if (storeUrl === null) return 'DATA_DIR';
  return storeUrl.startsWith('s3:') ? 'S3' : 'shared directory';
}

export function queueSettings(
  config: Config,
  processName: string,
  path: string,
  onFailure: (error: unknown) => void,
): QueueSettings {
  // 0 means unlimited.
  const ownerLimits = {
    jobs: config.maxOwnerJobs || null,
    storedBytes: config.maxOwnerStorageBytes || null,
  };
  return { ...config, processName, ownerLimits, path, onFailure };
}

/** Another process can receive the files of one job for that long before it has a row. */
const SHARED_ORPHAN_AGE_MS = 24 * 3_600_000;

export function serviceOptions(
  config: Config,
  role: Role,
  data: DataDirectory,
  queue: JobQueue,
  store: FileStore,
  runner: Pick<RunnerOptions, 'entry' | 'readPaths' | 'startTimeoutMs' | 'sandbox'>,
  log: JobLog,
  observer: JobObserver,
): Omit<JobServiceOptions, 'fetch'> {
  return {
    queue,
    store,
    answersRequests: role !== 'worker',
    ...(store.isShared ? { orphanAgeMs: SHARED_ORPHAN_AGE_MS, checkDisk: directoryProbe(data.path) } : {}),
    uploads: {
      retentionMs: config.uploadRetentionSeconds * 1000,
      maxBytes: config.maxUploadBytes,
      maxPerOwner: config.maxOwnerUploads || null,
    },
    runner: {
      slotsDirectory: data.slotsDirectory,
      memoryBytes: config.runnerMemoryBytes,
      gridDirectory: config.gridDirectory,
      count: role === 'api' ? 0 : config.runners,
      threads: config.runnerThreads,
      niceness: config.runnerNiceness,
      ...runner,
    },
    limits: inputLimits(config),
    ...(config.sourceDateEpoch === null ? {} : { outputTimeMs: config.sourceDateEpoch * 1000 }),
    scratch: { jobBytes: config.maxScratchBytes, ownerBytes: config.maxOwnerStorageBytes || null },
    jobTimeoutMs: config.jobTimeoutSeconds * 1000,
    maxAttempts: config.jobAttempts,
    graceMs: config.graceSeconds * 1000,
    ...(config.splitBytes === 0
      ? {}
      : { division: { fromBytes: config.splitBytes, partBytes: config.splitPartBytes } }),
    outputRetentionMs: config.outputRetentionSeconds * 1000,
    recordRetentionMs: config.recordRetentionSeconds * 1000,
    outputFormat,
    log,
    observer,
  };
}

export function fetchSettings(config: Config, policy: UrlPolicy): JobServiceOptions['fetch'] {
  return {
    policy,
    limits: {
      maxBytes: config.maxUploadBytes,
      totalMs: config.inputUrlTimeoutSeconds * 1000,
      headersMs: HEADERS_TIMEOUT_MS,
      stallMs: STALL_TIMEOUT_MS,
    },
    userAgent: `geomill/${packageVersion()}`,
  };
}

const inputExtensions = inputFormats.flatMap((format) => format.extensions);

function outputFormat(request: JobRequest): ReturnType<JobServiceOptions['outputFormat']> {
  if (request.operation === 'inspect')
    return { mediaType: 'application/json', outputExtension: '.inspection.json', inputExtensions };
  const format = outputFormats.find(({ id }) => id === request.output.format);
  // The job was accepted by a release that still had this format; its runner reports that.
  const { mediaType, outputExtension } =
    format === undefined
      ? { mediaType: 'application/octet-stream', outputExtension: '' }
      : deliveredKind(format, request.output);
  return { mediaType, outputExtension, inputExtensions };
}
