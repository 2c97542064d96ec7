/** The common frame of the pages for converting files. They work without script. */
import { packageVersion } from '@geomill/platform/package-version.ts';
import { type Html, type HtmlValue, html } from '../html.ts';
import type { Visitor } from './visitor.ts';

export interface Page {
  /** Of the document; the page has its own heading. */
  readonly title: string;
  readonly body: HtmlValue;
  /** More for the head of the document. */
  readonly head?: HtmlValue;
}

let version: string | undefined;

export function frame(visitor: Visitor, { title, body, head = null }: Page): Html {
  version ??= packageVersion();
  const href = (path: string): string => visitor.href(path);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title} - geomill</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<link rel="icon" href="${href('/favicon.ico')}">
<link rel="stylesheet" href="${href('/account/style.css')}">
${head}</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="brand" href="${href('/')}">geomill</a>
<div class="places"><a href="${href('/')}">Convert</a><a href="${href('/docs')}">Documentation</a>${account(visitor)}</div>
</header>
<main id="content">
${body}
</main>
<footer><ul>
<li>geomill ${version}, Apache-2.0</li>
<li><a href="${href('/openapi.json')}">OpenAPI document</a></li>
<li><a href="${href('/v1/formats')}">Formats as JSON</a></li>
</ul></footer>
</body>
</html>
`;
}

function account(visitor: Visitor): Html | null {
  if (visitor.isOpen) return null;
  if (visitor.email === null) return html`<a href="${signInPath(visitor)}">Sign in</a>`;
  return html`<a href="${visitor.href('/account/jobs')}">Your jobs</a><a href="${visitor.href('/account')}">${visitor.email}</a>`;
}

export function signInPath(visitor: Visitor, next = '/'): string {
  return `${visitor.href('/account/sign-in')}?next=${encodeURIComponent(next)}`;
}
