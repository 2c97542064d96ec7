/** One request to the account area: user, form and cookies. */
import { randomBytes } from 'node:crypto';
import { failure } from '@geomill/core/messages/errors.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sourceOf } from '../../accounts/attempt-limiter.ts';
import { accountErrors } from '../../accounts/errors.ts';
import type { Area, Directory } from './area.ts';
import { formToken, isFormToken } from './area-secret.ts';
import { accountAreaErrors } from './errors.ts';
import { type Flash, openFlash, sealFlash } from './flash.ts';
import { Form } from './form.ts';
import { ADDRESS_HEADER } from './library-names.ts';
import type { User } from './users.ts';

export interface Session {
  readonly id: string;
  /** The secret part of it. */
  readonly token: string;
  readonly user: User;
}

/** How long the message of a redirect is kept for the next page. */
const FLASH_SECONDS = 300;
const SAFE_SITES = new Set(['same-origin', 'none']);
/** Sent by scripts of our pages. */
const PAGE_HEADER = 'x-geomill-page';

export class Visit {
  readonly area: Area;
  readonly request: FastifyRequest;
  readonly form: Form;
  /** Null: not signed in. */
  session: Session | null = null;
  /** Message of the previous request. */
  flash: Flash = {};
  readonly #reply: FastifyReply;
  readonly #cookies: ReadonlyMap<string, string>;
  #visitor: string | undefined;

  private constructor(area: Area, request: FastifyRequest, reply: FastifyReply) {
    this.area = area;
    this.request = request;
    this.#reply = reply;
    this.#cookies = parseCookies(request.headers.cookie ?? '');
    this.form = new Form(request.body);
  }

  static async begin(area: Area, request: FastifyRequest, reply: FastifyReply): Promise<Visit> {
    const visit = new Visit(area, request, reply);
    await visit.#findSession();
    await visit.#takeFlash();
    return visit;
  }

  directory(): Promise<Directory> {
    return this.area.directory();
  }

  /** The signed-in user. Pages that use it require a session. */
  get user(): User {
    if (this.session === null) throw new Error('this page was reached without a session');
    return this.session.user;
  }

  /** The source for counting attempts. */
  get source(): string {
    return sourceOf(this.request.ip);
  }

  /** The public address of the service, without a trailing slash. */
  get baseUrl(): string {
    const { baseUrl } = this.area.options;
    if (baseUrl !== null) return baseUrl;
    const { host } = this.request.headers;
    // The Host header is client input and becomes part of links, so only a plausible host and port is used.
    return `http://${host !== undefined && /^[\w.\-:[\]]{1,255}$/.test(host) ? host : 'localhost'}`;
  }

  /** The path for browsers: the service may be below another path. */
  href(path: string): string {
    return new URL(this.baseUrl).pathname.replace(/\/$/, '') + path;
  }

  /** Headers for the library: cookies, user agent and client address; nothing else that the client sent. */
  headers(): Headers {
    const { cookie = '', 'user-agent': agent = '' } = this.request.headers;
    return new Headers({ cookie, 'user-agent': agent.slice(0, 300), [ADDRESS_HEADER]: this.request.ip });
  }

  /** Part of every form; see `refuseForeignForm`. */
  get formToken(): string {
    return formToken(this.area.secret, this.#binding());
  }

  /**
   * Throws FORM_REFUSED unless the form was sent from a page of this service in the same browser. There are two independent
   * proofs: the origin reported by the browser, and a token that only these pages contain.
   */
  refuseForeignForm(): void {
    this.refuseForeignOrigin();
    this.refuseForeignToken(this.form.text('form_token'));
  }

  /** The first proof: by the headers alone, so that the body of a rejected request need not be read. */
  refuseForeignOrigin(): void {
    const { origin, 'sec-fetch-site': site } = this.request.headers;
    const isKnown = origin !== undefined || site !== undefined;
    const isOwnOrigin = origin === undefined || this.#isOwnOrigin(origin);
    const isOwnSite = site === undefined || SAFE_SITES.has(String(site));
    if (!isKnown || !isOwnOrigin || !isOwnSite) throw failure(accountAreaErrors.FORM_REFUSED, {});
  }

  /** The second proof. */
  refuseForeignToken(token: string): void {
    if (!isFormToken(this.area.secret, this.#binding(), token))
      throw failure(accountAreaErrors.FORM_REFUSED, {});
  }

  /**
   * Throws PAGE_REFUSED unless a script of a page of this service sent the request. A form or image of another site cannot
   * send the header, and a script of another origin would need permission by CORS, which these paths never give.
   */
  refuseForeignScript(): void {
    const { origin, 'sec-fetch-site': site = 'same-origin', [PAGE_HEADER]: page } = this.request.headers;
    if (origin === undefined || !this.#isOwnOrigin(origin) || site !== 'same-origin' || page !== '1')
      throw failure(accountErrors.PAGE_REFUSED, {});
  }

  /** Passes on the cookies of a response of the library. */
  passCookies(headers: Headers): void {
    for (const cookie of headers.getSetCookie()) this.#addCookie(cookie);
  }

  /** Keeps a message for the next page. */
  async leave(flash: Flash): Promise<void> {
    const sealed = await sealFlash(this.area.secret, this.#binding(), flash);
    this.#addCookie(this.#cookie('flash', sealed, FLASH_SECONDS));
  }

  /** Continues with the session of these cookies of the library. */
  async continueWith(headers: Headers): Promise<void> {
    const { library, users } = await this.directory();
    const cookie = headers.getSetCookie().map((one) => one.split(';', 1)[0]);
    const found = await library.auth.api.getSession({ headers: new Headers({ cookie: cookie.join('; ') }) });
    const user = found === null ? null : await users.get(found.user.id);
    if (found !== null && user !== null)
      this.session = { id: found.session.id, token: found.session.token, user };
  }

  async #findSession(): Promise<void> {
    // Without the cookie there is no session, and the library need not be loaded.
    if (!this.#cookies.has(this.#cookieName('session_token'))) return;
    const { library, users } = await this.directory();
    const { headers, response } = await library.auth.api.getSession({
      headers: this.headers(),
      returnHeaders: true,
    });
    if (response === null) return;
    const user = await users.get(response.user.id);
    if (user === null || user.disabledAt !== null) return;
    // The library prolongs a session in use, or removes its cookie.
    this.passCookies(headers);
    this.session = { id: response.session.id, token: response.session.token, user };
  }

  async #takeFlash(): Promise<void> {
    const sealed = this.#cookies.get(this.#cookieName('flash'));
    // Only for pages, not for a form sent meanwhile or the style sheet.
    if (sealed === undefined || this.request.method !== 'GET') return;
    this.#addCookie(this.#cookie('flash', '', 0));
    this.flash = await openFlash(this.area.secret, this.#binding(), sealed);
  }

  /** A value that only this browser has: its session, or a random number before sign-in. */
  #binding(): string {
    if (this.session !== null) return `session ${this.session.id}`;
    if (this.#visitor === undefined) {
      const known = this.#cookies.get(this.#cookieName('visitor'));
      this.#visitor = known !== undefined && /^[\w-]{22}$/.test(known) ? known : undefined;
    }
    if (this.#visitor === undefined) {
      this.#visitor = randomBytes(16).toString('base64url');
      this.#addCookie(this.#cookie('visitor', this.#visitor, null));
    }
    return `visitor ${this.#visitor}`;
  }

  #isOwnOrigin(origin: string): boolean {
    const { baseUrl } = this.area.options;
    if (baseUrl !== null) return origin === new URL(baseUrl).origin;
    // Not this.baseUrl, which replaces an implausible host.
    return origin === `http://${this.request.headers.host}`;
  }

  get #isSecure(): boolean {
    return this.area.options.baseUrl?.startsWith('https:') ?? false;
  }

  /** Browsers accept `__Host-` cookies only from this host over https. The library uses the same prefix. */
  #cookieName(name: string): string {
    return `${this.#isSecure ? '__Host-' : ''}geomill.${name}`;
  }

  #cookie(name: string, value: string, seconds: number | null): string {
    const age = seconds === null ? '' : `; Max-Age=${seconds}`;
    const secure = this.#isSecure ? '; Secure' : '';
    return `${this.#cookieName(name)}=${value}${age}; Path=/${secure}; HttpOnly; SameSite=Lax`;
  }

  #addCookie(cookie: string): void {
    const before = this.#reply.getHeader('set-cookie') as string | string[] | undefined;
    const name = cookie.split('=', 1)[0];
    // The last value replaces earlier ones: browsers differ in which of two they keep.
    const kept = [before ?? []].flat().filter((one) => one.split('=', 1)[0] !== name);
    this.#reply.removeHeader('set-cookie').header('set-cookie', [...kept, cookie]);
  }
}

/** Values of this service need no quotes or escapes; of two cookies with the same name the first counts. */
function parseCookies(header: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=');
    const name = pair.slice(0, at).trim();
    if (at > 0 && !found.has(name)) found.set(name, pair.slice(at + 1).trim());
  }
  return found;
}
