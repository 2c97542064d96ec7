/** Properties of entities other than geometry: layer, colour, linetype, handle, subclasses; and what blocks inherit. */
import type { EntityTags } from '../contract.ts';
import { type Drawing, foldName } from '../head/drawing.ts';
import { COLOR_BY_BLOCK, COLOR_BY_LAYER, colorOfIndex, colorOfLayer, colorText } from './colors.ts';

/** Entities of a block on this layer take the layer of the INSERT. */
const INHERITING_LAYER = '0';
const MAX_SUBCLASSES = 16;
const FIRST_XDATA_CODE = 1000;
const encoder = new TextEncoder();

/** A layer as entities use it. */
interface LayerUse {
  readonly name: string;
  readonly nameBytes: Uint8Array;
  readonly rgb: number;
  /** Null if the layer table does not define it. */
  readonly linetype: string | null;
  /** Null: it is visible. */
  readonly state: 'off' | 'frozen' | null;
}

/** The value of an ATTRIB. */
export interface AttribValue {
  readonly tag: string;
  readonly text: string;
}

/** Properties that an INSERT passes to the entities of its block. */
export interface Inherited {
  readonly layer: LayerUse;
  readonly rgb: number;
  readonly linetype: string | null;
  /** Name of the outermost block; null for the anonymous blocks of dimensions and tables. */
  readonly blockBytes: Uint8Array | null;
  /** Handle of the outermost INSERT. */
  readonly handleBytes: Uint8Array | null;
  readonly isPaperSpace: boolean;
  /** Attributes of the innermost INSERT come first: of two with the same tag the first is used. */
  readonly attribs: readonly AttribValue[];
}

export class LayerTable {
  readonly #drawing: Drawing;
  readonly #uses = new Map<string, LayerUse>();
  #lastName = '';
  #last: LayerUse | null = null;

  constructor(drawing: Drawing) {
    this.#drawing = drawing;
  }

  /** Layers missing in the table have AutoCAD's defaults: visible, colour 7. */
  use(name: string): LayerUse {
    if (name === this.#lastName && this.#last !== null) return this.#last;
    let use = this.#uses.get(name);
    if (use === undefined) {
      const record = this.#drawing.layers.get(foldName(name));
      const state =
        record === undefined ? null : record.isFrozen ? 'frozen' : record.colorIndex < 0 ? 'off' : null;
      const linetype = record === undefined || record.linetype === '' ? null : record.linetype;
      use = { name, nameBytes: encoder.encode(name), rgb: colorOfLayer(record), linetype, state };
      this.#uses.set(name, use);
    }
    this.#lastName = name;
    this.#last = use;
    return use;
  }
}

/** The properties of the current entity; one instance serves all entities of a partition. */
export class EntityProperties {
  layer: LayerUse;
  rgb = 0;
  linetype: string | null = null;
  isPaperSpace = false;
  /** Index of the tag with the handle (code 5, in dimension styles 105); -1: none. */
  handleAt = -1;
  subclassCount = 0;
  /** Indices of the tags with code 100. */
  readonly subclassAt = new Int32Array(MAX_SUBCLASSES);
  readonly #layers: LayerTable;

  constructor(layers: LayerTable) {
    this.#layers = layers;
    this.layer = layers.use(INHERITING_LAYER);
  }

  read(tags: EntityTags, inherited: Inherited | null): void {
    let layerAt = -1;
    let linetypeAt = -1;
    let colorAt = -1;
    let trueColorAt = -1;
    let paperSpaceAt = -1;
    this.handleAt = -1;
    this.subclassCount = 0;
    const { codes, count } = tags;
    for (let i = 0; i < count; i++) {
      const code = codes[i];
      if (code >= FIRST_XDATA_CODE) break;
      if (code === 100) {
        if (this.subclassCount < MAX_SUBCLASSES) this.subclassAt[this.subclassCount++] = i;
      } else if (this.subclassCount > 1) {
        // After the second marker the meaning of codes depends on the subclass.
      } else if (code === 8) layerAt = i;
      else if (code === 5) this.handleAt = i;
      else if (code === 62) colorAt = i;
      else if (code === 6) linetypeAt = i;
      else if (code === 67) paperSpaceAt = i;
      else if (code === 420) trueColorAt = i;
    }
    this.#readLayer(tags, layerAt, inherited);
    this.#readColor(tags, colorAt, trueColorAt, inherited);
    this.#readLinetype(tags, linetypeAt, inherited);
    this.isPaperSpace =
      inherited === null
        ? paperSpaceAt >= 0 && Math.trunc(tags.real(paperSpaceAt)) === 1
        : inherited.isPaperSpace;
  }

  get colorText(): string {
    return colorText(this.rgb);
  }

  /** The properties that an INSERT with these properties passes on; `outer` are those it inherited itself. */
  handOn(
    tags: EntityTags,
    block: string | null,
    attribs: readonly AttribValue[],
    outer: Inherited | null,
  ): Inherited {
    return {
      layer: this.layer,
      rgb: this.rgb,
      linetype: this.linetype,
      blockBytes: outer !== null ? outer.blockBytes : block === null ? null : encoder.encode(block),
      handleBytes: outer !== null ? outer.handleBytes : this.#handleBytes(tags),
      isPaperSpace: this.isPaperSpace,
      attribs:
        outer === null ? attribs : attribs.length === 0 ? outer.attribs : [...attribs, ...outer.attribs],
    };
  }

  #handleBytes(tags: EntityTags): Uint8Array | null {
    return this.handleAt < 0 ? null : encoder.encode(tags.text(this.handleAt).trim());
  }

  #readLayer(tags: EntityTags, at: number, inherited: Inherited | null): void {
    const name = at < 0 ? INHERITING_LAYER : tags.text(at);
    this.layer = inherited !== null && name === INHERITING_LAYER ? inherited.layer : this.#layers.use(name);
  }

  #readColor(tags: EntityTags, indexAt: number, trueColorAt: number, inherited: Inherited | null): void {
    const trueColor = trueColorAt < 0 ? Number.NaN : tags.real(trueColorAt);
    const index = indexAt < 0 ? COLOR_BY_LAYER : Math.trunc(tags.real(indexAt));
    if (!Number.isNaN(trueColor)) this.rgb = trueColor & 0xffffff;
    // Outside of a block ByBlock is drawn in the contrast colour, as index 7.
    else if (index === COLOR_BY_BLOCK) this.rgb = inherited === null ? colorOfIndex(7) : inherited.rgb;
    else if (Math.abs(index) >= 1 && Math.abs(index) <= 255) this.rgb = colorOfIndex(index);
    else this.rgb = this.layer.rgb;
  }

  #readLinetype(tags: EntityTags, at: number, inherited: Inherited | null): void {
    const name = at < 0 ? '' : tags.text(at);
    const folded = name.length === 7 ? foldName(name) : '';
    if (name === '' || folded === 'BYLAYER') this.linetype = this.layer.linetype;
    else if (folded === 'BYBLOCK') this.linetype = inherited === null ? 'Continuous' : inherited.linetype;
    else this.linetype = name;
  }
}
