/** Encodes the layers of a conversion and writes its output: one file, or the parts of a split output. */
import type { Findings } from '@geomill/core/messages/findings.ts';
import {
  type ExistingOutput,
  forWorkers,
  type LayerEncoding,
  type OutputFile,
  type OutputLayer,
  type WriteContext,
} from '@geomill/formats/writer.ts';
import type { Codecs } from './codecs.ts';
import type { ConversionPlan } from './conversion-plan.ts';
import type { Executor } from './executor.ts';
import type { WrittenLayerReport } from './report.ts';
import type { ConversionPaths, ConversionRequest } from './request.ts';
import type { Originals } from './sidecar/originals.ts';
import { partsOf, type SplitValues } from './split-parts.ts';
import type { TaskResult } from './task.ts';

/** An output under way. */
export interface OutputWriting {
  /** Encodes and writes all features. */
  encode(): Promise<void>;
  finish(): Promise<OutputFile>;
  abort(): void;
  /** Null if the output is not split. */
  readonly parts: readonly WrittenLayerReport[] | null;
}

/** A layer whose features are read, transformed and encoded. */
export interface EncodedLayer {
  /** Position among the layers of the plan. */
  readonly index: number;
  /** Counts the features that stay in the target as written. */
  countKept(): void;
  /** `deliver` gets the results in the order of the features, with their batches if it `keepsBatches`. `encoding`: null for a split, whose parts have encodings of their own. */
  encode(
    encoding: LayerEncoding | null,
    idField: string | null,
    deliver: (result: TaskResult) => void,
    keepsBatches?: boolean,
  ): Promise<void>;
}

export interface WritingSetting {
  readonly output: Codecs['output'];
  readonly request: ConversionRequest['output'];
  readonly paths: ConversionPaths;
  readonly findings: Findings;
  readonly signal: AbortSignal;
  readonly plan: ConversionPlan;
  readonly layers: readonly EncodedLayer[];
  readonly outputs: readonly OutputLayer[];
  /** Takes the features for a sidecar; null: none is written. */
  readonly originals: Originals | null;
  readonly name: string;
  readonly keepsOtherContent: boolean;
  readonly existing: ExistingOutput | null;
  readonly executor: Executor;
  /** Gets the names of the files of a split output before any is written. */
  readonly onFiles: ((names: readonly string[]) => void) | undefined;
}

export function wholeOutput(setting: WritingSetting): OutputWriting {
  const { plan, layers, outputs, originals, name, existing, executor, findings, request } = setting;
  const { writer } = setting.output;
  const { outputPath, expected, timeMs } = setting.paths;
  const { packer, work }: Partial<Executor> = writer.usesThreads ? executor : {};
  const context: WriteContext = {
    name,
    options: request.options,
    findings,
    ...(existing === null ? {} : { existing }),
    ...(expected === undefined ? {} : { expected }),
    ...(timeMs === undefined ? {} : { time: new Date(timeMs) }),
    ...(setting.keepsOtherContent ? { keepsOtherContent: true as const } : {}),
    ...(packer === undefined ? {} : { packer }),
    ...(work === undefined ? {} : { work }),
  };
  const encodings = writer.plan(outputs, context);
  const sink = writer.createSink(outputPath, encodings, context);
  return {
    async encode() {
      for (const layer of layers) {
        const outputIndex = plan.layerField === null ? layer.index : 0;
        const { idField = null } = outputs[outputIndex];
        layer.countKept();
        const encoding = forWorkers(encodings[outputIndex]);
        const deliver = ({ chunk, batch }: TaskResult): void => {
          sink.append(outputIndex, chunk);
          if (batch !== null) originals?.take(outputIndex, batch);
        };
        await layer.encode(encoding, idField, deliver, originals !== null);
      }
    },
    async finish() {
      // Their heaps would add to the memory of the sink, which may sort all features.
      if (!writer.usesThreads) await executor.stop();
      return sink.finish();
    },
    abort: () => sink.abort(),
    parts: null,
  };
}

export async function splitOutput(setting: WritingSetting, values: SplitValues): Promise<OutputWriting> {
  const { plan, layers, outputs, name, existing, executor, findings, signal, request, paths } = setting;
  const { split } = plan;
  if (split === null) throw new Error('the plan has no split');
  const { SplitOutput } = await import('./split-output.ts');
  const isPrefixed = outputs.length > 1 || request.layerName !== undefined;
  const output = new SplitOutput(
    {
      ...setting.output,
      name,
      existing,
      split,
      options: request.options,
      paths,
      findings,
      signal,
      layerNames: outputs.map(({ name }) => name),
    },
    partsOf(outputs, values, split, isPrefixed),
    setting.onFiles,
  );
  executor.useEncodings(output.encodings);
  return {
    async encode() {
      for (const layer of layers) {
        const { idField = null } = outputs[layer.index];
        await layer.encode(null, idField, ({ parts = [] }) => output.take(layer.index, parts));
      }
      // Their heaps would add to the memory of the parts.
      await executor.stop();
      await output.write();
    },
    finish: () => output.finish(),
    abort: () => output.abort(),
    get parts() {
      return output.reports;
    },
  };
}
