/** What workers are told once: the plan with everything that it takes to carry it out. */
import { type CrsText, WGS84 } from '../crs/crs.ts';
import { asGeomillError } from '../errors.ts';
import type { SourceLayer } from '../formats/format.ts';
import type { StepLink } from './chain.ts';
import type { CrsService } from './crs-service.ts';
import type { ConversionPlan, LayerPlan } from './plan.ts';
import type { ConversionPlace, ConversionRequest } from './request.ts';
import type { Session, SessionLayer, SessionStep, Wgs84Route } from './task.ts';

export function sessionFor(
  plan: ConversionPlan,
  source: readonly SourceLayer[],
  request: ConversionRequest,
  place: ConversionPlace,
  crs: CrsService,
): Session {
  return {
    inputFormat: request.input.format,
    outputFormat: request.output.format,
    layers: plan.layers.map((layer) => sessionLayer(layer, plan, source[layer.sourceIndex], crs)),
    gridDirectory: place.gridDirectory,
    limits: place.limits,
  };
}

function sessionLayer(
  layer: LayerPlan,
  plan: ConversionPlan,
  source: SourceLayer,
  crs: CrsService,
): SessionLayer {
  return {
    source,
    stages: layer.stages.map(({ links, collect }) => ({
      links: links.map((link) =>
        link.kind === 'reproject'
          ? { kind: 'reproject', number: link.number, recipe: crs.recipe(link.from, link.to) }
          : sessionStep(link, plan, crs),
      ),
      collect: collect === null ? null : sessionStep(collect, plan, crs),
    })),
    checkLonLatRange: layer.checkLonLatRange,
    layerField: plan.layerField === null ? null : { name: plan.layerField, value: layer.name },
  };
}

function sessionStep(link: StepLink, plan: ConversionPlan, crs: CrsService): SessionStep {
  const { type, path, params } = plan.steps[link.step];
  return {
    kind: 'step',
    step: link.step,
    type,
    path,
    parameters: params,
    crs: crs.describe(link.crs, path),
    fromWgs84: route(WGS84, link.crs, crs),
    toWgs84: route(link.crs, WGS84, crs),
  };
}

/** Most steps never take the way, so that there is none to a local system is no reason to fail yet. */
function route(from: CrsText, to: CrsText, crs: CrsService): Wgs84Route {
  try {
    return crs.equivalent(from, to) ? null : { recipe: crs.recipe(from, to) };
  } catch (error) {
    return { error: asGeomillError(error).toPlain() };
  }
}
