/** One request to the pages for converting files: whose jobs it may see, and whether it comes from one of these pages. */
import { failure } from '@geomill/core/messages/errors.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Principal, sessionPrincipal } from '../../accounts/principal.ts';
import { admit } from '../../http/auth/access.ts';
import { refuseForeignPages } from '../../http/auth/foreign-pages.ts';
import { baseUrlOf, type HttpContext } from '../../http/context.ts';
import { httpErrors } from '../../http/errors.ts';
import type { UsageSource } from '../account/own-jobs.ts';
import type { SignedInPages } from '../account/register.ts';
import type { Visit } from '../account/visit.ts';
import { type Html, html } from '../html.ts';
import type { WorkspaceFiles } from './workspace.ts';

export interface Site {
  readonly context: HttpContext;
  readonly jobs: UsageSource;
  readonly area: SignedInPages;
  /** Null: it is switched off, or was not built. */
  readonly workspace: WorkspaceFiles | null;
}

export class Visitor {
  readonly site: Site;
  readonly request: FastifyRequest;
  /** Null: the service is open, so nobody signs in and all share the jobs of one account. */
  readonly #visit: Visit | null;

  private constructor(site: Site, request: FastifyRequest, visit: Visit | null) {
    this.site = site;
    this.request = request;
    this.#visit = visit;
  }

  /** Sets the principal of the request. Throws HOST_REFUSED, RATE_EXCEEDED, ACCOUNTS_DATABASE. */
  static async begin(site: Site, request: FastifyRequest, reply: FastifyReply): Promise<Visitor> {
    const { config, rate } = site.context;
    const isOpen = config.auth === 'open';
    if (isOpen) refuseForeignPages(request, config);
    const visit = isOpen ? null : await site.area.visit(request, reply);
    request.principal = isOpen ? admit(null, 'jobs:write', 'open') : principalOf(visit);
    if (request.principal !== null) rate.count(request.principal, request.ip);
    return new Visitor(site, request, visit);
  }

  /** For a page that needs no rights: the request may have been rejected before it was known whose it is. */
  static forFault(site: Site, request: FastifyRequest): Visitor {
    return new Visitor(site, request, null);
  }

  /** False: the page asks to sign in. */
  get isAdmitted(): boolean {
    return this.request.principal !== null;
  }

  get isOpen(): boolean {
    return this.#visit === null;
  }

  /** Null: no user is signed in. */
  get email(): string | null {
    return this.#visit?.session?.user.email ?? null;
  }

  /** Account id of the jobs. Throws CREDENTIALS_MISSING. */
  get owner(): string {
    const { principal } = this.request;
    if (principal === null) throw failure(httpErrors.CREDENTIALS_MISSING, {});
    return principal.owner;
  }

  /** The public address of the service, without a trailing slash. */
  get baseUrl(): string {
    return baseUrlOf(this.site.context, this.request);
  }

  /** The path for browsers: the service may be below another path. */
  href(path: string): string {
    return new URL(this.baseUrl).pathname.replace(/\/$/, '') + path;
  }

  /** The first element of every form. In an open service the browser's Origin header is the only proof; see `begin`. */
  formToken(): Html | null {
    if (this.#visit === null) return null;
    return html`<input type="hidden" name="form_token" value="${this.#visit.formToken}">`;
  }

  /** Before the body is read. Throws FORM_REFUSED. */
  refuseForeignOrigin(): void {
    this.#visit?.refuseForeignOrigin();
  }

  /** Throws FORM_REFUSED unless the token is that of a page which this browser got. */
  refuseForeignToken(token: string): void {
    this.#visit?.refuseForeignToken(token);
  }
}

function principalOf(visit: Visit | null): Principal | null {
  const id = visit?.session?.user.id;
  return id === undefined ? null : sessionPrincipal(id);
}
