/** The services that routes work with. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import type { Timers } from '@geomill/core/timers.ts';
import type { CrsSearch } from '@geomill/crs-search/crs-search.ts';
import type { Format } from '@geomill/formats/format.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hasScope, type Principal } from '../accounts/principal.ts';
import { ANY_OWNER } from '../jobs/job.ts';
import type { OwnedJobs } from '../jobs/owned-jobs.ts';
import type { JobService } from '../jobs/service.ts';
import type { UrlPolicy } from '../remote-input/policy.ts';
import type { Config } from '../settings/config.ts';
import type { Span, Tracer } from '../tracing/tracer.ts';
import type { Authenticator } from './auth/authenticator.ts';
import type { LazyAccounts } from './auth/lazy-accounts.ts';
import type { RequestRate } from './auth/request-rate.ts';
import type { Metrics } from './metrics.ts';
import type { OpenRequests } from './open-requests.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null until it is identified, and on public routes. */
    principal: Principal | null;
    span: Span;
  }
}

/** The session of a browser in the account area. */
export interface PageVisit {
  /** Null: no user is signed in. */
  readonly session: {
    readonly id: string;
    readonly user: { readonly id: string; readonly email: string };
  } | null;
  /** Throws PAGE_REFUSED unless a script of a page of this service sent the request. */
  refuseForeignScript(): void;
}

export interface HttpContext {
  readonly config: Config;
  readonly auth: Authenticator;
  readonly accounts: LazyAccounts;
  readonly rate: RequestRate;
  readonly service: JobService;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
  readonly openRequests: OpenRequests;
  readonly urlPolicy: UrlPolicy;
  /** Loads the search at the first call. */
  readonly crsSearch: () => Promise<CrsSearch>;
  readonly formats: readonly Format[];
  /** Time of the limits of requests. */
  readonly timers: Timers;
  /** Passes on cookies of the session to the reply. Throws ACCOUNTS_DATABASE. */
  readonly visit: (request: FastifyRequest, reply: FastifyReply) => Promise<PageVisit>;
}

/** The public address of the service, without a trailing slash. */
export function baseUrlOf(context: HttpContext, request: FastifyRequest): string {
  if (context.config.baseUrl !== null) return context.config.baseUrl;
  const { host } = request.headers;
  // The Host header is client input and becomes part of links, so only a plausible host and port is used.
  const plausible = host !== undefined && /^[\w.\-:[\]]{1,255}$/.test(host) && URL.canParse(`http://${host}`);
  return `http://${plausible ? host : `${context.config.host}:${context.config.port}`}`;
}

/** Account id of the principal, which owns what the request creates. */
export function ownerOf({ principal }: FastifyRequest): string {
  // Public operations have no owner.
  if (principal === null)
    throw failure(generalErrors.INTERNAL, { reason: 'a request without a principal came to a job' });
  return principal.owner;
}

/** The jobs that the principal can see: its own, or all for administrators. */
export function jobsOf({ service }: Pick<HttpContext, 'service'>, request: FastifyRequest): OwnedJobs {
  const owner = ownerOf(request);
  const isAdmin = request.principal !== null && hasScope(request.principal, 'admin');
  return service.jobsOf(isAdmin ? ANY_OWNER : owner);
}
