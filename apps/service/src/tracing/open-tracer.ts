/** The tracer that the OTEL_ variables ask for. Without an endpoint nothing else of this directory is loaded. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import type { ExporterOptions } from './otlp-exporter.ts';
import type { Sampler } from './recorder.ts';
import { NO_TRACES, type Tracer } from './tracer.ts';

/** As the variables of the same names; null: unset. Other programs may have set wrong values, so they are checked only here. */
export interface TraceSettings {
  readonly otelEndpoint: string | null;
  readonly otelTracesEndpoint: string | null;
  readonly otelHeaders: string | null;
  readonly otelServiceName: string | null;
  readonly otelResourceAttributes: string | null;
  readonly otelSampler: string | null;
  readonly otelSamplerArgument: string | null;
  readonly otelDelayMs: number;
}

export interface OpenTracer extends Tracer {
  /** Sends the spans that were not sent yet; gives up after some seconds. */
  close(): Promise<void>;
}

export interface TracerParts extends Pick<ExporterOptions, 'log' | 'observer' | 'timers'> {
  readonly version: string;
  /** Name of this process; no other has the same. */
  readonly process: string;
  readonly role: string;
}

/** Throws SETTING_INVALID. */
export async function openTracer(settings: TraceSettings, parts: TracerParts): Promise<OpenTracer> {
  const url = tracesUrl(settings);
  if (url === null) return { ...NO_TRACES, async close() {} };
  const sampler = samplerOf(settings);
  const headers = Object.fromEntries(pairs('OTEL_EXPORTER_OTLP_HEADERS', settings.otelHeaders));
  checkHeaders(headers);
  const resource = {
    'service.name': settings.otelServiceName ?? 'geomill',
    'service.version': parts.version,
    'service.instance.id': parts.process,
    'geomill.role': parts.role,
    ...Object.fromEntries(pairs('OTEL_RESOURCE_ATTRIBUTES', settings.otelResourceAttributes)),
  };
  const [{ OtlpExporter }, { Recorder }] = await Promise.all([
    import('./otlp-exporter.ts'),
    import('./recorder.ts'),
  ]);
  const exporter = new OtlpExporter({
    url,
    headers,
    resource,
    scope: { name: 'geomill', version: parts.version },
    delayMs: settings.otelDelayMs,
    observer: parts.observer,
    log: parts.log,
    timers: parts.timers,
  });
  const recorder = new Recorder(sampler, (span) => exporter.add(span));
  return {
    span: (name, kind, options) => recorder.span(name, kind, options),
    close: () => exporter.close(),
  };
}

function tracesUrl({ otelEndpoint, otelTracesEndpoint }: TraceSettings): string | null {
  const [name, value] =
    otelTracesEndpoint === null
      ? (['OTEL_EXPORTER_OTLP_ENDPOINT', otelEndpoint] as const)
      : (['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', otelTracesEndpoint] as const);
  if (value === null) return null;
  // It can hold a password, so it is not repeated.
  const refuse = (reason: string): Error =>
    failure(generalErrors.SETTING_INVALID, { name, value: '...', reason });
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw refuse('give the address of a collector that takes OTLP over HTTP, like http://localhost:4318');
  if (url.username !== '' || url.password !== '')
    throw refuse('credentials are not supported there; use OTEL_EXPORTER_OTLP_HEADERS');
  return name.includes('TRACES') ? url.href : `${url.href.replace(/\/$/, '')}/v1/traces`;
}

/** `key=value,key=value`, with values in percent-encoding. Values are secrets and not repeated. */
function pairs(name: string, text: string | null): [string, string][] {
  const items = (text ?? '').split(',').filter((item) => item.trim() !== '');
  return items.map((item) => {
    const at = item.indexOf('=');
    try {
      if (at > 0) return [item.slice(0, at).trim(), decodeURIComponent(item.slice(at + 1).trim())];
    } catch {
      // Not percent-encoded.
    }
    const reason = 'write key=value pairs with commas between them, and percent-encode other characters';
    throw failure(generalErrors.SETTING_INVALID, { name, value: '...', reason });
  });
}

function checkHeaders(headers: Readonly<Record<string, string>>): void {
  try {
    new Headers(headers);
  } catch {
    const reason = 'a name or a value in it cannot be sent as an HTTP header';
    throw failure(generalErrors.SETTING_INVALID, {
      name: 'OTEL_EXPORTER_OTLP_HEADERS',
      value: '...',
      reason,
    });
  }
}

const always: Sampler = () => true;
const never: Sampler = () => false;
const ofParent =
  (root: Sampler): Sampler =>
  (parent, traceId) =>
    parent === null ? root(parent, traceId) : parent.isSampled;

/** By the randomness of the last 56 bits, so that all programs with the same ratio choose the same traces. */
const byRatio =
  (ratio: number): Sampler =>
  (_parent, traceId) =>
    Number.parseInt(traceId.slice(-14), 16) >= (1 - ratio) * 2 ** 56;

function samplerOf({ otelSampler, otelSamplerArgument }: TraceSettings): Sampler {
  const ratio = otelSamplerArgument === null ? 1 : Number(otelSamplerArgument);
  const samplers: Readonly<Record<string, Sampler>> = {
    always_on: always,
    always_off: never,
    traceidratio: byRatio(ratio),
    parentbased_always_on: ofParent(always),
    parentbased_always_off: ofParent(never),
    parentbased_traceidratio: ofParent(byRatio(ratio)),
  };
  const name = otelSampler ?? 'parentbased_always_on';
  if (!Object.hasOwn(samplers, name))
    throw failure(generalErrors.SETTING_INVALID, {
      name: 'OTEL_TRACES_SAMPLER',
      value: name,
      reason: `known samplers: ${Object.keys(samplers).join(', ')}`,
    });
  if (!(ratio >= 0 && ratio <= 1))
    throw failure(generalErrors.SETTING_INVALID, {
      name: 'OTEL_TRACES_SAMPLER_ARG',
      value: otelSamplerArgument ?? '',
      reason: 'give a number from 0 to 1',
    });
  return samplers[name];
}
