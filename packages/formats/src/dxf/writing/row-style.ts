/** The layer and the colour of features from their fields. */
import { type AttributeColumn, isValid, valueAt } from '@geomill/core/columns/attribute-column.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { formatFindings } from '../../findings.ts';
import { dxfFindings } from '../messages.ts';
import { layerKey, legalLayerName } from './layer-names.ts';

const encoder = new TextEncoder();
const NOTHING = new Uint8Array(0);
/** Greatest number of distinct values whose tags are cached; a field with more is not a field of layers or colours. */
const MAX_KEPT = 10_000;

/** The column of a field by its name; null if there is none. */
export function columnOf(batch: FeatureBatch, name: string | null): AttributeColumn | null {
  const index = name === null ? -1 : batch.fields.findIndex((field) => field.name === name);
  return index < 0 ? null : batch.columns[index];
}

/** A value as text for people: JSON strings without their quotes. Null for null rows. */
export function textAt(column: AttributeColumn, row: number): string | null {
  const value = valueAt(column, row);
  if (value === null || value instanceof Uint8Array) return null;
  if (column.type !== 'json') return String(value);
  const parsed: unknown = JSON.parse(value as string);
  return parsed === null ? null : typeof parsed === 'string' ? parsed : (value as string);
}

export class RowLayers {
  /** The names used so far, one spelling each. */
  readonly names = new Map<string, string>();
  readonly #column: AttributeColumn | null;
  readonly #findings: Findings;
  readonly #kept = new Map<string, Uint8Array | null>();
  readonly #partTag: Uint8Array | null;

  constructor(
    batch: FeatureBatch,
    { layerField, partLayer }: { readonly layerField: string | null; readonly partLayer: string | null },
    findings: Findings,
  ) {
    this.#column = columnOf(batch, layerField);
    this.#findings = findings;
    this.#partTag = partLayer === null ? null : encoder.encode(`8\n${partLayer}\n`);
    if (partLayer !== null) this.names.set(layerKey(partLayer), partLayer);
  }

  /** Whether the batch has the field. */
  get isFound(): boolean {
    return this.#column !== null;
  }

  /** The tag of the row's layer; null: the layer for its geometry. */
  tag(row: number): Uint8Array | null {
    if (this.#partTag !== null) return this.#partTag;
    const column = this.#column;
    if (column === null || !isValid(column.validity, row)) return null;
    const text = textAt(column, row);
    if (text === null || text === '') return null;
    let tag = this.#kept.get(text);
    if (tag === undefined) {
      tag = this.#tagOf(text, row);
      if (this.#kept.size < MAX_KEPT) this.#kept.set(text, tag);
    }
    return tag;
  }

  #tagOf(text: string, row: number): Uint8Array | null {
    const name = legalLayerName(text);
    if (name !== text) {
      const params = { from: text, to: name ?? 'the layer of the geometry', format: 'DXF' };
      this.#findings.note(formatFindings.LAYER_RENAMED, params, { record: row + 1 });
    }
    if (name === null) return null;
    const key = layerKey(name);
    const spelling = this.names.get(key) ?? name;
    this.names.set(key, spelling);
    return encoder.encode(`8\n${spelling}\n`);
  }
}

export class RowColors {
  readonly #column: AttributeColumn | null;
  readonly #field: string;
  readonly #findings: Findings;
  readonly #kept = new Map<string, Uint8Array | null>();

  constructor(batch: FeatureBatch, field: string | null, findings: Findings) {
    this.#column = columnOf(batch, field);
    this.#field = field ?? '';
    this.#findings = findings;
  }

  /** Whether the batch has the field. */
  get isFound(): boolean {
    return this.#column !== null;
  }

  /** The tag of the row's colour; empty: that of its layer. */
  tag(row: number): Uint8Array {
    const column = this.#column;
    if (column === null || !isValid(column.validity, row)) return NOTHING;
    const text = textAt(column, row) ?? '';
    let tag = this.#kept.get(text);
    if (tag === undefined) {
      tag = colorTag(text.trim());
      if (this.#kept.size < MAX_KEPT) this.#kept.set(text, tag);
    }
    if (tag !== null) return tag;
    const location = { record: row + 1, field: this.#field };
    this.#findings.note(dxfFindings.COLOR_NOT_DRAWN, { field: this.#field }, location);
    return NOTHING;
  }
}

/** #rrggbb, #rgb or an AutoCAD colour index from 0 (ByBlock) to 256 (ByLayer); null for anything else. */
function colorTag(text: string): Uint8Array | null {
  if (text === '') return NOTHING;
  const long = /^#([0-9a-f]{6})$/i.exec(text);
  const short = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/i.exec(text);
  const rgb =
    long?.[1] ??
    (short === null
      ? null
      : short
          .slice(1)
          .map((digit) => digit + digit)
          .join(''));
  if (rgb !== null) return encoder.encode(`420\n${Number.parseInt(rgb, 16)}\n`);
  const index = /^\d{1,3}$/.test(text) ? Number(text) : 257;
  return index > 256 ? null : encoder.encode(`62\n${index}\n`);
}
