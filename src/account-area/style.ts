/** How the pages look: the system's fonts, light or dark as the reader's system has it, one column on a phone. */

export const STYLE = `:root { color-scheme: light dark; --ink: light-dark(#1c2430, #dfe5ee); --soft: light-dark(#566274, #9aa7b8);
  --paper: light-dark(#fff, #11161d); --panel: light-dark(#f4f6f9, #1a212b); --line: light-dark(#dbe1e9, #2d3744);
  --edge: light-dark(#7b8798, #728095); --link: light-dark(#0b5cad, #7fb8f5); --on-link: light-dark(#fff, #0d1a29);
  --good: light-dark(#1f6b3a, #7fd19b); --bad: light-dark(#a3261c, #f29b92); --on-bad: light-dark(#fff, #2a0d0a);
  --side: max(clamp(1rem, 4vw, 2.5rem), calc((100% - 71rem) / 2));
  --mark: light-dark(#fff6e0, #2e2614); --mark-line: light-dark(#c98a00, #a87f2a); }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; }
a { color: var(--link); text-decoration-thickness: 1px; text-underline-offset: 2px; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: .5rem; padding: .5rem 1rem; background: var(--paper); z-index: 1; }
header { display: flex; flex-wrap: wrap; gap: .25rem 1rem; align-items: center; justify-content: space-between;
  padding: .7rem var(--side); border-bottom: 1px solid var(--line); }
.brand { color: var(--ink); font-size: 1.2rem; font-weight: 700; letter-spacing: -.01em; text-decoration: none; }
.who { display: flex; flex-wrap: wrap; gap: 0 1rem; align-items: center; color: var(--soft); font-size: .9rem; }
nav { padding: 0 var(--side); background: var(--panel); border-bottom: 1px solid var(--line); }
nav ul { display: flex; flex-wrap: wrap; margin: 0 -.7rem; padding: 0; list-style: none; }
nav a { display: block; padding: .6rem .7rem; color: var(--ink); text-decoration: none; font-size: .95rem;
  border-bottom: 3px solid transparent; }
nav a:hover { text-decoration: underline; }
nav [aria-current] { border-bottom-color: var(--link); font-weight: 600; }
main { margin: 0 auto; padding: 1.5rem var(--side) 4rem; }
main.narrow { max-width: 27rem; padding-inline: 1rem; padding-top: clamp(1.5rem, 9vh, 5rem); }
h1 { margin: 0 0 1.2rem; font-size: 1.75rem; line-height: 1.2; letter-spacing: -.01em; overflow-wrap: anywhere; }
h2 { margin: 2.2rem 0 .5rem; font-size: 1.2rem; }
h3 { margin: 1.2rem 0 .3rem; font-size: 1rem; }
p, main ul { margin: .6rem 0; max-width: 44rem; }
main ul { padding-left: 1.2rem; }
.soft, .hint { color: var(--soft); }
.hint { margin: 0 0 .3rem; font-size: .9rem; }
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
  border-radius: 6px; background: var(--paper); color: var(--ink); font: inherit; }
.field input[type=date] { width: 12rem; }
.field input[aria-invalid] { border: 2px solid var(--bad); }
.field-fault { margin: .1rem 0; color: var(--bad); font-weight: 600; font-size: .95rem; }
button, .button { display: inline-block; padding: .55rem 1.1rem; border: 1px solid var(--link); border-radius: 6px;
  background: var(--link); color: var(--on-link); font: inherit; font-weight: 600; text-decoration: none; cursor: pointer; }
button:hover, .button:hover { filter: brightness(1.1); }
button.danger, .button.danger { border-color: var(--bad); background: var(--bad); color: var(--on-bad); }
button.plain { padding: .3rem .2rem; border: 0; background: none; color: var(--link); font-weight: 400;
  text-decoration: underline; text-underline-offset: 2px; }
.cancel { margin-left: .8rem; }
.fault { margin: 0 0 1.2rem; padding: .3rem 1rem; border: 1px solid var(--bad); border-left-width: 5px; border-radius: 6px; }
.fault a, .fault p { color: var(--bad); font-weight: 600; }
.notice { padding: .6rem 1rem; border: 1px solid var(--good); border-left-width: 5px; border-radius: 6px; }
.secret { margin: 0 0 1.8rem; padding: .2rem 1.2rem .6rem; background: var(--mark); border: 1px solid var(--mark-line);
  border-radius: 8px; }
.secret h2 { margin-top: .8rem; }
code, pre { font-family: ui-monospace, 'SF Mono', Menlo, Consolas, monospace; font-size: .9em; }
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
.tiles > div { display: block; padding: .7rem 1rem; background: var(--panel); border: 1px solid var(--line); border-radius: 8px; }
.tiles dd { font-size: 1.4rem; font-weight: 600; }
.badge { display: inline-block; padding: 0 .5rem; border: 1px solid currentColor; border-radius: 99px; font-size: .8rem;
  line-height: 1.5; white-space: nowrap; }
.badge.good { color: var(--good); } .badge.bad { color: var(--bad); } .badge.plain { color: var(--soft); }
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: .92rem; }
caption { padding-bottom: .4rem; color: var(--soft); font-size: .85rem; text-align: left; }
th, td { padding: .5rem .9rem .5rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
thead th { color: var(--soft); font-weight: 400; font-size: .82rem; white-space: nowrap; }
tbody th { font-weight: 600; overflow-wrap: anywhere; min-width: 8rem; }
time, .nowrap { white-space: nowrap; }
.reason { font-size: .85rem; overflow-wrap: anywhere; }
.unseen { position: absolute; left: -99rem; }
@media (max-width: 46rem) {
  thead { position: absolute; left: -99rem; }
  table, tbody, tr, th, td, caption { display: block; }
  tr { padding: .6rem 0; border-bottom: 1px solid var(--line); }
  th, td { padding: .1rem 0; border: 0; }
  td { display: grid; grid-template-columns: 7rem minmax(0, 1fr); gap: .8rem; }
  td::before { content: attr(data-head); color: var(--soft); font-size: .85rem; }
  td:empty { display: none; }
  dl > div { grid-template-columns: 1fr; gap: 0; }
}
@media print { nav, form, .skip, .button { display: none; } }
`;
