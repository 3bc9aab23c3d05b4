// The options of the plugin, and their defaults.
import { checkOptions, option, type OptionRules } from '@avocet/core/plugin'
import type { Meter, Tracer } from '@opentelemetry/api'

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
export type TelemetrySettings = Required<Pick<OpenTelemetryOptions, 'sampleRatio' | 'maxHosts'>> &
  Pick<OpenTelemetryOptions, 'tracer' | 'meter'>

const RULES: OptionRules<OpenTelemetryOptions> = {
  sampleRatio: option.satisfying('a number from 0 to 1', (value) => typeof value === 'number' && value >= 0 && value <= 1),
  maxHosts: option.wholeNumber(0),
  tracer: option.anyObject,
  meter: option.anyObject,
}

/** Throws AVO_CONFIG_INVALID. */
export function telemetrySettings(options: OpenTelemetryOptions): TelemetrySettings {
  checkOptions('opentelemetry', options, RULES)
  const { sampleRatio = 0.01, maxHosts = 100, ...providers } = options
  return { sampleRatio, maxHosts, ...providers }
}
