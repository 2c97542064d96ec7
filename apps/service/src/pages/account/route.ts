/** The records of routes of the account area; `routes.ts` lists them, `register.ts` registers them. */
import type { FastifyReply } from 'fastify';
import type { Html } from '../html.ts';
import type { Visit } from './visit.ts';

export interface AccountRoute {
  readonly method: 'GET' | 'POST';
  /** In Fastify's syntax: `/account/keys/:id`. Every POST is a form, rejected unless sent from a page of the area. */
  readonly path: string;
  /** 'user': others are redirected to the sign-in page; 'admin': others get the page for unknown paths. */
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

/** Sent with 303, so that reloading the next page does not send the form again. */
export interface RedirectAnswer {
  /** A path of the area, or the address of the identity provider. */
  readonly redirect: string;
}

export interface RawAnswer {
  readonly raw: (reply: FastifyReply) => Promise<FastifyReply> | FastifyReply;
}
