/** Everything that the page can do, in one table: palette, buttons, shortcuts and their list are made from it. */
import type { FormatRecord, TransformationRecord } from '@geomill/client/client.ts';
import { computed } from '@preact/signals';
import { COPY_KINDS, COPY_TITLES } from '../copy/kinds.ts';
import { engine } from '../engines/current.ts';
import { addStep, chooseOutput, convertedInputs, fixedCrs } from '../model/document.ts';
import {
  copyKind,
  dialog,
  elementIds,
  goTo,
  isTableOpen,
  PART_TITLES,
  PARTS,
  partId,
  showPart,
  stepToFocus,
} from '../model/layout.ts';
import { mapLayers, zoomToLayer } from '../model/map-layers.ts';
import { obstacle } from '../model/obstacle.ts';
import { addSample } from '../model/open.ts';
import { cancel, isActive, runs, start } from '../model/run.ts';
import { firstChoices } from '../model/schema-form.ts';
import type { Shortcut } from '../model/shortcut.ts';
import { chooseCrs, sources } from '../model/sources.ts';
import { workspace } from '../model/workspace.ts';
import { canFetchUrls, catalogue, formatOf, isServiceThere } from '../service.ts';
import { SERVICE_URL } from '../session.ts';

export const GROUPS = ['Files', 'Steps', 'Output', 'Run', 'Edit', 'View', 'Help'] as const;
export type Group = (typeof GROUPS)[number];

export interface Command {
  readonly id: string;
  readonly title: string;
  readonly group: Group;
  /** More words that find it. */
  readonly words?: string;
  /** Alternatives; the first is shown. */
  readonly shortcuts?: readonly Shortcut[];
  /** Whether it can be used now. */
  readonly isEnabled: boolean;
  readonly run: () => void;
}

const withModifier = (key: string, more: Partial<Shortcut> = {}): Shortcut => ({
  key,
  hasModifier: true,
  ...more,
});
const single = (key: string): Shortcut => ({ key, hasModifier: false });

/** In the order of the page. */
export const commands = computed((): readonly Command[] => {
  const loaded = catalogue.value;
  const isReady = loaded.state === 'ready';
  return [
    ...fileCommands(isReady),
    ...(isReady ? stepCommands(loaded.value.transformations) : []),
    ...(isReady ? outputCommands(loaded.value.formats) : []),
    ...runCommands(isReady),
    {
      id: 'undo',
      title: 'Undo',
      group: 'Edit',
      shortcuts: [withModifier('z')],
      isEnabled: workspace.canUndo.value,
      run: () => workspace.undo(),
    },
    {
      id: 'redo',
      title: 'Redo',
      group: 'Edit',
      shortcuts: [withModifier('z', { hasShift: true }), withModifier('y')],
      isEnabled: workspace.canRedo.value,
      run: () => workspace.redo(),
    },
    ...viewCommands(),
    {
      id: 'shortcuts',
      title: 'Keyboard shortcuts',
      group: 'Help',
      words: 'keys help',
      shortcuts: [single('?')],
      isEnabled: true,
      run: () => {
        dialog.value = 'shortcuts';
      },
    },
    {
      id: 'docs',
      title: 'Documentation of the service',
      group: 'Help',
      words: 'docs api help openapi',
      isEnabled: isServiceThere.value,
      run: () => location.assign(`${SERVICE_URL}/docs`),
    },
  ];
});

export function commandOf(id: string): Command | null {
  return commands.value.find((command) => command.id === id) ?? null;
}

function fileCommands(isEnabled: boolean): Command[] {
  const { inputs } = workspace.current.value;
  return [
    {
      id: 'add-files',
      title: 'Add files…',
      group: 'Files',
      words: 'open upload choose source import',
      shortcuts: [withModifier('o')],
      isEnabled,
      run: () => document.getElementById(elementIds.files)?.click(),
    },
    {
      id: 'paste',
      title: 'Paste text…',
      group: 'Files',
      words: 'geojson wkt document',
      isEnabled,
      run: () => {
        showPart('files');
        afterRendering(() => {
          const box = document.getElementById(elementIds.paste);
          box?.closest('details')?.setAttribute('open', '');
          box?.focus();
        });
      },
    },
    {
      id: 'add-url',
      title: 'Add a file or a layer by its URL…',
      group: 'Files',
      words: 'address link http fetch web arcgis featureserver',
      isEnabled: isEnabled && canFetchUrls() && engine.value.id === 'service',
      run: () => {
        showPart('files');
        afterRendering(() => document.getElementById(elementIds.url)?.focus());
      },
    },
    {
      id: 'sample',
      title: 'Add the sample file',
      group: 'Files',
      words: 'example demo harbour try',
      isEnabled,
      run: () => void addSample(),
    },
    ...inputs.map(
      ({ path }, index): Command => ({
        id: `source ${path}`,
        title: `Go to source ${path}`,
        group: 'Files',
        words: 'file card show',
        isEnabled: true,
        run: () => {
          showPart('files');
          afterRendering(() => document.getElementById(elementIds.source(index))?.focus());
        },
      }),
    ),
  ];
}

function stepCommands(transformations: readonly TransformationRecord[]): Command[] {
  return transformations.map((record) => ({
    id: `step ${record.id}`,
    title: `Add step: ${record.title}`,
    group: 'Steps',
    words: `${record.id} ${record.summary}`,
    isEnabled: true,
    run: () => {
      showPart('steps');
      addNewStep(record);
    },
  }));
}

/** Its first control gets the focus. */
export function addNewStep({ id, parameters }: TransformationRecord): void {
  workspace.edit((document) => addStep(document, id, firstChoices(parameters)));
  stepToFocus.value = workspace.current.peek().steps.at(-1)?.key ?? null;
}

function outputCommands(
  formats: readonly Pick<FormatRecord, 'id' | 'name' | 'title' | 'output'>[],
): Command[] {
  return [
    ...formats
      .filter(({ output }) => output)
      .map(
        ({ id, name, title }): Command => ({
          id: `format ${id}`,
          title: `Output format: ${name}`,
          group: 'Output',
          words: `${id} ${title} write save as convert to`,
          isEnabled: true,
          run: () => {
            workspace.edit((document) => chooseOutput(document, { format: id }));
            showPart('output');
          },
        }),
      ),
    {
      id: 'output-crs',
      title: 'Choose the CRS of the output…',
      group: 'Output',
      words: 'coordinate reference system projection epsg reproject',
      isEnabled: true,
      run: () => {
        showPart('output');
        afterRendering(() => {
          const panel = document.querySelector(`#${partId('output')} .crs`);
          const change = panel?.querySelector<HTMLElement>('button[aria-expanded]');
          if (change?.getAttribute('aria-expanded') === 'false') change.click();
          afterRendering(() => (panel?.querySelector('input') ?? change)?.focus());
        });
      },
    },
  ];
}

/** Systems that the engine finds, for the output and for sources that state none. Throws what the engine throws. */
export async function crsCommands(query: string, signal: AbortSignal): Promise<Command[]> {
  const document = workspace.current.peek();
  const unplaced = document.inputs.filter(({ path, crs }) => {
    const inspection = sources.peek().get(path)?.inspection;
    const isStated =
      inspection?.state === 'ready' && inspection.value.layers.every((layer) => layer.crs !== null);
    return crs === null && inspection !== undefined && inspection.state !== 'loading' && !isStated;
  });
  const hasChoice = fixedCrs(document.output, formatOf(document.output.format)) === null;
  if (!hasChoice && unplaced.length === 0) return [];
  const hits = await engine.peek().findCrs(query, { limit: MAX_SYSTEMS, signal });
  return hits.flatMap(({ code, name }) => [
    ...unplaced.map(
      ({ path }): Command => ({
        id: `source-crs ${code} ${path}`,
        title: `CRS of ${path}: ${code} ${name}`,
        group: 'Files',
        isEnabled: true,
        run: () => {
          chooseCrs(path, code);
          showPart('files');
        },
      }),
    ),
    ...(hasChoice
      ? [
          {
            id: `output-crs ${code}`,
            title: `Output CRS: ${code} ${name}`,
            group: 'Output',
            isEnabled: true,
            run: () => {
              workspace.edit((now) => chooseOutput(now, { crs: code }));
              showPart('output');
            },
          } satisfies Command,
        ]
      : []),
  ]);
}

const MAX_SYSTEMS = 4;

function runCommands(isReady: boolean): Command[] {
  const hasInputs = convertedInputs(workspace.current.value).length > 0;
  const active = runs.value.filter(isActive);
  return [
    {
      id: 'run',
      title: 'Convert',
      group: 'Run',
      words: 'run start job execute',
      shortcuts: [withModifier('Enter', { worksInText: true })],
      isEnabled: hasInputs && obstacle.value === null,
      run: start,
    },
    {
      id: 'cancel',
      title: active.length === 1 ? 'Cancel the job' : `Cancel all ${active.length} jobs`,
      group: 'Run',
      words: 'stop abort',
      isEnabled: active.length > 0,
      run: () => active.forEach(cancel),
    },
    ...[...COPY_KINDS, 'link' as const].map(
      (kind): Command => ({
        id: `copy ${kind}`,
        title: `Copy as: ${kind === 'link' ? 'Link' : COPY_TITLES[kind]}`,
        group: 'Run',
        words: 'code share script export pipeline',
        isEnabled: hasInputs,
        run: () => {
          copyKind.value = kind;
          dialog.value = 'copy';
        },
      }),
    ),
    {
      id: 'jobs',
      title: 'Earlier jobs…',
      group: 'Run',
      words: 'history results downloads',
      isEnabled: isReady && isServiceThere.value,
      run: () => {
        dialog.value = 'jobs';
      },
    },
  ];
}

function viewCommands(): Command[] {
  const layers = mapLayers.value;
  return [
    ...PARTS.map(
      (part, i): Command => ({
        id: `part ${part}`,
        title: `Go to ${PART_TITLES[part].toLowerCase()}`,
        group: 'View',
        words: 'panel section tab show',
        shortcuts: [single(String(i + 1))],
        isEnabled: true,
        run: () => goTo(part),
      }),
    ),
    {
      id: 'table',
      title: 'Open or close the table',
      group: 'View',
      words: 'attributes rows fields',
      shortcuts: [single('t')],
      isEnabled: layers.length > 0,
      run: () => {
        isTableOpen.value = !isTableOpen.value;
      },
    },
    ...layers.map(
      (layer): Command => ({
        id: `zoom ${layer.id}`,
        title: `Zoom to ${layer.title}`,
        group: 'View',
        words: 'map layer go to',
        isEnabled: true,
        run: () => zoomToLayer(layer),
      }),
    ),
    {
      id: 'palette',
      title: 'Find a command',
      group: 'View',
      shortcuts: [withModifier('k', { worksInText: true })],
      isEnabled: true,
      run: () => {
        dialog.value = 'palette';
      },
    },
  ];
}

/** When what the command changed is on the page. */
function afterRendering(act: () => void): void {
  requestAnimationFrame(() => requestAnimationFrame(act));
}
