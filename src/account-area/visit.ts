/** One request to the account area: who comes, with which form, and the cookies they leave with. */
import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sourceOf } from '../accounts/attempt-limiter.ts';
import { failure } from '../errors.ts';
import type { Area, Directory } from './area.ts';
import { formToken, isFormToken } from './area-secret.ts';
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

/** How long the message of a redirect waits for the page that shows it. */
const FLASH_SECONDS = 300;
const SAFE_SITES = new Set(['same-origin', 'none']);

export class Visit {
  readonly area: Area;
  readonly request: FastifyRequest;
  readonly form: Form;
  /** Null: not signed in. */
  session: Session | null = null;
  /** What the request before has to tell. */
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

  /** The account id of who is signed in. Pages that need it are not reached without. */
  get user(): User {
    if (this.session === null) throw new Error('this page was reached without a session');
    return this.session.user;
  }

  /** What counts as one source of attempts. */
  get source(): string {
    return sourceOf(this.request.ip);
  }

  /** The public address of the service, without a slash at the end. */
  get baseUrl(): string {
    const { baseUrl } = this.area.options;
    if (baseUrl !== null) return baseUrl;
    const { host } = this.request.headers;
    // A Host header is the client's word and goes into a link: only what can be a host and a port is repeated.
    return `http://${host !== undefined && /^[\w.\-:[\]]{1,255}$/.test(host) ? host : 'localhost'}`;
  }

  /** The address of a path as a browser has to ask for it: the service may stand below another path. */
  href(path: string): string {
    return new URL(this.baseUrl).pathname.replace(/\/$/, '') + path;
  }

  /** For the library: the cookies, the browser's name and the address as we know it; nothing else a client sends. */
  headers(): Headers {
    const { cookie = '', 'user-agent': agent = '' } = this.request.headers;
    return new Headers({ cookie, 'user-agent': agent.slice(0, 300), [ADDRESS_HEADER]: this.request.ip });
  }

  /** Goes into every form, see `refuseForeignForm`. */
  get formToken(): string {
    return formToken(this.area.secret, this.#binding());
  }

  /**
   * Throws FORM_REFUSED unless a form was sent from one of our pages in the same browser. Two proofs that fail in
   * different ways: what the browser says of where it comes from, and a token that only our pages hold.
   */
  refuseForeignForm(): void {
    const { origin, 'sec-fetch-site': site } = this.request.headers;
    const isKnown = origin !== undefined || site !== undefined;
    const isOwnOrigin = origin === undefined || this.#isOwnOrigin(origin);
    const isOwnSite = site === undefined || SAFE_SITES.has(String(site));
    const isOwnToken = isFormToken(this.area.secret, this.#binding(), this.form.text('form_token'));
    if (!isKnown || !isOwnOrigin || !isOwnSite || !isOwnToken) throw failure('FORM_REFUSED', {});
  }

  /** Of the library's answers, as they are. */
  passCookies(headers: Headers): void {
    for (const cookie of headers.getSetCookie()) this.#addCookie(cookie);
  }

  /** Keeps something for the page that the browser is sent to next. */
  async leave(flash: Flash): Promise<void> {
    const sealed = await sealFlash(this.area.secret, this.#binding(), flash);
    this.#addCookie(this.#cookie('flash', sealed, FLASH_SECONDS));
  }

  /** The session that these cookies of the library's are for is the one of this visit from now on. */
  async continueWith(headers: Headers): Promise<void> {
    const { library, users } = await this.directory();
    const cookie = headers.getSetCookie().map((one) => one.split(';', 1)[0]);
    const found = await library.auth.api.getSession({ headers: new Headers({ cookie: cookie.join('; ') }) });
    const user = found === null ? null : users.get(found.user.id);
    if (found !== null && user !== null)
      this.session = { id: found.session.id, token: found.session.token, user };
  }

  async #findSession(): Promise<void> {
    // Without its cookie there is none: strangers do not make us load the library.
    if (!this.#cookies.has(this.#cookieName('session_token'))) return;
    const { library, users } = await this.directory();
    const { headers, response } = await library.auth.api.getSession({
      headers: this.headers(),
      returnHeaders: true,
    });
    if (response === null) return;
    const user = users.get(response.user.id);
    if (user === null || user.disabledAt !== null) return;
    // A session in use is prolonged; or its cookie removed.
    this.passCookies(headers);
    this.session = { id: response.session.id, token: response.session.token, user };
  }

  async #takeFlash(): Promise<void> {
    const sealed = this.#cookies.get(this.#cookieName('flash'));
    // It is for a page, not for a form that is sent meanwhile or a style sheet.
    if (sealed === undefined || this.request.method !== 'GET') return;
    this.#addCookie(this.#cookie('flash', '', 0));
    this.flash = await openFlash(this.area.secret, this.#binding(), sealed);
  }

  /** What only this browser has: its session, before there is one a random number. */
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
    // Not this.baseUrl, which puts something in the place of a host that cannot be.
    return origin === `http://${this.request.headers.host}`;
  }

  get #isSecure(): boolean {
    return this.area.options.baseUrl?.startsWith('https:') ?? false;
  }

  /** With `__Host-` no other host and no plain connection can set such a cookie. The library's are named alike. */
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
    // The last word counts: browsers do not agree on which of two of the same name does.
    const kept = [before ?? []].flat().filter((one) => one.split('=', 1)[0] !== name);
    this.#reply.removeHeader('set-cookie').header('set-cookie', [...kept, cookie]);
  }
}

/** All values that we make need no quotes and no escapes; of two with the same name the first counts. */
function parseCookies(header: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=');
    const name = pair.slice(0, at).trim();
    if (at > 0 && !found.has(name)) found.set(name, pair.slice(at + 1).trim());
  }
  return found;
}
