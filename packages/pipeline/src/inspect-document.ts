/** The JSON of an inspection, with keys as the API writes them; its schema is in http/schemas/inspection.ts. */
import { encodingCandidates } from '@geomill/core/bytes/encoding-candidates.ts';
import { factsDocument } from '@geomill/core/columns/field-facts.ts';
import type { Catalogue } from '@geomill/core/messages/catalogue-entries.ts';
import { severitiesOf, shownFindings } from '@geomill/core/messages/findings.ts';
import { CONFIG_FORM } from '@geomill/core/messages/message.ts';
import type { FileText } from '@geomill/formats/reader.ts';
import type { DryRun, Inspection, LayerInspection } from './inspection.ts';
import { snakeCaseKeys } from './report.ts';
import { errorDocument, stepDocuments } from './report-document.ts';

/** `form`: how messages refer to fields of the request. */
export function inspectionDocument(
  { format, layers, text, warnings }: Inspection,
  dryRun: DryRun | null,
  catalogue: Catalogue,
  form = CONFIG_FORM,
): object {
  return {
    format,
    layers: layers.map(layerDocument),
    text: text === null ? null : textDocument(text),
    warnings: snakeCaseKeys(shownFindings(warnings, catalogue, form)),
    output: dryRun === null ? null : dryRunDocument(dryRun, catalogue),
  };
}

function layerDocument(layer: LayerInspection): object {
  const { crs } = layer;
  return {
    name: layer.name,
    features: layer.features,
    // The keys are names of geometry types, which are not converted to snake_case.
    geometry_types: layer.geometryTypes,
    has_z: layer.hasZ,
    has_m: layer.hasM,
    extent: layer.extent,
    crs:
      crs === null
        ? null
        : {
            name: crs.name,
            authority: crs.authority,
            kind: crs.kind,
            unit_name: crs.unitName,
            origin: crs.origin,
          },
    crs_suggestions: layer.crsSuggestions,
    metres_per_unit: layer.metresPerUnit,
    encoding: layer.encoding,
    fields: layer.fields.map(({ name, type, nonNull, facts }) => ({
      name,
      type,
      non_null: nonNull,
      facts: facts === undefined ? null : factsDocument(facts),
    })),
  };
}

function textDocument({ encoding, origin, samples, table }: FileText): object {
  return {
    encoding,
    origin,
    candidates: encodingCandidates(samples, encoding),
    table:
      table === null
        ? null
        : {
            delimiter: table.delimiter,
            header_line: table.headerLine,
            columns: table.columns,
            column_count: table.columnCount,
            rows: table.rows,
            options: table.options,
          },
  };
}

function dryRunDocument(dryRun: DryRun, catalogue: Catalogue): object {
  if ('error' in dryRun) return { format: dryRun.format, error: errorDocument(dryRun.error) };
  const { output, features, fields, reprojections, warnings } = dryRun.report;
  return {
    format: output.format,
    crs: output.crs,
    media_type: output.mediaType,
    bytes: output.byteLength,
    features,
    steps: stepDocuments(dryRun.report, dryRun.request),
    fields,
    reprojections: snakeCaseKeys(reprojections),
    warnings: snakeCaseKeys(shownFindings(warnings, catalogue)),
    severities: severitiesOf(dryRun.report, catalogue),
  };
}
