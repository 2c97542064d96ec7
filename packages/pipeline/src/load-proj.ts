import type { Proj } from '@geomill/proj/proj.ts';

/** PROJ in this thread, loaded at the first call: many conversions do not need it. */
export async function loadProj(gridDirectory: string | null): Promise<Proj> {
  const { Proj: Engine } = await import('@geomill/proj/proj.ts');
  return Engine.load({ gridDirectory });
}
