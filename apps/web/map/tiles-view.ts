/** Draws archives of tiles below the data of the map. Loaded when there is one. */
import { addProtocol, type LayerSpecification, type Map as MapLibre, removeProtocol } from 'maplibre-gl';
import { Protocol } from 'pmtiles';
import type { DrawnTiles } from '../model/open-tiles.ts';
import { TILES_FORMAT } from '../model/preview-format.ts';
import { KINDS, layersOf } from './data-style.ts';
import { paletteOf } from './icons.ts';
import type { Palette } from './palette.ts';

/** Of the map's sources and layers, so that they differ from those of data. */
const PREFIX = 'tiles ';

export class TilesView {
  readonly #map: MapLibre;
  /** Before which layer of the map tiles are drawn. */
  readonly #above: string;
  readonly #protocol = new Protocol();
  readonly #shown = new Map<string, DrawnTiles>();

  constructor(map: MapLibre, above: string) {
    this.#map = map;
    this.#above = above;
    addProtocol(TILES_FORMAT, this.#protocol.tile);
  }

  /** Draws these, and no other tiles. */
  show(wanted: readonly DrawnTiles[]): void {
    const ids = new Set(wanted.map(({ id }) => id));
    for (const shown of this.#shown.values()) if (!ids.has(shown.id)) this.#remove(shown);
    for (const tiles of wanted) this.#draw(tiles);
  }

  #draw(tiles: DrawnTiles): void {
    const source = PREFIX + tiles.id;
    const palette = paletteOf(this.#map.getContainer());
    if (!this.#shown.has(tiles.id)) {
      this.#protocol.add(tiles.archive);
      const url = `${TILES_FORMAT}://${tiles.archive.source.getKey()}`;
      this.#map.addSource(
        source,
        tiles.layers === null ? { type: 'raster', url, tileSize: 256 } : { type: 'vector', url },
      );
      for (const layer of specsOf(tiles, palette)) this.#map.addLayer(layer, this.#above);
    }
    for (const { id, name } of layerIds(tiles)) {
      const isShown = tiles.isVisible && (name === null || tiles.colours.has(name));
      this.#map.setLayoutProperty(id, 'visibility', isShown ? 'visible' : 'none');
    }
    this.#shown.set(tiles.id, tiles);
    this.#colour(tiles, palette);
  }

  #colour(tiles: DrawnTiles, { layers }: Palette): void {
    for (const [name, number] of tiles.colours)
      for (const kind of KINDS)
        this.#map.setPaintProperty(layerId(tiles, name, kind), `${kind}-color`, layers[number - 1]);
  }

  /** After the colour scheme of the page has changed. */
  recolour(palette: Palette): void {
    for (const tiles of this.#shown.values()) this.#colour(tiles, palette);
  }

  #remove(tiles: DrawnTiles): void {
    for (const { id } of layerIds(tiles)) this.#map.removeLayer(id);
    this.#map.removeSource(PREFIX + tiles.id);
    this.#shown.delete(tiles.id);
  }

  close(): void {
    removeProtocol(TILES_FORMAT);
  }
}

function layerId({ id }: DrawnTiles, name: string, kind: (typeof KINDS)[number]): string {
  return `${PREFIX}${JSON.stringify([id, name])} ${kind}`;
}

/** Layers of the map; `name`: of the layer of the tiles, null for pictures. */
function layerIds(tiles: DrawnTiles): { readonly id: string; readonly name: string | null }[] {
  if (tiles.layers === null) return [{ id: `${PREFIX}${tiles.id} pictures`, name: null }];
  return tiles.layers.flatMap((name) => KINDS.map((kind) => ({ id: layerId(tiles, name, kind), name })));
}

function specsOf(tiles: DrawnTiles, palette: Palette): LayerSpecification[] {
  const source = PREFIX + tiles.id;
  if (tiles.layers === null) return [{ id: `${source} pictures`, type: 'raster', source }];
  return tiles.layers.flatMap((name) =>
    layersOf(source, palette.layers[0], palette, false).map(
      (layer) =>
        ({
          ...layer,
          id: layerId(tiles, name, layer.type as never),
          'source-layer': name,
        }) as LayerSpecification,
    ),
  );
}
