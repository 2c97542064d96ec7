/**
 * All settings: variable, type, unit, default and meaning. docs/settings.md is generated from `settings`. Only this file
 * and main.ts read the environment. An invalid value is an error that names the setting; it never silently falls back
 * to the default, because a mistyped limit would then be no limit.
 */
import { join, resolve } from 'node:path';
import { DEFAULT_LIMITS } from '@geomill/io/limits.ts';
import { type Capacity, LEAST_RUNNER_MEMORY, planCapacity } from './capacity.ts';
import { checkTogether } from './config-checks.ts';
import { type Machine, readMachine, userCacheDirectory } from './machine.ts';
import { parseSetting, type Setting, SIZES } from './setting-values.ts';

const { KiB, MiB, GiB, HOUR, DAY, CENTURY } = SIZES;

export const settings = {
  host: { name: 'HOST', type: 'text', default: '127.0.0.1', text: 'Address the service listens on.' },
  port: {
    name: 'PORT',
    type: 'integer',
    default: 8080,
    min: 0,
    max: 65535,
    text: 'Port the service listens on; 0 picks a free port.',
  },
  baseUrl: {
    name: 'BASE_URL',
    type: 'url',
    default: null,
    text: 'Public address of the service, used in links. Unset: taken from the Host header of the request.',
  },
  trustedProxies: {
    name: 'TRUSTED_PROXIES',
    type: 'networks',
    default: null,
    text: 'Addresses and networks of proxies whose X-Forwarded-For header is trusted: `127.0.0.1, 10.0.0.0/8`. Without it, all clients behind a proxy share one limit for wrong credentials. Unset: none.',
  },
  auth: {
    name: 'AUTH',
    type: 'choice',
    default: null,
    choices: ['open', 'required'],
    text: 'Whether requests need credentials. Unset: `open` if HOST is a loopback address, otherwise `required`. `open` on any other address also needs `geomill serve --insecure-open`.',
  },
  authJobSurface: {
    name: 'AUTH_JOB_SURFACE',
    type: 'choice',
    default: null,
    choices: ['open', 'required'],
    text: 'Same as AUTH, for `/transform` and `/result/...` only. Unset: the value of AUTH.',
  },
  tokenLifetimeSeconds: {
    name: 'TOKEN_LIFETIME',
    type: 'seconds',
    default: 300,
    min: 10,
    max: DAY,
    text: 'Lifetime of the access tokens issued to OAuth clients.',
  },
  signingKeyRotationSeconds: {
    name: 'SIGNING_KEY_ROTATION',
    type: 'seconds',
    default: 30 * DAY,
    min: 2 * HOUR,
    max: 365 * DAY,
    text: 'How often the token signing key is rotated.',
  },
  auditRetentionSeconds: {
    name: 'AUDIT_RETENTION',
    type: 'seconds',
    default: 365 * DAY,
    min: DAY,
    max: CENTURY,
    text: 'How long entries of the audit log are kept.',
  },
  oidcIssuer: {
    name: 'OIDC_ISSUER',
    type: 'issuer',
    default: null,
    text: 'Address of an OpenID Connect issuer whose access tokens are also accepted. Unset: none.',
  },
  oidcAudience: {
    name: 'OIDC_AUDIENCE',
    type: 'text',
    default: null,
    text: 'Required `aud` claim of access tokens from OIDC_ISSUER. Do not use the client id of a web page: its id tokens would be accepted as access tokens.',
  },
  oidcClientId: {
    name: 'OIDC_CLIENT_ID',
    type: 'text',
    default: null,
    text: 'Client id for signing in to the account area through OIDC_ISSUER; needs OIDC_CLIENT_SECRET and BASE_URL. Register the redirect URI BASE_URL + `/account/auth/callback/oidc`. Unset: sign-in by password only.',
  },
  oidcClientSecret: {
    name: 'OIDC_CLIENT_SECRET',
    type: 'text',
    default: null,
    text: 'Client secret that belongs to OIDC_CLIENT_ID.',
  },
  oidcScopeClaim: {
    name: 'OIDC_SCOPE_CLAIM',
    type: 'text',
    default: null,
    text: 'Claim that holds the scopes in access tokens from OIDC_ISSUER. Unset: the known scopes in `scope` except `admin`, or `jobs:read jobs:write` if there are none.',
  },
  corsOrigins: {
    name: 'CORS_ORIGINS',
    type: 'origins',
    default: null,
    text: 'Origins of web pages that may call the service from a browser, separated by commas, or `*` for any. Unset: none.',
  },
  web: {
    name: 'WEB',
    type: 'choice',
    default: 'on',
    choices: ['on', 'form', 'off'],
    text: 'What browsers get at `/`. `on`: the workspace, and a form for browsers without scripts. `form`: only the form. `off`: `/` leads to the documentation. The account area is not affected.',
  },
  mapTilesUrl: {
    name: 'MAP_TILES_URL',
    type: 'tiles',
    default: null,
    text: 'Map tiles that the workspace shows under the data: `https://tiles.example.org/{z}/{x}/{y}.png` (Web Mercator, 256 pixels, with CORS headers). Browsers load them from that host, which learns the areas users look at; the page names it. Unset: the built-in outlines, from no other host.',
  },
  mapTilesAttribution: {
    name: 'MAP_TILES_ATTRIBUTION',
    type: 'text',
    default: null,
    text: 'Text that the licence of the tiles of MAP_TILES_URL requires on the map: `© OpenStreetMap contributors`.',
  },
  dataDirectory: {
    name: 'DATA_DIR',
    type: 'path',
    default: './data',
    text: 'Directory for jobs, uploads and outputs. Only one service at a time may use it.',
  },
  databaseUrl: {
    name: 'DATABASE_URL',
    type: 'text',
    default: null,
    text: 'PostgreSQL database that keeps jobs and accounts, for a service of several processes or machines: `postgres://user:password@host/database`. It needs STORE_URL. Unset: a database in DATA_DIR, for one process.',
  },
  databaseSchema: {
    name: 'DATABASE_SCHEMA',
    type: 'text',
    default: 'geomill',
    text: 'Schema of the tables in DATABASE_URL; created if it does not exist. At most 50 characters.',
  },
  databaseConnections: {
    name: 'DATABASE_CONNECTIONS',
    type: 'integer',
    default: 10,
    min: 1,
    max: 1000,
    text: 'Maximum number of connections of this process to DATABASE_URL, besides one that waits for news.',
  },
  databaseListenUrl: {
    name: 'DATABASE_LISTEN_URL',
    type: 'text',
    default: null,
    text: 'Another address of the same database, for the one connection of a process that waits for news. Needed if DATABASE_URL leads to a connection pooler in transaction mode, which passes no news on. Unset: DATABASE_URL.',
  },
  jobLeaseSeconds: {
    name: 'JOB_LEASE',
    type: 'seconds',
    default: 30,
    min: 3,
    max: HOUR,
    text: 'With DATABASE_URL: time after its last sign of life after which the jobs of a worker are given to others.',
  },
  splitBytes: {
    name: 'SPLIT_BYTES',
    type: 'bytes',
    default: GiB,
    min: 0,
    text: 'With DATABASE_URL: size of the input from which a job is divided among all workers. 0: never. operate.md says which jobs can be divided.',
  },
  splitPartBytes: {
    name: 'SPLIT_PART',
    type: 'bytes',
    default: 64 * MiB,
    min: 1,
    text: 'With DATABASE_URL: size of the pieces of the input that workers get of a divided job.',
  },
  storeUrl: {
    name: 'STORE_URL',
    type: 'store',
    default: null,
    text: 'Where inputs, uploads and outputs are stored: `s3://bucket/prefix`, or `file:///mnt/shared` for a file system that several machines mount. See operate.md. Unset: DATA_DIR.',
  },
  s3Endpoint: {
    name: 'S3_ENDPOINT',
    type: 'url',
    default: null,
    text: 'Address of the S3 server of STORE_URL; the bucket is the first part of the path in requests. Unset: AWS in S3_REGION.',
  },
  s3PublicEndpoint: {
    name: 'S3_PUBLIC_ENDPOINT',
    type: 'url',
    default: null,
    text: 'Address at which clients reach the S3 server, for STORE_REDIRECT. Unset: S3_ENDPOINT.',
  },
  s3Region: {
    name: 'S3_REGION',
    type: 'text',
    default: 'us-east-1',
    text: 'Region of the bucket of STORE_URL.',
  },
  s3AccessKeyId: {
    name: 'AWS_ACCESS_KEY_ID',
    type: 'text',
    default: null,
    text: 'Access key for an S3 server; required with `s3://` in STORE_URL.',
  },
  s3SecretAccessKey: {
    name: 'AWS_SECRET_ACCESS_KEY',
    type: 'text',
    default: null,
    text: 'Secret that belongs to AWS_ACCESS_KEY_ID.',
  },
  s3SessionToken: {
    name: 'AWS_SESSION_TOKEN',
    type: 'text',
    default: null,
    text: 'Session token of temporary credentials; it is not renewed. Unset: none.',
  },
  storeRedirect: {
    name: 'STORE_REDIRECT',
    type: 'choice',
    default: 'false',
    choices: ['true', 'false'],
    text: 'Whether downloads of outputs are answered with 302 and a presigned URL of the S3 server (`true`) instead of the bytes. The URL needs no other credentials until it expires.',
  },
  storeRedirectSeconds: {
    name: 'STORE_REDIRECT_EXPIRY',
    type: 'seconds',
    default: 300,
    min: 1,
    max: 7 * DAY,
    text: 'Time in which a download from a presigned URL must begin.',
  },
  logLevel: {
    name: 'LOG_LEVEL',
    type: 'choice',
    default: 'info',
    choices: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    text: 'Minimum log level. The log is written to standard output, one JSON object per line.',
  },
  metricsToken: {
    name: 'METRICS_TOKEN',
    type: 'text',
    default: null,
    text: 'Token of at least 16 characters with which `/metrics` can be read (`Authorization: Bearer TOKEN`), also while the database is away. Unset: only keys with the scope `admin`.',
  },
  otelEndpoint: {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    type: 'text',
    default: null,
    text: 'Address of a collector to which `geomill serve` sends OpenTelemetry traces, by OTLP over HTTP in JSON; `/v1/traces` is added: `http://localhost:4318`. Unset: no traces. See operate.md.',
  },
  otelTracesEndpoint: {
    name: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    type: 'text',
    default: null,
    text: 'As OTEL_EXPORTER_OTLP_ENDPOINT, used as it is, and before that one.',
  },
  otelHeaders: {
    name: 'OTEL_EXPORTER_OTLP_HEADERS',
    type: 'text',
    default: null,
    text: 'Headers for the collector, such as credentials: `name=value,name=value`, values in percent-encoding.',
  },
  otelServiceName: {
    name: 'OTEL_SERVICE_NAME',
    type: 'text',
    default: 'geomill',
    text: 'Name of the service in traces.',
  },
  otelResourceAttributes: {
    name: 'OTEL_RESOURCE_ATTRIBUTES',
    type: 'text',
    default: null,
    text: 'More attributes of this process in traces: `name=value,name=value`, values in percent-encoding.',
  },
  otelSampler: {
    name: 'OTEL_TRACES_SAMPLER',
    type: 'text',
    default: 'parentbased_always_on',
    text: 'Which traces are recorded: `always_on`, `always_off`, `traceidratio`, or these with `parentbased_` before them, which do as the caller does where there is one.',
  },
  otelSamplerArgument: {
    name: 'OTEL_TRACES_SAMPLER_ARG',
    type: 'text',
    default: null,
    text: 'Share of the traces that samplers with `traceidratio` record, 0 to 1. Unset: 1.',
  },
  otelDelayMs: {
    name: 'OTEL_BSP_SCHEDULE_DELAY',
    type: 'integer',
    default: 5000,
    min: 1,
    max: 3_600_000,
    text: 'Time in milliseconds for which spans are collected before they are sent.',
  },
  runners: {
    name: 'RUNNERS',
    type: 'integer',
    default: null,
    min: 1,
    max: 1024,
    text: 'Number of runner processes; each runs one job at a time. Unset: one per core, or fewer if the memory is too small for RUNNER_MEMORY (or 2 GiB) each.',
  },
  runnerThreads: {
    name: 'RUNNER_THREADS',
    type: 'integer',
    default: null,
    min: 1,
    max: 1024,
    text: 'Maximum number of worker threads per job. Unset: twice the cores divided by RUNNERS, at least 4, but at most one per core.',
  },
  runnerMemoryBytes: {
    name: 'RUNNER_MEMORY',
    type: 'bytes',
    default: null,
    min: LEAST_RUNNER_MEMORY,
    text: 'Maximum memory per job; a job that exceeds it is stopped and fails. Unset: 2 GiB, or less if RUNNERS times 2 GiB exceeds the memory. A tenth of the memory, at least 512 MiB, is reserved for the service.',
  },
  runnerNiceness: {
    name: 'RUNNER_NICENESS',
    type: 'integer',
    default: 10,
    min: 0,
    max: 19,
    text: 'How much nicer runners are than the service: other programs that compute get their processor time first. 0: the same priority, for machines that only run jobs.',
  },
  runnerSandbox: {
    name: 'RUNNER_SANDBOX',
    type: 'choice',
    default: 'auto',
    choices: ['auto', 'bwrap', 'user', 'none'],
    text: "Isolation of runners in addition to Node's permission model: `bwrap` (namespaces made by bubblewrap), `user` (a system user per runner; needs root), `none`, or `auto` (the strongest level that works). See security.md.",
  },
  runnerFirstUid: {
    name: 'RUNNER_FIRST_UID',
    type: 'integer',
    default: 60_706,
    min: 1,
    max: 2 ** 31,
    text: 'First user and group id for runners at level `user`; two ids per runner are used. They must not be used by anything else.',
  },
  gridDirectory: {
    name: 'PROJ_GRIDS',
    type: 'path',
    default: null,
    text: 'Directory with PROJ grid files (.tif, .gsb) for the most accurate datum shifts. Unset: none.',
  },
  sourceDateEpoch: {
    name: 'SOURCE_DATE_EPOCH',
    type: 'integer',
    default: null,
    min: 0,
    // The last second that a zip archive can state.
    max: 4_354_819_199,
    text: 'Time that outputs state (of the entries of zip archives, of the last change of GeoPackages and dBASE tables), in seconds since 1970. The same inputs then give the same bytes. Unset: now; entries of zip archives have 1 January 1980.',
  },
  cacheDirectory: {
    name: 'CACHE_DIR',
    type: 'path',
    default: null,
    text: 'Directory in which commands keep facts about coordinate systems and compiled code between runs; its content can be deleted at any time. It is not used if another user can change it. Unset: `geomill` in the cache directory of the user, such as `~/.cache`.',
  },
  jobTimeoutSeconds: {
    name: 'JOB_TIMEOUT',
    type: 'seconds',
    default: HOUR,
    min: 1,
    max: 7 * DAY,
    text: 'Maximum time for one attempt at a job.',
  },
  jobAttempts: {
    name: 'JOB_ATTEMPTS',
    type: 'integer',
    default: 3,
    min: 1,
    max: 100,
    text: 'Maximum number of attempts at a job whose runner or service dies while it runs.',
  },
  syncTimeoutSeconds: {
    name: 'SYNC_TIMEOUT',
    type: 'seconds',
    default: 60,
    min: 0,
    max: HOUR,
    text: 'Maximum time that a request waits for its output.',
  },
  graceSeconds: {
    name: 'SHUTDOWN_GRACE',
    type: 'seconds',
    default: 20,
    min: 0,
    max: HOUR,
    text: 'Time that running jobs have to finish when the service stops. Unfinished jobs run again at the next start.',
  },
  shutdownDelaySeconds: {
    name: 'SHUTDOWN_DELAY',
    type: 'seconds',
    default: 0,
    min: 0,
    max: HOUR,
    text: 'Time before SHUTDOWN_GRACE in which the service works as usual except that `/readyz` fails, so that load balancers stop sending requests. Longer than they need to notice.',
  },
  outputRetentionSeconds: {
    name: 'OUTPUT_RETENTION',
    type: 'seconds',
    default: DAY,
    min: 1,
    max: CENTURY,
    text: 'How long an output is kept after its job has ended.',
  },
  recordRetentionSeconds: {
    name: 'RECORD_RETENTION',
    type: 'seconds',
    default: 7 * DAY,
    min: 1,
    max: CENTURY,
    text: 'How long the record of a job is kept after the job has ended.',
  },
  uploadRetentionSeconds: {
    name: 'UPLOAD_RETENTION',
    type: 'seconds',
    default: DAY,
    min: 1,
    max: 365 * DAY,
    text: 'How long a file that was uploaded on its own (POST /v1/uploads) is kept after its last byte was received. Jobs that use it are not affected by its end.',
  },
  maxUploadBytes: {
    name: 'MAX_UPLOAD',
    type: 'bytes',
    default: 5 * GiB,
    min: 1,
    text: 'Maximum total size of the files of a request, including uploads that it names, and of one upload that is sent in pieces.',
  },
  minUploadRate: {
    name: 'MIN_UPLOAD_RATE',
    type: 'integer',
    default: 500,
    min: 0,
    max: 1_000_000_000,
    text: 'Minimum upload rate in bytes per second, averaged over 30 seconds; slower requests get 408. 0: no minimum.',
  },
  uploadTimeoutSeconds: {
    name: 'UPLOAD_TIMEOUT',
    type: 'seconds',
    default: 6 * HOUR,
    min: 1,
    max: 7 * DAY,
    text: 'Maximum time for receiving the body of a request.',
  },
  maxJsonBodyBytes: {
    name: 'MAX_JSON_BODY',
    type: 'bytes',
    default: GiB,
    min: 1,
    text: 'Maximum size of a JSON body that contains GeoJSON.',
  },
  maxFiles: {
    name: 'MAX_FILES',
    type: 'integer',
    default: 1000,
    min: 1,
    max: 100_000,
    text: 'Maximum number of files in a request to append or merge.',
  },
  inputUrlHosts: {
    name: 'INPUT_URL_HOSTS',
    type: 'text',
    default: null,
    text: 'Hosts from which input files may be fetched by URL: `data.example.org, *.example.org, files.example.org:8443`, or `*` for every public host. A host without a port means ports 80 and 443. Unset: fetching is disabled.',
  },
  inputUrlPrivateNetworks: {
    name: 'INPUT_URL_PRIVATE_NETWORKS',
    type: 'text',
    default: null,
    text: 'Private networks from which input files may also be fetched: `10.20.0.0/16, fd00:1234::/32`. Unset: none.',
  },
  inputUrlTimeoutSeconds: {
    name: 'INPUT_URL_TIMEOUT',
    type: 'seconds',
    default: 300,
    min: 1,
    max: DAY,
    text: 'Maximum time for fetching a file by URL.',
  },
  maxConfigBytes: {
    name: 'MAX_CONFIG',
    type: 'bytes',
    default: 256 * KiB,
    min: KiB,
    max: 64 * MiB,
    text: 'Maximum size of the config of a request, not counting the polygons of clip and erase steps (MAX_MASK). The HTTP process parses the config in one go; each MiB blocks all requests for about 10 ms.',
  },
  maxMaskBytes: {
    name: 'MAX_MASK',
    type: 'bytes',
    default: 64 * MiB,
    min: KiB,
    max: 256 * MiB,
    text: 'Maximum size of the polygons of one clip or erase step in a config or JSON body. They also count towards MAX_UPLOAD or MAX_JSON_BODY. A mask in a file of its own counts towards MAX_UPLOAD alone.',
  },
  maxQueueLength: {
    name: 'MAX_QUEUE',
    type: 'integer',
    default: 10_000,
    min: 1,
    text: 'Maximum number of queued jobs; further submissions get 503.',
  },
  maxOwnerJobs: {
    name: 'MAX_OWNER_JOBS',
    type: 'integer',
    default: null,
    min: 0,
    text: 'Maximum number of queued and running jobs per account; further submissions get 429. 0: no limit. Unset: 1000 if credentials are required, otherwise 0.',
  },
  maxOwnerStorageBytes: {
    name: 'MAX_OWNER_STORAGE',
    type: 'bytes',
    default: null,
    min: 0,
    text: 'Maximum storage per account: inputs of queued and running jobs, files that these write, uploads and outputs until they expire, and job records until they are deleted. 0: no limit. Unset: 50 GiB if credentials are required, otherwise 0.',
  },
  maxOwnerUploads: {
    name: 'MAX_OWNER_UPLOADS',
    type: 'integer',
    default: 1000,
    min: 0,
    text: 'Maximum number of uploads (POST /v1/uploads) per account, complete or not; further ones get 429. 0: no limit.',
  },
  maxOwnerRequests: {
    name: 'MAX_OWNER_REQUESTS',
    type: 'integer',
    default: 500,
    min: 1,
    max: 100_000,
    text: 'Maximum number of concurrent event streams, downloads and waiting requests per account. Further streams and downloads get 429; further submissions are answered with 202 without waiting.',
  },
  rateLimit: {
    name: 'RATE_LIMIT',
    type: 'integer',
    default: null,
    min: 0,
    max: 1_000_000,
    text: 'Sustained number of requests per second and account; more get 429. Without credentials the limit applies to each client address. 0: no limit. Unset: 20 if credentials are required, otherwise 0.',
  },
  rateBurst: {
    name: 'RATE_BURST',
    type: 'integer',
    default: 100,
    min: 1,
    max: 1_000_000,
    text: 'Number of requests that an account may send at once on top of RATE_LIMIT.',
  },
  maxUnzippedBytes: {
    name: 'MAX_UNZIPPED',
    type: 'bytes',
    default: DEFAULT_LIMITS.unzippedBytes,
    min: 1,
    text: 'Maximum unpacked size of all zip archives of a job together.',
  },
  maxUnzipRatio: {
    name: 'MAX_UNZIP_RATIO',
    type: 'integer',
    default: DEFAULT_LIMITS.unzipRatio,
    min: 1,
    text: 'Maximum ratio of unpacked to packed size of a zip entry.',
  },
  maxZipEntries: {
    name: 'MAX_ZIP_ENTRIES',
    type: 'integer',
    default: DEFAULT_LIMITS.zipEntries,
    min: 1,
    text: 'Maximum number of entries in a zip archive.',
  },
  maxScratchBytes: {
    name: 'MAX_SCRATCH',
    type: 'bytes',
    default: 50 * GiB,
    min: 1,
    text: 'Maximum size of the temporary files of a job of the service, such as unpacked archives and features between steps. A job that writes more is stopped. They also count towards MAX_OWNER_STORAGE.',
  },
  maxFeatures: {
    name: 'MAX_FEATURES',
    type: 'integer',
    default: DEFAULT_LIMITS.features,
    min: 1,
    text: 'Maximum number of features in an input.',
  },
  maxCoordinatesPerFeature: {
    name: 'MAX_FEATURE_COORDINATES',
    type: 'integer',
    default: DEFAULT_LIMITS.coordinatesPerFeature,
    min: 1,
    text: 'Maximum number of coordinates in one feature.',
  },
  maxFields: {
    name: 'MAX_FIELDS',
    type: 'integer',
    default: DEFAULT_LIMITS.fields,
    min: 1,
    max: 100_000,
    text: 'Maximum number of attribute fields in an input layer. The memory of a job grows with features times fields.',
  },
  maxOutputFactor: {
    name: 'MAX_OUTPUT_FACTOR',
    type: 'integer',
    default: DEFAULT_LIMITS.outputFactor,
    min: 1,
    max: 1_000_000,
    text: 'Maximum number of output positions per input position of a layer that a transformation may produce. Up to 5 million positions are always allowed.',
  },
} as const satisfies Record<string, Setting>;

/** Defaults where credentials are required. */
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
      : Key extends 'cacheDirectory'
        ? string
        : Present<(typeof settings)[Key]>;
} & {
  /** How `runners`, `runnerThreads` and `runnerMemoryBytes` were derived. */
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
  // An open service has one owner, to whom the limits of the whole service apply.
  const hasOwners = config.auth === 'required' || config.authJobSurface === 'required';
  for (const [key, limit] of Object.entries(OWNER_LIMITS)) config[key] ??= hasOwners ? limit : 0;
  config.cacheDirectory ??= join(userCacheDirectory(environment), 'geomill');
  checkTogether(config);
  return { ...config, capacity } as unknown as Config;
}

/** Whether a service that listens on `host` is reachable from this machine only. */
export function isLoopback(host: string): boolean {
  const plain = host.toLowerCase().replace(/^\[|\]$/g, '');
  return plain === 'localhost' || plain === '::1' || /^(::ffff:)?127(\.\d{1,3}){3}$/.test(plain);
}
