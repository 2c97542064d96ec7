/** The selected feature: its attributes, and the way to the features before and after it. */
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { type GeometryKind, kindOf } from '../map/geometry.ts';
import { type MapLayer, mapLayers } from '../model/map-layers.ts';
import { type FeatureKey, selection } from '../model/selection.ts';
import { cellText } from '../model/table.ts';
import { countText } from './controls.tsx';

/** More features below a click are not listed. */
const MAX_HERE = 50;

const KIND_NAMES: Readonly<Record<GeometryKind, string>> = {
  point: 'point',
  line: 'line',
  polygon: 'polygon',
  collection: 'collection',
  none: 'without geometry',
};

export function FeatureCard(props: { readonly onZoom: (key: FeatureKey) => void }): JSX.Element | null {
  const chosen = selection.value;
  const number = useRef<HTMLInputElement>(null);
  const layer = mapLayers.value.find(({ id }) => id === chosen?.layerId);
  const feature = layer?.features.features[chosen?.index ?? -1];
  const isOpen = feature !== undefined;
  useLayoutEffect(() => {
    if (isOpen && selection.peek()?.from === 'list') number.current?.focus();
  }, [isOpen]);
  if (chosen === null || layer === undefined || feature === undefined) return null;
  const { index, here = [] } = chosen;
  const goTo = (next: number) => {
    if (next >= 0 && next < layer.drawn && next !== index)
      selection.value = { layerId: layer.id, index: next, from: 'list' };
  };
  const properties = Object.entries(feature.properties ?? {});
  const position = `Feature ${countText(index + 1)} of ${countText(layer.drawn)}, ${KIND_NAMES[kindOf(feature.geometry)]}`;
  return (
    <div class="picked" role="region" aria-label="Attributes">
      <div class="picked-head">
        <strong dir="auto">{layer.title}</strong>
        <button
          type="button"
          aria-label="Close the attributes"
          onClick={() => {
            selection.value = null;
          }}
        >
          ✕
        </button>
      </div>
      <p class="soft" role="status">
        {position}
      </p>
      <div class="picked-steps" role="group" aria-label="Features of this layer">
        <button type="button" disabled={index === 0} onClick={() => goTo(index - 1)}>
          ‹<span class="visually-hidden">Previous feature</span>
        </button>
        <input
          ref={number}
          type="number"
          min={1}
          max={layer.drawn}
          value={index + 1}
          aria-label="Number of the feature"
          onChange={({ currentTarget }) => {
            goTo(Math.round(currentTarget.valueAsNumber) - 1);
            currentTarget.value = String((selection.peek()?.index ?? index) + 1);
          }}
        />
        <button type="button" disabled={index + 1 >= layer.drawn} onClick={() => goTo(index + 1)}>
          ›<span class="visually-hidden">Next feature</span>
        </button>
        <button type="button" onClick={() => props.onZoom(chosen)}>
          Zoom<span class="visually-hidden"> to this feature</span>
        </button>
      </div>
      {here.length > 1 && <Here here={here} />}
      {properties.length === 0 && <p class="soft">This feature has no fields.</p>}
      <dl>
        {properties.map(([name, value]) => (
          <div key={name}>
            <dt dir="auto">{name}</dt>
            <dd dir="auto">{cellText(value) ?? <em>no value</em>}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

/** The features where the user clicked. */
function Here({ here }: { readonly here: readonly FeatureKey[] }): JSX.Element {
  const { value: chosen } = selection;
  const at = here.findIndex(({ layerId, index }) => layerId === chosen?.layerId && index === chosen.index);
  return (
    <div class="field">
      <select
        aria-label="Features at this place"
        value={at}
        onChange={({ currentTarget }) => {
          selection.value = { ...here[Number(currentTarget.value)], from: 'map', here };
        }}
      >
        {here.slice(0, MAX_HERE).map((key, i) => (
          <option key={i} value={i}>
            {nameOf(key)}
          </option>
        ))}
      </select>
      {here.length > MAX_HERE && (
        <small>and {countText(here.length - MAX_HERE)} more features at this place</small>
      )}
    </div>
  );
}

/** "plots.geojson, feature 3: Nordkai". */
function nameOf({ layerId, index }: FeatureKey): string {
  const layer = mapLayers.value.find(({ id }) => id === layerId) as MapLayer | undefined;
  const values = Object.values(layer?.features.features[index]?.properties ?? {});
  const text = values.find((value) => typeof value === 'string' && value.trim() !== '');
  return `${layer?.title ?? ''}, feature ${countText(index + 1)}${text === undefined ? '' : `: ${text}`}`;
}
