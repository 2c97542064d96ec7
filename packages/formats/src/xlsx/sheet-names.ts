/** Names of sheets: at most 31 characters, without some, and different in more than letter case. */
import type { Findings } from '@geomill/core/messages/findings.ts';
import { xlsxFindings } from './messages.ts';

const MAX_LENGTH = 31;

/** The names of the sheets for layers. */
export function sheetNames(layers: readonly string[], findings: Findings): string[] {
  const taken = new Set<string>();
  return layers.map((layer) => {
    const wanted = allowed(layer);
    let name = cut(wanted, '');
    for (let number = 2; taken.has(name.toLowerCase()); number++) name = cut(wanted, `_${number}`);
    taken.add(name.toLowerCase());
    if (name !== layer) findings.note(xlsxFindings.XLSX_SHEET_RENAMED, { from: layer, to: name });
    return name;
  });
}

function allowed(layer: string): string {
  const name = layer
    .toWellFormed()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML cannot represent.
    .replace(/[\u0000-\u001f\ufffe\uffff[\]:*?/\\]/g, '_')
    .replace(/^'|'$/g, '_')
    .trim();
  // The name of a sheet of the program itself.
  return name === '' ? 'Sheet' : /^history$/i.test(name) ? `${name}_` : name;
}

/** The name with an ending, cut between characters. */
function cut(name: string, ending: string): string {
  let length = Math.min(name.length, MAX_LENGTH - ending.length);
  if (length < name.length && /[\ud800-\udbff]/.test(name[length - 1])) length--;
  return name.slice(0, length).replace(/'$/, '_') + ending;
}
