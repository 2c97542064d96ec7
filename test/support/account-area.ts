/** The account area by itself on a free port, and a browser for it that keeps cookies and sends forms. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Fastify from 'fastify';
import {
  type Accounts,
  type AccountsPlace,
  openAccountsAt,
} from '../../apps/service/src/accounts/accounts.ts';
import { httpErrors } from '../../apps/service/src/http/errors.ts';
import { type OneTimeLink, OneTimeLinks } from '../../apps/service/src/pages/account/one-time-links.ts';
import type { UsageSource } from '../../apps/service/src/pages/account/own-jobs.ts';
import {
  type AccountAreaOptions,
  registerAccountArea,
} from '../../apps/service/src/pages/account/register.ts';
import { failure } from '../../packages/core/src/messages/errors.ts';

export interface TestArea extends AsyncDisposable {
  readonly url: string;
  readonly accounts: Accounts;
  readonly dataDirectory: string;
  /** What the area warned of. */
  readonly warnings: readonly string[];
  /** The path of a new one-time link. */
  link(link: OneTimeLink): Promise<string>;
}

const NO_JOBS: UsageSource = {
  page: async () => ({ jobs: [], next: null }),
  usage: async () => ({ jobs: 0, failedJobs: 0, inputBytes: 0, outputBytes: 0 }),
  recordDays: 7,
  details: async (_owner, id) => {
    throw failure(httpErrors.JOB_UNKNOWN, { id });
  },
  inspection: async (_owner, id) => {
    throw failure(httpErrors.JOB_UNKNOWN, { id });
  },
  cancel: async (_owner, id) => {
    throw failure(httpErrors.JOB_UNKNOWN, { id });
  },
  delete: async (_owner, id) => {
    throw failure(httpErrors.JOB_UNKNOWN, { id });
  },
  sendOutput: async (_owner, id) => {
    throw failure(httpErrors.JOB_UNKNOWN, { id });
  },
  sendFindings: async (_owner, id) => {
    throw failure(httpErrors.JOB_UNKNOWN, { id });
  },
};

export async function startTestArea(
  options: Partial<Omit<AccountAreaOptions, 'accounts'>> & {
    readonly port?: number;
    /** Default: a file of its own. */
    readonly place?: AccountsPlace;
    /** X-Forwarded-For tells the address of a client. */
    readonly believesProxies?: boolean;
  } = {},
): Promise<TestArea> {
  const directory = mkdtempSync(join(tmpdir(), 'geomill-area-'));
  const place = options.place ?? { path: join(directory, 'accounts.sqlite') };
  const accounts = await openAccountsAt(place);
  const app = Fastify({ trustProxy: options.believesProxies ?? false });
  const warnings: string[] = [];
  await registerAccountArea(app, {
    accounts: { open: async () => accounts },
    baseUrl: null,
    oidc: null,
    usage: NO_JOBS,
    web: true,
    warn: (message) => warnings.push(message),
    ...options,
  });
  const url = await app.listen({ host: '127.0.0.1', port: options.port ?? 0 });
  return {
    url,
    accounts,
    dataDirectory: directory,
    warnings,
    link: async (link) =>
      `/account/${link.purpose}?token=${await new OneTimeLinks(accounts.database).make(link, 'test')}`,
    async [Symbol.asyncDispose]() {
      await app.close();
      await accounts.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

export interface Shown {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Path and query where it ended up. */
  readonly path: string;
}

interface Sending {
  readonly headers?: Readonly<Record<string, string>>;
  /** Default true. */
  readonly follow?: boolean;
}

export class Browser {
  readonly #url: string;
  readonly cookies = new Map<string, string>();
  /** The last page. */
  page = '';

  constructor(url: string) {
    this.#url = url;
  }

  get(path: string, { headers, follow = true }: Sending = {}): Promise<Shown> {
    return this.#go(path, { headers: { ...headers, 'sec-fetch-site': 'same-origin' } }, follow);
  }

  /** Sends a form with the token of the last page, as a browser does from a page of `origin`. */
  post(
    path: string,
    fields: Readonly<Record<string, string | readonly string[]>>,
    { headers, follow = true }: Sending = {},
  ): Promise<Shown> {
    const form = new URLSearchParams();
    const token = /name="form_token" value="([^"]+)"/.exec(this.page)?.[1];
    if (token !== undefined && fields.form_token === undefined) form.append('form_token', token);
    for (const [name, value] of Object.entries(fields))
      for (const one of [value].flat()) form.append(name, one);
    return this.#go(
      path,
      {
        method: 'POST',
        body: form,
        headers: { origin: this.#url, 'sec-fetch-site': 'same-origin', ...headers },
      },
      follow,
    );
  }

  async #go(path: string, init: RequestInit, follow: boolean): Promise<Shown> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const given = { ...(init.headers as Record<string, string>), cookie };
    const headers = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
    const response = await fetch(new URL(path, this.#url), { ...init, headers, redirect: 'manual' });
    for (const one of response.headers.getSetCookie()) this.#keep(one);
    const text = await response.text();
    const location = response.headers.get('location');
    if (follow && location?.startsWith('/')) return this.get(location);
    if (location === null) this.page = text;
    return { status: response.status, headers: response.headers, text, path };
  }

  #keep(setCookie: string): void {
    const [pair, ...attributes] = setCookie.split(';').map((part) => part.trim());
    const [name, value] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)];
    if (attributes.some((one) => /^max-age=0$/i.test(one))) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}

export const ADMIN = { email: 'ada@example.org', password: 'seven green boats sail' } as const;

/** A browser in which the first administrator has just signed in. */
export async function setUpAdmin(area: Pick<TestArea, 'url' | 'link'>): Promise<Browser> {
  const browser = new Browser(area.url);
  await browser.get(await area.link({ purpose: 'setup', userId: null }));
  const token = /name="token" value="([^"]+)"/.exec(browser.page)?.[1] ?? '';
  const { email, password } = ADMIN;
  const shown = await browser.post('/account/setup', {
    token,
    email,
    name: 'Ada',
    password,
    repeated: password,
  });
  if (shown.status !== 200 || shown.path !== '/account')
    throw new Error(`setting up ended at ${shown.path} with ${shown.status}: ${shown.text}`);
  return browser;
}

export async function signIn(browser: Browser, email: string, password: string): Promise<Shown> {
  await browser.get('/account/sign-in');
  return browser.post('/account/sign-in', { email, password });
}
