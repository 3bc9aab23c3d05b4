// What a robots.txt says about one crawler: its rules, how far apart its requests must be, where the sitemaps are.
import { parseUrl, type ResponseHeaders } from '@avocet/core/plugin'
import type { Delay, Robots } from './parse.ts'
import type { Rule } from './pattern.ts'
import { productToken } from './product-token.ts'
import type { TimedWish } from './timed-wishes.ts'

/**
 * Start-to-start spacing in ms that the file asks of `agent`; undefined when it asks for none. Of several the longest.
 *
 * @example
 * ```ts
 * import { parseRobots } from '@avocet/plugin-robots'
 * crawlDelayMs(parseRobots('User-agent: avocet\nCrawl-delay: 0.5'), 'avocet') // 500
 * ```
 */
export function crawlDelayMs(robots: Robots, agent: string): number | undefined {
  return delayOf(robots, agent)?.ms
}

/** The same with the line that it comes from. */
export function delayOf(robots: Robots, agent: string): Delay | undefined {
  return robots.delays.get(nameFor(robots, agent))
}

/** What the file asks of `agent` by the time of the day. */
export function timedWishes(robots: Robots, agent: string): readonly TimedWish[] {
  return robots.timed.get(nameFor(robots, agent)) ?? []
}

/**
 * The sitemaps that the file lists, as absolute http(s) URLs, each once.
 *
 * @example
 * ```ts
 * import { parseRobots } from '@avocet/plugin-robots'
 * sitemapsOf(parseRobots('Sitemap: /map.xml'), 'https://shop.example') // ['https://shop.example/map.xml']
 * ```
 * Source: sitemaps.org.
 */
export function sitemapsOf(robots: Robots, origin: string): readonly string[] {
  return [...new Set(robots.sitemaps.map((written) => parseUrl(written, origin)).filter((url) => url !== undefined))]
}

/** All rules for `agent`, in the order of the file. */
export function rulesFor(robots: Robots, agent: string): readonly Rule[] {
  const name = nameFor(robots, agent)
  return robots.groups.flatMap((group) => (group.agents.has(name) ? group.rules : []))
}

/** By which name the file speaks to `agent`. A named agent is not one of `*`, even when the group that names it says nothing. */
function nameFor({ groups }: Robots, agent: string): string {
  const token = productToken(agent) ?? '*'
  return groups.some(({ agents }) => agents.has(token)) ? token : '*'
}

// What a site says about the use of its content, by AI and others: kept as it is written, for people to read. It is not interpreted, and decides nothing.
//
// In robots.txt these are lines of a group, Content-Signal (contentsignals.org) and Content-Usage (IETF draft-ietf-aipref-attach), and License for everybody
// (RSL, rslstandard.org); in answers, header fields of the same names, those of the TDM Reservation Protocol (W3C), and the price of a 402. None of them is
// a standard yet, and what they ask for depends on what the items are for.

/** Memory is written with every lease, and a site may say something else on every page. */
const MAX_LINES = 8
const MAX_CHARACTERS = 160

const FIELDS = ['Content-Usage', 'Content-Signal', 'TDM-Reservation', 'TDM-Policy'].map(
  (name) => [name, name.toLowerCase()] as const,
)

/** Of what a 402 asks, which may be another price for each page: the first is kept. */
const PRICES = ['Crawler-Price', 'Crawler-Exact-Price'].map((name) => [name, name.toLowerCase()] as const)
const PAYMENT_REQUIRED = 402

/**
 * The lines of a robots.txt that say what its content may be used for, as far as they concern `agent`: each once, as they are written.
 *
 * @example
 * ```ts
 * import { parseRobots } from '@avocet/plugin-robots'
 * preferencesOf(parseRobots('User-agent: *\nContent-Signal: ai-train=no'), 'avocet') // ['Content-Signal: ai-train=no']
 * ```
 * Source: contentsignals.org; draft-ietf-aipref-attach.
 */
export function preferencesOf(robots: Robots, agent: string): readonly string[] {
  const name = nameFor(robots, agent)
  const ours = robots.preferences.filter(({ agents }) => agents === undefined || agents.has(name))
  return [...new Set(ours.map(({ text }) => text.slice(0, MAX_CHARACTERS)))].slice(0, MAX_LINES)
}

/** `known` and what the header fields of an answer add to it; the same list if that is nothing. */
export function withDeclared(
  known: readonly string[] | undefined,
  { status, headers }: { readonly status: number; readonly headers: ResponseHeaders },
): readonly string[] | undefined {
  let lines = known
  for (const [name, key] of status === PAYMENT_REQUIRED ? [...FIELDS, ...PRICES] : FIELDS) {
    const value = headers[key]
    if (value === undefined) continue
    const line = `${name}: ${[value].flat().join(', ')}`.slice(0, MAX_CHARACTERS)
    const isPrice = key.startsWith('crawler-')
    const isKnown = lines?.some((each) => each === line || (isPrice && each.startsWith(`${name}: `))) === true
    if ((lines?.length ?? 0) < MAX_LINES && !isKnown) lines = [...(lines ?? []), line]
  }
  return lines
}
