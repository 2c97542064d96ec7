/** Buffers, planar or geodesic as the CRS and the request have it. */
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { WGS84_DESCRIPTION } from '@geomill/core/crs/wgs84.ts';
import { GEOMETRY_TYPE, GeometryBuilder } from '@geomill/core/geometry/geometry-column.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { field } from '@geomill/core/messages/message.ts';
import { Geos } from '@geomill/geos/geos.ts';
import { stepErrors } from '../errors.ts';
import { stepFindings } from '../findings.ts';
import type { ApplyStep, StepParameters, StepSetting, StreamingTransformation } from '../transformation.ts';
import { GeodesicBuffer } from './geodesic.ts';
import { type BufferParameters, bufferParameters } from './parameters.ts';
import { PlanarBuffer } from './planar.ts';
import { scaleErrorPercent } from './scale.ts';
import { withShortEdges } from './short-edges.ts';

const POLYGONS = 2;

export const code: StreamingTransformation = { kind: 'streaming', prepare };

async function prepare(parameters: StepParameters, setting: StepSetting): Promise<ApplyStep> {
  const buffer = bufferParameters(parameters);
  const geos = await Geos.load();
  if (setting.crs.kind === 'geographic') {
    const geodesic = new GeodesicBuffer(buffer, setting.crs, geos, setting);
    return (batch, findings) => geodesic.apply(batch, findings);
  }
  return buffer.geodesic ? geodesicInPlane(buffer, setting, geos) : planar(buffer, setting, geos);
}

function planar(buffer: BufferParameters, setting: StepSetting, geos: Geos): ApplyStep {
  const { crs } = setting;
  const form = {
    distance: buffer.distanceMeters / crs.unitFactor,
    style: buffer.style,
    simplifyTolerance: buffer.simplifyToleranceMeters / crs.unitFactor,
  };
  const step = new PlanarBuffer(form, geos, setting.checkPositions);
  return (batch, findings) => {
    const percent = crs.kind === 'projected' ? scaleErrorPercent(batch.geometry, setting) : 0;
    if (percent > 0) findings.note(stepFindings.DISTANCE_SCALE_OFF, { crs: crs.name, percent });
    return step.apply(batch, findings);
  };
}

/** Computes the buffer in longitude and latitude; straight edges of the plane are divided by vertices for that. */
function geodesicInPlane(buffer: BufferParameters, setting: StepSetting, geos: Geos): ApplyStep {
  const { crs, path, toWgs84, fromWgs84 } = setting;
  if (crs.kind !== 'projected') {
    const reason = `is not possible in ${crs.name}, which is not known to lie on an ellipsoid`;
    throw failure(generalErrors.TRANSFORMATION_INVALID, { path: field(`${path}.geodesic`), reason });
  }
  const geodesic = new GeodesicBuffer(buffer, WGS84_DESCRIPTION, geos, setting, true);
  const circumference = (2 * Math.PI * WGS84_DESCRIPTION.ellipsoid!.semiMajorMeters) / crs.unitFactor;
  const refuse = (row: number, length: number): never => {
    throw failure(stepErrors.EDGE_LONGER_THAN_EARTH, {
      place: `feature ${row + 1} of layer '${setting.layerName}'`,
      kilometres: Math.round((length * crs.unitFactor) / 1000),
      crs: crs.name,
      path: field('input.epsg'),
    });
  };
  return (batch, findings) => {
    const step = geodesic.straightMeters / crs.unitFactor;
    const geometry = withShortEdges(batch.geometry, step, circumference, refuse);
    toWgs84(geometry.coordinates, geometry.dimensions);
    const result = geodesic.apply({ ...batch, geometry }, findings);
    const back = result.geometry.coordinates.slice();
    fromWgs84(back, result.geometry.dimensions);
    return validated({ ...result, geometry: { ...result.geometry, coordinates: back } }, geos);
  };
}

/** Outlines that are valid on the globe may touch themselves by rounding in the plane. */
function validated(batch: FeatureBatch, geos: Geos): FeatureBatch {
  const { geometry, rowCount } = batch;
  const builder = new GeometryBuilder('XY', rowCount, geometry.coordinates.length / 2);
  for (let row = 0; row < rowCount; row++) {
    if (geometry.partOffsets[row] === geometry.partOffsets[row + 1]) {
      builder.endFeature(geometry.types[row]);
      continue;
    }
    using outline = geos.read(geometry, row);
    if (outline.isValid) {
      outline.appendTo(builder);
      continue;
    }
    using valid = outline.makeValid();
    if (valid.appendTo(builder, POLYGONS) === GEOMETRY_TYPE.none) builder.endFeature(GEOMETRY_TYPE.polygon);
  }
  return { ...batch, geometry: builder.finish() };
}
