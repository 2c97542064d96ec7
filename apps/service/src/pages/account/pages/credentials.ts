/** Pages of API keys and OAuth clients: list, create, show once, rename, revoke. */
import { failure } from '@geomill/core/messages/errors.ts';
import type { Credential, CredentialKind } from '../../../accounts/credentials.ts';
import { accountErrors } from '../../../accounts/errors.ts';
import { checkName } from '../../../accounts/new-credential.ts';
import { DEFAULT_SCOPES, formatScopes, SCOPES, type Scope } from '../../../accounts/principal.ts';
import { type Html, html } from '../../html.ts';
import type { AccountRoute, Answer } from '../route.ts';
import type { Visit } from '../visit.ts';
import { layout } from './layout.ts';
import { badge, checkboxes, field, postForm, table, time } from './parts.ts';

interface Words {
  readonly kind: CredentialKind;
  readonly path: string;
  readonly one: string;
  readonly many: string;
  readonly text: string;
}

const KEYS: Words = {
  kind: 'key',
  path: '/account/keys',
  one: 'API key',
  many: 'API keys',
  text: 'Send a key in the apiKey header of a request. Use a separate key for each program, so that you can revoke one without the others.',
};
const CLIENTS: Words = {
  kind: 'client',
  path: '/account/clients',
  one: 'OAuth client',
  many: 'OAuth clients',
  text: 'A client exchanges its id and secret for short-lived access tokens (client credentials grant, RFC 6749).',
};

const DAY_MS = 24 * 3600_000;
const SUGGESTED_DAYS = 90;
const SCOPE_TEXTS: Readonly<Record<Scope, string>> = {
  'jobs:read': 'view jobs and download their outputs',
  'jobs:write': 'submit, cancel and delete jobs',
  admin: 'full access to the service and all accounts',
};

export const credentialRoutes: readonly AccountRoute[] = [KEYS, CLIENTS].flatMap(routesOf);

function routesOf(words: Words): AccountRoute[] {
  const { path } = words;
  return [
    { method: 'GET', path, access: 'user', handle: (visit) => listPage(visit, words) },
    { method: 'GET', path: `${path}/new`, access: 'user', handle: (visit) => newPage(visit, words) },
    { method: 'POST', path: `${path}/new`, access: 'user', handle: (visit) => create(visit, words) },
    {
      method: 'GET',
      path: `${path}/:id`,
      access: 'user',
      handle: (visit, { id }) => onePage(visit, words, id),
    },
    {
      method: 'POST',
      path: `${path}/:id`,
      access: 'user',
      handle: (visit, { id }) => change(visit, words, id),
    },
    {
      method: 'GET',
      path: `${path}/:id/revoke`,
      access: 'user',
      handle: (visit, { id }) => revokePage(visit, words, id),
    },
    {
      method: 'POST',
      path: `${path}/:id/revoke`,
      access: 'user',
      handle: (visit, { id }) => revoke(visit, words, id),
    },
  ];
}

export function credentialPath({ kind, id }: Pick<Credential, 'kind' | 'id'>): string {
  return `${kind === 'key' ? KEYS.path : CLIENTS.path}/${id}`;
}

export function stateBadge(visit: Visit, credential: Credential): Html {
  const state = visit.area.options.accounts.credentials.stateOf(credential);
  return badge(state === 'active' ? 'good' : 'bad', state);
}

async function listPage(visit: Visit, words: Words): Promise<Answer> {
  const found = await visit.area.options.accounts.credentials.list({
    owner: visit.user.id,
    kind: words.kind,
  });
  const rows = found.map((one) => [
    html`<a href="${visit.href(credentialPath(one))}">${one.name}</a>`,
    stateBadge(visit, one),
    html`<code>${one.id}</code>`,
    formatScopes(one.scopes),
    time(one.createdAt),
    time(one.expiresAt),
    time(one.lastUsedAt),
  ]);
  const heads = ['Name', 'State', 'Id', 'Scopes', 'Created', 'Expires', 'Last used'];
  const body = html`<p>${words.text}</p>
<p><a class="button" href="${visit.href(words.path)}/new">Create an ${words.one}</a></p>
${found.length === 0 ? html`<p class="soft">You have no ${words.many} yet.</p>` : table(`Your ${words.many}; times in UTC`, heads, rows)}`;
  return { page: layout(visit, { title: words.many, body }) };
}

function newPage(visit: Visit, words: Words): Answer {
  const { form } = visit;
  const isSent = visit.request.method === 'POST';
  const chosen = isSent ? form.texts('scopes') : DEFAULT_SCOPES;
  const choices = grantable(visit).map((scope) => ({
    value: scope,
    label: html`<code>${scope}</code>: ${SCOPE_TEXTS[scope]}`,
    isChecked: chosen.some((one) => one === scope),
  }));
  const body = postForm(
    visit,
    `${words.path}/new`,
    html`${field(visit, {
      name: 'name',
      label: 'Name',
      hint: 'Describe what it is used for.',
      maxLength: 100,
    })}
${checkboxes(visit, 'scopes', 'Permissions', choices)}
${expiryField(visit, dayText(Date.now() + SUGGESTED_DAYS * DAY_MS))}
<button>Create the ${words.one}</button> <a class="cancel" href="${visit.href(words.path)}">Cancel</a>`,
  );
  return {
    page: layout(visit, { title: `New ${words.one}`, body }),
    status: form.isValid ? 200 : 400,
  };
}

async function create(visit: Visit, words: Words): Promise<Answer> {
  const { form } = visit;
  const { credentials } = visit.area.options.accounts;
  await form.attempt(() => checkName(form.text('name')));
  const expiresAt = readExpiry(visit);
  const allowed = grantable(visit);
  const scopes = form.texts('scopes').filter((scope): scope is Scope => allowed.includes(scope as Scope));
  if (scopes.length === 0) form.refuse('scopes', 'Select at least one.');
  if (scopes.length < form.texts('scopes').length) form.refuse('scopes', 'Select only listed permissions.');
  if (!form.isValid) return newPage(visit, words);
  const { kind } = words;
  const wanted = { kind, owner: visit.user.id, name: form.text('name'), scopes, expiresAt };
  const made = await form.attempt(() => credentials.create(wanted, visit.user.id), { expiry: 'expires' });
  if (made === undefined) return newPage(visit, words);
  await visit.leave({ secret: made.secret });
  return { redirect: visit.href(credentialPath(made.credential)) };
}

async function onePage(visit: Visit, words: Words, id: string): Promise<Answer> {
  const found = await find(visit, words, id);
  const isActive = found.revokedAt === null;
  const { secret } = visit.flash;
  const facts: readonly (readonly [string, Html | string])[] = [
    ['State', stateBadge(visit, found)],
    ['Id', html`<code>${found.id}</code>`],
    ...(found.owner === visit.user.id ? [] : [['Owner', await ownerText(visit, found.owner)] as const]),
    ['Scopes', formatScopes(found.scopes)],
    ['Created', time(found.createdAt)],
    ['Expires', time(found.expiresAt)],
    ['Last used', time(found.lastUsedAt)],
    ...(isActive ? [] : [['Revoked', time(found.revokedAt)] as const]),
  ];
  const body = html`${secret === undefined ? null : secretPanel(visit, found, secret)}
<dl>${facts.map(([head, fact]) => html`<div><dt>${head}</dt><dd>${fact}</dd></div>`)}</dl>
<p class="soft">Times are in UTC.</p>
${isActive ? changeForms(visit, words, found) : null}`;
  return {
    page: layout(visit, { title: `${words.one} “${found.name}”`, body }),
    status: visit.form.isValid ? 200 : 400,
  };
}

function changeForms(visit: Visit, words: Words, found: Credential): Html {
  const path = credentialPath(found);
  const expires = found.expiresAt === null ? '' : dayText(found.expiresAt);
  return html`<h2>Change</h2>
${postForm(
  visit,
  path,
  html`${field(visit, { name: 'name', label: 'Name', value: found.name, maxLength: 100 })}
${expiryField(visit, expires)}
<button>Save</button>`,
)}
<h2>Revoke</h2>
<p>A revoked ${words.one} is rejected immediately and cannot be restored.</p>
<p><a class="button danger" href="${visit.href(path)}/revoke">Revoke this ${words.one}</a></p>`;
}

function secretPanel(visit: Visit, { kind, id }: Credential, secret: string): Html {
  const { baseUrl } = visit;
  const command =
    kind === 'key'
      ? `curl -H 'apiKey: ${secret}' ${baseUrl}/v1/jobs`
      : `curl -u '${id}:${secret}' -d grant_type=client_credentials ${baseUrl}/accounts/oauth/token`;
  const what = kind === 'key' ? 'key' : 'secret';
  return html`<section class="secret" aria-labelledby="secret-title">
<h2 id="secret-title">Copy the ${what} now</h2>
<p>This ${what} is shown only once and is not stored. Click to select it.</p>
${kind === 'client' ? html`<p>Client id: <code class="whole">${id}</code></p>` : null}
<p>${kind === 'key' ? 'API key' : 'Client secret'}: <code class="whole" id="secret">${secret}</code></p>
<p>${kind === 'key' ? 'Try it:' : 'Get an access token:'}</p>
<pre><code class="whole">${command}</code></pre>
</section>`;
}

async function change(visit: Visit, words: Words, id: string): Promise<Answer> {
  const found = await find(visit, words, id);
  const { form } = visit;
  const expiresAt = readExpiry(visit, found.expiresAt);
  if (!form.isValid) return onePage(visit, words, id);
  const { credentials } = visit.area.options.accounts;
  const isSame = expiresAt === found.expiresAt;
  const wanted = { name: form.text('name'), ...(isSame ? {} : { expiresAt }) };
  // An unchanged expiry may be in the past; a new one may not.
  await form.attempt(() => credentials.change(id, wanted, visit.user.id), { expiry: 'expires', id: 'name' });
  if (!form.isValid) return onePage(visit, words, id);
  await visit.leave({ notice: 'Saved.' });
  return { redirect: visit.href(credentialPath(found)) };
}

async function revokePage(visit: Visit, words: Words, id: string): Promise<Answer> {
  const found = await find(visit, words, id);
  const path = credentialPath(found);
  const body = html`<p>Programs that use <code>${found.id}</code> will be rejected immediately. This cannot be undone.</p>
<p>Last used: ${time(found.lastUsedAt)}.</p>
${postForm(
  visit,
  `${path}/revoke`,
  html`<button class="danger">Revoke</button> <a class="cancel" href="${visit.href(path)}">Keep it</a>`,
)}`;
  return { page: layout(visit, { title: `Revoke ${words.one} “${found.name}”?`, body }) };
}

async function revoke(visit: Visit, words: Words, id: string): Promise<Answer> {
  const found = await find(visit, words, id);
  await visit.area.options.accounts.credentials.revoke(id, visit.user.id);
  await visit.leave({ notice: `${words.one} “${found.name}” was revoked.` });
  return { redirect: visit.href(found.owner === visit.user.id ? words.path : '/account/all-keys') };
}

/** Throws CREDENTIAL_UNKNOWN; also for credentials of other users, unless the visitor is an administrator. */
async function find(visit: Visit, { kind }: Words, id: string): Promise<Credential> {
  const found = await visit.area.options.accounts.credentials.get(id);
  const isVisible = found !== null && (found.owner === visit.user.id || visit.user.isAdmin);
  if (!isVisible || found.kind !== kind)
    throw failure(accountErrors.CREDENTIAL_UNKNOWN, { id: id.slice(0, 60) });
  return found;
}

/** Users can grant only scopes that they have. */
function grantable({ user }: Visit): readonly Scope[] {
  return SCOPES.filter((scope) => scope !== 'admin' || user.isAdmin);
}

async function ownerText(visit: Visit, owner: string): Promise<string> {
  const { users } = await visit.directory();
  return (await users.get(owner))?.email ?? owner;
}

function expiryField(visit: Visit, value: string): Html {
  return field(visit, {
    name: 'expires',
    label: 'Expires on',
    type: 'date',
    value,
    isOptional: true,
    hint: 'Rejected from 00:00 UTC on that day. Leave empty for no expiry.',
  });
}

/** `kept`: the present expiry, whose time of day is kept if the date is unchanged. */
function readExpiry({ form }: Visit, kept: number | null = null): number | null {
  const text = form.text('expires').trim();
  if (text === '') return null;
  if (kept !== null && text === dayText(kept)) return kept;
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  // Date.parse turns 30 February into 2 March.
  if (Number.isNaN(at) || dayText(at) !== text) form.refuse('expires', 'Enter a date such as 2030-01-31.');
  return at;
}

function dayText(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
