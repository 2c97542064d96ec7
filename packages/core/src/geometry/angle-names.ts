/**
 * Recognises the parts of angles in columns of their own by their names: "lat_deg", "lat_min", "lat_sec", "lat_hem";
 * "LatD", "LatM", "LatS", "NS"; "Latitude (°)", "Latitude (')". Names are only half of the evidence: the caller checks the
 * values.
 */
import { geographicAxis, wordsOf } from './coordinate-names.ts';

/** Columns of one coordinate, by index; -1: none. */
export interface AngleColumns {
  readonly degrees: number;
  readonly minutes: number;
  readonly seconds: number;
  /** Letters such as N and S, or words for them. */
  readonly hemisphere: number;
}

/** Two coordinates that have the same parts. */
export interface NamedAngles {
  readonly x: AngleColumns;
  readonly y: AngleColumns;
  /** The columns of degrees are named so: "lat_deg", not only "lat". */
  readonly saysDegrees: boolean;
}

/** 'most': "lat_max" makes "lat_min" a minimum. */
type Part = keyof AngleColumns | 'most';

const PARTS = new Map<string, Part>();
function define(part: Part, words: string): void {
  for (const word of words.split(' ')) PARTS.set(word, part);
}
define('degrees', 'd deg degs degree degrees grad grado grados gradi degre degres graden');
define('minutes', 'm min mins minute minutes minuten minuto minutos minuti');
define('seconds', 's sec secs second seconds sek sekunden seg segundos secondi seconde secondes');
define('hemisphere', 'h hem hemi hemisphere hemisferio dir direction ref letter ns ew we eo');
define('most', 'max maximum');

const AXES = 'latitude|lat|longitude|long|lon|lng';
/** "latdeg", "LATDEG". */
const JOINED = new RegExp(`^(${AXES})([a-z]+)$`);
const JOINED_BEFORE = new RegExp(`^([a-z]+)(${AXES})$`);

interface NamedPart {
  readonly axis: 'x' | 'y';
  readonly part: Part;
  /** The other words of the name; null: the name is that of letters for any coordinate ("N/S"). */
  readonly frame: string | null;
  /** Only the name of the axis: "lat". */
  readonly isBare: boolean;
}

/** All coordinates with several parts. A column that is needed twice, or only for one of the two, is no part. */
export function namedAngles(names: readonly string[]): NamedAngles[] {
  const parts = names.flatMap((name, index) => {
    const part = partOf(name);
    return part === null ? [] : [{ index, ...part }];
  });
  const frames = new Set(parts.flatMap(({ frame }) => (frame === null ? [] : [frame])));
  return [...frames].flatMap((frame): NamedAngles[] => {
    const columnOf = (axis: 'x' | 'y', part: Part, isBare: boolean): number => {
      const found = parts.filter((p) => p.axis === axis && p.part === part && p.isBare === isBare);
      const own = found.filter((p) => p.frame === frame);
      const all = part === 'hemisphere' && own.length === 0 ? found.filter((p) => p.frame === null) : own;
      return all.length === 1 ? all[0].index : -1;
    };
    const saysDegrees = columnOf('x', 'degrees', false) >= 0 && columnOf('y', 'degrees', false) >= 0;
    const hasMost = parts.some((p) => p.part === 'most' && p.frame === frame);
    const columnsOf = (axis: 'x' | 'y'): AngleColumns => ({
      degrees: columnOf(axis, 'degrees', !saysDegrees),
      minutes: hasMost ? -1 : columnOf(axis, 'minutes', false),
      seconds: hasMost ? -1 : columnOf(axis, 'seconds', false),
      hemisphere: columnOf(axis, 'hemisphere', false),
    });
    const [x, y] = [columnsOf('x'), columnsOf('y')];
    if (x.degrees < 0 || y.degrees < 0) return [];
    const has = (part: keyof AngleColumns): boolean => x[part] >= 0 || y[part] >= 0;
    return has('minutes') || has('seconds') || has('hemisphere') ? [{ x, y, saysDegrees }] : [];
  });
}

function partOf(name: string): NamedPart | null {
  const words = wordsOf(
    name
      .replace(/''|["″]/g, ' sec ')
      .replace(/['′]/g, ' min ')
      .replace(/[°º]/g, ' deg '),
  ).flatMap(splitWord);
  const joined = words.join(' ');
  if (joined === 'n s' || joined === 'ns')
    return { axis: 'y', part: 'hemisphere', frame: null, isBare: false };
  if (['e w', 'ew', 'w e', 'we', 'e o', 'eo'].includes(joined))
    return { axis: 'x', part: 'hemisphere', frame: null, isBare: false };
  const axisAt = words.findIndex((word) => geographicAxis([word]) !== null);
  if (axisAt < 0) return null;
  const { axis } = geographicAxis([words[axisAt]])?.word ?? {};
  if (axis !== 'x' && axis !== 'y') return null;
  const others = words.filter((_, i) => i !== axisAt);
  // "lat_n_s"
  const letters = others.join(' ');
  if (letters === 'n s' || letters === 'e w') return { axis, part: 'hemisphere', frame: '', isBare: false };
  const found = others.flatMap((word) => PARTS.get(word) ?? []);
  if (found.length > 1) return null;
  const frame = others.filter((word) => !PARTS.has(word)).join(' ');
  return { axis, part: found[0] ?? 'degrees', frame, isBare: found.length === 0 };
}

/** "latdeg" is lat, deg; "latency" is one word. */
function splitWord(word: string): string[] {
  const [, axis, after = ''] = JOINED.exec(word) ?? [];
  if (axis !== undefined && PARTS.has(after)) return [axis, after];
  const [, before = '', last] = JOINED_BEFORE.exec(word) ?? [];
  return last !== undefined && PARTS.has(before) ? [before, last] : [word];
}
