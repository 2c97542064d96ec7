/** The cells of a CSV text (RFC 4180), parsed without code of the project. */
export function csvCells(text: string): string[][] {
  const rows: string[][] = [[]];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n|$)/gy;
  for (let match = cell.exec(text); match !== null && match.index < text.length; match = cell.exec(text)) {
    const [, quoted, plain, end] = match;
    rows[rows.length - 1].push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === '\n') rows.push([]);
  }
  if (rows[rows.length - 1].length === 0) rows.pop();
  return rows;
}
