/** The style sheet of all pages but the documentation: the system's fonts, light or dark as the reader's system has it, one column on a phone. */
import { TOKENS } from './tokens.ts';

export const SHEET = `${TOKENS}:root { --side: max(clamp(1rem, 4vw, 2.5rem), calc((100% - 71rem) / 2)); }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); font: var(--text-3)/1.55 var(--sans); }
a { color: var(--link); text-decoration-thickness: 1px; text-underline-offset: 2px; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: .5rem; padding: .5rem 1rem; background: var(--paper); z-index: 1; }
body > header { display: flex; flex-wrap: wrap; gap: .25rem 1rem; align-items: center; justify-content: space-between;
  padding: .7rem var(--side); border-bottom: 1px solid var(--line); }
.brand { color: var(--ink); font-size: var(--text-4); font-weight: 700; letter-spacing: -.01em; text-decoration: none; }
.who { display: flex; flex-wrap: wrap; gap: 0 1rem; align-items: center; color: var(--soft); font-size: var(--text-2); }
nav { padding: 0 var(--side); background: var(--panel); border-bottom: 1px solid var(--line); }
nav ul { display: flex; flex-wrap: wrap; margin: 0 -.7rem; padding: 0; list-style: none; }
nav a { display: block; padding: .6rem .7rem; color: var(--ink); text-decoration: none; font-size: var(--text-2);
  border-bottom: 3px solid transparent; }
nav a:hover { text-decoration: underline; }
nav [aria-current] { border-bottom-color: var(--link); font-weight: 600; }
main { margin: 0 auto; padding: 1.5rem var(--side) 4rem; }
main.narrow { max-width: 27rem; padding-inline: 1rem; padding-top: clamp(1.5rem, 9vh, 5rem); }
h1 { margin: 0 0 1.2rem; font-size: var(--text-6); line-height: 1.2; letter-spacing: -.01em; overflow-wrap: anywhere; }
h2 { margin: 2.2rem 0 .5rem; font-size: var(--text-4); }
h3 { margin: 1.2rem 0 .3rem; font-size: var(--text-3); }
p, main ul { margin: .6rem 0; max-width: 44rem; }
main ul { padding-left: 1.2rem; }
.soft, .hint { color: var(--soft); }
.hint { margin: 0 0 .3rem; font-size: var(--text-2); }
.or { color: var(--soft); text-align: center; }
main.narrow .button, main.narrow form > button { display: block; width: 100%; text-align: center; }
main form { max-width: 30rem; }
.field { margin: 0 0 1.1rem; }
label, legend { font-weight: 600; }
legend { padding: 0; }
fieldset { margin: 0 0 1.1rem; padding: 0; border: 0; }
.check { display: flex; gap: .6rem; align-items: baseline; margin: .35rem 0; }
.check label { font-weight: 400; }
.check input { width: 1.1rem; height: 1.1rem; flex: none; accent-color: var(--link); transform: translateY(.15rem); }
.field input { display: block; width: 100%; margin-top: .25rem; padding: .55rem .7rem; border: 1px solid var(--edge);
  border-radius: var(--corner); background: var(--paper); color: var(--ink); font: inherit; }
.field input[type=date] { width: 12rem; }
.field input[aria-invalid] { border: 2px solid var(--bad); }
.field-fault { margin: .1rem 0; color: var(--bad); font-weight: 600; font-size: var(--text-2); }
button, .button { display: inline-block; padding: .55rem 1.1rem; border: 1px solid var(--link); border-radius: var(--corner);
  background: var(--link); color: var(--on-link); font: inherit; font-weight: 600; text-decoration: none; cursor: pointer; }
button:hover, .button:hover { filter: brightness(1.1); }
button.danger, .button.danger { border-color: var(--bad); background: var(--bad); color: var(--on-bad); }
button.plain { padding: .3rem .2rem; border: 0; background: none; color: var(--link); font-weight: 400;
  text-decoration: underline; text-underline-offset: 2px; }
.cancel { margin-left: .8rem; }
.fault { margin: 0 0 1.2rem; padding: .3rem 1rem; border: 1px solid var(--bad); border-left-width: 5px; border-radius: var(--corner); }
.fault a, .fault p { color: var(--bad); font-weight: 600; }
.notice { padding: .6rem 1rem; border: 1px solid var(--good); border-left-width: 5px; border-radius: var(--corner); }
.secret { margin: 0 0 1.8rem; padding: .2rem 1.2rem .6rem; background: var(--mark); border: 1px solid var(--mark-line);
  border-radius: var(--corner-large); }
.secret h2 { margin-top: .8rem; }
code, pre { font-family: var(--mono); font-size: .9em; }
code { overflow-wrap: anywhere; }
pre { margin: .6rem 0; white-space: pre-wrap; }
.whole { -webkit-user-select: all; user-select: all; }
.secret .whole { font-weight: 600; }
.secret pre .whole { font-weight: 400; }
dl { margin: .6rem 0; }
dl > div { display: grid; grid-template-columns: 9rem minmax(0, 1fr); gap: 1rem; padding: .35rem 0; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: .8rem; }
.tiles > div { display: block; padding: .7rem 1rem; background: var(--panel); border: 1px solid var(--line); border-radius: var(--corner-large); }
.tiles dd { font-size: var(--text-5); font-weight: 600; }
.badge { display: inline-block; padding: 0 .5rem; border: 1px solid currentColor; border-radius: 99px; font-size: var(--text-1);
  line-height: 1.5; white-space: nowrap; }
.badge.good { color: var(--good); } .badge.bad { color: var(--bad); } .badge.plain { color: var(--soft); }
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: var(--text-2); }
caption { padding-bottom: .4rem; color: var(--soft); font-size: var(--text-1); text-align: left; }
h2 + .scroll caption, h3 + .scroll caption { position: absolute; left: -99rem; }
th, td { padding: .5rem .9rem .5rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
thead th { color: var(--soft); font-weight: 400; font-size: var(--text-1); white-space: nowrap; }
tbody th { font-weight: 600; overflow-wrap: anywhere; min-width: 10rem; }
time, .nowrap { white-space: nowrap; }
.reason { font-size: var(--text-1); overflow-wrap: anywhere; }
.unseen { position: absolute; left: -99rem; }
/* Converting and inspecting. */
.places { display: flex; flex-wrap: wrap; gap: 0 var(--space-5); align-items: center; font-size: var(--text-2); }
.places a { color: var(--ink); text-decoration: none; }
.places a:hover { text-decoration: underline; }
.intro { margin-bottom: var(--space-5); }
.intro h1 { margin-bottom: var(--space-2); }
.lead { max-width: 46rem; margin: 0; color: var(--soft); font-size: 1.05rem; }
.columns { display: grid; grid-template-columns: minmax(0, 1fr) 20rem; gap: var(--space-6); align-items: start; }
aside { font-size: var(--text-2); }
aside h2 { margin: var(--space-5) 0 var(--space-2); font-size: var(--text-3); }
aside h2:first-child { margin-top: 0; }
aside ul { margin: 0; padding: 0; list-style: none; }
aside li { margin: 0 0 var(--space-3); }
aside li span { display: block; color: var(--soft); font-size: var(--text-1); }
main form.work { max-width: none; padding: var(--space-5); background: var(--panel); border: 1px solid var(--line);
  border-radius: var(--corner-large); }
.pair { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 0 var(--space-5); align-items: end; }
.work .hint { font-size: var(--text-1); }
.field select { display: block; width: 100%; margin-top: .25rem; padding: .55rem .7rem; border: 1px solid var(--edge);
  border-radius: var(--corner); background: var(--paper); color: var(--ink); font: inherit; }
.field input[type=file] { padding: 1.6rem var(--space-4); border: 2px dashed var(--edge); border-radius: var(--corner-large);
  cursor: pointer; }
.field input[type=file]:hover { border-color: var(--link); }
::file-selector-button { margin: 0 var(--space-4) 0 0; padding: .45rem .9rem; border: 1px solid var(--edge); border-radius: var(--corner);
  background: var(--panel); color: var(--ink); font: inherit; cursor: pointer; }
.field select, .field input[type=text] { height: 2.75rem; }
.field .length > * { margin-top: 0; }
.length { display: grid; grid-template-columns: minmax(0, 1fr) 8.5rem; gap: var(--space-2); }
.work details { margin: 0 0 1.1rem; }
.work summary + * { margin-top: var(--space-4); }
summary { width: fit-content; color: var(--link); cursor: pointer; }
.actions { display: flex; flex-wrap: wrap; gap: var(--space-3); align-items: center; }
button.second, .button.second { border-color: var(--edge); background: var(--paper); color: var(--ink); }
.choices { margin: 0 0 1.1rem; padding: var(--space-3) var(--space-4); background: var(--mark); border: 1px solid var(--mark-line);
  border-radius: var(--corner); }
.check input[type=text] { width: 12rem; max-width: 100%; height: auto; padding: .3rem .5rem; border: 1px solid var(--edge);
  border-radius: var(--corner); background: var(--paper); color: var(--ink); font: inherit; transform: none; }
.data { margin: var(--space-4) 0 0; color: var(--soft); font-size: var(--text-1); }
.outcome { display: flex; flex-wrap: wrap; gap: var(--space-3) var(--space-5); align-items: center; margin: 0 0 var(--space-4);
  padding: var(--space-4) var(--space-5); background: var(--panel); border: 1px solid var(--line); border-radius: var(--corner-large); }
.outcome p { flex: 1 1 18rem; max-width: none; margin: 0; }
progress { width: 100%; height: .6rem; accent-color: var(--link); }
.command { padding: var(--space-3) var(--space-4); background: var(--panel); border: 1px solid var(--line); border-radius: var(--corner);
  overflow-wrap: anywhere; }
.badge.lost { color: var(--bad); } .badge.changed { color: var(--caution); } .badge.info { color: var(--soft); }
footer { margin: 0 auto; padding: var(--space-4) var(--side) var(--space-5); color: var(--soft); font-size: var(--text-1);
  border-top: 1px solid var(--line); }
footer ul { display: flex; flex-wrap: wrap; gap: 0 var(--space-5); margin: 0; padding: 0; list-style: none; }
footer a { color: inherit; }
@media (max-width: 60rem) { .columns { grid-template-columns: minmax(0, 1fr); gap: var(--space-5); } }
@media (max-width: 46rem) {
  thead { position: absolute; left: -99rem; }
  table, tbody, tr, th, td, caption { display: block; }
  tr { padding: .6rem 0; border-bottom: 1px solid var(--line); }
  th, td { padding: .1rem 0; border: 0; }
  td { display: grid; grid-template-columns: 7rem minmax(0, 1fr); gap: .8rem; }
  td::before { content: attr(data-head); color: var(--soft); font-size: var(--text-1); }
  td:empty { display: none; }
  dl > div { grid-template-columns: 1fr; gap: 0; }
  .pair { grid-template-columns: minmax(0, 1fr); }
  main form.work { padding: var(--space-4); }
  .field input[type=file] { padding: var(--space-4); }
  .actions button { flex: 1; }
}
@media print { nav, form, .places, footer, .skip, .button { display: none; } }
`;
