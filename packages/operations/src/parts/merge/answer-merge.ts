/** The worker's side: answers MergeCalls with GEOS. */
import { geometryBuffers } from '@geomill/core/geometry/geometry-column.ts';
import { Geos } from '@geomill/geos/geos.ts';
import type { AnswerCall } from '../../transformation.ts';
import { answerLinePairs, answerUnions } from './answer-lines.ts';
import { answerPolygons } from './answer-polygons.ts';
import type { MergeCall } from './calls.ts';

export async function prepareMerge(): Promise<AnswerCall> {
  const geos = await Geos.load();
  return (payload) => {
    const call = payload as MergeCall;
    switch (call.kind) {
      case 'polygons': {
        const result = answerPolygons(geos, call);
        const { states, merged, owners, links } = result;
        return {
          result,
          transfer: [...geometryBuffers(merged), states.buffer, owners.buffer, links.buffer],
        };
      }
      case 'linePairs': {
        const result = answerLinePairs(geos, call);
        return { result, transfer: [result.links.buffer] };
      }
      default: {
        const result = answerUnions(geos, call);
        return { result, transfer: geometryBuffers(result.unions) };
      }
    }
  };
}
