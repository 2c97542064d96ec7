/** Buffers, planar or geodesic as the CRS and the request have it. */
import { Geos } from '../../engines/geos/geos.ts';
import { failure } from '../../errors.ts';
import type { ApplyStep, StepParameters, StepSetting, StreamingTransformation } from '../transformation.ts';
import { bufferParameters } from './parameters.ts';
import { PlanarBuffer } from './planar.ts';
import { scaleErrorPercent } from './scale.ts';

export const code: StreamingTransformation = { kind: 'streaming', prepare };

async function prepare(parameters: StepParameters, setting: StepSetting): Promise<ApplyStep> {
  const buffer = bufferParameters(parameters);
  const { crs, path } = setting;
  if (buffer.geodesic || crs.kind === 'geographic') {
    const reason = `cannot be measured in ${crs.name}; put a reproject step to a projected CRS before it`;
    throw failure('TRANSFORMATION_INVALID', { path: `${path}.distance`, reason });
  }
  const form = {
    distance: buffer.distanceMeters / crs.unitFactor,
    style: buffer.style,
    simplifyTolerance: buffer.simplifyToleranceMeters / crs.unitFactor,
  };
  const planar = new PlanarBuffer(form, await Geos.load());
  return (batch, findings) => {
    const percent = crs.kind === 'projected' ? scaleErrorPercent(batch.geometry, setting) : 0;
    if (percent > 0) findings.note('DISTANCE_SCALE_OFF', { crs: crs.name, percent });
    return planar.apply(batch, findings);
  };
}
