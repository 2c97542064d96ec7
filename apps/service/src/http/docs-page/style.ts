/** How the documentation looks: the system's fonts, light or dark as the reader's system has it, printable. */
import { createHash } from 'node:crypto';
import { Html } from '../../pages/html.ts';
import { TOKENS } from '../../pages/style/tokens.ts';

const CSS = `${TOKENS}:root { --get: var(--good); --post: var(--link); --delete: var(--bad); }
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; -webkit-text-size-adjust: 100%; }
body { margin: 0; display: grid; grid-template-columns: 19rem minmax(0, 1fr); background: var(--paper); color: var(--ink);
  font: var(--text-3)/1.55 var(--sans); }
a { color: var(--link); text-decoration-thickness: 1px; text-underline-offset: 2px; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: 1rem; padding: .5rem 1rem; background: var(--paper); z-index: 1; }
nav { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow: auto; padding: 1.5rem 1rem 2rem 1.5rem;
  border-right: 1px solid var(--line); background: var(--panel); font-size: var(--text-2); line-height: 1.35; min-height: 100vh; }
nav p { margin: 1.1rem 0 .3rem; font-weight: 600; }
nav p:first-child { margin-top: 0; }
nav .brand { font-size: var(--text-4); font-weight: 700; letter-spacing: -.01em; }
nav a { color: var(--ink); text-decoration: none; }
nav a:hover { text-decoration: underline; }
nav ul { margin: 0; padding: 0; list-style: none; }
nav li { margin: .3rem 0; padding-left: 3.4rem; text-indent: -3.4rem; }
nav li.name { padding-left: 0; text-indent: 0; overflow-wrap: anywhere; }
nav [aria-current] { font-weight: 600; }
.names { columns: 16rem; padding-left: 0; max-width: none; list-style: none; overflow-wrap: anywhere; }
.names > :target { background: var(--panel); }
nav .method { display: inline-block; width: 3.2rem; text-indent: 0; }
main { padding: 2rem clamp(1rem, 4vw, 4rem) 6rem; max-width: 68rem; }
h1 { margin: 0 0 1rem; font-size: var(--text-6); line-height: 1.2; }
h1 small { font-size: 1rem; font-weight: 400; color: var(--soft); }
h2 { margin: 3.5rem 0 .5rem; padding-bottom: .3rem; border-bottom: 2px solid var(--line); font-size: var(--text-5); }
h3 { margin: 2.5rem 0 .3rem; font-size: var(--text-4); }
h4 { margin: 1.4rem 0 .4rem; font-size: var(--text-3); }
p, ul, ol { margin: .6rem 0; max-width: 46rem; }
article { break-inside: auto; }
.anchor { color: var(--soft); text-decoration: none; font-weight: 400; }
.route { display: flex; flex-wrap: wrap; gap: .2rem .6rem; align-items: baseline; }
.route code { font-size: 1rem; overflow-wrap: anywhere; }
.id, em { color: var(--soft); font-size: var(--text-1); font-style: normal; }
.method { font: 600 .78rem/1.6 var(--mono); }
.get { color: var(--get); } .post { color: var(--post); } .delete { color: var(--delete); }
code, pre, var { font-family: var(--mono); font-size: .875em; }
code { overflow-wrap: break-word; }
pre { margin: .6rem 0; padding: .8rem 1rem; white-space: pre-wrap; overflow-wrap: anywhere; background: var(--panel); border: 1px solid var(--line);
  border-radius: var(--corner); line-height: 1.5; }
var { font-style: normal; font-weight: 600; color: var(--caution); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: var(--text-2); }
th, td { padding: .4rem .9rem .4rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
thead th { color: var(--soft); font-weight: 400; font-size: var(--text-1); }
tbody th { font-weight: 400; white-space: nowrap; }
td { min-width: 7rem; }
td:last-child { padding-right: 0; }
.variant { margin: 1rem 0 .3rem; font-weight: 600; }
.body { margin: .4rem 0; }
.body > summary { color: var(--link); }
summary { cursor: pointer; color: var(--soft); }
:target { scroll-margin-top: 1rem; }
article:target > h3 { text-decoration: underline; text-decoration-color: var(--caution); text-underline-offset: 5px; }
@media (max-width: 56rem) {
  body { display: block; }
  nav { position: static; min-height: 0; max-height: 42vh; border-right: 0; border-bottom: 1px solid var(--line); padding: 1rem; }
  main { padding-top: 1.2rem; }
  thead { position: absolute; left: -99rem; }
  table, tbody { display: block; }
  tr { display: block; padding: .5rem 0; border-bottom: 1px solid var(--line); }
  th, td { display: block; padding: .1rem 0; border: 0; white-space: normal; }
  td:empty { display: none; }
}
@media print { body { display: block; } nav, .anchor, .skip { display: none; }
  details::details-content { content-visibility: visible; display: block; } }
`;

export const STYLE = new Html(CSS);

/** As a source of a Content-Security-Policy. */
export const STYLE_HASH = `sha256-${createHash('sha256').update(CSS).digest('base64')}`;
