/**
 * Bounds a report: names are shortened, and each list is cut at its share of the bytes, with the number of
 * its entries. A file can have any number of layers, fields and errors, with names of any length; the report
 * is stored in the service's database and loaded into memory for every response. Findings are short already.
 */
import { jsonBytes, listWithin, MAX_COMPOSED, shortText } from '@geomill/core/messages/short-text.ts';
import type { ConversionReport, JobReport, LayerReport, ReportTotals, ReprojectionReport } from './report.ts';

/** Longest report in bytes of its JSON. */
export const MAX_REPORT_BYTES = 1_000_000;
/** A definition of a CRS is useful only if it is complete; common ones have 4,000 characters. */
export const MAX_CRS_CHARACTERS = 10_000;

/** Share of each list in MAX_REPORT_BYTES; the rest of a report takes a few thousand bytes. */
const SHARES: Readonly<Record<keyof ReportTotals, number>> = {
  files: 60_000,
  layers: 130_000,
  fieldsRenamed: 80_000,
  fieldsRetyped: 60_000,
  fieldsDropped: 60_000,
  reprojections: 60_000,
  outputLayers: 40_000,
  steps: 80_000,
  warnings: 170_000,
};
/** Of the fields of all layers together. */
const FIELDS_SHARE = 150_000;
export const MAX_GRIDS = 20;
/** Most CRS of a step that a report lists. */
export const MAX_STEP_CRS = 3;

/** The report in at most MAX_REPORT_BYTES. A bounded report can be extended and bounded again: the numbers add up. */
export function boundedReport(report: JobReport): JobReport {
  const cutter = new ListCutter(report.totals ?? {});
  const warnings = cutter.cut('warnings', report.warnings);
  if (!('input' in report)) return { ...report, warnings, ...cutter.totals() };
  const bounded = { ...report, ...boundedLists(report, cutter), warnings };
  return { ...bounded, ...cutter.totals() };
}

function boundedLists(
  { input, output, fields, reprojections, steps }: ConversionReport,
  cutter: ListCutter,
): Pick<ConversionReport, 'input' | 'output' | 'fields' | 'reprojections' | 'steps'> {
  return {
    input: {
      ...input,
      name: shortText(input.name),
      files: cutter.cut(
        'files',
        input.files.map((file) => ({ ...file, name: shortText(file.name) })),
      ),
      layers: cutter.cut('layers', withoutFields(input.layers)).map(fieldsWithin(input.layers)),
    },
    output: {
      ...output,
      crs: shortText(output.crs, MAX_CRS_CHARACTERS),
      ...(output.layers === undefined
        ? {}
        : {
            layers: cutter.cut(
              'outputLayers',
              output.layers.map((layer) => ({
                ...layer,
                name: shortText(layer.name),
                ...(layer.value == null ? {} : { value: shortText(layer.value) }),
              })),
            ),
          }),
    },
    ...(steps === undefined ? {} : { steps: cutter.cut('steps', steps) }),
    fields: {
      renamed: cutter.cut('fieldsRenamed', fields.renamed),
      retyped: cutter.cut('fieldsRetyped', fields.retyped),
      dropped: cutter.cut('fieldsDropped', fields.dropped),
    },
    reprojections: cutter.cut('reprojections', reprojections.map(boundedReprojection)),
  };
}

function withoutFields(layers: readonly LayerReport[]): LayerReport[] {
  return layers.map((layer) => ({
    ...layer,
    name: shortText(layer.name),
    file: shortText(layer.file),
    crs: shortText(layer.crs, MAX_CRS_CHARACTERS),
    crsName: shortText(layer.crsName),
    encoding: layer.encoding === null ? null : shortText(layer.encoding),
    fields: [],
  }));
}

/** Puts the fields back into the layers, in order, while there is room. */
function fieldsWithin(whole: readonly LayerReport[]): (layer: LayerReport, index: number) => LayerReport {
  let room = FIELDS_SHARE;
  return (layer, index) => {
    const { fields, fieldCount = fields.length } = whole[index];
    const kept = listWithin(
      fields.map(({ name, type }) => ({ name: shortText(name), type })),
      room,
    );
    room -= jsonBytes(kept);
    return { ...layer, fields: kept, ...(kept.length < fieldCount ? { fieldCount } : {}) };
  };
}

function boundedReprojection(reprojection: ReprojectionReport): ReprojectionReport {
  const { layer, from, to, operation, gridsUsed, gridsMissing } = reprojection;
  const grids = (names: readonly string[]): string[] =>
    names.slice(0, MAX_GRIDS).map((name) => shortText(name));
  return {
    ...reprojection,
    layer: shortText(layer),
    from: shortText(from, MAX_COMPOSED),
    to: shortText(to, MAX_COMPOSED),
    operation: shortText(operation, MAX_COMPOSED),
    gridsUsed: grids(gridsUsed),
    gridsMissing: grids(gridsMissing),
  };
}

/** Cuts lists to their shares and keeps their original lengths. */
class ListCutter {
  readonly #before: ReportTotals;
  readonly #totals: { -readonly [Name in keyof ReportTotals]: number } = {};

  /** `before`: lengths of lists that were cut earlier. */
  constructor(before: ReportTotals) {
    this.#before = before;
  }

  cut<Entry>(name: keyof ReportTotals, list: readonly Entry[]): readonly Entry[] {
    const total = this.#before[name] ?? list.length;
    const kept = listWithin(list, SHARES[name]);
    if (kept.length < total) this.#totals[name] = total;
    return kept;
  }

  totals(): { totals?: ReportTotals } {
    return Object.keys(this.#totals).length === 0 ? {} : { totals: this.#totals };
  }
}
