/**
 * Systems that are common for data without a stated CRS, with the people who use them, in millions, and the latitudes between
 * which they live, if these are fewer than those of the area of use. In relation to the size of the area, they estimate how
 * likely coordinates that fit a system are in it. Estimates: only the order of magnitude matters. The systems of a line are one
 * family: they differ in the zone.
 */
type Codes = number | readonly [first: number, last: number];
type Row = readonly [millions: number, codes: Codes, south?: number, north?: number];

const FAMILIES: readonly (readonly Row[])[] = [
  // The whole world
  [[30_000, 4326]], [[4000, 3857]], [[100, 4258]], [[100, 4269]],
  // Europe
  [[300, 3035]], [[100, 3034]], [[66, 2154]], [[20, 27572]], [[65, 27700]], [[7, 2157]], [[5, 29903]], [[18, 28992]], [[20, 31370]],
  [[12, 3812]], [[0.6, 2169]], [[9, 2056]], [[6, 21781]], [[9, 31287]], [[3, 31255], [5, 31256]],
  [[20, 31466], [30, 31467], [25, 31468], [8, 31469]], [[10, 3006]], [[38, 2180]], [[5, 3067, 59.5, 63.5]], [[1.9, 3059]], [[1.3, 3301]],
  [[2.8, 3346]], [[16, 5514]], [[9.6, 23700]], [[3.9, 3765]], [[2.1, 3794]], [[19, 3844]], [[6.5, 7801]], [[10, 2100]],
  [[25, 3003], [20, 3004]], [[40, 6875]], [[10, 3763]], [[20, 2062]],
  // UTM of ETRS89
  [[90, 25832, 37, 71], [45, 25830, 36, 44], [35, 25833, 36, 71], [8, 25829, 36, 44], [10, 25831, 38, 54], [3, [25834, 25835], 35, 70]],
  // North America, with state plane zones in feet and in metres
  [[250, 5070]], [[38, 3347]], [[5, 3005]], [[2, [2222, 2289]]], [[2, [32100, 32161]]],
  [[20, [26910, 26919], 25, 60], [1, [26904, 26909], 18, 72]],
  // Brazil, Asia and Oceania
  [[30, [31982, 31985], -34, 0]], [[23, 3826]], [[51, 5179]], [[7.4, 2326]], [[5.9, 3414]], [[6, [6669, 6687]]], [[40, 2451], [3, [2443, 2450]], [3, [2452, 2461]]],
  [[25, 3577]], [[6.6, 3111]], [[5, 2193]],
  [[2.5, 7850, -35.5, -20], [2, 7854, -39, -26], [9, 7855, -44, -16], [10, 7856, -37.3, -23]],
  [[2.5, 28350, -35.5, -20], [2, 28354, -39, -26], [5, 28355, -44, -16], [5, 28356, -37.3, -23]],
  // UTM of WGS 84
  [[10, [32601, 32660], 0, 65], [5, [32701, 32760], -40, 0]],
]; // biome-ignore format: a table

export interface Use {
  readonly millions: number;
  /** Equal for the zones of a grid. */
  readonly family: number;
  /** Where these people live; null: in all of the area of use. */
  readonly latitudes: readonly [south: number, north: number] | null;
}

const USES: ReadonlyMap<number, Use> = new Map(
  FAMILIES.flatMap((rows, family) =>
    rows.flatMap(([millions, codes, south, north]) => {
      const [first, last] = typeof codes === 'number' ? [codes, codes] : codes;
      const latitudes = south === undefined || north === undefined ? null : ([south, north] as const);
      return Array.from({ length: last - first + 1 }, (_, i): [number, Use] => [
        first + i,
        { millions, family, latitudes },
      ]);
    }),
  ),
);

/** Null: not widely used. */
export function useOf(epsg: number): Use | null {
  return USES.get(epsg) ?? null;
}

/** Codes of all of them. */
export function widelyUsed(): readonly number[] {
  return [...USES.keys()];
}
