/** The second source of a step: another source, or an area that is drawn on the map, given as numbers, or pasted. */
import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { extentOf, type LonLatBox } from '../map/extent.ts';
import {
  areaText,
  boundsOf,
  boundsProblem,
  featuresOf,
  MAX_AREA_LENGTH,
  rectangle,
  roundDegrees,
} from '../model/area.ts';
import {
  changeStep,
  chooseStepFile,
  type Options,
  type StepChoice,
  type WorkspaceDocument,
} from '../model/document.ts';
import { startDrawing } from '../model/drawing.ts';
import { requestFit, viewBox } from '../model/overlays.ts';
import { readPasted } from '../model/pasted.ts';
import { addSource, sources } from '../model/sources.ts';
import { type FileParameter, fileAreaOf } from '../model/step-areas.ts';
import { workspace } from '../model/workspace.ts';
import { Busy, countText, SelectField } from './controls.tsx';
import { PasteField } from './paste-box.tsx';

interface Props {
  readonly step: StepChoice;
  readonly parameter: FileParameter;
  /** "Area to keep". */
  readonly label: string;
  /** What the service says is wrong with it. */
  readonly problem: string | null;
}

export function AreaControl(props: Props): JSX.Element {
  const { step, parameter } = props;
  const document = workspace.current.value;
  const value = parameter.name === null ? undefined : step.params[parameter.name];
  const [isPasting, setPasting] = useState(false);
  const upload = step.params[`${parameter.part}_upload`];
  const setArea = (area: object) => {
    workspace.edit((now) => withArea(now, step.key, parameter, area), `area ${step.key}`);
  };
  const fromFile = fileAreaOf(document, step);
  const features =
    step.file === undefined ? featuresOf(value) : fromFile?.state === 'ready' ? fromFile.value : null;
  const box = features === null ? null : extentOf([features]);
  const isEmpty = value === undefined && step.file === undefined && upload === undefined;
  return (
    <fieldset class="mask">
      <legend>
        {props.label}
        {isEmpty && <span class="required"> (required)</span>}
      </legend>
      {!isEmpty && (
        <p class="actions">
          <span dir="auto">
            {nowText(step, value, fromFile?.state === 'ready' ? fromFile.value.features.length : null)}
          </span>
          {box !== null && (
            <button type="button" class="link" onClick={() => requestFit(box)}>
              Show on the map
            </button>
          )}
          <button
            type="button"
            class="link"
            onClick={() => workspace.edit((now) => withArea(now, step.key, parameter, undefined))}
          >
            Remove
            <span class="visually-hidden"> {parameter.uses === 'polygons' ? 'the area' : 'the source'}</span>
          </button>
        </p>
      )}
      {parameter.name !== null && step.file === undefined && upload === undefined && (
        <>
          {(isEmpty || boundsOf(value) !== null) && <Bounds value={boundsOf(value)} onChange={setArea} />}
          <div class="actions" role="group" aria-label={props.label}>
            <button type="button" onClick={() => startDrawing('rectangle', setArea)}>
              Draw a rectangle
            </button>
            <button type="button" onClick={() => startDrawing('polygon', setArea)}>
              Draw a polygon
            </button>
            {viewBox.value !== null && (
              <button type="button" onClick={() => setArea(areaOfView(viewBox.peek()))}>
                Area of the map
              </button>
            )}
            <button type="button" aria-expanded={isPasting} onClick={() => setPasting(!isPasting)}>
              Paste…
            </button>
          </div>
          {isPasting && (
            <PasteArea
              onArea={(area) => {
                setArea(area);
                setPasting(false);
              }}
              onSource={(path) => {
                workspace.edit((now) => withFile(now, step.key, parameter, path));
                setPasting(false);
              }}
            />
          )}
        </>
      )}
      {upload === undefined && <SourceChoice {...props} />}
      {fromFile?.state === 'loading' && <Busy label="Drawing the area…" />}
      {fromFile?.state === 'failed' && <p class="invalid">Not drawn: {fromFile.message}</p>}
      {props.problem !== null && <p class="invalid">{props.problem}</p>}
    </fieldset>
  );
}

function nowText({ file, params }: StepChoice, value: unknown, count: number | null): string {
  if (file !== undefined) {
    const layer = params[`${file.part}_layer`];
    const polygons = count === null ? '' : `, ${countText(count)} ${count === 1 ? 'polygon' : 'polygons'}`;
    return `${file.path}${layer === undefined ? '' : `, ${String(layer)}`}${polygons}`;
  }
  if (value === undefined) return 'A file of an earlier job';
  const text = areaText(value);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The step with another area, and without what it had before. */
function withArea(
  document: WorkspaceDocument,
  key: number,
  { name, part }: FileParameter,
  area: object | undefined,
): WorkspaceDocument {
  const step = document.steps.find((one) => one.key === key);
  if (step === undefined) return document;
  const params = {
    ...withoutArea(step.params, { name, part }),
    ...(area === undefined || name === null ? {} : { [name]: area }),
  };
  return changeStep(document, key, { params, file: undefined });
}

function withoutArea(params: Options, { name, part }: Pick<FileParameter, 'name' | 'part'>): Options {
  const kept = Object.entries(params).filter(
    ([one]) => one !== name && one !== part && !one.startsWith(`${part}_`),
  );
  return Object.fromEntries(kept);
}

/** With the only layer that has polygons, or the first one of several. */
function withFile(
  document: WorkspaceDocument,
  key: number,
  parameter: FileParameter,
  path: string,
): WorkspaceDocument {
  const step = document.steps.find((one) => one.key === key);
  if (step === undefined) return document;
  const { part } = parameter;
  const names = layersOf(path, parameter.uses);
  const params = {
    ...withoutArea(step.params, parameter),
    ...(names.length > 1 ? { [`${part}_layer`]: names[0] } : {}),
  };
  return chooseStepFile(document, key, { part, path }, params);
}

/** Names of the layers; where polygons are used, those with polygons first. */
function layersOf(path: string, uses: FileParameter['uses']): string[] {
  const inspection = sources.value.get(path)?.inspection;
  if (inspection?.state !== 'ready') return [];
  const isArea = (types: object) => Object.keys(types).some((type) => /polygon/i.test(type));
  const { layers } = inspection.value;
  if (uses !== 'polygons') return layers.map(({ name }) => name);
  return layers
    .toSorted((a, b) => Number(isArea(b.geometry_types)) - Number(isArea(a.geometry_types)))
    .map(({ name }) => name);
}

function SourceChoice({ step, parameter }: Props): JSX.Element | null {
  const { part } = parameter;
  const paths = workspace.current.value.inputs.map(({ path }) => path);
  const chosen = step.file?.path;
  const all = chosen === undefined || paths.includes(chosen) ? paths : [chosen, ...paths];
  const filterId = useId();
  if (all.length === 0) return null;
  const set = (name: string, value: string) =>
    workspace.edit((document) => {
      const { [name]: _old, ...others } =
        document.steps.find(({ key }) => key === step.key)?.params ?? step.params;
      return changeStep(document, step.key, { params: value === '' ? others : { ...others, [name]: value } });
    }, `area ${step.key} ${name}`);
  const layers = chosen === undefined ? [] : layersOf(chosen, parameter.uses);
  const layer = String(step.params[`${part}_layer`] ?? '');
  const filter = step.params[`${part}_filter`];
  return (
    <>
      <SelectField
        label={parameter.uses === 'polygons' ? 'Polygons of a source' : 'Source'}
        value={chosen ?? ''}
        choices={[['', 'None'], ...all.map((path) => [path, path] as const)]}
        onChange={(path) =>
          workspace.edit((document) =>
            path === ''
              ? withArea(document, step.key, parameter, undefined)
              : withFile(document, step.key, parameter, path),
          )
        }
      />
      {chosen !== undefined && (
        <>
          {!paths.includes(chosen) && (
            <p class="invalid">This file is not among the sources. Add it, or choose another one.</p>
          )}
          {(layers.length > 1 || layer !== '') && (
            <SelectField
              label="Layer"
              value={layer}
              choices={[...new Set([...layers, layer])].map((name) => [name, name === '' ? 'Choose…' : name])}
              onChange={(name) => set(`${part}_layer`, name)}
            />
          )}
          <div class="field">
            <label for={filterId}>Only features where</label>
            <input
              id={filterId}
              type="text"
              spellcheck={false}
              placeholder="name = 'A'"
              value={filter === undefined ? '' : typeof filter === 'string' ? filter : JSON.stringify(filter)}
              onChange={({ currentTarget }) => set(`${part}_filter`, currentTarget.value.trim())}
            />
          </div>
        </>
      )}
    </>
  );
}

function areaOfView(view: LonLatBox | null): object {
  const [west, south, east, north] = view ?? [-180, -90, 180, 90];
  if (east - west >= 360) return rectangle([-180, clampLatitude(south), 180, clampLatitude(north)]);
  const turns = Math.floor((west + 180) / 360) * 360;
  return rectangle([
    roundDegrees(west - turns),
    clampLatitude(south),
    roundDegrees(east - turns),
    clampLatitude(north),
  ]);
}

function clampLatitude(latitude: number): number {
  return roundDegrees(Math.min(90, Math.max(-90, latitude)));
}

const SIDES = ['West', 'South', 'East', 'North'] as const;

/** A rectangle as four numbers. Incomplete ones stay in the fields until they are an area. */
function Bounds(props: {
  readonly value: LonLatBox | null;
  readonly onChange: (area: object) => void;
}): JSX.Element {
  const id = useId();
  const [draft, setDraft] = useState<readonly string[] | null>(null);
  const shown = draft ??
    props.value?.map((degrees, i) => String(i === 2 && degrees > 180 ? degrees - 360 : degrees)) ?? [
      '',
      '',
      '',
      '',
    ];
  const problem = draft === null || draft.some((text) => text === '') ? null : problemOf(draft);
  const change = (i: number, text: string) => {
    const next = shown.with(i, text);
    if (next.some((one) => one === '') || problemOf(next) !== null) {
      setDraft(next);
      return;
    }
    setDraft(null);
    props.onChange(rectangle(boxOf(next)));
  };
  return (
    <>
      <div class="bounds" role="group" aria-label="Bounds in degrees">
        {SIDES.map((side, i) => (
          <div key={side} class="field">
            <label for={`${id}${side}`}>{side}</label>
            <input
              id={`${id}${side}`}
              type="number"
              step="any"
              min={i % 2 === 0 ? -180 : -90}
              max={i % 2 === 0 ? 180 : 90}
              value={shown[i]}
              aria-invalid={problem !== null}
              onInput={({ currentTarget }) => change(i, currentTarget.value)}
            />
          </div>
        ))}
      </div>
      {problem !== null && <p class="invalid">{problem}</p>}
    </>
  );
}

function problemOf(texts: readonly string[]): string | null {
  return boundsProblem(boxOf(texts));
}

/** West greater than east: across the antimeridian. */
function boxOf(texts: readonly string[]): LonLatBox {
  const [west, south, east, north] = texts.map((text) => (text.trim() === '' ? Number.NaN : Number(text)));
  return [west, south, west > east ? east + 360 : east, north];
}

function PasteArea(props: {
  readonly onArea: (area: object) => void;
  readonly onSource: (path: string) => void;
}): JSX.Element {
  const add = (text: string): void => {
    const pasted = readPasted(text);
    if (pasted.kind === 'document' || pasted.kind === 'url')
      throw new Error('This is not GeoJSON or WKT. Add it as a source, then choose that.');
    if (pasted.kind === 'file' && pasted.text.length <= MAX_AREA_LENGTH) {
      props.onArea(JSON.parse(text) as object);
      return;
    }
    const choices =
      pasted.kind === 'wkt' ? { crs: pasted.crs, options: { geometry_column: 'wkt' } } : undefined;
    const path = addSource({ name: pasted.name, content: new Blob([pasted.text]) }, choices);
    if (path !== null) props.onSource(path);
  };
  return (
    <div class="field">
      <PasteField id={useId()} label="GeoJSON or WKT with polygons" action="Use as the area" onAdd={add} />
    </div>
  );
}
