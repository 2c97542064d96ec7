/** Puts the service together and starts it: HTTP, accounts, the job queue and its runners, all from one `Config`. */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { elapsed, PLATFORM_TIMERS, type Timers } from '@geomill/core/timers.ts';
import type { CrsSearch } from '@geomill/crs-search/crs-search.ts';
import { formats } from '@geomill/formats/registry.ts';
import { packageVersion } from '@geomill/platform/package-version.ts';
import { asDatabaseFailure } from '@geomill/sqlite/database-failure.ts';
import type { FastifyInstance } from 'fastify';
import { accountJobs } from './account-jobs.ts';
import { Authenticator } from './http/auth/authenticator.ts';
import { LazyAccounts } from './http/auth/lazy-accounts.ts';
import { RequestRate } from './http/auth/request-rate.ts';
import { buildApp, type RouteName } from './http/build-app.ts';
import type { HttpContext } from './http/context.ts';
import { refuseMethod } from './http/error-reply.ts';
import { Metrics } from './http/metrics.ts';
import { OpenRequests } from './http/open-requests.ts';
import { allOperations, healthOperations } from './http/operations/all.ts';
import { routePatterns } from './http/register-operation.ts';
import { accountsPath, type DataDirectory, openDataDirectory } from './jobs/data-directory.ts';
import { refuseEmptyDatabase, refuseForeignFiles, refuseHalfRestored } from './jobs/empty-database.ts';
import type { JobLog } from './jobs/observer.ts';
import { openDatabase } from './jobs/open-database.ts';
import { openQueue } from './jobs/open-queue.ts';
import type { RunnerOptions } from './jobs/runner-command.ts';
import { JobService } from './jobs/service.ts';
import { createLogger } from './logger.ts';
import { setupLink } from './pages/account/one-time-links.ts';
import { registerAccountArea, type SignedInPages } from './pages/account/register.ts';
import { registerConvertPages } from './pages/convert/register.ts';
import type { PostgresDatabase } from './postgres/database.ts';
import { parseUrlPolicy } from './remote-input/policy.ts';
import { type ChosenSandbox, chooseSandbox, type SandboxOptions } from './sandbox/choose-sandbox.ts';
import {
  fetchSettings,
  oidcSignIn,
  queueSettings,
  type Role,
  serviceOptions,
  storeKind,
} from './service-options.ts';
import { type Config, isLoopback } from './settings/config.ts';
import { observedStore } from './storage/observed-store.ts';
import { openStore, storeOptions } from './storage/open-store.ts';
import type { FileStore } from './storage/store.ts';
import { openTracer } from './tracing/open-tracer.ts';

export interface RunningService {
  readonly url: string;
  readonly config: Config;
  readonly role: Role;
  readonly service: JobService;
  /** Link that creates the first administrator. Null if there is one, or if the service is open. */
  readonly setupLink: string | null;
  /** Sandbox of the job processes. */
  readonly isolation: ChosenSandbox;
  /** Stops gracefully; further calls wait for the same stop. */
  stop(): Promise<void>;
}

export interface StartOptions {
  /** Default: all. Others need DATABASE_URL. */
  readonly role?: Role;
  readonly runner?: Pick<RunnerOptions, 'entry' | 'readPaths' | 'startTimeoutMs'>;
  /** Allows an open service to listen on a non-loopback address. */
  readonly insecureOpen?: boolean;
  /** Allows a start with a new database beside stored files of jobs, and removes these files. */
  readonly adoptEmpty?: boolean;
  /** Time of the limits of jobs and requests, and of the stop. Default: that of the platform. */
  readonly timers?: Timers;
  /** Called for each route. */
  readonly onRoute?: (route: RouteName) => void;
}

/** Resolves when the service listens. On a failure it first stops what it has started. */
export async function startService(config: Config, options: StartOptions = {}): Promise<RunningService> {
  const { role = 'all', runner = {}, insecureOpen = false, adoptEmpty = false, onRoute } = options;
  const { timers = PLATFORM_TIMERS } = options;
  checkRole(config, role);
  if (!insecureOpen && role !== 'worker') refuseOpenToTheWorld(config);
  const undo: (() => void | Promise<void>)[] = [];
  let stopBegan = 0;
  const stop = async (): Promise<void> => {
    stopBegan = timers.now();
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const data = openDataDirectory(config.dataDirectory);
    undo.push(() => data.release());
    const { databasePath: path } = data;
    refuseHalfRestored(data);
    const isChecked = !adoptEmpty && config.databaseUrl === null;
    if (isChecked) refuseEmptyDatabase(data);
    const metrics = new Metrics();
    const identity = { process: processName(), role };
    const log = createLogger(config.logLevel, identity);
    const tracer = await openTracer(config, {
      ...{ ...identity, version: packageVersion(), log, timers },
      observer: metrics,
    });
    undo.push(() => tracer.close());
    const { s3, ...ofStore } = storeOptions(config, data.path);
    const store = observedStore(
      await openStore({ ...ofStore, s3: { ...s3, observe: metrics.s3 } }),
      metrics.store,
    );
    undo.push(() => store.close?.());
    refuseUnsharedStore(config, store);
    if (isChecked && store.isShared) await refuseForeignFiles(data, store);
    let storageFailed: (error: unknown) => void = () => {};
    const onFailure = (error: unknown): void => storageFailed(error);
    const database = await openDatabase(config, onFailure, metrics.database);
    if (database !== null) undo.push(() => database.close());
    const queue = await openQueue(database, queueSettings(config, identity.process, path, onFailure));
    undo.push(() => queue.close());
    log.info(
      {
        version: packageVersion(),
        database: database === null ? 'SQLite in DATA_DIR' : `PostgreSQL, schema ${config.databaseSchema}`,
        store: storeKind(config),
        traces: config.otelEndpoint !== null || config.otelTracesEndpoint !== null,
      },
      `starting with the role ${role}`,
    );
    if (role !== 'api') {
      log.info({}, config.capacity.text);
      for (const warning of config.capacity.warnings) log.warn({}, warning);
    }
    if (isOpenToTheWorld(config))
      log.warn(
        { host: config.host },
        'anyone who can reach this address can submit jobs without credentials',
      );
    const urlPolicy = parseUrlPolicy(config.inputUrlHosts, config.inputUrlPrivateNetworks);
    const isolation = await prepareSandbox(config, data, role === 'api' ? null : log);
    const { sandbox } = isolation;
    const fetch = { ...fetchSettings(config, urlPolicy), sandbox };
    const ofRunner = { ...runner, sandbox };
    const service = new JobService({
      ...serviceOptions(config, role, data, queue, store, ofRunner, log, metrics),
      fetch,
      tracer,
      timers,
    });
    storageFailed = (error) => service.storageFailed(error);
    metrics.watch(service, {
      version: packageVersion(),
      role,
      runners: role === 'api' ? 0 : config.runners,
    });
    const { accounts, auth } = openAuth(config, database);
    const rate = new RequestRate(config.rateLimit, config.rateBurst);
    undo.push(() => accounts.close());
    await auth.ready();
    // An open service needs them with the first credential that is shown, if ever. Here a database that cannot be opened
    // has to stop the start, not the first request.
    if (config.auth === 'required' || config.authJobSurface === 'required') await accounts.open();
    if (database !== null) {
      const { limits } = (await accounts.open()).database;
      auth.share(limits);
      rate.share(limits);
    }
    let area: SignedInPages | null = null;
    let crsSearch: Promise<CrsSearch> | undefined;
    const context: HttpContext = {
      config,
      accounts,
      auth,
      rate,
      service,
      metrics,
      tracer,
      openRequests: new OpenRequests(config.maxOwnerRequests),
      urlPolicy,
      crsSearch: () => {
        crsSearch ??= newCrsSearch();
        return crsSearch;
      },
      formats,
      timers,
      visit: (request, reply) => {
        if (area === null) throw new Error('the account area is not registered yet');
        return area.visit(request, reply);
      },
    };
    // No job runs in a process that only answers requests: it stops after the last of them.
    if (role === 'api') undo.push(() => service.stop());
    const operations = role === 'worker' ? healthOperations : allOperations(formats);
    const app = await buildApp(context, operations, log, onRoute);
    undo.push(() =>
      closeWithin(app, Math.max(0, stopBegan + config.graceSeconds * 1000 - timers.now()), timers),
    );
    const routes = routePatterns(operations);
    if (role !== 'worker') {
      area = await registerAccountArea(app, {
        accounts,
        baseUrl: config.baseUrl,
        oidc: oidcSignIn(config),
        usage: accountJobs(context),
        web: config.web !== 'off',
        refuseMethod: (request, reply) => refuseMethod(request, reply, routes),
        warn: (message) => log.warn({ reason: message }, 'signing in'),
      });
      if (config.web !== 'off')
        await registerConvertPages(app, context, (form) => accountJobs(context, form), area);
    }
    // Otherwise it is stopped before the app is closed: submissions are refused and /readyz says so, while status and
    // outputs are still served and running jobs finish.
    undo.push(() => (role === 'api' ? service.dismissWatchers() : service.stop()));
    await service
      .start()
      .catch((error: unknown) => Promise.reject(asDatabaseFailure(error, data.databasePath)));
    const url = await app
      .listen({ host: config.host, port: config.port })
      .catch((error: NodeJS.ErrnoException) => Promise.reject(listenFailure(error, config)));
    undo.push(async () => {
      service.leave();
      await elapsed(config.shutdownDelaySeconds * 1000, timers);
      stopBegan = timers.now();
    });
    // Not waited for: requests are answered in between.
    if (role !== 'worker')
      warmUp().catch((error: unknown) => log.error({ err: error }, 'schemas could not be compiled'));
    const link =
      role !== 'worker' && config.auth === 'required'
        ? await setupLink(await accounts.open(), config.baseUrl ?? url)
        : null;
    let stopping: Promise<void> | null = null;
    return {
      url,
      config,
      role,
      service,
      setupLink: link,
      isolation,
      stop() {
        stopping ??= stop();
        return stopping;
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Loads what submissions need, which the start did not wait for. */
async function warmUp(): Promise<void> {
  const { warmParsing } = await import('./http/warm-parsing.ts');
  await warmParsing();
}

async function newCrsSearch(): Promise<CrsSearch> {
  const { CrsSearch } = await import('@geomill/crs-search/crs-search.ts');
  return new CrsSearch();
}

/** Gives open downloads and other responses this long to end, then closes their connections. */
async function closeWithin(app: FastifyInstance, graceMs: number, timers: Timers): Promise<void> {
  const cancel = timers.after(graceMs, () => app.server.closeAllConnections());
  // Node closes those that are idle now. The others close soon after their last response, instead of waiting for a request.
  app.server.keepAliveTimeout = 1;
  try {
    await app.close();
  } finally {
    cancel();
  }
}

function isOpenToTheWorld({ auth, authJobSurface, host }: Config): boolean {
  return (auth === 'open' || authJobSurface === 'open') && !isLoopback(host);
}

/** Throws SETTING_INVALID. */
function refuseOpenToTheWorld(config: Config): void {
  if (!isOpenToTheWorld(config)) return;
  const name = config.auth === 'open' ? 'AUTH' : 'AUTH_JOB_SURFACE';
  const reason =
    `HOST=${config.host} can be reached from other machines, and anyone there could submit jobs. Set ${name} to required ` +
    'or HOST to 127.0.0.1; if the service should be open, use geomill serve --insecure-open';
  throw failure(generalErrors.SETTING_INVALID, { name, value: 'open', reason });
}

/** Throws SETTING_INVALID. */
function refuseUnsharedStore({ databaseUrl }: Config, store: FileStore): void {
  if (databaseUrl === null || store.isShared) return;
  const reason = 'it is required with DATABASE_URL: every process needs the files of every job';
  throw failure(generalErrors.SETTING_INVALID, { name: 'STORE_URL', value: '', reason });
}

function openAuth(
  config: Config,
  database: PostgresDatabase | null,
): { accounts: LazyAccounts; auth: Authenticator } {
  const accounts = new LazyAccounts({
    place: database === null ? { path: accountsPath(config.dataDirectory) } : { database },
    issuer: config.baseUrl ?? undefined,
    tokenLifetimeMs: config.tokenLifetimeSeconds * 1000,
    signingKeyRotationMs: config.signingKeyRotationSeconds * 1000,
    auditRetentionMs: config.auditRetentionSeconds * 1000,
  });
  const { oidcIssuer: issuer, oidcAudience: audience, oidcScopeClaim } = config;
  const oidc =
    issuer === null || audience === null
      ? null
      : { issuer, audience, scopeClaim: oidcScopeClaim ?? undefined };
  return { accounts, auth: new Authenticator(accounts, oidc) };
}

/** Throws SETTING_INVALID if the configured sandbox does not work. */
async function prepareSandbox(
  config: Config,
  data: DataDirectory,
  log: JobLog | null,
): Promise<ChosenSandbox> {
  const isolation = await chooseSandbox({
    wanted: config.runnerSandbox as SandboxOptions['wanted'],
    firstUid: config.runnerFirstUid,
    slotsDirectory: data.slotsDirectory,
  });
  const { sandbox, missing } = isolation;
  log?.info({ sandbox: sandbox.level, missing }, `jobs are isolated by ${sandbox.text}`);
  return isolation;
}

/** Failures that a setting can fix become SETTING_INVALID; others are returned unchanged. */
function listenFailure(error: NodeJS.ErrnoException, { host, port }: Config): Error {
  const refuse = (name: string, value: string | number, reason: string): Error =>
    failure(generalErrors.SETTING_INVALID, { name, value, reason }, undefined, error);
  if (error.code === 'EADDRINUSE') return refuse('PORT', port, 'another program listens there already');
  if (error.code === 'EACCES')
    return refuse('PORT', port, 'this user may not listen there; ports from 1024 on are free');
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return refuse('HOST', host, 'this machine has no such address');
  return error;
}

/** A container may have the same host name and process id as the one before it. */
function processName(): string {
  return `${hostname()}-${process.pid}-${randomBytes(4).toString('hex')}`;
}

/** Throws SETTING_INVALID. */
function checkRole(config: Config, role: Role): void {
  if (config.databaseUrl !== null || role === 'all') return;
  const reason = `it is required with --role ${role}: processes of different roles share their jobs in PostgreSQL`;
  throw failure(generalErrors.SETTING_INVALID, { name: 'DATABASE_URL', value: '', reason });
}
