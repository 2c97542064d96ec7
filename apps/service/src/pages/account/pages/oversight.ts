/** Pages for administrators: credentials of all accounts, and the audit log. */
import { formatScopes } from '../../../accounts/principal.ts';
import { html } from '../../html.ts';
import type { AccountRoute, Answer } from '../route.ts';
import type { Visit } from '../visit.ts';
import { credentialPath, stateBadge } from './credentials.ts';
import { layout } from './layout.ts';
import { table, time } from './parts.ts';

const EVENTS_ON_A_PAGE = 100;

export const oversightRoutes: readonly AccountRoute[] = [
  { method: 'GET', path: '/account/all-keys', access: 'admin', handle: allKeys },
  { method: 'GET', path: '/account/audit', access: 'admin', handle: auditLog },
];

async function allKeys(visit: Visit): Promise<Answer> {
  const emails = await emailsById(visit);
  const found = await visit.area.options.accounts.credentials.list();
  const rows = found.map((one) => [
    html`<a href="${visit.href(credentialPath(one))}">${one.name}</a>`,
    emails.get(one.owner) ?? one.owner,
    one.kind,
    stateBadge(visit, one),
    html`<code>${one.id}</code>`,
    formatScopes(one.scopes),
    time(one.createdAt),
    time(one.expiresAt),
    time(one.lastUsedAt),
  ]);
  const heads = ['Name', 'Owner', 'Kind', 'State', 'Id', 'Scopes', 'Created', 'Expires', 'Last used'];
  const body =
    rows.length === 0
      ? html`<p class="soft">No API keys or OAuth clients exist yet.</p>`
      : table('API keys and OAuth clients of all accounts; times in UTC', heads, rows);
  return { page: layout(visit, { title: 'All keys', body }) };
}

async function auditLog(visit: Visit): Promise<Answer> {
  const { before } = visit.request.query as { before?: unknown };
  const from = typeof before === 'string' && /^\d{1,15}$/.test(before) ? Number(before) : undefined;
  const { audit } = visit.area.options.accounts;
  const { events, next } = await audit.list({ before: from, limit: EVENTS_ON_A_PAGE });
  const emails = await emailsById(visit);
  const named = (id: string): string => emails.get(id) ?? id;
  const rows = events.map(({ at, actor, event, subject, detail }) => [
    time(at),
    html`<span class="nowrap">${event}</span>`,
    named(actor),
    named(subject),
    html`<span class="reason">${detailText(detail, named)}</span>`,
  ]);
  const path = visit.href('/account/audit');
  const body = html`${table('Events, newest first; times in UTC', ['Time', 'Event', 'By', 'Subject', 'Details'], rows)}
<p>${next === null ? null : html`<a class="button" rel="next" href="${path}?before=${next}">Older events</a>`}
${from === undefined ? null : html`<a href="${path}">Newest events</a>`}</p>`;
  return { page: layout(visit, { title: 'Audit log', body }) };
}

async function emailsById(visit: Visit): Promise<ReadonlyMap<string, string>> {
  const { users } = await visit.directory();
  return new Map((await users.list()).map(({ id, email }) => [id, email]));
}

function detailText(detail: Readonly<Record<string, unknown>>, named: (id: string) => string): string {
  return Object.entries(detail)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}: ${name === 'owner' ? named(String(value)) : wordOf(name, value)}`)
    .join(', ');
}

function wordOf(name: string, value: unknown): string {
  const isTime = typeof value === 'number' && /(?:At|From)$/.test(name);
  return isTime ? new Date(value).toISOString().slice(0, 16) : String(value);
}
