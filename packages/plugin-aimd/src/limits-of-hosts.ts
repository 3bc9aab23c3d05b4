// Which limits a request is under: by the name of its host, by where that has answered from, such as its address, and by its session and its exit.
//
// A limit `by` address or header field is one for each value. Where a host answers from is known from its first answer on, and kept in its memory: what it is
// asked before that is one request, as a host that never answered has one in flight. Through a proxy the address is that of nobody, and not known.
// Session and exit are those of the next request, as it is asked about: the plugin that chooses an exit keeps to it from the booking on (`exitOf`).
// Addresses are taken by block, /24 of IPv4 and /48 of IPv6 (what one site is assigned, RFC 6177): a platform answers from neighbouring addresses.
import { isIPv4 } from 'node:net'
import type { HostOptions, SharedLimit } from '@avocet/core'
import { patternsOf, type Admission, type Answered, type Exchange, type Session } from '@avocet/core/plugin'
import { freshRateMemory, type RateMemory } from './host-memory.ts'
import { fixedRate } from './laws/fixed-rate.ts'
import { rateSettings, type RateSettings } from './settings.ts'

/** Name of the plugin, and of its memories in the store. */
export const LIMITS = 'limits'

/** Where a host answered from last: by `address`, and by name of a header field; and the `session` and `exit` that it was last asked by. */
export type Places = Record<string, string>

/** The session and the exit of a request. */
interface Way {
  readonly session: string | undefined
  readonly exit: string
}

/** What a process has counted. */
export interface HostCount {
  readonly hosts: number
  /** Epoch ms. */
  readonly countedAt: number
}

/** What is remembered of one limit. */
export interface LimitMemory {
  rate: RateMemory
  /** Exchanges that were booked so far. */
  seq: number
  /** What this process has counted, while it is not alone. */
  counted?: HostCount
}

/** By the name of the limit. */
export type LimitMemories = Record<string, LimitMemory>

/** A pace for several hosts. */
export interface Limit {
  readonly name: string
  readonly shares: boolean
  /** Nobody said that these hosts are behind one limiter: it holds once their refusals have coincided. */
  readonly isLearned: boolean
  readonly settings: RateSettings
  /** For a process alone, as options of a host. */
  readonly whole: HostOptions
  /** What is not worth keeping yet. */
  readonly unsaved: LimitMemory
  /** The first host under it; '' once there are several. */
  host?: string
}

interface Rule {
  readonly patterns: ReadonlySet<string>
  readonly shares: boolean
  readonly place: string | undefined
  /** Of the limit; with a place behind it of one of its limits. */
  readonly name: string
  limitNamed(name: string): Limit
}

/** Limits that are remembered, of those that were named and of those that were learned: memory of a crawl is bounded. */
const MOST_KEPT = 80
/** How long a host waits for its address, and how often it is looked for. */
const LOOK_UP_MS = 2_000
const ASKED_AGAIN_MS = 25
/** Hosts whose limits are known, and limits by place: of a crawl of the whole web there is no end. */
const MOST_KNOWN = 10_000

/** What a host is under whatever is requested, and what depends on the way. */
interface Known {
  readonly limits: readonly Limit[]
  readonly byWay: readonly Rule[]
}

/** The limits of a configuration, and those that are learned. */
export class LimitsOfHosts {
  readonly #rules: readonly Rule[]
  readonly #goByWay: boolean
  readonly #byName = new Map<string, Limit>()
  readonly #known = new Map<string, Known>()
  readonly #lookUps = new Map<string, { readonly since: number; address?: string | undefined }>()
  #addressOf: Session['addressOf'] | undefined
  #exitOf: Session['exitOf'] | undefined

  constructor(limits: readonly SharedLimit[], learns: boolean) {
    this.#rules = [...limits.map(ruleOf), ...(learns ? [LEARNED] : [])]
    this.#goByWay = this.#rules.some(goesByWay)
    for (const rule of this.#rules) if (rule.place === undefined) this.#limit(rule, rule.name)
  }

  /** Those that hosts are under. */
  get all(): Iterable<Limit> {
    return this.#byName.values()
  }

  /** From now on hosts are looked up before they are first asked. Nobody's business is a name that a proxy will resolve. */
  open({ addressOf, exitOf }: Pick<Session, 'addressOf' | 'exitOf'>): void {
    this.#exitOf = exitOf
    if (exitOf === undefined && this.#rules.some(({ place }) => place === 'address')) this.#addressOf = addressOf
  }

  /** Undefined where nothing goes by it, or nothing is about to be sent. */
  wayOf(of: Admission | Exchange): Way | undefined {
    if (!this.#goByWay || ('nextUrl' in of && of.nextUrl === undefined)) return undefined
    const session = 'request' in of ? (of.request.session ?? of.request.proxySession) : of.nextSession
    return { session, exit: this.#exitOf?.(of) ?? 'direct' }
  }

  /** Whether there may be one of this name. */
  isName(name: string): boolean {
    return this.#rules.some((rule) => (rule.place === undefined ? rule.name === name : name.startsWith(`${rule.name} `)))
  }

  /** Until when a host waits for its address to be looked up, epoch ms; 0: it is known, or not worth waiting for. */
  lookedUpAt({ host: { key }, now, nextUrl }: Pick<Admission, 'host' | 'now' | 'nextUrl'>, places: Places): number {
    if (this.#addressOf === undefined || nextUrl === undefined || places['address'] !== undefined) return 0
    const found = this.#lookUps.get(key) ?? { since: now }
    if (found.address !== undefined || now - found.since >= LOOK_UP_MS) return 0
    found.address = this.#addressOf(URL.parse(nextUrl)?.hostname.replace(/^\[|\]$/g, '') ?? '')
    if (this.#lookUps.size >= MOST_KNOWN) this.#lookUps.clear()
    this.#lookUps.set(key, found)
    if (found.address === undefined) return now + ASKED_AGAIN_MS
    this.#known.delete(key)
    return 0
  }

  /** Those of a request that goes this `way`; without one, of what was last requested. */
  of(hostKey: string, places: Places, way?: Way): readonly Limit[] {
    const { limits, byWay } = this.#known.get(hostKey) ?? this.#knownOf(hostKey, places)
    return byWay.length === 0
      ? limits
      : [...limits, ...byWay.flatMap((rule) => this.#limitAt(rule, { ...(way ?? places) }) ?? [])]
  }

  #knownOf(hostKey: string, places: Places): Known {
    const names = [...patternsOf(hostKey)]
    const rules = this.#rules.filter(({ patterns }) => names.some((name) => patterns.has(name)))
    const byWay = rules.filter(goesByWay)
    const matched = rules
      .filter((rule) => !goesByWay(rule))
      .flatMap((rule) => this.#limitAt(rule, { address: blockOf(this.#lookUps.get(hostKey)?.address), ...places }) ?? [])
    // A 429 is of one limiter: what is said of a host is not learned.
    const isSaid = [...byWay, ...matched.filter(({ isLearned }) => !isLearned)].some(({ shares }) => shares)
    const limits = matched.filter(({ isLearned }) => !isLearned || !isSaid)
    for (const limit of limits) if ((limit.host ??= hostKey) !== hostKey) limit.host = ''
    if (this.#known.size >= MOST_KNOWN) this.#known.clear()
    this.#known.set(hostKey, { limits, byWay })
    return { limits, byWay }
  }

  /** Notes where a host answered from. */
  note({ exchange, response }: Pick<Answered, 'exchange' | 'response'>, places: Places): void {
    if (response.served === true) return
    const hostKey = exchange.host.key
    const known: Readonly<Record<string, string | undefined>> = {
      ...{ ...this.wayOf(exchange) },
      address: blockOf(response.remoteAddress),
    }
    for (const { place } of this.#rules) {
      if (place === undefined) continue
      const value = place in known ? known[place] : [response.headers[place]].flat()[0]?.slice(0, 100)
      if (value === undefined || value === places[place]) continue
      places[place] = value
      this.#known.delete(hostKey)
    }
  }

  #limitAt(rule: Rule, places: Readonly<Record<string, string | undefined>>): Limit | undefined {
    if (rule.place === undefined) return this.#limit(rule, rule.name)
    const at = places[rule.place]
    if (at === undefined || (rule === LEARNED && PRIVATE.test(at))) return undefined
    return this.#limit(rule, `${rule.name} ${at}`)
  }

  #limit(rule: Rule, name: string): Limit {
    const limit = this.#byName.get(name) ?? rule.limitNamed(name)
    if (this.#byName.size < MOST_KNOWN) this.#byName.set(name, limit)
    return limit
  }
}

function goesByWay({ place }: Rule): boolean {
  return place === 'session' || place === 'exit'
}

/** Several hosts take more than one at first. */
const START_RPS = 4
/** A limit that is learned has no bound of ours. */
const NO_BOUND = 1_000
/** Limits that are learned are named so, and by the address. */
const LEARNED_NAME = 'address'
const LEARNED: Rule = {
  patterns: new Set(['*']),
  shares: true,
  place: 'address',
  name: LEARNED_NAME,
  limitNamed: (name) =>
    limitOf(name, {
      shares: true,
      isLearned: true,
      settings: rateSettings({ startRps: START_RPS, maxRps: NO_BOUND, window: false }),
    }),
}

/** Whose machines these are is known to the user, who has one of them under many names. */
const PRIVATE = /^(?:127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|::|f[cd])/

/** Without `share` it is a bound of ours, which no answer changes. */
function ruleOf({ match, share = false, maxRps, by }: SharedLimit): Rule {
  const patterns = [match].flat()
  const bound = maxRps === undefined ? {} : { maxRps }
  const place = typeof by === 'object' ? by.header.toLowerCase() : by
  return {
    patterns: new Set(patterns),
    shares: share,
    place,
    name: `${patterns[0] ?? '*'}${place === undefined ? '' : ` by ${place}`}`,
    limitNamed: (name) => {
      const settings = rateSettings({
        ...(!share && { law: fixedRate() }),
        ...bound,
        startRps: Math.min(START_RPS, maxRps ?? START_RPS),
        window: false,
      })
      return limitOf(name, { shares: share, isLearned: false, settings })
    },
  }
}

function limitOf(name: string, { settings, ...rest }: Pick<Limit, 'shares' | 'isLearned' | 'settings'>): Limit {
  const unsaved = { rate: freshRateMemory(), seq: 0 }
  return { ...rest, name, settings: { ...settings, maxInFlight: Infinity }, whole: { maxRps: settings.maxRps }, unsaved }
}

/** Whether it may be remembered: neither kind keeps out the other. */
export function hasRoom(memories: LimitMemories, { name, isLearned }: Limit): boolean {
  if (memories[name] !== undefined) return true
  return Object.keys(memories).filter((each) => each.startsWith(`${LEARNED_NAME} `) === isLearned).length < MOST_KEPT
}

/** What is remembered of a limit. */
export function memoryOf(memories: LimitMemories, { name, unsaved }: Limit): LimitMemory {
  return memories[name] ?? unsaved
}

/**
 * The block that an address belongs to.
 *
 * @example
 * ```ts
 * blockOf('203.0.113.7') // '203.0.113.0/24'
 * blockOf('2001:db8:1::7') // '2001:db8:1::/48'
 * ```
 */
export function blockOf(address: string | undefined): string | undefined {
  if (address === undefined || address === '') return undefined
  const mapped = address.replace(/^::ffff:(?=\d+\.)/i, '')
  if (isIPv4(mapped)) return `${mapped.slice(0, mapped.lastIndexOf('.'))}.0/24`
  const host = URL.parse(`http://[${address.split('%', 1)[0] ?? ''}]/`)?.hostname.slice(1, -1)
  if (host === undefined) return undefined
  const [head = ''] = host.split('::')
  const groups = head === '' ? [] : head.split(':')
  return `${[0, 1, 2].map((n) => groups[n] ?? '0').join(':')}::/48`
}
