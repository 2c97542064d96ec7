/** Writes DXF of AutoCAD 2018 (AC1032): see docs/formats/dxf.md for the rules. */
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { UniqueNames } from '@geomill/core/columns/unique-names.ts';
import type { CrsDescription } from '@geomill/core/crs/crs.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { Findings } from '@geomill/core/messages/findings.ts';
import { field, phrase } from '@geomill/core/messages/message.ts';
import { askedDigits, coordinateRounding, noteRounding } from '../coordinate-digits.ts';
import { formatErrors } from '../errors.ts';
import { formatFindings } from '../findings.ts';
import type {
  EncodedChunk,
  FormatWriter,
  LayerEncoding,
  OutputLayer,
  OutputSink,
  WriteContext,
} from '../writer.ts';
import { CRS_COMMENT, WKT_COMMENT } from './crs-comments.ts';
import { metresPerUnit } from './drawing-units.ts';
import { dxfFindings } from './messages.ts';
import type { DrawingFacts } from './writing/drawing-tables.ts';
import { type DrawingEncoding, encodeDrawing } from './writing/encode.ts';
import { layerKey, legalLayerName } from './writing/layer-names.ts';
import { layerStylesOf } from './writing/layer-styles.ts';
import { blockName } from './writing/point-blocks.ts';
import { DrawingSink } from './writing/sink.ts';

/** Significant digits of computed coordinates; further digits are noise. */
const COMPUTED_DIGITS = 15;
/** Height of letters on the ground: 2.5 mm on paper at 1:1000. */
const TEXT_HEIGHT_METRES = 2.5;
const PAPER_TEXT_HEIGHT = 2.5;

interface LayerState {
  readonly encoding: DrawingEncoding;
  readonly facts: DrawingFacts;
}

export const writer: FormatWriter = {
  needs: 'batch',

  plan(layers: readonly OutputLayer[], context: WriteContext): readonly LayerEncoding[] {
    const degrees = layers.filter(({ crs }) => crs.kind === 'geographic').map(({ crs }) => crs.name);
    for (const crs of new Set(degrees)) context.findings.note(dxfFindings.DRAWING_IN_DEGREES, { crs });
    const partLayers = partLayerNames(layers, context);
    return layers.map((layer, i) => ({
      fields: null,
      state: planLayer(layer, partLayers[i], context.options),
    }));
  },

  encode(batch: FeatureBatch, { state }: LayerEncoding): EncodedChunk {
    const findings = new Findings();
    noteRounding(batch, (state as LayerState).encoding.rounding, findings);
    const chunk = encodeDrawing(batch, (state as LayerState).encoding, findings);
    const transfer = [
      chunk.bytes.buffer,
      chunk.handleOffsets.buffer,
      chunk.owners.buffer,
      chunk.extent.buffer,
    ];
    return { data: chunk, transfer, findings: findings.found() };
  },

  createSink(path: string, encodings: readonly LayerEncoding[], context: WriteContext): OutputSink {
    const { encoding, facts } = encodings[0].state as LayerState;
    return new DrawingSink(path, facts, encoding, context);
  },
};

/** Layers of the drawing for the parts of a split output; null: the layer is no part. Throws SPLIT_NOT_POSSIBLE. */
function partLayerNames(
  layers: readonly OutputLayer[],
  { options, findings }: WriteContext,
): (string | null)[] {
  const names = new UniqueNames({ fold: layerKey });
  return layers.map(({ name, isPart }) => {
    if (isPart !== true) return null;
    if (options.layer_field !== undefined)
      throw failure(formatErrors.SPLIT_NOT_POSSIBLE, {
        reason: phrase`'${field('output.layer_field')}' also names the layers of the drawing`,
        advice: 'use one of them',
      });
    const to = names.take(legalLayerName(name) ?? 'layer');
    if (to !== name) findings.note(formatFindings.LAYER_RENAMED, { from: name, to, format: 'DXF' });
    return to;
  });
}

function planLayer(
  layer: OutputLayer,
  partLayer: string | null,
  options: Readonly<Record<string, unknown>>,
): LayerState {
  const units = insertionUnits(layer.crs);
  const rounding = coordinateRounding(layer, options);
  const textHeight =
    typeof options.text_height === 'number'
      ? options.text_height
      : drawingUnits(TEXT_HEIGHT_METRES, layer.crs);
  return {
    encoding: {
      layerName: layer.name,
      rounding: {
        ...rounding,
        xy: askedDigits(options) ?? (layer.coordinatesComputed ? COMPUTED_DIGITS : 0),
      },
      hatch: options.hatch !== false,
      attributes: options.attributes !== false,
      pointBlock: options.points_as === 'block' ? blockName(partLayer ?? layer.name) : null,
      partLayer,
      layerField: typeof options.layer_field === 'string' ? options.layer_field : null,
      colorField: typeof options.color_field === 'string' ? options.color_field : null,
      labelField: typeof options.label_field === 'string' ? options.label_field : null,
      labelHeight: typeof options.label_height === 'number' ? options.label_height : textHeight,
      textHeight,
    },
    facts: {
      comments: crsComments(layer.crs),
      unitCode: units.code,
      isMetric: units.isMetric,
      layerStyles: layerStylesOf(options.layer_styles),
      dashScale: textHeight / PAPER_TEXT_HEIGHT,
      geodata: geodataOf(layer.crs),
    },
  };
}

/** For people, and for geomill's reader. */
function crsComments({ name, authority, definition, wkt2 }: CrsDescription): string[] {
  const code = authority === null ? definition.slice(0, 200) : `${authority.name}:${authority.code}`;
  const comments = [`${CRS_COMMENT}${name} (${code}), x east, y north`];
  if (wkt2 !== null) comments.push(WKT_COMMENT + wkt2);
  return comments;
}

/** GEODATA names projected systems by their EPSG code; others have no name that CAD programs know. */
function geodataOf({ kind, authority, name, unitFactor }: CrsDescription): DrawingFacts['geodata'] {
  if (kind !== 'projected' || authority?.name !== 'EPSG') return null;
  return { epsg: authority.code, name, metresPerUnit: unitFactor };
}

/** $INSUNITS: the drawing unit, so that CAD programs scale inserted drawings correctly. */

interface InsertionUnits {
  /** Value of $INSUNITS; 0: no unit. */
  readonly code: number;
  /** Value of $MEASUREMENT: whether linetypes and patterns are metric. */
  readonly isMetric: boolean;
}

/** The codes of $INSUNITS for units of CRSs. */
const METRIC_CODES = [6, 7, 5, 4]; // m, km, cm, mm
const IMPERIAL_CODES = [2, 21, 1, 10, 3]; // foot, US survey foot, inch, yard, mile
/** The international and the US survey foot differ by 2e-6. */
const SAME_UNIT = 1e-9;

/** $INSUNITS has no code for degrees: 0. */
function insertionUnits(crs: CrsDescription): InsertionUnits {
  if (crs.kind === 'geographic' || /degree|radian|gon|grad/i.test(crs.unitName))
    return { code: 0, isMetric: true };
  const isUnit = (code: number): boolean =>
    Math.abs(crs.unitFactor / (metresPerUnit(code) ?? 0) - 1) < SAME_UNIT;
  const imperial = IMPERIAL_CODES.find(isUnit);
  if (imperial !== undefined) return { code: imperial, isMetric: false };
  return { code: METRIC_CODES.find(isUnit) ?? 0, isMetric: true };
}

/** Length of a degree of latitude on the ground, precise enough for the height of letters. */
const METRES_PER_DEGREE = 111_320;

/** Converts a length in metres to drawing units, approximately if these are degrees. */
function drawingUnits(metres: number, crs: CrsDescription): number {
  if (crs.kind === 'geographic') return Number((metres / METRES_PER_DEGREE).toPrecision(3));
  return crs.unitFactor > 0 ? metres / crs.unitFactor : metres;
}
