/** Layers as the map draws them: which of them are shown, and their colours. */
import type { FeatureCollection } from '@geomill/client/client.ts';
import { computed, signal } from '@preact/signals';
import type { DataLayer } from '../map/data-style.ts';
import { type Classifier, type ColourClass, classifierOf, fieldNames, fieldValue } from './colour-classes.ts';
import { ground, hiddenKeys, type MapLayer, mapLayers, shownSide, visibilityKey } from './map-layers.ts';

/** The field by whose values each layer is coloured, by id of the layer. */
export const colourFields = signal<ReadonlyMap<string, string>>(new Map());

/** Null: the layer has one colour, or one for each of its parts. */
export function colourBy(layerId: string, field: string | null): void {
  const next = new Map(colourFields.peek());
  if (field === null) next.delete(layerId);
  else next.set(layerId, field);
  colourFields.value = next;
}

const knownFields = new WeakMap<FeatureCollection, readonly string[]>();

/** Fields by which a layer can be coloured. */
export function fieldsOf({ base, layerField }: MapLayer): readonly string[] {
  const known = knownFields.get(base) ?? fieldNames(base);
  knownFields.set(base, known);
  return known.filter((name) => name !== layerField);
}

interface Coloured {
  readonly field: string;
  readonly classifier: Classifier;
  /** Of each feature that is drawn. */
  readonly classes: NonNullable<DataLayer['classes']>;
  /** Features of each class that are drawn. */
  readonly counts: readonly number[];
}

/** The same object for the same features and field, so that the map is not drawn anew. */
const known = new WeakMap<FeatureCollection, Coloured>();

function colouredOf(layer: MapLayer): Coloured | null {
  const field = colourFields.value.get(layer.id);
  if (field === undefined || !fieldsOf(layer).includes(field)) return null;
  const { features, base } = layer;
  const before = known.get(features);
  if (before?.field === field) return before;
  // The classes are those of the whole, so that colours stay while the map moves.
  const classifier = classifierOf(base, field);
  const of = Uint8Array.from(features.features, ({ properties }) =>
    classifier.classOf(fieldValue(properties, field)),
  );
  const counts = classifier.classes.map(() => 0);
  for (const index of of) counts[index]++;
  const classes = { of, colours: classifier.classes.map(({ colour }) => colour) };
  const coloured = { field, classifier, classes, counts };
  known.set(features, coloured);
  return coloured;
}

export interface CountedClass extends ColourClass {
  readonly count: number;
}

/** The classes of a layer for the legend, without empty ones; null: it is not coloured by a field. */
export function countedClasses(layer: MapLayer): readonly CountedClass[] | null {
  const coloured = colouredOf(layer);
  if (coloured === null) return null;
  return coloured.classifier.classes.flatMap((one, i) =>
    coloured.counts[i] === 0 ? [] : [{ ...one, count: coloured.counts[i] }],
  );
}

/** The layers for the map. */
export const dataLayers = computed((): readonly DataLayer[] => {
  const [hidden, side] = [hiddenKeys.value, shownSide.value];
  const excluded = side === 'both' ? null : side === 'before' ? 'result' : 'source';
  return mapLayers.value.map((layer) => {
    const { id, role, features, ground: layerGround, layerField, parts } = layer;
    return {
      id,
      role,
      features,
      colours: new Map(parts.map(({ name, colour }) => [name, colour])),
      classes: colouredOf(layer)?.classes ?? null,
      isVisible: ground.value === layerGround && role !== excluded && !hidden.has(visibilityKey(id, null)),
      hiddenParts:
        layerField === null
          ? null
          : {
              property: layerField,
              values: parts.flatMap(({ name }) =>
                name !== null && hidden.has(visibilityKey(id, name)) ? [name] : [],
              ),
            },
    };
  });
});
