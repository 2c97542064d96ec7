/** Options under `output`. */
import { digitOptions } from '../digit-options.ts';
import type { OptionsSchema } from '../format.ts';

export const writeOptions: OptionsSchema = {
  type: 'object',
  properties: {
    ...digitOptions,
    hatch: {
      type: 'boolean',
      default: true,
      description: 'Fill polygons with a solid HATCH below their outlines; false: outlines only.',
    },
    attributes: {
      type: 'boolean',
      default: true,
      description:
        'Write the attributes and the kind of each feature as XDATA of GEOMILL, so that they can be read back; false: a drawing only.',
    },
    points_as: {
      type: 'string',
      enum: ['point', 'block'],
      default: 'point',
      description:
        'block: points are INSERTs of a block that is named after the layer of the output, with the fields as its attributes (ATTRIB), which CAD programs show and extract.',
    },
    layer_styles: {
      type: 'string',
      maxLength: 65_536,
      description:
        'Colours (#rrggbb, or an AutoCAD colour index) and linetypes (dashed, hidden, dotted, dashdot, center, phantom, border, divide) of layers of the drawing. Default: as the format page says.',
      examples: ['roads=#ff0000,dashed; water=5'],
    },
    layer_field: {
      type: 'string',
      minLength: 1,
      maxLength: 65_536,
      description:
        'Field with the name of the layer of a feature. Default: annotation, point, polyline, polygon, multipatch by geometry.',
    },
    color_field: {
      type: 'string',
      minLength: 1,
      maxLength: 65_536,
      description:
        'Field with the colour of a feature: #rrggbb or an AutoCAD colour index. Default: the colour of the layer.',
    },
    label_field: {
      type: 'string',
      minLength: 1,
      maxLength: 65_536,
      description:
        'Field whose value is drawn as a text at each feature: in the middle of polygons and lines, beside points. Default: no labels.',
    },
    label_height: {
      type: 'number',
      exclusiveMinimum: 0,
      description: 'Height of labels in drawing units. Default: as `text_height`.',
    },
    text_height: {
      type: 'number',
      exclusiveMinimum: 0,
      description:
        'Height of texts in drawing units, for features without a value in the field TextHeight. Default: 2.5 m on the ground.',
    },
  },
  additionalProperties: false,
};
