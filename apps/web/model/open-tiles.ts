/** Archives of tiles that the map shows: what is in them, and which of their layers are drawn in which colours. */
import { computed, effect, signal, untracked } from '@preact/signals';
import { PMTiles, TileType } from 'pmtiles';
import type { EngineJob } from '../engines/engine.ts';
import type { LonLatBox } from '../map/extent.ts';
import { type Loading, messageOf } from '../service.ts';
import { needsSession, pageToken } from '../session.ts';
import { assignColours } from './layer-colours.ts';
import { chosenGround, ground, hiddenKeys, mapLayers, shownSide, visibilityKey } from './map-layers.ts';
import { isolated } from './map-summary.ts';
import { requestFit } from './overlays.ts';
import type { TileLayer } from './tile-files.ts';
import { tileLayers } from './tile-layers.ts';

export interface OpenTiles {
  readonly archive: PMTiles;
  readonly box: LonLatBox;
  readonly minZoom: number;
  readonly maxZoom: number;
  /** Names of the layers of vector tiles; null: the tiles are pictures. */
  readonly layers: readonly string[] | null;
}

/** By id of the layer. */
export const openTiles = signal<ReadonlyMap<string, Loading<OpenTiles>>>(new Map());

/** Opens the archives that come, until the map is closed. */
export function followTiles(): () => void {
  return effect(() => {
    const layers = tileLayers.value;
    untracked(() => {
      for (const layer of layers) if (!openTiles.peek().has(layer.id)) void open(layer);
    });
  });
}

async function open({ id, content }: TileLayer): Promise<void> {
  const readBytes = content instanceof Blob ? readerOfBlob(async () => content) : readerOfJob(content);
  const change = (state: Loading<OpenTiles>) => {
    openTiles.value = new Map(openTiles.peek()).set(id, state);
  };
  change({ state: 'loading' });
  const archive = new PMTiles({
    getKey: () => id,
    getBytes: async (offset, length, signal) => ({ data: await readBytes(offset, length, signal) }),
  });
  try {
    const header = await archive.getHeader();
    const isVector = header.tileType === TileType.Mvt;
    const metadata = isVector
      ? ((await archive.getMetadata()) as { vector_layers?: { id: string }[] })
      : null;
    const box: LonLatBox = [header.minLon, header.minLat, header.maxLon, header.maxLat];
    change({
      state: 'ready',
      value: {
        archive,
        box,
        minZoom: header.minZoom,
        maxZoom: header.maxZoom,
        layers: metadata?.vector_layers?.map((layer) => layer.id) ?? (isVector ? [] : null),
      },
    });
    // Other data is in view already.
    if (mapLayers.peek().length === 0) {
      chosenGround.value = 'earth';
      requestFit(box);
    }
  } catch (error) {
    change({ state: 'failed', message: messageOf(error) });
  }
}

type ReadBytes = (offset: number, length: number, signal?: AbortSignal) => Promise<ArrayBuffer>;

/**
 * Reads the output of a job in parts: of a large file only the tiles in view are fetched from a service. What this tab has made is
 * in it already.
 */
function readerOfJob(handle: EngineJob): ReadBytes {
  if (handle.links.areShareable) return (...range) => outputBytes(handle.links.output, ...range);
  let content: Promise<Blob> | null = null;
  return readerOfBlob(() => {
    content ??= handle.download().then((output) => output.blob());
    return content;
  });
}

function readerOfBlob(content: () => Promise<Blob>): ReadBytes {
  return async (offset, length) => (await content()).slice(offset, offset + length).arrayBuffer();
}

async function outputBytes(
  url: string,
  offset: number,
  length: number,
  signal?: AbortSignal,
): Promise<ArrayBuffer> {
  const response = await fetch(url, {
    headers: {
      range: `bytes=${offset}-${offset + length - 1}`,
      ...(needsSession ? { authorization: `Bearer ${await pageToken()}` } : {}),
    },
    ...(signal === undefined ? {} : { signal }),
  });
  if (!response.ok) throw new Error(`The service answered ${response.status} for a part of the tiles.`);
  const bytes = await response.arrayBuffer();
  // A proxy may send the whole file.
  return response.status === 206 ? bytes : bytes.slice(offset, offset + length);
}

/** As the map draws it. */
export interface DrawnTiles extends OpenTiles {
  readonly id: string;
  readonly isVisible: boolean;
  /** Layers that are drawn, with the numbers of their colours. */
  readonly colours: ReadonlyMap<string, number>;
}

let lastColours: ReadonlyMap<string, number> = new Map();

/** Numbers of colours, by the keys of layers of tiles: those that the other layers of the map use least. */
const colours = computed((): ReadonlyMap<string, number> => {
  const others = mapLayers.value.flatMap(({ id, parts }) =>
    parts.map(({ name, colour }) => [visibilityKey(id, name), colour] as const),
  );
  const keys = tileLayers.value.flatMap(({ id }) => namesOf(id).map((name) => visibilityKey(id, name)));
  const before = new Map([...lastColours, ...others]);
  lastColours = assignColours(before, [...others.map(([key]) => key), ...keys]);
  return lastColours;
});

function namesOf(id: string): readonly string[] {
  const opened = openTiles.value.get(id);
  return opened?.state === 'ready' ? (opened.value.layers ?? []) : [];
}

export function colourOfTiles(id: string, name: string): number {
  return colours.value.get(visibilityKey(id, name)) ?? 1;
}

export const drawnTiles = computed((): readonly DrawnTiles[] => {
  const [hidden, side] = [hiddenKeys.value, shownSide.value];
  const excluded = side === 'both' ? null : side === 'before' ? 'result' : 'source';
  return tileLayers.value.flatMap(({ id, role }) => {
    const opened = openTiles.value.get(id);
    if (opened?.state !== 'ready') return [];
    const isVisible = ground.value === 'earth' && role !== excluded && !hidden.has(visibilityKey(id, null));
    const shown = namesOf(id).filter((name) => !hidden.has(visibilityKey(id, name)));
    return [
      {
        ...opened.value,
        id,
        isVisible,
        colours: new Map(shown.map((name) => [name, colourOfTiles(id, name)])),
      },
    ];
  });
});

/** "a.pmtiles: tiles for the zoom levels 0 to 14, with the layers roads and parcels." */
export const tileSentences = computed((): readonly string[] =>
  tileLayers.value.map(({ id, title }) => {
    const opened = openTiles.value.get(id);
    if (opened?.state !== 'ready')
      return `${isolated(title)}: ${opened?.state === 'failed' ? 'not drawn' : 'loading'}.`;
    const { minZoom, maxZoom, layers } = opened.value;
    const content =
      layers === null
        ? 'pictures'
        : layers.length === 1
          ? `layer ${isolated(layers[0])}`
          : `layers ${layers.map(isolated).join(', ')}`;
    return `${isolated(title)}: tiles for the zoom levels ${minZoom} to ${maxZoom}, ${content}.`;
  }),
);
