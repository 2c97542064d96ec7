import type { Proj } from '../engines/proj/proj.ts';

/** PROJ in this thread. Its code is loaded only now: many conversions never need it. */
export async function loadProj(gridDirectory: string | null): Promise<Proj> {
  const { Proj: Engine } = await import('../engines/proj/proj.ts');
  return Engine.load({ gridDirectory });
}
