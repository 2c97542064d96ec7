/** Transformers for the steps of a stage: computed without PROJ where possible, so that many conversions do not load it. */
import { ApproximatedTransformer } from '@geomill/proj/approximated-transformer.ts';
import { plainTransformer } from '@geomill/proj/plain-transformer.ts';
import type { Transformer, TransformerRecipe } from '@geomill/proj/proj.ts';
import { loadProj } from './load-proj.ts';
import type { SessionLink, SessionStage, TransformSetting } from './task.ts';

export interface Transformers {
  /** The transformer of a recipe of one of the stages that were given. */
  of(recipe: TransformerRecipe): Transformer;
}

/** Loads PROJ if one of the stages needs it. */
export async function transformersFor(
  stages: readonly Pick<SessionStage, 'links' | 'collect'>[],
  { gridDirectory, approximatedBytes }: TransformSetting,
): Promise<Transformers> {
  const links = stages.flatMap((stage) => [
    ...stage.links,
    ...(stage.collect === null ? [] : [stage.collect]),
  ]);
  const plain = new Map(links.flatMap(recipesOf).map((recipe) => [recipe, plainTransformer(recipe)]));
  const proj = [...plain.values()].includes(null) ? await loadProj(gridDirectory) : null;
  const made = new Map<TransformerRecipe, Transformer>();
  return {
    of(recipe) {
      const known = made.get(recipe);
      if (known !== undefined) return known;
      const exact = plain.get(recipe) ?? proj?.transformerOf(recipe);
      if (exact === undefined) throw new Error('the recipe is not of these stages');
      const approximation = exact.approximation(approximatedBytes);
      const transformer = approximation === null ? exact : new ApproximatedTransformer(exact, approximation);
      made.set(recipe, transformer);
      return transformer;
    },
  };
}

function recipesOf(link: SessionLink): TransformerRecipe[] {
  if (link.kind === 'reproject') {
    const byDegrees = link.sphere?.byDegrees ?? null;
    return [link.recipe, ...(byDegrees === null ? [] : [byDegrees.toDegrees, byDegrees.fromDegrees])];
  }
  const routes = [link.fromWgs84, link.toWgs84, link.file?.toData ?? null, link.file?.toWgs84 ?? null];
  return routes.flatMap((route) => (route !== null && 'recipe' in route ? [route.recipe] : []));
}
