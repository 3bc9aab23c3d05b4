// What a site owner should know about a crawl, from its configuration alone: nothing is said that the configuration does not say.
import { type Plugin, AvocetError } from '@avocet/core'
import { hostKeyOf } from '@avocet/core/store'
import { activePlugins } from '@avocet/core/tools'
import { agentOf } from '@avocet/plugin-robots'
import type { CrawlPlan } from '../load/plan-crawl.ts'

/** How often a host is requested. Absent: the configuration sets no such bound. */
export interface CrawlPace {
  readonly maxRps?: number
  readonly delayMs?: number
  readonly maxInFlight?: number
}

/** Facts about a crawler. */
export interface CrawlerIdentity {
  readonly userAgent: string
  /** What sessions send in its place. robots.txt is read for `userAgent` all the same. */
  readonly sessionAgents: readonly string[]
  /** Whether it is the built-in one, which does not tell crawlers apart. */
  readonly isShared: boolean
  /** By which robots.txt addresses it. */
  readonly product: string
  readonly pace: CrawlPace
  /** Whether the rate follows how well a server answers. */
  readonly learnsRate: boolean
  /** Whether robots.txt is obeyed, the longest Crawl-delay that is, and whether single hosts are configured to go without (`ignoredAtSome`). */
  readonly robots: { readonly maxCrawlDelayMs: number; readonly ignoredAtSome: boolean } | null
  /** Shortest interval between two visits of a page, ms; null: each page is requested once in a crawl. */
  readonly everyMs: number | null
  /** Whether whole responses are kept. */
  readonly keepsResponses: boolean
  /** Hosts of the seeds, as far as they are known without running the spider. */
  readonly hosts: readonly string[]
}

/** More are not named. */
const MAX_HOSTS = 100

/** What the plan says. */
export function crawlerIdentity({ config, settled, cache, chosen }: CrawlPlan): CrawlerIdentity {
  const plugins = activePlugins(config)
  const [robots, rate] = (['robots', 'rate'] as const).map((policy) => plugins.find((plugin) => plugin.policy === policy))
  const userAgent = String(settled.get('userAgent')?.value)
  const ownAgent = robots?.options?.['agent']
  const isIgnored = robots === undefined || robots.options?.['ignore'] === true || config.hosts?.['*']?.ignoreRobots === true
  const ignoredAtSome = Object.values(config.hosts ?? {}).some(({ ignoreRobots }) => ignoreRobots === true)
  const rounds = (config.recrawl ?? []).map(({ everyMs }) => everyMs).filter((everyMs) => everyMs < Infinity)
  return {
    userAgent,
    sessionAgents: [...new Set(Object.values(config.sessions ?? {}).flatMap(({ userAgent: own }) => own ?? []))],
    isShared: settled.get('userAgent')?.origin.from === 'built-in',
    product: agentOf(typeof ownAgent === 'string' ? ownAgent : userAgent),
    pace: paceOf(config, rate),
    learnsRate: rate?.name === 'aimd',
    robots: isIgnored ? null : { maxCrawlDelayMs: numberOf(robots, 'maxCrawlDelayMs') ?? 300_000, ignoredAtSome },
    everyMs: rounds.length === 0 ? null : Math.min(...rounds),
    keepsResponses: cache !== undefined,
    hosts: hostsIn(chosen?.spider.seeds ?? []),
  }
}

/** The loosest bounds of any host: a page that promises less than is done would be untrue. */
function paceOf(config: CrawlPlan['config'], rate: Plugin | undefined): CrawlPace {
  const { hosts = {}, delayMs: leastMs = 0, maxPerHost = Infinity } = config
  const all = hosts['*'] ?? {}
  const others = Object.entries(hosts).flatMap(([pattern, options]) => (pattern === '*' ? [] : [options]))
  const ownMaxRps = numberOf(rate, 'maxRps')
  const most = (bound: number | undefined, key: 'maxRps' | 'maxInFlight'): number | undefined =>
    bound === undefined ? undefined : Math.max(bound, ...others.flatMap((options) => options[key] ?? []))
  const maxRps = most(all.maxRps ?? ownMaxRps, 'maxRps')
  const maxInFlight = most(Math.min(all.maxInFlight ?? Infinity, maxPerHost), 'maxInFlight') ?? Infinity
  const delayMs = Math.min(Math.max(all.delayMs ?? 0, leastMs), ...others.flatMap((options) => options.delayMs ?? []))
  return {
    ...(maxRps !== undefined && { maxRps }),
    ...(delayMs > 0 && { delayMs }),
    ...(maxInFlight < Infinity && { maxInFlight }),
  }
}

function numberOf(plugin: Plugin | undefined, name: string): number | undefined {
  const value = plugin?.options?.[name]
  return typeof value === 'number' ? value : undefined
}

function hostsIn(seeds: unknown): readonly string[] {
  if (!Array.isArray(seeds)) return []
  const urls = seeds.map((seed: unknown) => (typeof seed === 'string' ? seed : (seed as { readonly url: string }).url))
  return [...new Set(urls.filter((url) => URL.canParse(url)).map((url) => hostKeyOf(url, 'host')))].slice(0, MAX_HOSTS)
}

// How a site owner reaches whoever crawls: a mail address or a URL, typed or in the user agent.

/** A way to reach people. */
export interface Contact {
  readonly text: string
  readonly href: string
}

const MAIL = /^[^\s@<>"]{1,64}@[^\s@<>"]{1,250}$/
const IN_USER_AGENT = /\+?(https?:\/\/[^\s;)]+|[^\s;()+]+@[^\s;()]+)/

/** The typed one, or that of the user agent. Throws AVO_USAGE for what is neither mail address nor URL, and without any. */
export function contactOf(typed: string | undefined, userAgent: string): Contact {
  const text = typed ?? IN_USER_AGENT.exec(userAgent)?.[1]
  if (text === undefined)
    throw new AvocetError(
      'AVO_USAGE',
      'identity page: expected --contact with a mail address or a URL, got none; site owners must be able to reach you',
    )
  if (MAIL.test(text)) return { text, href: `mailto:${encodeURIComponent(text).replace('%40', '@')}` }
  if (/^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).password === '') return { text, href: new URL(text).href }
  throw new AvocetError('AVO_USAGE', `identity page --contact: expected a mail address or a URL, got '${text}'`)
}
