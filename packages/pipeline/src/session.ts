/** Makes the session that each worker gets once: the plan with all data to carry it out. */
import { type CrsDescription, type CrsText, WGS84 } from '@geomill/core/crs/crs.ts';
import { asGeomillError } from '@geomill/core/messages/errors.ts';
import { sphereSideOf } from '@geomill/core/sphere/side.ts';
import { withoutFacts } from '@geomill/formats/reader.ts';
import type { ChainLink, ConversionPlan, LayerPlan, StepLink } from './conversion-plan.ts';
import { CrsAnswerMissing, type CrsService } from './crs-service.ts';
import { byteLengthOf, type OpenedFile } from './opened-input.ts';
import type { ConversionPaths, ConversionRequest } from './request.ts';
import type { Route, Session, SessionLayer, SessionLink, SessionStep, SphereRoute } from './task.ts';

/** The sources of all layers, in the order of the plan. */
export function sessionFor(
  plan: ConversionPlan,
  files: readonly OpenedFile[],
  request: ConversionRequest,
  paths: ConversionPaths,
  crs: CrsService,
): Session {
  return {
    inputFormat: request.input.format,
    outputFormat: request.output.format,
    layers: plan.layers.flatMap((layer) => sessionLayers(layer, plan, files, request, crs)),
    gridDirectory: paths.gridDirectory,
    approximatedBytes: request.exact === true ? 0 : byteLengthOf(paths.inputs),
    limits: paths.limits,
    locatesFindings: paths.findingsPath !== undefined,
    statisticsOfIds: plan.keepsIdsAsField || plan.unifiesFields,
  };
}

function sessionLayers(
  layer: LayerPlan,
  plan: ConversionPlan,
  files: readonly OpenedFile[],
  request: ConversionRequest,
  crs: CrsService,
): SessionLayer[] {
  const [first, ...rest] = layer.stages.map(({ links, collect }) => ({
    layerName: layer.name,
    links: sessionLinks(links, plan, crs),
    collect: collect === null ? null : sessionStep(collect, plan, crs),
  }));
  const begins = layer.routes.map((links) => ({ ...first, links: sessionLinks(links, plan, crs) }));
  return layer.sources.map(({ fileIndex, layerIndex, positionRange, route: way }, position) => ({
    source: withoutFacts((position === 0 ? layer.target : null) ?? files[fileIndex].layers[layerIndex]),
    ...formatOf(request.input.files[fileIndex]),
    stages: [begins[way], ...rest],
    positionRange,
    layerField: plan.layerField === null ? null : { name: plan.layerField, value: layer.name },
  }));
}

function formatOf({ own }: ConversionRequest['input']['files'][number]): Pick<SessionLayer, 'format'> {
  return own === undefined ? {} : { format: own.format };
}

function sessionLinks(links: readonly ChainLink[], plan: ConversionPlan, crs: CrsService): SessionLink[] {
  return links.map((link) =>
    link.kind === 'reproject'
      ? {
          kind: 'reproject',
          number: link.number,
          recipe: crs.recipe(link.from, link.to),
          sphere: sphereRoute(link.from, link.to, crs),
        }
      : sessionStep(link, plan, crs),
  );
}

/** Width of an area of use, and its latitude, from which data may be around the Earth, in degrees. */
const WIDE_DEGREES = 60;
const POLAR_LATITUDE = 75;

function sphereRoute(from: CrsText, to: CrsText, crs: CrsService): SphereRoute | null {
  const source = crs.describe(from, 'input.epsg');
  const target = crs.describe(to, 'output.epsg');
  const sides = { from: sphereSideOf(source), to: sphereSideOf(target) };
  if (sides.from === null || sides.to === null) return null;
  const needsDegrees =
    sides.from.turn === null &&
    sides.to.turn === null &&
    [sides.from.opposite, sides.to.opposite].some((end) => end !== null && mayReach(source.areaOfUse, end));
  const toDegrees = needsDegrees ? route(from, WGS84, crs) : null;
  const fromDegrees = needsDegrees ? route(WGS84, to, crs) : null;
  return {
    from: sides.from,
    to: sides.to,
    metersFrom: source.unitFactor,
    metersTo: target.unitFactor,
    targetName: target.name,
    byDegrees:
      toDegrees !== null && fromDegrees !== null && 'recipe' in toDegrees && 'recipe' in fromDegrees
        ? { toDegrees: toDegrees.recipe, fromDegrees: fromDegrees.recipe }
        : null,
  };
}

/** Whether data of a system with this area of use may cross a meridian, go around the Earth, or hold a pole. */
function mayReach(area: CrsDescription['areaOfUse'], meridian: number): boolean {
  if (area === null || area.west > area.east) return true;
  const { west, south, east, north } = area;
  if (east - west > WIDE_DEGREES || north > POLAR_LATITUDE || south < -POLAR_LATITUDE) return true;
  // Data often goes a little beyond the area.
  const margin = WIDE_DEGREES / 4;
  return [meridian - 360, meridian, meridian + 360].some((one) => one > west - margin && one < east + margin);
}

function sessionStep(link: StepLink, plan: ConversionPlan, crs: CrsService): SessionStep {
  const { type, path, params, fileCrs } = plan.steps[link.step];
  return {
    kind: 'step',
    step: link.step,
    type,
    path,
    parameters: params,
    crs: crs.describe(link.crs, path),
    fromWgs84: route(WGS84, link.crs, crs),
    toWgs84: route(link.crs, WGS84, crs),
    file:
      fileCrs === undefined
        ? null
        : {
            crs: crs.describe(fileCrs, path),
            toData: route(fileCrs, link.crs, crs),
            toWgs84: route(fileCrs, WGS84, crs),
          },
  };
}

/** Most steps never use the route, so a missing one (to a local CRS) is no error yet. */
function route(from: CrsText, to: CrsText, crs: CrsService): Route {
  try {
    return crs.equivalent(from, to) ? null : { recipe: crs.recipe(from, to) };
  } catch (error) {
    if (error instanceof CrsAnswerMissing) throw error;
    return { error: asGeomillError(error).toPlain() };
  }
}
