/** The common frame of all pages: head, navigation, messages. Pages work without style sheets and scripts. */
import { type Html, type HtmlValue, html } from '../../html.ts';
import type { Visit } from '../visit.ts';
import { postForm } from './parts.ts';

export interface Page {
  /** Title of the document and its first heading. */
  readonly title: string;
  readonly body: HtmlValue;
}

const LINKS: readonly (readonly [path: string, text: string])[] = [
  ['/account', 'Overview'],
  ['/account/keys', 'API keys'],
  ['/account/clients', 'OAuth clients'],
  ['/account/jobs', 'Jobs'],
  ['/account/settings', 'Settings'],
  ['/docs', 'API documentation'],
];
const CONVERT_LINK: typeof LINKS = [['/', 'Convert']];
const ADMIN_LINKS: typeof LINKS = [
  ['/account/users', 'Users'],
  ['/account/all-keys', 'All keys'],
  ['/account/audit', 'Audit log'],
];

/** Labels of fields, for the summary of errors. */
const LABELS: Readonly<Record<string, string>> = {
  email: 'E-mail address',
  name: 'Name',
  current: 'Current password',
  password: 'New password',
  repeated: 'Repeat the new password',
  scopes: 'Permissions',
  expires: 'Expires on',
};

export function layout(visit: Visit, { title, body }: Page): Html {
  const { form, flash } = visit;
  // Also in the title, which screen readers read first.
  const fault = form.isValid ? '' : 'Error: ';
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${fault}${title} - geomill</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<link rel="icon" href="${visit.href('/favicon.ico')}">
<link rel="stylesheet" href="${visit.href('/account/style.css')}">
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="brand" href="${visit.href(visit.area.options.web ? '/' : '/account')}">geomill</a>
${visit.session === null ? null : whoIsSignedIn(visit)}
</header>
${visit.session === null ? null : navigation(visit)}
<main id="content" class="${visit.session === null ? 'narrow' : 'wide'}">
<h1>${title}</h1>
${flash.notice === undefined ? null : html`<p class="notice" role="status">${flash.notice}</p>`}
${form.isValid ? null : faultSummary(visit)}
${body}
</main>
</body>
</html>
`;
}

function whoIsSignedIn(visit: Visit): Html {
  return html`<div class="who"><span>${visit.user.email}</span>${postForm(
    visit,
    '/account/sign-out',
    html`<button class="plain">Sign out</button>`,
  )}</div>`;
}

function navigation(visit: Visit): Html {
  const here = visit.request.url.split('?', 1)[0];
  const link = ([path, text]: (typeof LINKS)[number]): Html => {
    const href = visit.href(path);
    const isHere =
      path === '/account' || path === '/' ? here === path : here === path || here.startsWith(`${path}/`);
    return html`<li><a href="${href}"${isHere ? html` aria-current="page"` : null}>${text}</a></li>\n`;
  };
  return html`<nav aria-label="Account"><ul>
${[...(visit.area.options.web ? CONVERT_LINK : []), ...LINKS, ...(visit.user.isAdmin ? ADMIN_LINKS : [])].map(link)}</ul></nav>`;
}

function faultSummary({ form }: Visit): Html {
  const faults = [...form.faults].map(([field, sentence]) =>
    field === ''
      ? html`<p>${sentence}</p>`
      : html`<p><a href="#${field}">${LABELS[field] ?? field}: ${sentence}</a></p>`,
  );
  return html`<div class="fault" role="alert">${faults}</div>`;
}
