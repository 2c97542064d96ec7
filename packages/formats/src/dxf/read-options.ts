/** Read options of drawings, whatever the format of the file. */
import type { OptionsSchema } from '../format.ts';

export const readOptions: OptionsSchema = {
  type: 'object',
  properties: {
    layouts: {
      enum: ['model', 'all'],
      default: 'model',
      description: 'Layouts to read: only model space, or also paper spaces.',
    },
    blocks: {
      enum: ['explode', 'points'],
      default: 'explode',
      description:
        'explode: an INSERT becomes the entities of its block. points: a point with the name and attributes of the block.',
    },
    closed_polylines: {
      enum: ['lines', 'polygons'],
      default: 'lines',
      description: 'Geometry type of closed polylines, circles, ellipses and splines.',
    },
    curve_tolerance: {
      type: 'number',
      exclusiveMinimum: 0,
      description:
        'Maximum distance in drawing units between a curve and its straight steps, which turn by at most 4 degrees. Default: 1/10000 of the longer side of the extent that the drawing states.',
    },
    encoding: {
      type: 'string',
      minLength: 1,
      maxLength: 40,
      description:
        'Text encoding, if the drawing states none or a wrong one. Default: the encoding that it states.',
    },
    drawing_fields: {
      type: 'boolean',
      default: false,
      description:
        'Add the fields of the drawing (Layer, Color, ...) to the attributes of features that geomill wrote.',
    },
  },
};
