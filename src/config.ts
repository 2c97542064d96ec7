/**
 * Every setting, once: its variable, type, unit, default and meaning. docs/settings.md is generated from `settings`.
 * With main.ts the only reader of the environment. A value that cannot be used is an error that names the setting; it
 * never falls back to the default in silence, because a mistyped limit is a limit that is not there.
 */
import { isIPv4 } from 'node:net';
import { resolve } from 'node:path';
import { type Capacity, LEAST_RUNNER_MEMORY, planCapacity } from './capacity.ts';
import { failure } from './errors.ts';
import { type Machine, readMachine } from './machine.ts';
import { parseSetting, type Setting, SIZES } from './setting-values.ts';

const { KiB, MiB, GiB, HOUR, DAY } = SIZES;

export const settings = {
  host: { name: 'HOST', type: 'text', default: '127.0.0.1', text: 'Address the service listens on.' },
  port: {
    name: 'PORT',
    type: 'integer',
    default: 8080,
    min: 0,
    max: 65535,
    text: 'Port the service listens on; 0 takes a free one.',
  },
  baseUrl: {
    name: 'BASE_URL',
    type: 'url',
    default: null,
    text: 'Public address of the service, used in the links it gives. Unset: the Host header of the request.',
  },
  trustedProxies: {
    name: 'TRUSTED_PROXIES',
    type: 'networks',
    default: null,
    text: 'Addresses and networks of proxies whose X-Forwarded-For is believed: `127.0.0.1, 10.0.0.0/8`. Without it all clients behind a proxy count as one source of wrong credentials. Unset: none.',
  },
  auth: {
    name: 'AUTH',
    type: 'choice',
    default: null,
    choices: ['open', 'required'],
    text: 'Whether requests need a credential. Unset: `open` while HOST is a loopback address, else `required`. `open` on any other address needs `geomill serve --insecure-open`.',
  },
  authJobSurface: {
    name: 'AUTH_JOB_SURFACE',
    type: 'choice',
    default: null,
    choices: ['open', 'required'],
    text: 'The same for `/transform` and `/result/...` alone. Unset: as AUTH.',
  },
  tokenLifetimeSeconds: {
    name: 'TOKEN_LIFETIME',
    type: 'seconds',
    default: 300,
    min: 10,
    max: DAY,
    text: 'Time an access token of an OAuth client is good for.',
  },
  signingKeyRotationSeconds: {
    name: 'SIGNING_KEY_ROTATION',
    type: 'seconds',
    default: 30 * DAY,
    min: 2 * HOUR,
    max: 365 * DAY,
    text: 'Time a key signs access tokens before the next one does.',
  },
  auditRetentionSeconds: {
    name: 'AUDIT_RETENTION',
    type: 'seconds',
    default: 365 * DAY,
    min: DAY,
    text: 'Time that entries of the audit log are kept.',
  },
  oidcIssuer: {
    name: 'OIDC_ISSUER',
    type: 'issuer',
    default: null,
    text: 'Address of an OpenID Connect issuer whose access tokens are accepted too. Unset: none.',
  },
  oidcAudience: {
    name: 'OIDC_AUDIENCE',
    type: 'text',
    default: null,
    text: 'What `aud` of its access tokens has to be; needed with OIDC_ISSUER. Not the client id of a web page.',
  },
  oidcClientId: {
    name: 'OIDC_CLIENT_ID',
    type: 'text',
    default: null,
    text: 'With OIDC_ISSUER, OIDC_CLIENT_SECRET and BASE_URL: people sign in to the account area with that issuer. Its redirect URI is BASE_URL with `/account/auth/callback/oidc`. Unset: by password alone.',
  },
  oidcClientSecret: {
    name: 'OIDC_CLIENT_SECRET',
    type: 'text',
    default: null,
    text: 'Secret of OIDC_CLIENT_ID at the issuer.',
  },
  oidcScopeClaim: {
    name: 'OIDC_SCOPE_CLAIM',
    type: 'text',
    default: null,
    text: 'The claim of its access tokens that holds scopes. Unset: what `scope` names of ours, never `admin`; where that is nothing, `jobs:read jobs:write`.',
  },
  corsOrigins: {
    name: 'CORS_ORIGINS',
    type: 'origins',
    default: null,
    text: 'Web pages that may call the service from a browser: their origins, separated by commas, or `*` for any. Unset: none.',
  },
  dataDirectory: {
    name: 'DATA_DIR',
    type: 'path',
    default: './data',
    text: 'Directory of jobs, uploads and outputs; one service at a time may use it.',
  },
  logLevel: {
    name: 'LOG_LEVEL',
    type: 'choice',
    default: 'info',
    choices: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    text: 'Least severity that is logged; the log goes to standard output, one JSON object a line.',
  },
  runners: {
    name: 'RUNNERS',
    type: 'integer',
    default: null,
    min: 1,
    max: 1024,
    text: 'Number of runner processes, each of which runs one job at a time. Unset: one per core, fewer where the memory does not suffice for RUNNER_MEMORY (or 2 GiB) each.',
  },
  runnerThreads: {
    name: 'RUNNER_THREADS',
    type: 'integer',
    default: null,
    min: 1,
    max: 1024,
    text: 'Worker threads one large job may use. Unset: twice the cores divided by RUNNERS, at least 4, at most one per core.',
  },
  runnerMemoryBytes: {
    name: 'RUNNER_MEMORY',
    type: 'bytes',
    default: null,
    min: LEAST_RUNNER_MEMORY,
    text: 'Memory one job may use. A job that needs more is stopped and fails. Unset: 2 GiB, or less where RUNNERS of them would exceed the memory; a tenth of it, at least 512 MiB, is left for the service.',
  },
  runnerSandbox: {
    name: 'RUNNER_SANDBOX',
    type: 'choice',
    default: 'auto',
    choices: ['auto', 'bwrap', 'user', 'none'],
    text: "Isolation of runners besides Node's permission model: `bwrap` namespaces made by bubblewrap, `user` a system user for each runner (needs root), `none`, or `auto`, the strongest that works. See security.md.",
  },
  runnerFirstUid: {
    name: 'RUNNER_FIRST_UID',
    type: 'integer',
    default: 60_706,
    min: 1,
    max: 2 ** 31,
    text: 'First user and group id for runners at the level `user`; two per runner are used. They must not belong to anybody.',
  },
  gridDirectory: {
    name: 'PROJ_GRIDS',
    type: 'path',
    default: null,
    text: 'Directory with PROJ grid files (.tif, .gsb) for the most accurate datum shifts. Unset: none.',
  },
  jobTimeoutSeconds: {
    name: 'JOB_TIMEOUT',
    type: 'seconds',
    default: HOUR,
    min: 1,
    max: 7 * DAY,
    text: 'Time one attempt at a job may take.',
  },
  jobAttempts: {
    name: 'JOB_ATTEMPTS',
    type: 'integer',
    default: 3,
    min: 1,
    max: 100,
    text: 'Times a job is begun before it fails, when its process or the whole service dies meanwhile.',
  },
  syncTimeoutSeconds: {
    name: 'SYNC_TIMEOUT',
    type: 'seconds',
    default: 60,
    min: 0,
    max: HOUR,
    text: 'Longest time a request that waits for its output is held open.',
  },
  graceSeconds: {
    name: 'SHUTDOWN_GRACE',
    type: 'seconds',
    default: 20,
    min: 0,
    max: HOUR,
    text: 'Time running jobs get to finish when the service is stopped; what is left runs at the next start.',
  },
  outputRetentionSeconds: {
    name: 'OUTPUT_RETENTION',
    type: 'seconds',
    default: DAY,
    min: 1,
    text: 'Time an output can be fetched after its job has ended.',
  },
  recordRetentionSeconds: {
    name: 'RECORD_RETENTION',
    type: 'seconds',
    default: 7 * DAY,
    min: 1,
    text: 'Time the record of a job is kept after it has ended.',
  },
  maxUploadBytes: {
    name: 'MAX_UPLOAD',
    type: 'bytes',
    default: 5 * GiB,
    min: 1,
    text: 'Size of the files of a request, all together.',
  },
  minUploadRate: {
    name: 'MIN_UPLOAD_RATE',
    type: 'integer',
    default: 500,
    min: 0,
    max: 1_000_000_000,
    text: 'Slowest rate in bytes per second at which a request body may arrive, averaged over 30 seconds; slower ones are refused with 408. 0: any rate.',
  },
  uploadTimeoutSeconds: {
    name: 'UPLOAD_TIMEOUT',
    type: 'seconds',
    default: 6 * HOUR,
    min: 1,
    max: 7 * DAY,
    text: 'Longest time the body of one request may take to arrive.',
  },
  maxJsonBodyBytes: {
    name: 'MAX_JSON_BODY',
    type: 'bytes',
    default: GiB,
    min: 1,
    text: 'Size of a JSON body with GeoJSON in it.',
  },
  maxFiles: {
    name: 'MAX_FILES',
    type: 'integer',
    default: 1000,
    min: 1,
    max: 100_000,
    text: 'Files of a request to append or merge.',
  },
  inputUrlHosts: {
    name: 'INPUT_URL_HOSTS',
    type: 'text',
    default: null,
    text: 'Hosts that input files may be fetched from by URL: `data.example.org, *.example.org, files.example.org:8443`, or `*` for every public one. Without a port: 80 and 443. Unset: no file is fetched.',
  },
  inputUrlPrivateNetworks: {
    name: 'INPUT_URL_PRIVATE_NETWORKS',
    type: 'text',
    default: null,
    text: 'Networks that are not public and that files may be fetched from all the same: `10.20.0.0/16, fd00:1234::/32`. Unset: none.',
  },
  inputUrlTimeoutSeconds: {
    name: 'INPUT_URL_TIMEOUT',
    type: 'seconds',
    default: 300,
    min: 1,
    max: DAY,
    text: 'Time that fetching a file by URL may take.',
  },
  maxConfigBytes: {
    name: 'MAX_CONFIG',
    type: 'bytes',
    default: 256 * KiB,
    min: KiB,
    max: 64 * MiB,
    text: 'Maximum size of the config of a request, without the polygons that steps clip and erase by (MAX_MASK). The HTTP process parses it in one go, so each MiB holds all requests for some 10 ms.',
  },
  maxMaskBytes: {
    name: 'MAX_MASK',
    type: 'bytes',
    default: 64 * MiB,
    min: KiB,
    max: 256 * MiB,
    text: 'Maximum size of the polygons of one clip or erase step, in the config or as form part `mask`; counted in MAX_UPLOAD or MAX_JSON_BODY too.',
  },
  maxQueueLength: {
    name: 'MAX_QUEUE',
    type: 'integer',
    default: 10_000,
    min: 1,
    text: 'Jobs that may wait; more are refused with 503.',
  },
  maxOwnerJobs: {
    name: 'MAX_OWNER_JOBS',
    type: 'integer',
    default: null,
    min: 0,
    text: 'Jobs of one account that may wait or run; more are refused with 429. 0: any number. Unset: 1000 where credentials are required, else 0.',
  },
  maxOwnerStorageBytes: {
    name: 'MAX_OWNER_STORAGE',
    type: 'bytes',
    default: null,
    min: 0,
    text: 'Bytes that one account may store: inputs of its jobs that wait or run, outputs until they expire, and records of jobs until they are deleted. 0: any number. Unset: 50 GiB where credentials are required, else 0.',
  },
  maxOwnerRequests: {
    name: 'MAX_OWNER_REQUESTS',
    type: 'integer',
    default: 500,
    min: 1,
    max: 100_000,
    text: 'Maximum number of event streams, downloads and waiting requests of one account at a time. Further streams and downloads get 429; further requests are answered with 202 at once.',
  },
  rateLimit: {
    name: 'RATE_LIMIT',
    type: 'integer',
    default: null,
    min: 0,
    max: 1_000_000,
    text: 'Requests a second of one account, in the long run; more are refused with 429. Without credentials each address counts for itself. 0: any number. Unset: 20 where credentials are required, else 0.',
  },
  rateBurst: {
    name: 'RATE_BURST',
    type: 'integer',
    default: 100,
    min: 1,
    max: 1_000_000,
    text: 'Requests of one account that may come at once, on top of RATE_LIMIT.',
  },
  maxUnzippedBytes: {
    name: 'MAX_UNZIPPED',
    type: 'bytes',
    default: 20 * GiB,
    min: 1,
    text: 'Unpacked size of the zip archives of a job, all entries together.',
  },
  maxUnzipRatio: {
    name: 'MAX_UNZIP_RATIO',
    type: 'integer',
    default: 200,
    min: 1,
    text: 'Unpacked to packed size of an entry of a zip archive.',
  },
  maxZipEntries: {
    name: 'MAX_ZIP_ENTRIES',
    type: 'integer',
    default: 1000,
    min: 1,
    text: 'Entries of a zip archive.',
  },
  maxFeatures: {
    name: 'MAX_FEATURES',
    type: 'integer',
    default: 100_000_000,
    min: 1,
    text: 'Features of an input.',
  },
  maxCoordinatesPerFeature: {
    name: 'MAX_FEATURE_COORDINATES',
    type: 'integer',
    default: 50_000_000,
    min: 1,
    text: 'Coordinates of one feature.',
  },
  maxFields: {
    name: 'MAX_FIELDS',
    type: 'integer',
    default: 4000,
    min: 1,
    max: 100_000,
    text: 'Attribute fields of a layer of an input. The memory of a job grows with features times fields.',
  },
  maxOutputFactor: {
    name: 'MAX_OUTPUT_FACTOR',
    type: 'integer',
    default: 500,
    min: 1,
    max: 1_000_000,
    text: 'Positions that a transformation may make of each position of a layer. Up to 5 million positions are always allowed.',
  },
} as const satisfies Record<string, Setting>;

/** Where credentials are required. */
const OWNER_LIMITS = { maxOwnerJobs: 1000, maxOwnerStorageBytes: 50 * GiB, rateLimit: 20 } as const;

type SettingKey = keyof typeof settings;
type ValueOf<S extends Setting> = S['type'] extends 'integer' | 'bytes' | 'seconds' ? number : string;
type Present<S extends Setting> = S['default'] extends null ? ValueOf<S> | null : ValueOf<S>;
type MachineDefaults = 'runners' | 'runnerThreads' | 'runnerMemoryBytes';
type OwnerLimitKey = keyof typeof OWNER_LIMITS;
/** Whether requests need a credential. */
export type AuthMode = 'open' | 'required';
type AuthKey = 'auth' | 'authJobSurface';

/** The settings as the service uses them: paths are absolute, sizes in bytes, times in seconds. */
export type Config = {
  readonly [Key in SettingKey]: Key extends MachineDefaults | OwnerLimitKey
    ? number
    : Key extends AuthKey
      ? AuthMode
      : Present<(typeof settings)[Key]>;
} & {
  /** How `runners`, `runnerThreads` and `runnerMemoryBytes` came about. */
  readonly capacity: Capacity;
};

/**
 * Reads the settings from `environment`. An empty variable counts as unset. `machine`: for tests.
 * Throws SETTING_INVALID for the first value that cannot be used.
 */
export function readConfig(
  environment: Readonly<Record<string, string | undefined>>,
  machine: Machine = readMachine(),
): Config {
  const config: Record<string, string | number | null> = {};
  for (const [key, setting] of Object.entries(settings) as [SettingKey, Setting][]) {
    const given = environment[setting.name]?.trim();
    const value = given === undefined || given === '' ? setting.default : parseSetting(setting, given);
    config[key] = setting.type === 'path' && typeof value === 'string' ? resolve(value) : value;
  }
  const numberOf = (key: SettingKey): number | null => config[key] as number | null;
  const capacity = planCapacity(
    {
      runners: numberOf('runners'),
      runnerThreads: numberOf('runnerThreads'),
      runnerMemoryBytes: numberOf('runnerMemoryBytes'),
    },
    machine,
  );
  const { runners, runnerThreads, runnerMemoryBytes } = capacity;
  Object.assign(config, { runners, runnerThreads, runnerMemoryBytes });
  config.auth ??= isLoopback(String(config.host)) ? 'open' : 'required';
  config.authJobSurface ??= config.auth;
  // In an open service there is one owner, and what bounds the service bounds it.
  const hasOwners = config.auth === 'required' || config.authJobSurface === 'required';
  for (const [key, limit] of Object.entries(OWNER_LIMITS)) config[key] ??= hasOwners ? limit : 0;
  checkOidc(config);
  return { ...config, capacity } as unknown as Config;
}

/** Throws SETTING_INVALID where a setting needs another one. */
function checkOidc(config: Readonly<Record<string, string | number | null>>): void {
  const { oidcIssuer, oidcAudience, oidcClientId, oidcClientSecret, baseUrl } = config;
  const refuse = (name: string, reason: string): Error =>
    failure('SETTING_INVALID', { name, value: '', reason });
  const signsIn = oidcClientId !== null || oidcClientSecret !== null;
  if (oidcIssuer !== null && oidcAudience === null && !signsIn)
    throw refuse(
      'OIDC_AUDIENCE',
      'it is needed with OIDC_ISSUER; without it tokens for every other service would be good here',
    );
  if (!signsIn) return;
  if (oidcClientId === null) throw refuse('OIDC_CLIENT_ID', 'it is needed with OIDC_CLIENT_SECRET');
  if (oidcClientSecret === null) throw refuse('OIDC_CLIENT_SECRET', 'it is needed with OIDC_CLIENT_ID');
  if (oidcIssuer === null) throw refuse('OIDC_ISSUER', 'it is needed with OIDC_CLIENT_ID');
  // The issuer sends people back to one address, which is registered there.
  if (baseUrl === null) throw refuse('BASE_URL', 'it is needed with OIDC_CLIENT_ID');
}

/** Whether only programs of this machine reach a service that listens on `host`. */
export function isLoopback(host: string): boolean {
  const plain = host.toLowerCase().replace(/^\[|\]$/g, '');
  if (isIPv4(plain)) return plain.startsWith('127.');
  return plain === 'localhost' || plain === '::1' || /^::ffff:127\.\d+\.\d+\.\d+$/.test(plain);
}
