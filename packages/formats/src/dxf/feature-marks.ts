/**
 * The first XDATA tags of an entity: whether it begins or continues a feature, and its role in the feature. The grammar
 * is in xdata-write.ts.
 */
import { GEOMETRY_TYPE_NAMES } from '@geomill/core/geometry/geometry-column.ts';

export const ROLE = { point: 0, line: 1, shell: 2, hole: 3, fill: 4, text: 5, label: 6 } as const;
const ROLE_NAMES = ['point', 'line', 'shell', 'hole', 'fill', 'text', 'label'];

/** For members of a collection that are multi geometries: their first part, and the others. */
export const MULTI_MARK = { none: 0, first: 1, next: 2 } as const;
const MARK_TEXTS = ['', 'first ', 'next '];

const encoder = new TextEncoder();

/** For entities after the first of their feature, by MULTI_MARK and ROLE. */
export const PART_TAGS: readonly (readonly Uint8Array[])[] = MARK_TEXTS.map((mark) =>
  ROLE_NAMES.map((role) => encoder.encode(`1001\nGEOMILL\n1000\npart\n1000\n${mark}${role}\n`)),
);

/** For the first entity of a feature, by GEOMETRY_TYPE; the second half has Z. */
export const FEATURE_TAGS: readonly Uint8Array[] = ['', ' Z'].flatMap((z) =>
  GEOMETRY_TYPE_NAMES.map((name) => encoder.encode(`1001\nGEOMILL\n1000\nfeature:${name}${z}\n`)),
);
export const FEATURE_TAGS_Z = GEOMETRY_TYPE_NAMES.length;

/** For the role of a feature's first entity, by MULTI_MARK and ROLE. */
export const ROLE_TAGS: readonly (readonly Uint8Array[])[] = MARK_TEXTS.map((mark) =>
  ROLE_NAMES.map((role) => encoder.encode(`1000\n${mark}${role}\n`)),
);
