/** The grid of the map with its values at the edges, and the scale bar: in degrees and metres, or in the units of plain paper. */
import { GeoJSONSource, type Map as MapLibre } from 'maplibre-gl';
import type { Plane } from './plane.ts';
import {
  decimalsOf,
  degreeStep,
  latitudeText,
  longitudeText,
  metresPerPixel,
  metresText,
  niceStep,
  numberText,
  scaleBar,
  ticks,
  unitsPerPixel,
  unitsText,
} from './rulers.ts';

/** Between grid lines, at least. */
const GRID_PIXELS = 90;
const BAR_PIXELS = 150;
/** Web Mercator ends here. */
const MAX_LATITUDE = 85;

interface Grid {
  readonly stepX: number;
  readonly stepY: number;
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

export class RulersView {
  readonly #map: MapLibre;
  readonly #labels: HTMLElement;
  readonly #bar: HTMLElement;
  #plane: Plane | null = null;

  constructor(map: MapLibre) {
    this.#map = map;
    const container = map.getContainer();
    this.#labels = container.appendChild(document.createElement('div'));
    this.#labels.className = 'grid-labels';
    this.#labels.setAttribute('aria-hidden', 'true');
    this.#bar = container.appendChild(document.createElement('div'));
    this.#bar.className = 'scale-bar';
    map.on('move', () => this.#drawLabels());
    map.on('moveend', () => this.draw());
  }

  /** Null: longitude and latitude. */
  setPlane(plane: Plane | null): void {
    this.#plane = plane;
    this.draw();
  }

  /** After each move: the lines reach beyond the view by its size. */
  draw(): void {
    const grid = this.#grid();
    const [width, height] = [grid.east - grid.west, grid.north - grid.south];
    const within = (y: number) =>
      this.#plane === null ? Math.min(Math.max(y, -MAX_LATITUDE), MAX_LATITUDE) : y;
    const [south, north] = [within(grid.south - height), within(grid.north + height)];
    const [west, east] = [grid.west - width, grid.east + width];
    const at = (x: number, y: number) => this.#plane?.toLonLat(x, y) ?? [x, y];
    const lines = [
      ...ticks(west, east, grid.stepX).map((x) => [at(x, south), at(x, north)]),
      ...ticks(south, north, grid.stepY).map((y) => [at(west, y), at(east, y)]),
    ];
    const source = this.#map.getSource('grid');
    if (source instanceof GeoJSONSource)
      source.setData({
        type: 'Feature',
        properties: {},
        geometry: { type: 'MultiLineString', coordinates: lines },
      });
    this.#drawLabels();
    this.#drawBar();
  }

  /** What is in view, and the distances of lines. */
  #grid(): Grid {
    const bounds = this.#map.getBounds();
    const { clientWidth, clientHeight } = this.#map.getContainer();
    const corners = [
      [bounds.getWest(), bounds.getSouth()],
      [bounds.getEast(), bounds.getNorth()],
    ] as const;
    const [[west, south], [east, north]] = corners.map(([x, y]) => this.#plane?.fromLonLat(x, y) ?? [x, y]);
    const step = this.#plane === null ? degreeStep : niceStep;
    const stepX = step((GRID_PIXELS * (east - west)) / Math.max(clientWidth, 1));
    // On paper the squares are squares; degrees of latitude are further apart away from the equator.
    const stepY =
      this.#plane === null ? step((GRID_PIXELS * (north - south)) / Math.max(clientHeight, 1)) : stepX;
    return { stepX, stepY, west, south, east, north };
  }

  #drawLabels(): void {
    const { stepX, stepY, west, south, east, north } = this.#grid();
    const { clientWidth, clientHeight } = this.#map.getContainer();
    const plane = this.#plane;
    const labels: HTMLElement[] = [];
    const add = (text: string, side: 'bottom' | 'right', pixels: number, length: number) => {
      // Not where the other edge has its labels, nor under the buttons for zooming.
      if (pixels < (side === 'right' ? 104 : 24) || pixels > length - 40) return;
      const label = document.createElement('span');
      label.className = side;
      label.textContent = text;
      label.style[side === 'bottom' ? 'left' : 'top'] = `${Math.round(pixels)}px`;
      labels.push(label);
    };
    const [decimalsX, decimalsY] = [decimalsOf(stepX), decimalsOf(stepY)];
    for (const x of ticks(west, east, stepX)) {
      const [longitude, latitude] = plane?.toLonLat(x, (south + north) / 2) ?? [x, 0];
      const text = plane === null ? longitudeText(x, decimalsX) : unitsText(x, decimalsX);
      add(text, 'bottom', this.#map.project([longitude, latitude]).x, clientWidth);
    }
    const middle = this.#map.getCenter().lng;
    for (const y of ticks(Math.max(south, plane === null ? -MAX_LATITUDE : south), north, stepY)) {
      const latitude = plane?.toLonLat(0, y)[1] ?? y;
      const text = plane === null ? latitudeText(y, decimalsY) : unitsText(y, decimalsY);
      add(text, 'right', this.#map.project([middle, latitude]).y, clientHeight);
    }
    this.#labels.replaceChildren(...labels);
  }

  #drawBar(): void {
    const [zoom, { lat }, plane] = [this.#map.getZoom(), this.#map.getCenter(), this.#plane];
    const perPixel = plane === null ? metresPerPixel(zoom, lat) : unitsPerPixel(zoom, plane.scale);
    const { length, width } = scaleBar(perPixel, BAR_PIXELS);
    this.#bar.textContent = plane === null ? metresText(length) : `${numberText(length)} units`;
    this.#bar.style.width = `${Math.round(width)}px`;
  }
}
