/** Schemas of the messages of a runner; see runner-messages.ts. */
import type { SeverityCounts } from '@geomill/core/messages/findings.ts';
import { MAX_COMPOSED, MAX_LOGGED } from '@geomill/core/messages/short-text.ts';
import {
  MAX_CRS_CHARACTERS,
  MAX_GRIDS,
  MAX_REPORT_BYTES,
  MAX_STEP_CRS,
} from '@geomill/pipeline/bounded-report.ts';
import { MAX_FILES, MAX_PARTS, type Offer, type OfferedPart } from '@geomill/pipeline/division/division.ts';
import type {
  ConversionReport,
  FieldReport,
  FileReport,
  InspectionReport,
  LayerReport,
  Progress,
  ReportTotals,
  ReprojectionReport,
  StepReport,
  WrittenLayerReport,
} from '@geomill/pipeline/report.ts';
import { progressStages } from '@geomill/pipeline/report.ts';
import {
  COUNT,
  exactly,
  FINDING,
  FLAG,
  list,
  type MessageSchema,
  messageCheck,
  NAME,
  NUMBER,
  orNull,
  PLAIN_ERROR,
  textUpTo,
} from '../processes/message-schemas.ts';
import type { FromRunner } from './runner-messages.ts';

/** Maximum bytes of a runner's message: a report, and the rest of the message. */
export const MAX_RUNNER_MESSAGE_BYTES = MAX_REPORT_BYTES + 64 * 1024;

const CRS = textUpTo(MAX_CRS_CHARACTERS);
const TIMINGS = exactly<ConversionReport['timings']>({ totalMs: NUMBER });

const TOTALS: MessageSchema = exactly<ReportTotals>(
  {
    files: COUNT,
    layers: COUNT,
    fieldsRenamed: COUNT,
    fieldsRetyped: COUNT,
    fieldsDropped: COUNT,
    reprojections: COUNT,
    outputLayers: COUNT,
    steps: COUNT,
    warnings: COUNT,
  },
  [
    'files',
    'layers',
    'fieldsRenamed',
    'fieldsRetyped',
    'fieldsDropped',
    'reprojections',
    'outputLayers',
    'steps',
    'warnings',
  ],
);

const SEVERITIES = exactly<SeverityCounts>({ info: COUNT, changed: COUNT, lost: COUNT });

const LAYER = exactly<LayerReport>(
  {
    name: NAME,
    file: NAME,
    features: COUNT,
    featureTotal: orNull(COUNT),
    crs: CRS,
    crsName: NAME,
    encoding: orNull(NAME),
    fields: list(exactly<FieldReport>({ name: NAME, type: NAME })),
    fieldCount: COUNT,
  },
  ['featureTotal', 'fieldCount'],
);

const REPROJECTION = exactly<ReprojectionReport>(
  {
    layer: NAME,
    from: textUpTo(MAX_COMPOSED),
    to: textUpTo(MAX_COMPOSED),
    operation: textUpTo(MAX_COMPOSED),
    accuracyMeters: orNull(NUMBER),
    ballpark: FLAG,
    gridsUsed: { ...list(NAME), maxItems: MAX_GRIDS },
    gridsMissing: { ...list(NAME), maxItems: MAX_GRIDS },
    outsideAreaOfUse: NUMBER,
    approximated: exactly<NonNullable<ReprojectionReport['approximated']>>({
      positions: COUNT,
      exactPositions: COUNT,
      largestDifferenceMeters: NUMBER,
    }),
  },
  ['approximated'],
);

const STEP = exactly<StepReport>({
  type: NAME,
  crs: { ...list(NAME), maxItems: MAX_STEP_CRS },
  featuresIn: COUNT,
  featuresOut: COUNT,
  dropped: list(exactly<StepReport['dropped'][number]>({ reason: NAME, features: COUNT })),
  merged: COUNT,
  generated: COUNT,
  seconds: NUMBER,
});

type Fields = ConversionReport['fields'];

/** Without the files that were fetched, which the service adds. */
const CONVERSION = exactly<Omit<ConversionReport, 'fetched' | 'fetchedSources'>>(
  {
    input: exactly<ConversionReport['input']>({
      format: NAME,
      name: NAME,
      files: list(exactly<FileReport>({ name: NAME, features: COUNT })),
      layers: list(LAYER),
    }),
    output: exactly<ConversionReport['output']>(
      {
        format: NAME,
        crs: CRS,
        mediaType: NAME,
        byteLength: COUNT,
        layers: list(
          exactly<WrittenLayerReport>(
            { name: NAME, features: COUNT, value: orNull(NAME), files: list(NAME) },
            ['value', 'files'],
          ),
        ),
      },
      ['layers'],
    ),
    features: exactly<ConversionReport['features']>(
      {
        skipped: COUNT,
        read: COUNT,
        appended: COUNT,
        written: COUNT,
        dropped: COUNT,
        merged: COUNT,
        generated: COUNT,
        repaired: COUNT,
        split: COUNT,
      },
      ['skipped', 'appended', 'merged', 'generated'],
    ),
    steps: list(STEP),
    fields: exactly<Fields>({
      renamed: list(exactly<Fields['renamed'][number]>({ layer: NAME, from: NAME, to: NAME })),
      retyped: list(exactly<Fields['retyped'][number]>({ layer: NAME, field: NAME, from: NAME, to: NAME })),
      dropped: list(
        exactly<Fields['dropped'][number]>({ layer: NAME, field: NAME, reason: textUpTo(MAX_COMPOSED) }),
      ),
    }),
    reprojections: list(REPROJECTION),
    warnings: list(FINDING),
    severities: SEVERITIES,
    timings: TIMINGS,
    totals: TOTALS,
  },
  ['steps', 'severities', 'totals'],
);

const INSPECTION = exactly<Omit<InspectionReport, 'fetched' | 'fetchedSources'>>(
  { warnings: list(FINDING), severities: SEVERITIES, timings: TIMINGS, totals: TOTALS },
  ['severities', 'totals'],
);

const PROGRESS_FRACTION: MessageSchema = { type: 'number', minimum: 0, maximum: 1 };
const PROGRESS = exactly<Progress>({
  fraction: PROGRESS_FRACTION,
  stage: { enum: progressStages },
});

const OFFERED_PATH = textUpTo(500);
const OFFER = exactly<Offer>({
  first: COUNT,
  session: OFFERED_PATH,
  parts: {
    ...list(
      exactly<OfferedPart>({
        tasks: OFFERED_PATH,
        count: COUNT,
        range: orNull({ ...list(COUNT), minItems: 2, maxItems: 2 }),
      }),
    ),
    maxItems: MAX_PARTS,
  },
  files: { ...list(OFFERED_PATH), maxItems: MAX_FILES },
  readsInput: FLAG,
  progress: { ...list(PROGRESS_FRACTION), minItems: 2, maxItems: 2 },
});

type Message<Type extends FromRunner['type']> = Extract<FromRunner, { type: Type }>;

/** The fault of a runner's message; null: none. */
export const checkRunnerMessage = messageCheck({
  loaded: exactly<Message<'loaded'>>({ type: NAME }),
  warmed: exactly<Message<'warmed'>>({ type: NAME }),
  progress: exactly<Message<'progress'>>({ type: NAME, progress: PROGRESS }),
  offer: exactly<Message<'offer'>>({ type: NAME, offer: OFFER }),
  withdraw: exactly<Message<'withdraw'>>({ type: NAME }),
  free: exactly<Message<'free'>>({ type: NAME }),
  'part-done': exactly<Message<'part-done'>>({ type: NAME }),
  done: exactly<Message<'done'>>(
    { type: NAME, report: { anyOf: [CONVERSION, INSPECTION] }, findingsBytes: COUNT },
    ['findingsBytes'],
  ),
  failed: exactly<Message<'failed'>>({
    type: NAME,
    error: PLAIN_ERROR,
    log: orNull(textUpTo(MAX_LOGGED)),
  }),
} satisfies Record<FromRunner['type'], MessageSchema>);
