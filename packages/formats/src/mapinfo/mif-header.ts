/** The head of a .mif: everything before the objects. */
import { failure } from '@geomill/core/messages/errors.ts';
import { LF } from '@geomill/core/text/ascii.ts';
import { latin1Text } from '@geomill/platform/bytes.ts';
import { mapInfoErrors } from './messages.ts';

export interface MifHeader {
  readonly charset: string | null;
  readonly delimiter: string;
  /** What follows "CoordSys"; null: there is none. */
  readonly coordSys: string | null;
  /** Factors of x and y, then what is added to them. */
  readonly transform: readonly [number, number, number, number] | null;
  /** Lines of the declarations of columns, in Latin-1. */
  readonly columnLines: readonly string[];
  /** Offset and number of the line after "Data". */
  readonly dataStart: number;
  readonly dataLine: number;
}

const KEYWORDS = /^\s*(?:version|charset|delimiter|unique|index|coordsys|transform|columns|data)\b/i;
const MAX_COLUMNS = 10_000;

/** `bytes`: the beginning of the file, with the whole head. Throws MAPINFO_FILE. */
export function parseMifHeader(bytes: Uint8Array, file: string): MifHeader {
  const refuse = (reason: string): never => {
    throw failure(mapInfoErrors.MAPINFO_FILE, { file, reason });
  };
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  let at = start;
  let lineNumber = 0;
  const nextLine = (): string | null => {
    if (at >= bytes.length) return null;
    let end = bytes.indexOf(LF, at);
    if (end < 0) end = bytes.length;
    const line = latin1Text(bytes.subarray(at, end)).replace(/\r$/, '');
    at = end + 1;
    lineNumber++;
    return line;
  };
  let charset: string | null = null;
  let delimiter = '\t';
  let coordSys: string | null = null;
  let transform: MifHeader['transform'] = null;
  let columnLines: string[] = [];
  let line = nextLine();
  while (line !== null) {
    const [, word = '', rest = ''] = /^\s*([a-z]+)\s*(.*)$/i.exec(line) ?? [];
    switch (word.toLowerCase()) {
      case 'charset':
        charset = unquoted(rest);
        break;
      case 'delimiter':
        delimiter = /^\s*"(.)"/.exec(rest)?.[1] ?? rest.trim().charAt(0);
        break;
      case 'coordsys': {
        let clause = rest;
        let next = nextLine();
        while (next !== null && !KEYWORDS.test(next)) {
          clause += ` ${next}`;
          next = nextLine();
        }
        coordSys = clause.trim();
        line = next;
        continue;
      }
      case 'transform':
        transform = parseTransform(rest);
        break;
      case 'columns': {
        const count = Number(rest.trim());
        if (!Number.isInteger(count) || count < 0 || count > MAX_COLUMNS)
          refuse(`line ${lineNumber}: '${line.trim().slice(0, 40)}' states no number of columns`);
        columnLines = [];
        // Names of columns can be keywords, so lines are counted.
        for (let i = 0; i < count; i++)
          columnLines.push(nextLine() ?? refuse('it ends in the list of columns'));
        break;
      }
      case 'data':
        return {
          charset,
          delimiter: delimiter === '' ? '\t' : delimiter,
          coordSys,
          transform,
          columnLines,
          dataStart: Math.min(at, bytes.length),
          dataLine: lineNumber,
        };
      default:
    }
    line = nextLine();
  }
  return refuse("it has no line 'Data', after which the objects follow; was it cut off?");
}

function unquoted(text: string): string {
  return text.trim().replace(/^"([^"]*)".*$/, '$1');
}

function parseTransform(text: string): MifHeader['transform'] {
  const [a = 0, b = 0, c = 0, d = 0] = text
    .split(/[\s,]+/)
    .filter(Boolean)
    .map(Number);
  if ([a, b, c, d].some(Number.isNaN)) return null;
  // A factor of 0 means 1.
  return [a || 1, b || 1, c, d];
}
