/** What a route of the account area is; `routes.ts` is the list, `register.ts` makes them answer. */
import type { FastifyReply } from 'fastify';
import type { Html } from '../html.ts';
import type { Visit } from './visit.ts';

export interface AccountRoute {
  readonly method: 'GET' | 'POST';
  /** As Fastify has it: `/account/keys/:id`. Every POST is a form, and refused unless it comes from a page of ours. */
  readonly path: string;
  /** 'user': who is not signed in is sent to sign in; 'admin': who is none gets the page of a path that is not there. */
  readonly access: 'anyone' | 'user' | 'admin';
  readonly handle: (visit: Visit, params: Readonly<Record<string, string>>) => Promise<Answer> | Answer;
}

export type Answer = PageAnswer | RedirectAnswer | RawAnswer;

export interface PageAnswer {
  readonly page: Html;
  /** Default 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** With 303, so that reloading the page that comes does not send the form again. */
export interface RedirectAnswer {
  /** A path of ours, or the address of the identity provider. */
  readonly redirect: string;
}

export interface RawAnswer {
  readonly raw: (reply: FastifyReply) => Promise<FastifyReply> | FastifyReply;
}
