// The plugin `opentelemetry`: tells an OpenTelemetry SDK what a crawl does. It decides nothing, and adds no header field to what it sends.
import { definePlugin, type Plugin } from '@avocet/core'
import { checkOptions, option, type OptionRules } from '@avocet/core/plugin'
import { metrics, trace, type Meter, type Tracer } from '@opentelemetry/api'
import { Meters } from './meters.ts'
import { ExchangeSpans } from './spans.ts'

/** Of the tracer and the meter. */
const SCOPE = '@avocet/plugin-opentelemetry'

/**
 * Traces a share of the exchanges through their stations, and measures all of them, by the semantic conventions of HTTP clients. Needs an OpenTelemetry SDK
 * that the program has registered; without one it does nothing.
 *
 * @throws AVO_CONFIG_INVALID for an option that is unknown, of the wrong type or out of range.
 * @example
 * ```ts
 * import { defineCrawl } from 'avocet'
 * export default defineCrawl({ spider, plugins: [openTelemetry({ sampleRatio: 0.05 })] })
 * ```
 */
export function openTelemetry(options: OpenTelemetryOptions = {}): Plugin {
  const { sampleRatio, maxHosts, ...given } = telemetrySettings(options)
  const spans = new ExchangeSpans(given.tracer ?? trace.getTracer(SCOPE))
  let meters: Meters | undefined
  return definePlugin({
    name: 'opentelemetry',
    seesRequired: true,
    outsideEffects: true,
    options: { sampleRatio, maxHosts },
    // A meter of the global provider is one of the provider that is registered now.
    open: () => void (meters ??= new Meters(given.meter ?? metrics.getMeter(SCOPE), maxHosts)),
    onAdmit(exchange) {
      meters?.begun(exchange)
      if (exchange.random('opentelemetry') < sampleRatio) spans.begin(exchange)
    },
    onUnsent: (exchange) => meters?.over(exchange),
    onResponse: ({ exchange, response, now }) => meters?.answered({ exchange, now }, response),
    onError: ({ exchange, failure, now }) => meters?.failed({ exchange, now }, failure),
    onSettled: (settled) => meters?.settled(settled),
    ...(sampleRatio > 0 && { onTrace: (event) => spans.hear(event) }),
    close() {
      spans.end()
      return flushed()
    },
  })
}

/** The exporter's server may be away; the crawl is over. */
const PATIENCE_MS = 5_000

/** Resolves when all is sent, or after 5 s. What an exporter says of its failures is for its own log. */
async function flushed(): Promise<void> {
  // Another copy of the API may have made it: what it can do counts, not its class.
  const flushes = [delegateOf(trace.getTracerProvider()), metrics.getMeterProvider()].map(async (provider) => {
    if (has(provider, 'forceFlush')) await provider.forceFlush()
  })
  await Promise.race([Promise.allSettled(flushes), patience()])
}

function delegateOf(provider: object): object {
  const delegate = has(provider, 'getDelegate') ? provider.getDelegate() : undefined
  return typeof delegate === 'object' && delegate !== null ? delegate : provider
}

function has<Name extends string>(provider: object, name: Name): provider is Record<Name, () => unknown> {
  return typeof (provider as Readonly<Record<string, unknown>>)[name] === 'function'
}

/** Keeps no process alive. */
function patience(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  AbortSignal.timeout(PATIENCE_MS).addEventListener('abort', () => resolve())
  return promise
}

// The options of the plugin, and their defaults.

/** Options of `openTelemetry()`. */
export interface OpenTelemetryOptions {
  /** Share of exchanges that are traced, 0 to 1. Which ones depends on the crawl's seed, the host and the number of the exchange. Default 0.01. */
  readonly sampleRatio?: number
  /** Hosts with metrics of their own: the first so many that are requested. All others share the address `_OTHER`. Default 100. */
  readonly maxHosts?: number
  /** Default: that of the global provider. */
  readonly tracer?: Tracer
  /** Default: that of the global provider, as it is when the crawl opens. */
  readonly meter?: Meter
}

/** Checked, with defaults. */
type TelemetrySettings = Required<Pick<OpenTelemetryOptions, 'sampleRatio' | 'maxHosts'>> &
  Pick<OpenTelemetryOptions, 'tracer' | 'meter'>

const RULES: OptionRules<OpenTelemetryOptions> = {
  sampleRatio: option.satisfying('a number from 0 to 1', (value) => typeof value === 'number' && value >= 0 && value <= 1),
  maxHosts: option.wholeNumber(0),
  tracer: option.anyObject,
  meter: option.anyObject,
}

/** Throws AVO_CONFIG_INVALID. */
function telemetrySettings(options: OpenTelemetryOptions): TelemetrySettings {
  checkOptions('opentelemetry', options, RULES)
  const { sampleRatio = 0.01, maxHosts = 100, ...providers } = options
  return { sampleRatio, maxHosts, ...providers }
}
