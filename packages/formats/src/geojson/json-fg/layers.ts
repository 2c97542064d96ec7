/** Divides the kinds of features of a JSON-FG document into layers, each of which has one CRS. */
import { UniqueNames } from '@geomill/core/columns/unique-names.ts';
import { isNorthBeforeEast } from '@geomill/core/crs/axis-order.ts';
import type { CrsText } from '@geomill/core/crs/crs.ts';
import { GeomillError } from '@geomill/core/messages/errors.ts';
import type { OpenContext } from '../../reader.ts';
import { CRS84, type CrsReference, crsReference } from './crs-reference.ts';
import type { Kinds } from './survey.ts';

export interface CrsReferences {
  /** The value of `coordRefSys` of the root object, as JSON text; null: it has none. */
  readonly root: string | null;
  readonly describe: OpenContext['describeCrs'];
}

export interface JsonFgLayerPlan {
  readonly name: string;
  readonly crs: CrsText | null;
  /** A member of the document states the CRS. */
  readonly isStated: boolean;
  readonly missingReason: string;
  /** Of the kinds of its features. */
  readonly keys: readonly string[];
  /** The first and the last partition with a feature of it. */
  readonly first: number;
  readonly last: number;
}

interface Division {
  readonly layers: readonly JsonFgLayerPlan[];
  /** Values of `coordRefSys`, as JSON text, whose positions have y first. */
  readonly swapped: readonly string[];
  /** Types of features that are in several layers. */
  readonly perCrs: readonly { readonly type: string; readonly names: readonly string[] }[];
  readonly epochs: readonly number[];
}

interface Group {
  readonly type: string;
  readonly reference: CrsReference;
  readonly isStated: boolean;
  readonly keys: string[];
  first: number;
  last: number;
}

/** `name`: of the layer of features without a type. */
export async function layersOf(kinds: Kinds, name: string, references: CrsReferences): Promise<Division> {
  const groups = groupsOf(kinds, name, references.root);
  const used = new Set<string>();
  for (const { kind } of kinds.values())
    if (kind.source === 'place') used.add(kind.crs ?? references.root ?? '');
  used.delete('');
  const swapped: string[] = [];
  const epochs = new Set<number>();
  for (const json of used) {
    const reference = crsReference(json);
    if (reference.epoch !== null) epochs.add(reference.epoch);
    if (await isSwapped(reference, references.describe)) swapped.push(json);
  }
  const names = new UniqueNames();
  const layers: JsonFgLayerPlan[] = [];
  const perCrs: { type: string; names: string[] }[] = [];
  for (const type of new Set(groups.map((group) => group.type))) {
    const own = groups.filter((group) => group.type === type);
    const ownNames = own.map(({ reference }, i) =>
      names.take(i === 0 ? type : `${type}_${reference.label.replace(/\W+/g, '_')}`),
    );
    if (own.length > 1) perCrs.push({ type, names: ownNames });
    for (const [i, { reference, isStated, keys, first, last }] of own.entries()) {
      const missingReason = `its coordRefSys is ${reference.label}, which is not known`;
      layers.push({ name: ownNames[i], crs: reference.crs, isStated, missingReason, keys, first, last });
    }
  }
  return { layers, swapped, perCrs, epochs: [...epochs] };
}

/** Features without a geometry are in the first layer of their type; if their type has no layer, one in the CRS of the root is made. */
function groupsOf(kinds: Kinds, name: string, root: string | null): Group[] {
  const groups = new Map<string, Group>();
  const ofType = new Map<string, Group>();
  const rootReference = root === null ? CRS84 : crsReference(root);
  const join = (
    key: string,
    type: string,
    reference: CrsReference,
    range: readonly [number, number],
  ): void => {
    const id = JSON.stringify([type, reference.crs ?? reference.label]);
    const known = groups.get(id);
    if (known === undefined) {
      const [first, last] = range;
      // Longitude and latitude of WGS 84 are what GeoJSON has, whether a member says so or not.
      const isStated = !reference.isLongitudeFirst;
      const group: Group = { type, reference, isStated, keys: [key], first, last };
      groups.set(id, group);
      if (!ofType.has(type)) ofType.set(type, group);
      return;
    }
    known.keys.push(key);
    known.first = Math.min(known.first, range[0]);
    known.last = Math.max(known.last, range[1]);
  };
  for (const [key, { kind, first, last }] of kinds) {
    if (kind.source === 'none') continue;
    const isPlace = kind.source === 'place';
    const reference = !isPlace ? CRS84 : kind.crs === null ? rootReference : crsReference(kind.crs);
    join(key, kind.type ?? name, reference, [first, last]);
  }
  for (const [key, { kind, first, last }] of kinds) {
    if (kind.source !== 'none') continue;
    const type = kind.type ?? name;
    join(key, type, ofType.get(type)?.reference ?? rootReference, [first, last]);
  }
  if (groups.size === 0) join('', name, rootReference, [0, 0]);
  return [...groups.values()];
}

async function isSwapped(
  { crs, isLongitudeFirst }: CrsReference,
  describe: OpenContext['describeCrs'],
): Promise<boolean> {
  if (crs === null || isLongitudeFirst || describe === undefined) return false;
  try {
    return isNorthBeforeEast(await describe(crs));
  } catch (error) {
    // A CRS that is not known is reported when the layer is planned.
    if (error instanceof GeomillError) return false;
    throw error;
  }
}
