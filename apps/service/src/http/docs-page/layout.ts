/** What all pages of the documentation have: the head, the style, the navigation beside the content. */
import { type Html, html } from '../../pages/html.ts';
import { BASE_URL_MARK } from './links.ts';
import { STYLE, STYLE_HASH } from './style.ts';

/** The pages load nothing and run nothing; their style is in them and named by its hash. */
export const PAGE_POLICY = `default-src 'none'; style-src '${STYLE_HASH}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

export function layout(title: string, navigation: Html, content: Html): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<nav aria-label="Contents">
<p><a class="brand" href="${BASE_URL_MARK}/">geomill</a></p>
${navigation}
</nav>
<main id="main">
${content}
</main>
</body>
</html>
`;
}
