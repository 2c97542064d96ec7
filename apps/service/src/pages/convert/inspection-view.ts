/** What an inspection found, and the way on to a conversion. */
import type { OwnInspectedLayer, OwnInspection } from '../account/own-jobs.ts';
import { table } from '../account/pages/parts.ts';
import { type Html, type HtmlValue, html } from '../html.ts';

/** Layers and fields that the page lists; the JSON has all. */
const MAX_LAYERS = 50;
const MAX_FIELDS = 200;

/** `isStated`: the form stated the CRS; otherwise it comes from the file. */
export function inspectionView({ layers }: OwnInspection, isStated: boolean): Html {
  const hidden = layers.length - MAX_LAYERS;
  return html`${layers.slice(0, MAX_LAYERS).map((layer) => layerView(layer, isStated))}
${hidden > 0 ? html`<p class="soft">${hidden} more layers are in the JSON.</p>` : null}`;
}

function layerView(layer: OwnInspectedLayer, isStated: boolean): Html {
  const { name, features, fields, extent, encoding } = layer;
  const facts: readonly (readonly [string, HtmlValue])[] = [
    ['Features', features],
    ['Geometry', geometryText(layer)],
    ['CRS', crsText(layer, isStated)],
    ['Extent', extent === null ? 'no coordinates' : html`<code>${extent.map(shortNumber).join(', ')}</code>`],
    ...(encoding === null ? [] : [['Encoding', encoding] as const]),
    ['Fields', fields.length],
  ];
  return html`<h2>Layer ${name}</h2>
<dl>${facts.map(([head, fact]) => html`<div><dt>${head}</dt><dd>${fact}</dd></div>`)}</dl>
${fieldTable(layer)}`;
}

function geometryText({ geometryTypes, hasZ }: OwnInspectedLayer): string {
  const kinds = Object.entries(geometryTypes).map(([type, count]) => `${type} (${count})`);
  return `${kinds.length === 0 ? 'none' : kinds.join(', ')}${hasZ ? ', with Z' : ''}`;
}

function crsText({ crs }: OwnInspectedLayer, isStated: boolean): HtmlValue {
  if (crs === null) return html`<b>unknown</b>: the file does not state it`;
  const code = crs.code === null ? '' : `${crs.code}, `;
  return html`<b>${code}${crs.name}</b>, in ${crs.unit}s, ${isStated ? 'as you entered' : 'from the file'}`;
}

/** Extents need no more than a few digits to be compared. */
function shortNumber(value: number): string {
  return String(Number(value.toPrecision(10)));
}

function fieldTable({ name, features, fields }: OwnInspectedLayer): Html | null {
  if (fields.length === 0) return null;
  const rows = fields
    .slice(0, MAX_FIELDS)
    .map((field) => [field.name, field.type, html`${field.nonNull} of ${features}`]);
  const hidden = fields.length - MAX_FIELDS;
  return html`${table(`Fields of layer ${name}`, ['Field', 'Type', 'Values'], rows)}
${hidden > 0 ? html`<p class="soft">${hidden} more fields are in the JSON.</p>` : null}`;
}
