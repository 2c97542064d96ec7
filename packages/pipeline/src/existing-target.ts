/** A file that the output extends, or that it replaces: the target of an append, or a file that gets layers. */
import { failure } from '@geomill/core/messages/errors.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { listed } from '@geomill/core/messages/short-text.ts';
import { outputFormatById } from '@geomill/formats/format-by-id.ts';
import type { FormatReader } from '@geomill/formats/reader.ts';
import type { ExistingOutput } from '@geomill/formats/writer.ts';
import { fileState } from '@geomill/io/output-place.ts';
import type { FileState } from '@geomill/platform/file-state.ts';
import type { ConversionPlan } from './conversion-plan.ts';
import { pipelineErrors } from './errors.ts';
import { pipelineFindings } from './findings.ts';
import type { OpenedInput } from './opened-input.ts';
import type { ConversionPaths, ConversionRequest, InputPath } from './request.ts';

export class ExistingTarget {
  readonly #request: ConversionRequest;
  readonly #paths: ConversionPaths;
  /** The file that the output may extend, and how it was before anything was read from it. */
  readonly #file: InputPath | null;
  readonly #state: FileState | null;

  /** Created before the inputs are opened; `paths` has them unpacked. */
  constructor(request: ConversionRequest, paths: ConversionPaths) {
    this.#request = request;
    this.#paths = paths;
    const { isExtendable } = outputFormatById(request.output.format, 'output.format');
    const extended = request.operation === 'append' ? paths.inputs[0] : paths.existing;
    this.#file = isExtendable ? (extended ?? null) : null;
    this.#state = this.#file === null ? null : fileState(this.#file.path);
  }

  /** The file that the output extends; null: the output is a new file. `target`: the first input. */
  extended({ extendsTarget }: ConversionPlan, { name }: OpenedInput): ExistingOutput | null {
    const mode = extendsTarget ? 'append' : this.#request.output.existing;
    if (this.#file === null || this.#state === null || mode === undefined) return null;
    const state = this.#state;
    return { path: this.#file.path, name: extendsTarget ? name : this.#file.name, state, mode };
  }

  /** The output is another file under the same name. */
  noteLinks(findings: Findings): void {
    for (const { name, state } of this.#paths.expected ?? [])
      if (state !== null && state.links > 1)
        findings.note(pipelineFindings.OUTPUT_LINKED, { file: name, links: state.links - 1 });
  }

  /** Throws TARGET_CONTENT_LOST if the target, which the output replaces, has content that the output will not have. */
  async refuseOtherContent(
    plan: ConversionPlan,
    target: OpenedInput,
    reader: Pick<FormatReader, 'otherContent'>,
  ): Promise<void> {
    if (!this.#isReplaced(plan)) return;
    const kept = plan.layers.map(({ sources: [{ layerIndex }] }) => target.layers[layerIndex].name);
    const names = target.layers.map(({ name }) => name);
    const unread = names.filter((name) => !kept.includes(name)).map((name) => `layer '${name}'`);
    const other = await reader.otherContent?.(target, names, this.#paths.limits);
    const lost = [...unread, ...(other ?? [])];
    if (lost.length > 0)
      throw failure(pipelineErrors.TARGET_CONTENT_LOST, { file: target.name, names: listed(lost) });
  }

  /** As `refuseOtherContent`, for what findings say that reading the target did not take over. */
  refuseLosses(plan: ConversionPlan, { name: file }: OpenedInput, findings: Findings): void {
    if (!this.#isReplaced(plan)) return;
    const lost = findings
      .noted()
      .filter(({ entry, places }) => entry.severity === 'lost' && places.some((at) => at.file === file))
      .map(({ message }) => message);
    if (lost.length > 0) throw failure(pipelineErrors.TARGET_CONTENT_LOST, { file, names: lost.join('; ') });
  }

  #isReplaced({ extendsTarget }: ConversionPlan): boolean {
    return this.#request.output.replacesTarget === true && !extendsTarget;
  }
}
