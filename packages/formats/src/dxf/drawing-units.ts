/** The unit of each $INSUNITS code in metres (DXF reference, HEADER section). */

const METRES: readonly (number | null)[] = [
  null, // no unit
  0.0254,
  0.3048,
  1609.344,
  0.001,
  0.01,
  1,
  1000,
  2.54e-8, // microinch
  2.54e-5, // mil
  0.9144,
  1e-10, // ångström
  1e-9,
  1e-6,
  0.1,
  10,
  100,
  1e9,
  149_597_870_700, // astronomical unit
  9.460_730_472_580_8e15, // light year
  3.085_677_581_491_367e16, // parsec
  1200 / 3937, // US survey foot
  100 / 3937, // US survey inch
  3600 / 3937, // US survey yard
  6_336_000 / 3937, // US survey mile
];

/** Null if the drawing has no unit or an unknown one. */
export function metresPerUnit(insertionUnits: number): number | null {
  return METRES[insertionUnits] ?? null;
}
