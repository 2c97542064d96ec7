/**
 * Recognises columns of coordinates by their names: "lon" and "lat", "stop_lat" and "stop_lon", "Rechtswert" and
 * "Hochwert", "POINT_X" and "POINT_Y", "E [m]" and "N [m]". Names are only half of the evidence: the caller checks the
 * values.
 *
 * A name is cut into words; one of them is the word of an axis, the others are its frame. Two columns are a pair if
 * their axis words belong to the same kind and their frames are equal.
 */

/** geographic: "lon". angle: "Länge", which is a length as well. grid: "easting". letter: "E". xy: "x". */
type WordKind = 'geographic' | 'angle' | 'grid' | 'letter' | 'xy';
/** An edge is a side of a box that is neither east nor north: a column "west" makes "east" no coordinate. */
type WordAxis = 'x' | 'y' | 'z' | 'edge';
/** Language family of a word, for the letter O. */
type Language = 'germanic' | 'romance' | null;

export interface Word {
  readonly kind: WordKind;
  readonly axis: WordAxis;
  readonly language: Language;
}

/** Two columns, by their index, that are x and y according to their names. */
export interface NamedPair {
  readonly x: number;
  readonly y: number;
  /** The column "z" with the same frame; -1: none. */
  readonly z: number;
  /** The names say longitude and latitude. */
  readonly isGeographic: boolean;
  /** The names mean something else as often ("Breite" is a width), so that only angles prove that they are meant. */
  readonly needsAngles: boolean;
  /** Meaning of the letter O in the language of the names; null: unknown. */
  readonly letterO: 'E' | 'W' | null;
}

export interface NamedPoint {
  readonly index: number;
  readonly order: 'lat_lon' | 'lon_lat';
}

const WORDS = new Map<string, Word>();
function define(kind: WordKind, axis: WordAxis, language: Language, words: string): void {
  for (const word of words.split(' ')) WORDS.set(word, { kind, axis, language });
}
define('geographic', 'x', null, 'lon lng long longitude');
define('geographic', 'x', 'germanic', 'laengengrad lengtegraad');
define('geographic', 'x', 'romance', 'longitud longitudine');
define('geographic', 'y', null, 'lat latitude');
define('geographic', 'y', 'germanic', 'breitengrad breedtegraad');
define('geographic', 'y', 'romance', 'latitud latitudine');
define('angle', 'x', 'germanic', 'laenge lengte');
define('angle', 'x', null, 'dlugosc');
define('angle', 'y', 'germanic', 'breite breedte');
define('angle', 'y', null, 'szerokosc');
define('grid', 'x', null, 'easting eastings');
define('grid', 'x', 'germanic', 'rechtswert ostwert');
define('grid', 'y', null, 'northing northings');
define('grid', 'y', 'germanic', 'hochwert nordwert');
define('letter', 'x', null, 'e east');
define('letter', 'x', 'germanic', 'rechts rw ost oost oest');
define('letter', 'x', 'romance', 'est este leste');
define('letter', 'y', null, 'n north');
define('letter', 'y', 'germanic', 'hoch hw nord noord');
define('letter', 'y', 'romance', 'norte');
define('letter', 'edge', null, 's w south west sued sud zuid sul sur ouest oeste ovest');
define('xy', 'x', null, 'x');
define('xy', 'y', null, 'y');
define('xy', 'z', null, 'z');

/** Words around "x" or "east" that do not change their meaning. With others ("velocity_x") they are something else. */
const COMPANIONS = new Set(
  (
    'coord coords coordinate coordinates coordenada coordonnee coordinata koord koordinate koordinaten punkt point pt ' +
    'pos position geo geom gps utm map loc location center centre centroid wert m meter metre meters metres deg dd crs ' +
    'wgs lv l mn mga gda gk etrs lambert grid swiss ch bng osgb rd nad epsg proj projected'
  ).split(' '),
);
/** "xcoord", "coordx". */
const JOINED = [...COMPANIONS].filter((word) => word.length > 2).join('|');
const JOINED_AFTER = new RegExp(`^([xyz])(${JOINED})$`);
const JOINED_BEFORE = new RegExp(`^(${JOINED})([xyz])$`);
const GEOGRAPHIC = 'longitude|latitude|long|lon|lng|lat';
/** "INTPTLAT", "Xlongitude", "latwgs". */
const GEOGRAPHIC_AFTER = new RegExp(`^([a-z]+)(${GEOGRAPHIC})$`);
const GEOGRAPHIC_BEFORE = new RegExp(`^(${GEOGRAPHIC})([a-z]+)$`);
const BOTH = /^(latitude|lat)(longitude|long|lon|lng)$|^(longitude|long|lon|lng)(latitude|lat)$/;

/** Longer names are not those of coordinates. */
const MAX_NAME_LENGTH = 80;
/** More combinations than anyone lists. */
const MAX_PAIRS = 20;

/** All pairs of columns that are coordinates by their names. Linear in the number of names. */
export function namedPairs(names: readonly string[]): NamedPair[] {
  interface Group {
    readonly members: Record<WordAxis, { readonly index: number; readonly word: Word }[]>;
  }
  const groups = new Map<string, Group>();
  names.forEach((name, index) => {
    const found = axisOf(wordsOf(name));
    if (found === null) return;
    const { word, frame } = found;
    const kind = word.kind === 'letter' ? 'grid' : word.kind;
    const key = `${kind} ${frame}`;
    const group = groups.get(key) ?? { members: { x: [], y: [], z: [], edge: [] } };
    groups.set(key, group);
    group.members[word.axis].push({ index, word });
  });
  const pairs: NamedPair[] = [];
  for (const [key, { members }] of groups) {
    if (members.edge.length > 0) continue;
    const heights = groups.get(key.replace(/^\w+/, 'xy'))?.members.z ?? [];
    for (const x of members.x)
      for (const y of members.y) {
        const language = x.word.language ?? y.word.language;
        pairs.push({
          x: x.index,
          y: y.index,
          z: heights.length === 1 ? heights[0].index : -1,
          isGeographic: x.word.kind === 'geographic' || x.word.kind === 'angle',
          needsAngles: x.word.kind === 'angle',
          letterO: language === 'germanic' ? 'E' : language === 'romance' ? 'W' : null,
        });
        if (pairs.length === MAX_PAIRS) return pairs;
      }
  }
  return pairs;
}

/** Meaning of the letter O in columns with these names; null: unknown. */
export function letterOf(names: readonly string[]): 'E' | 'W' | null {
  for (const name of names) {
    const language = axisOf(wordsOf(name))?.word.language ?? null;
    if (language !== null) return language === 'germanic' ? 'E' : 'W';
  }
  return null;
}

/** All columns whose names say that they have both coordinates: "lat_lon", "LatLng", "longitude/latitude". */
export function namedPoints(names: readonly string[]): NamedPoint[] {
  return names.flatMap((name, index): NamedPoint[] => {
    const words = wordsOf(name).filter((word) => !COMPANIONS.has(word) && !/^\d+$/.test(word));
    const joined = words.length === 1 ? BOTH.exec(words[0]) : null;
    const axes =
      joined !== null
        ? joined[1] !== undefined
          ? ['y', 'x']
          : ['x', 'y']
        : words.map((word) => (WORDS.get(word)?.kind === 'geographic' ? WORDS.get(word)?.axis : undefined));
    if (axes.length !== 2 || axes.some((axis) => axis === undefined) || axes[0] === axes[1]) return [];
    return [{ index, order: axes[0] === 'y' ? 'lat_lon' : 'lon_lat' }];
  });
}

/** "GPSLatitude (°)" is gps, latitude. Letters lose their marks; ä is ae. */
export function wordsOf(name: string): string[] {
  if (name.length > MAX_NAME_LENGTH) return [];
  return name
    .normalize('NFC')
    .replace(
      /[äöüÄÖÜøØ]/g,
      (letter) => ({ ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe' })[letter.toLowerCase()] ?? letter,
    )
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/ł/gi, 'l')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .replace(/([a-z])(\d)/g, '$1 $2')
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

/** The axis word among the words of a name, and the other words with a mark in its place; null: no coordinate. */
function axisOf(words: readonly string[]): { readonly word: Word; readonly frame: string } | null {
  if (words.some((word) => BOTH.test(word))) return null;
  return geographicAxis(words) ?? gridAxis(words);
}

/** The word for longitude or latitude, if there is exactly one. */
export function geographicAxis(words: readonly string[]): { word: Word; frame: string } | null {
  const found: { at: number; word: Word; rest: string }[] = [];
  words.forEach((text, at) => {
    const word = WORDS.get(text);
    if (word?.kind === 'geographic' || word?.kind === 'angle') {
      found.push({ at, word, rest: '' });
      return;
    }
    if (word !== undefined || text.length < 4) return;
    const [, before, after] = GEOGRAPHIC_AFTER.exec(text) ?? [];
    const [, first, rest] = after === undefined ? (GEOGRAPHIC_BEFORE.exec(text) ?? []) : [];
    // "latwgs", but not "latest" and "longer".
    const isJoined = after !== undefined || COMPANIONS.has(rest ?? '');
    const part = isJoined ? WORDS.get(after ?? first ?? '') : undefined;
    if (part !== undefined) found.push({ at, word: part, rest: before ?? rest });
  });
  if (found.length !== 1) return null;
  const [{ at, word, rest }] = found;
  // "Xlongitude", "Ylatitude" and "Latitude N/S" say their axis twice.
  const after = words.slice(at + 1).join(' ');
  const kept = after === 'n s' || after === 'e w' ? words.slice(0, at + 1) : words;
  const frame = kept
    .flatMap((text, i) => (i === at ? ['*', rest] : [text]))
    .filter((text) => text !== '' && text !== 'x' && text !== 'y');
  return { word, frame: frame.join(' ') };
}

function gridAxis(words: readonly string[]): { word: Word; frame: string } | null {
  const parts = words.flatMap((text) => {
    const [, letter, after] = JOINED_AFTER.exec(text) ?? [];
    if (letter !== undefined) return [letter, after];
    const [, before, last] = JOINED_BEFORE.exec(text) ?? [];
    return last === undefined ? [text] : [before, last];
  });
  const found = parts.flatMap((text, at) => {
    const word = WORDS.get(text);
    return word === undefined ? [] : [{ at, word }];
  });
  if (found.length !== 1) return null;
  const [{ at, word }] = found;
  const others = parts.filter((_, i) => i !== at);
  if (word.kind !== 'grid' && others.length > 0) {
    const known = others.filter((text) => COMPANIONS.has(text)).length;
    const numbers = others.filter((text) => /^\d+$/.test(text)).length;
    // "x_25832" has an EPSG code; "x_1" is one of several.
    if (known + numbers < others.length || (known === 0 && others[0].length < 4)) return null;
  }
  return { word, frame: parts.map((text, i) => (i === at ? '*' : text)).join(' ') };
}
