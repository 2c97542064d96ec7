/** The files of the package `geos-wasm`, which are a part of the program. */

export interface GeosPackage {
  readonly default: (config: { readonly autoInit: boolean }) => Promise<{ readonly Module: unknown }>;
}

/** Only the first one: after a trap, the worker has to be replaced. */
export async function loadGeosModuleObject(generation: number): Promise<unknown> {
  if (generation > 0) throw new Error('GEOS failed before; the worker has to be started again');
  const { default: initialise } = (await import('geos-wasm')) as unknown as GeosPackage;
  return (await initialise({ autoInit: false })).Module;
}
