/** What the attempts at a conversion read: opens the inputs, and selects what an attempt needs of their layers. */
import type { Findings } from '@geomill/core/messages/findings.ts';
import type { ScratchSpace } from '@geomill/io/scratch-space.ts';
import type { Attempt } from './attempts.ts';
import type { ConversionExecutors } from './conversion-executors.ts';
import { describing } from './crs-service.ts';
import {
  type CandidatesByLayer,
  ExcerptDoubtful,
  type ExcerptPlan,
  excerptsOf,
  isExcerpt,
  planExcerpts,
} from './excerpt.ts';
import { keptContent } from './kept-content.ts';
import { undeclared } from './misfits.ts';
import { openInputs } from './open-inputs.ts';
import { byteLengthOf, type OpenedInput } from './opened-input.ts';
import { type Planned, type Planning, planWithCrs } from './plan-with-crs.ts';
import { findCandidates, selectFeatures, withSelected } from './selected-layers.ts';
import { tablesRead } from './tables.ts';

export interface InputsSetting extends Planning {
  readonly executors: ConversionExecutors;
  readonly scratch: ScratchSpace;
  readonly signal: AbortSignal;
  /** Before the inputs are opened: those of the files of the steps. */
  readonly findings: Findings;
}

/** Inputs as an attempt reads them. */
export interface ReadInputs {
  readonly inputs: readonly OpenedInput[];
  /** Those before, and of opening these inputs; for one attempt. */
  readonly findings: Findings;
  /** Some layers are not read whole, or may have been misunderstood for that. */
  readonly isPartial: boolean;
}

type Opened = Pick<ReadInputs, 'inputs' | 'findings'>;

export class AttemptInputs {
  /** Null: the layers are read whole. */
  readonly excerpts: ExcerptPlan | null;
  readonly #setting: InputsSetting;
  /** For a selection, the layers as they are described; else as they are read. */
  readonly #opened: Opened;
  #candidates: CandidatesByLayer = new Map();
  /** The layers of a conversion that begins with a selection, opened to be read. */
  #whole: Opened | null = null;
  /** What was chosen last, for another attempt that reads the same. */
  #chosen: (ReadInputs & Pick<Attempt, 'reads'>) | null = null;

  private constructor(setting: InputsSetting, excerpts: ExcerptPlan | null, opened: Opened) {
    this.#setting = setting;
    this.excerpts = excerpts;
    this.#opened = opened;
  }

  /** `paths` of the setting has the inputs unpacked. Throws what the readers throw. */
  static async open(setting: InputsSetting): Promise<AttemptInputs> {
    const { request, paths, codecs, steps, executors } = setting;
    const excerpts = planExcerpts(request, steps, codecs.input.reader, byteLengthOf(paths.inputs));
    // With a box filter, the amount of data is known only after the index was read.
    const selects = excerpts?.selects === true;
    if (!selects) executors.startEarly(paths.inputs);
    const { partitionBytes } = excerpts ?? executors.cutting;
    const inputs = new AttemptInputs(setting, excerpts, await openAll(setting, partitionBytes, selects));
    await inputs.#findCandidates();
    return inputs;
  }

  /** Throws ExcerptDoubtful if the files do not show what an attempt would select. */
  async of({ reads, misfits }: Attempt): Promise<ReadInputs> {
    if (this.#chosen?.reads !== reads) this.#chosen = { reads, ...(await this.#choose(reads)) };
    const { inputs, findings, isPartial } = this.#chosen;
    const { files } = this.#setting.codecs.input;
    return {
      inputs: misfits === null ? inputs : undeclared(inputs, misfits, files),
      findings: findings.copy(),
      isPartial,
    };
  }

  async #choose(reads: Attempt['reads']): Promise<ReadInputs> {
    if (reads === 'selected') return this.#select();
    if (this.excerpts === null) return { ...this.#opened, isPartial: false };
    if (this.excerpts.selects) return { ...(await this.#openWhole()), isPartial: false };
    const inputs = excerptsOf(this.#opened.inputs, this.excerpts, reads, this.#candidates);
    const isPartial = inputs.some(({ layers }) => layers.some(isExcerpt));
    return { inputs, findings: this.#opened.findings, isPartial };
  }

  async #findCandidates(): Promise<void> {
    if (this.excerpts === null || this.excerpts.selects || !this.excerpts.mayHaveBox) return;
    this.#candidates = await findCandidates(await this.#planned(), this.#opened.inputs, this.excerpts);
  }

  async #select(): Promise<ReadInputs> {
    if (this.excerpts === null) throw new Error('nothing selects features');
    const { inputs: described } = this.#opened;
    const { selected, isComplete } = await selectFeatures(await this.#planned(), described, this.excerpts);
    if (selected.size === 0) throw new ExcerptDoubtful();
    const { inputs, findings } = isComplete ? this.#opened : await this.#openWhole();
    return { inputs: withSelected(inputs, described, selected), findings, isPartial: true };
  }

  async #openWhole(): Promise<Opened> {
    const { executors, paths } = this.#setting;
    executors.startEarly(paths.inputs);
    this.#whole ??= await openAll(this.#setting, executors.cutting.partitionBytes, false);
    return this.#whole;
  }

  #planned(): Promise<Planned> {
    const { inputs, findings } = this.#opened;
    return planWithCrs(this.#setting, inputs, findings.copy());
  }
}

async function openAll(
  setting: InputsSetting,
  partitionBytes: number,
  forSelection: boolean,
): Promise<Opened> {
  const { request, paths, codecs, steps, executors, scratch, signal } = setting;
  const findings = setting.findings.copy();
  const inputs = await openInputs({
    readers: codecs.input.files.map(({ reader }) => reader),
    input: request.input,
    paths,
    findings,
    partitionBytes,
    ...(forSelection ? { forSelection } : {}),
    scratch,
    signal,
    executor: executors.current,
    hasTarget: request.operation === 'append',
    tables: tablesRead({ request, output: codecs.output.format, steps }),
    keptContent: keptContent(request, codecs.output.format),
    describeCrs: describing(setting.crs),
  });
  return { inputs, findings };
}
