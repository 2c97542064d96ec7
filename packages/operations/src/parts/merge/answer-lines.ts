/** Lines that overlap, and unions of whole rows. */
import { GEOMETRY_TYPE, GeometryBuilder } from '@geomill/core/geometry/geometry-column.ts';
import type { GeosGeometry } from '@geomill/geos/geometry.ts';
import type { Geos } from '@geomill/geos/geos.ts';
import type { GeosPrepared } from '@geomill/geos/prepared.ts';
import { DisjointSets } from '@geomill/planar/disjoint-sets.ts';
import type { LinePairsAnswer, LinePairsCall, UnionsAnswer, UnionsCall } from './calls.ts';

export function answerLinePairs(geos: Geos, { geometry, pairs }: LinePairsCall): LinePairsAnswer {
  using stack = new DisposableStack();
  const count = geometry.types.length;
  const lines: GeosGeometry[] = [];
  for (let i = 0; i < count; i++) lines.push(stack.use(geos.read(geometry, i)));
  const sets = new DisjointSets(count);
  const links: number[] = [];
  let prepared: GeosPrepared | null = null;
  let preparedRow = -1;
  try {
    for (let i = 0; i < pairs.length; i += 2) {
      const a = pairs[i];
      const b = pairs[i + 1];
      if (sets.find(a) === sets.find(b)) continue;
      if (preparedRow !== a) {
        prepared?.[Symbol.dispose]();
        prepared = lines[a].prepare();
        preparedRow = a;
      }
      if (prepared?.intersects(lines[b]) !== true || !overlapAlongStretch(lines[a], lines[b])) continue;
      sets.unite(a, b);
      links.push(a, b);
    }
  } finally {
    prepared?.[Symbol.dispose]();
  }
  return { links: Uint32Array.from(links) };
}

/** DE-9IM: the interiors meet in something of dimension 1. */
function overlapAlongStretch(a: GeosGeometry, b: GeosGeometry): boolean {
  return a.relate(b).startsWith('1');
}

export function answerUnions(geos: Geos, { kind, geometry }: UnionsCall): UnionsAnswer {
  const builder = new GeometryBuilder(geometry.dimensions);
  for (let row = 0; row < geometry.types.length; row++) {
    using whole = geos.read(geometry, row);
    using union = whole.unaryUnion();
    let type: number;
    if (kind === 'lines') {
      using joined = union.lineMerge();
      type = joined.appendTo(builder, 1);
    } else type = union.appendTo(builder);
    if (type === GEOMETRY_TYPE.none) builder.endFeature(GEOMETRY_TYPE.none);
  }
  return { unions: builder.finish() };
}
