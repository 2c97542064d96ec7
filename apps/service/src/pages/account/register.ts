/** Registers the account area in the HTTP application. */
import formBody from '@fastify/formbody';
import { asGeomillError, GeomillError } from '@geomill/core/messages/errors.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Accounts } from '../../accounts/accounts.ts';
import { sendStatic, staticContent } from '../../http/send-static.ts';
import { type Html, html } from '../html.ts';
import { SHEET } from '../style/sheet.ts';
import type { Area, AreaOptions } from './area.ts';
import type { AccountRoute, Answer } from './route.ts';
import { ACCOUNT_PATH, accountPages, STYLE_PATH } from './routes.ts';
import type { Visit } from './visit.ts';

export interface AccountAreaOptions extends Omit<AreaOptions, 'accounts'> {
  /** Opened at the first request to the area; not closed by the area. */
  readonly accounts: { open(): Promise<Accounts> };
  /** Answers a wrong method of an operation of the API below `/account`; null: no such operation. */
  readonly refuseMethod?: (request: FastifyRequest, reply: FastifyReply) => FastifyReply | null;
}

/** Larger than any form of the area. */
const MAX_FORM_BYTES = 64 * 1024;

export const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  // With no-referrer, browsers send forms with the origin 'null', which cannot be checked.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  // Pages contain private data: not to be stored by proxies, or shown by the back button after signing out.
  'cache-control': 'no-store',
} as const;

const style = staticContent('text/css; charset=utf-8', SHEET);

/** For pages outside of the area that a user signs in for. */
export interface SignedInPages {
  /** Throws ACCOUNTS_DATABASE. */
  visit(request: FastifyRequest, reply: FastifyReply): Promise<Visit>;
}

/** Call this before the application listens. The area is closed with the application. */
export async function registerAccountArea(
  app: FastifyInstance,
  options: AccountAreaOptions,
): Promise<SignedInPages> {
  const areas = new AreaDoor(options);
  await app.register(
    async (scope) => {
      await scope.register(formBody, { bodyLimit: MAX_FORM_BYTES });
      scope.addHook('onRequest', async (_request, reply) => {
        reply.headers(PAGE_HEADERS);
      });
      scope.addHook('onClose', () => areas.close());
      scope.setErrorHandler((error, request, reply) => sendFault(areas, error, request, reply));
      scope.setNotFoundHandler(
        (request, reply) => options.refuseMethod?.(request, reply) ?? sendFault(areas, null, request, reply),
      );
      scope.get(within(STYLE_PATH), (request, reply) => sendStatic(request, reply, style));
      for (const { load, routes } of accountPages)
        for (const name of routes) {
          const [method, path] = name.split(' ');
          scope.route({
            method: method === 'GET' ? ['GET', 'HEAD'] : 'POST',
            url: within(path),
            handler: (request, reply) =>
              areas.unmasked(async () => answer(areas, routeNamed(name, await load()), request, reply)),
          });
        }
    },
    { prefix: ACCOUNT_PATH },
  );
  return {
    visit: (request, reply) => areas.unmasked(async () => beginVisit(await areas.open(), request, reply)),
  };
}

function routeNamed(name: string, routes: readonly AccountRoute[]): AccountRoute {
  const found = routes.find(({ method, path }) => `${method} ${path}` === name);
  if (found === undefined) throw new Error(`no page has the route ${name}`);
  return found;
}

async function beginVisit(area: Area, request: FastifyRequest, reply: FastifyReply): Promise<Visit> {
  const { Visit } = await import('./visit.ts');
  return Visit.begin(area, request, reply);
}

function within(path: string): string {
  return path.slice(ACCOUNT_PATH.length);
}

class AreaDoor {
  readonly #options: AccountAreaOptions;
  #area: Promise<Area> | undefined;

  constructor(options: AccountAreaOptions) {
    this.#options = options;
  }

  /** Throws ACCOUNTS_DATABASE; then the next request tries again. */
  open(): Promise<Area> {
    this.#area ??= this.#open().catch((error: unknown) => {
      this.#area = undefined;
      throw error;
    });
    return this.#area;
  }

  /** Where `act` fails because of the database, throws that error, which the user library replaces by one of its own. */
  async unmasked<Result>(act: () => Promise<Result>): Promise<Result> {
    const began = performance.now();
    try {
      return await act();
    } catch (error) {
      const { database } = (await this.open()).options.accounts;
      throw error instanceof GeomillError ? error : (database.faultSince(began) ?? error);
    }
  }

  async close(): Promise<void> {
    const area = await this.#area?.catch(() => undefined);
    await area?.close();
  }

  async #open(): Promise<Area> {
    const { Area } = await import('./area.ts');
    return Area.open({ ...this.#options, accounts: await this.#options.accounts.open() });
  }
}

async function answer(
  areas: AreaDoor,
  route: AccountRoute,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const visit = await beginVisit(await areas.open(), request, reply);
  if (route.method === 'POST') visit.refuseForeignForm();
  if (route.access !== 'anyone' && visit.session === null) {
    const next = route.method === 'GET' ? `?next=${encodeURIComponent(request.url.split('?', 1)[0])}` : '';
    return reply.redirect(visit.href('/account/sign-in') + next, 303);
  }
  // The same response as for an unknown path, so that other users do not learn of admin pages.
  if (route.access === 'admin' && !visit.user.isAdmin) return sendFault(areas, null, request, reply);
  return send(await route.handle(visit, request.params as Readonly<Record<string, string>>), reply);
}

function send(answered: Answer, reply: FastifyReply): FastifyReply | Promise<FastifyReply> {
  if ('raw' in answered) return answered.raw(reply);
  if ('redirect' in answered) return reply.redirect(answered.redirect, 303);
  const { page, status = 200, headers = {} } = answered;
  return reply.code(status).headers(headers).type('text/html; charset=utf-8').send(page.text);
}

/** An error as a page. Null: unknown page. */
async function sendFault(
  areas: AreaDoor,
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { status, title, text } = thrown === null ? NOT_FOUND : faultOf(thrown, request);
  const retryAfter = thrown instanceof GeomillError ? thrown.params.seconds : undefined;
  const headers: Readonly<Record<string, string>> =
    retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  const visit = await areas
    .open()
    .then((area) => beginVisit(area, request, reply))
    .catch(() => null);
  // Without the accounts it is not known who is signed in.
  if (visit === null) return send({ page: barePage(title, text), status, headers }, reply);
  const body = html`<p>${text}</p><p><a href="${visit.href(ACCOUNT_PATH)}">Your account</a></p>`;
  const { layout } = await import('./pages/layout.ts');
  return send({ page: layout(visit, { title, body }), status, headers }, reply);
}

function barePage(title: string, text: string): Html {
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${title} - geomill</title></head>
<body><h1>${title}</h1><p>${text}</p></body>
</html>
`;
}

export interface Fault {
  readonly status: number;
  readonly title: string;
  readonly text: string;
}

const NOT_FOUND: Fault = {
  status: 404,
  title: 'Page not found',
  text: 'Check the address: it may be incomplete.',
};

/** What a page says about an error; one caused by geomill is logged. */
export function faultOf(thrown: unknown, request: FastifyRequest): Fault {
  const error = asGeomillError(thrown);
  const sentence = `${error.message[0].toUpperCase()}${error.message.slice(1)}.`;
  if (error.code !== 'INTERNAL' && error.fault === 'user')
    return {
      status: error.status,
      title: error.status < 500 ? 'Request rejected' : 'Try again soon',
      text: sentence,
    };
  const status = Number((thrown as { statusCode?: unknown }).statusCode);
  if (status >= 400 && status < 500)
    return { status, title: 'Request rejected', text: 'The form could not be read.' };
  request.log.error({ err: thrown, reference: request.id }, 'a request failed by our fault');
  const text = `An internal error occurred. It is logged under reference ${request.id}.`;
  return { status: 500, title: 'Something went wrong', text };
}
