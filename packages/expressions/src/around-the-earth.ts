/**
 * What functions on geometries in degrees need where these cross 180 degrees or a pole. It is part of the setting of an evaluation
 * and not imported by the functions, because requests are checked by the functions, and most of them are about no geometry.
 */
import { cutAtAntimeridian } from '@geomill/core/sphere/cut.ts';
import { meetingShifts } from '@geomill/core/sphere/meeting-turns.ts';
import { unwrapped } from '@geomill/core/sphere/unwrap.ts';
import { readAround } from '@geomill/geos/read-turned.ts';

export const aroundTheEarth = { cutAtAntimeridian, meetingShifts, readAround, unwrapped } as const;
