/**
 * The design tokens of all pages: colours for light and dark, type scale, spacing, corners. Pages use these names only, so that
 * they look like one product.
 */
export const TOKENS = `:root { color-scheme: light dark;
  --ink: light-dark(#1c2430, #dfe5ee); --soft: light-dark(#566274, #9aa7b8); --paper: light-dark(#fff, #11161d);
  --panel: light-dark(#f4f6f9, #1a212b); --line: light-dark(#dbe1e9, #2d3744); --edge: light-dark(#7b8798, #728095);
  --link: light-dark(#0b5cad, #7fb8f5); --on-link: light-dark(#fff, #0d1a29);
  --good: light-dark(#1f6b3a, #7fd19b); --bad: light-dark(#a3261c, #f29b92); --on-bad: light-dark(#fff, #2a0d0a);
  --caution: light-dark(#8a4b00, #f0b45c); --mark: light-dark(#fff6e0, #2e2614); --mark-line: light-dark(#c98a00, #a87f2a);
  --text-1: .8125rem; --text-2: .9rem; --text-3: 1rem; --text-4: 1.2rem; --text-5: 1.5rem; --text-6: 1.9rem;
  --space-1: .25rem; --space-2: .5rem; --space-3: .75rem; --space-4: 1rem; --space-5: 1.5rem; --space-6: 2.5rem;
  --corner: 6px; --corner-large: 10px;
  --sans: system-ui, sans-serif; --mono: ui-monospace, 'SF Mono', Menlo, Consolas, monospace; }
`;
