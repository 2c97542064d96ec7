/** PROJ's transformation objects and the call that transforms coordinates. */
import { type ProjContext, ProjObject } from './context.ts';

/**
 * From one CRS to another, x as east and y as north on both sides. Candidates are those that `cs2cs` uses: with
 * ONLY_BEST=NO those whose grids are not installed are left out instead of failing each position they would suit.
 * The object is null (pointer 0) when PROJ finds no operation; `context.reason` then says why.
 */
export function createTransformation(
  context: ProjContext,
  source: ProjObject,
  target: ProjObject,
): ProjObject {
  const { native, pointer } = context;
  using plain = new ProjObject(
    context,
    context.withOptions(['ONLY_BEST=NO'], (options) =>
      native.proj_create_crs_to_crs_from_pj(pointer, source.pointer, target.pointer, 0, options),
    ),
  );
  const normalized =
    plain.pointer === 0 ? 0 : native.proj_normalize_for_visualization(pointer, plain.pointer);
  return new ProjObject(context, normalized);
}

/**
 * Transforms the first `count` positions of the context's block in place, `stride` doubles each: x, y, then z if
 * `usesZ`. Positions that cannot be transformed become Infinity. False: PROJ aborted, and the content of the block is
 * undefined.
 */
export function transformBlock(
  context: ProjContext,
  transformation: ProjObject,
  direction: number,
  count: number,
  stride: number,
  usesZ: boolean,
): boolean {
  const x = context.block;
  const bytes = stride * 8;
  const z = usesZ ? x + 16 : 0;
  const zBytes = usesZ ? bytes : 0;
  const zCount = usesZ ? count : 0;
  const visited = context.native.proj_trans_generic(
    transformation.pointer,
    direction,
    x,
    bytes,
    count,
    x + 8,
    bytes,
    count,
    z,
    zBytes,
    zCount,
    0,
    0,
    0,
  );
  return visited === count;
}
