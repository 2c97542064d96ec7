/** What the routes work with. */
import type { FastifyRequest } from 'fastify';
import { hasScope, type Principal } from '../accounts/principal.ts';
import type { Config } from '../config.ts';
import type { CrsSearch } from '../crs-search/crs-search.ts';
import { failure } from '../errors.ts';
import type { Format } from '../formats/format.ts';
import { ANY_OWNER } from '../jobs/job.ts';
import type { OwnedJobs } from '../jobs/owned-jobs.ts';
import type { JobService } from '../jobs/service.ts';
import type { UrlPolicy } from '../remote-input/policy.ts';
import type { Transformation } from '../transformations/transformation.ts';
import type { AccountsDoor } from './auth/accounts-door.ts';
import type { Authenticator } from './auth/authenticator.ts';
import type { RequestRate } from './auth/request-rate.ts';
import type { Metrics } from './metrics.ts';
import type { OpenRequests } from './open-requests.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks; null until it is known, and on what is for everybody. */
    principal: Principal | null;
  }
}

export interface HttpContext {
  readonly config: Config;
  readonly auth: Authenticator;
  readonly accounts: AccountsDoor;
  readonly rate: RequestRate;
  readonly service: JobService;
  readonly metrics: Metrics;
  readonly openRequests: OpenRequests;
  readonly urlPolicy: UrlPolicy;
  readonly crsSearch: CrsSearch;
  readonly formats: readonly Format[];
  readonly transformations: readonly Transformation[];
}

/** The address the client knows us by, without a slash at the end. */
export function baseUrlOf(context: HttpContext, request: FastifyRequest): string {
  if (context.config.baseUrl !== null) return context.config.baseUrl;
  const { host } = request.headers;
  // A Host header is the client's word and goes into a link: only what can be a host and a port is repeated.
  const plausible = host !== undefined && /^[\w.\-:[\]]{1,255}$/.test(host);
  return `http://${plausible ? host : `${context.config.host}:${context.config.port}`}`;
}

/** Account id of who asks: what they create belongs to it. */
export function ownerOf({ principal }: FastifyRequest): string {
  // An operation that is for everybody has no owner to ask for.
  if (principal === null)
    throw failure('INTERNAL', { reason: 'a request without a principal came to a job' });
  return principal.owner;
}

/** The jobs that who asks can see: their own, and those of everybody for who looks after the service. */
export function jobsOf({ service }: Pick<HttpContext, 'service'>, request: FastifyRequest): OwnedJobs {
  const owner = ownerOf(request);
  const isAdmin = request.principal !== null && hasScope(request.principal, 'admin');
  return service.jobsOf(isAdmin ? ANY_OWNER : owner);
}
