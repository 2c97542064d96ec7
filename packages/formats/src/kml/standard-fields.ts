/** Fields for the elements that every placemark can have, with the names and in the order of GDAL's LIBKML driver. */
import type { TextHint } from '@geomill/core/columns/text-columns.ts';

export const STANDARD_FIELDS = [
  'name',
  'description',
  'timestamp',
  'begin',
  'end',
  'altitudeMode',
  'tessellate',
  'extrude',
  'visibility',
  'drawOrder',
  'icon',
] as const;

export type StandardField = (typeof STANDARD_FIELDS)[number];

export const STANDARD_HINTS: Readonly<Record<string, TextHint | undefined>> = Object.assign(
  Object.create(null),
  {
    name: 'string',
    description: 'string',
    timestamp: 'temporal',
    begin: 'temporal',
    end: 'temporal',
    altitudeMode: 'string',
    tessellate: 'boolean',
    extrude: 'boolean',
    visibility: 'boolean',
    drawOrder: 'int32',
    icon: 'string',
    // Not of every placemark:
    color: 'string',
    snippet: 'string',
    address: 'string',
    phoneNumber: 'string',
    times: 'json',
  } satisfies Record<StandardField, TextHint> & Record<string, TextHint>,
);
