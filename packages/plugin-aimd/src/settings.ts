// What the user can say about rates, checked; and the bounds that follow for one host.
import type { HostOptions } from '@avocet/core'
import { checkOptions, option, wrongOption, type OptionRule, type OptionRules } from '@avocet/core/plugin'
import { harmBudget } from './laws/harm-budget.ts'
import { vegasWindow } from './laws/vegas-window.ts'
import type { RateLaw, RateLimits } from './rate-law.ts'
import type { WindowLaw, WindowLimits } from './window-law.ts'

/** A page, as the test for captchas and the like sees it. */
export interface SuspectPage {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  /** The body as text (UTF-8); decoded on first use. */
  text(): string
}

/** Options of the plugin `aimd`. Limits of the crawl and of single hosts (`hosts`) hold as well; they replace the defaults below. */
export interface AimdOptions {
  /** How the rate of a host answers to refusals. Default `harmBudget()`. */
  readonly law?: RateLaw
  /**
   * How many exchanges a host has in flight, by how it slows down; `false`: always `maxInFlight`. Default `vegasWindow()`, none
   * under a fixed rate.
   */
  readonly window?: WindowLaw | false
  /** Requests per second at a host that was never met. Default 1. */
  readonly startRps?: number
  /** Requests per second that no refusal goes below. Default 0.02: one in 50 s. */
  readonly minRps?: number
  /** Maximum requests per second per host. Default 10, or what `hosts` says. */
  readonly maxRps?: number
  /** Maximum requests in flight per host. Default 8, or what `hosts` says. */
  readonly maxInFlight?: number
  /** Whether an answered page (2xx) is a refusal, such as a captcha. Ten in a row are a ban. */
  readonly blocked?: (page: SuspectPage) => boolean
}

/** Options with their defaults. */
export interface RateSettings {
  readonly law: RateLaw
  readonly window: WindowLaw | undefined
  readonly startRps: number
  readonly minRps: number
  readonly maxRps: number
  readonly maxInFlight: number
  /** What the user chose: it holds beside what is said of a host. Defaults give way to that. */
  readonly chosen: Pick<AimdOptions, 'maxRps' | 'maxInFlight'>
  readonly blocked: ((page: SuspectPage) => boolean) | undefined
  /** Bounds by what the user said of a host: they are used at every step of an exchange, so each is made once. */
  readonly bounds: WeakMap<HostOptions, HostLimits>
}

/** Bounds for one host. */
export interface HostLimits extends RateLimits, WindowLimits {}

/** The window that is found stays below this, even if `hosts:` allows more. */
const MOST_IN_FLIGHT = 64

const RULES: OptionRules<AimdOptions> = {
  law: lawWith('fresh', 'accepted', 'refused'),
  window: option.orFalse(lawWith('fresh', 'answered', 'failed')),
  startRps: option.positive,
  minRps: option.positive,
  maxRps: option.positive,
  maxInFlight: option.wholeNumber(1),
  blocked: option.callback,
}

/** Options with their defaults; throws AVO_CONFIG_INVALID. */
export function rateSettings(options: AimdOptions): RateSettings {
  checkOptions('aimd', options, RULES)
  const { law = harmBudget(), blocked, maxInFlight = 8 } = options
  const { window = law.constant === true ? false : vegasWindow({ max: MOST_IN_FLIGHT }) } = options
  const { maxRps = Math.max(10, options.startRps ?? 0, options.minRps ?? 0) } = options
  const { startRps = Math.min(maxRps, Math.max(1, options.minRps ?? 0)) } = options
  const { minRps = Math.min(0.02, startRps) } = options
  if (startRps > maxRps) throw wrongOption('aimd: startRps', `at most maxRps (${maxRps})`, startRps)
  if (minRps > startRps) throw wrongOption('aimd: minRps', `at most startRps (${startRps})`, minRps)
  return {
    law,
    window: window === false ? undefined : window,
    startRps,
    minRps,
    maxRps,
    maxInFlight,
    chosen: options,
    blocked,
    bounds: new WeakMap(),
  }
}

/** The bounds for a host for which the user said `own`. */
export function limitsFor(settings: RateSettings, own: HostOptions): HostLimits {
  const known = settings.bounds.get(own)
  if (known !== undefined) return known
  const limits = boundsFor(settings, own)
  settings.bounds.set(own, limits)
  return limits
}

function boundsFor(settings: RateSettings, own: HostOptions): HostLimits {
  const maxRps = smaller(settings.chosen.maxRps, own.maxRps) ?? settings.maxRps
  const maxInFlight = smaller(settings.chosen.maxInFlight, own.maxInFlight) ?? settings.maxInFlight
  return {
    startRps: Math.min(settings.startRps, maxRps),
    minRps: Math.min(settings.minRps, maxRps),
    maxRps,
    maxInFlight,
    ...(own.maxRps !== undefined && { hostRps: maxRps }),
  }
}

/** Of two limits both hold; undefined where there is none. */
function smaller(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b)
}

function lawWith(...methods: readonly string[]): OptionRule {
  return option.satisfying(`a law with a name and the functions ${methods.join(', ')}`, (law) => {
    if (typeof law !== 'object' || law === null) return false
    const record = law as Readonly<Record<string, unknown>>
    return typeof record['name'] === 'string' && methods.every((method) => typeof record[method] === 'function')
  })
}
