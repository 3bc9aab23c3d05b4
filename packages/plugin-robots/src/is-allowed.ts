// Answers what a robots.txt says about one crawler: whether it may request a URL, how far apart its requests must be, where the sitemaps are.
import { headerOf, parseUrl, type ResponseHeaders } from '@avocet/core/plugin'
import type { Robots } from './parse.ts'
import { commonPath, heavier, matches, ruleOf, type Rule } from './pattern.ts'
import { productToken } from './product-token.ts'

/** Octets that are looked through for one URL: 5,000 patterns with stars against the longest URL, about 0.1 s. A file can hold 34,000. */
export const MAX_STEPS = 10_000_000

const BEFORE_AUTHORITY = /^(?:[A-Za-z][A-Za-z0-9+.-]*:)?\/\//

/** Rules of one crawler, joined over all groups that name it and sorted by weight. They belong to a parsed file and go with it. */
const rulesByAgent = new WeakMap<Robots, Map<string, readonly Rule[]>>()

/**
 * Whether `agent` may request `url`.
 *
 * @param agent - A product token, or a whole User-Agent header: its first word counts.
 * @param url - Absolute, of the origin that the file is of.
 * @example
 * ```ts
 * import { parseRobots } from '@avocet/plugin-robots'
 * const robots = parseRobots('User-agent: *\nDisallow: /a\nAllow: /a/b')
 * isAllowed(robots, 'avocet/0.1', 'https://shop.example/a/b?c') // true
 * ```
 * Source: RFC 9309 §2.2.2: the longest pattern decides, and of equals the one that allows.
 */
export function isAllowed(robots: Robots, agent: string, url: string): boolean {
  return decidingRule(robots, agent, url)?.allow ?? true
}

/** A site that hides its rules in so much text does not want to be crawled. */
export const TOO_MUCH: Rule = ruleOf(false, '/')

/**
 * The rule that decides whether `agent` may request `url`; undefined when none is about it, which allows it.
 *
 * @example
 * ```ts
 * import { parseRobots } from '@avocet/plugin-robots'
 * decidingRule(parseRobots('User-agent: *\nDisallow: /a'), 'avocet', 'https://shop.example/a/b')?.pattern // '/a'
 * ```
 */
export function decidingRule(robots: Robots, agent: string, url: string): Rule | undefined {
  const path = matchedPathOf(url)
  if (path === undefined) return undefined
  let steps = MAX_STEPS
  for (const rule of rulesFor(robots, agent)) {
    if (!path.startsWith(rule.prefix)) continue
    if (rule.prefix !== rule.pattern) steps -= path.length
    if (steps < 0) return TOO_MUCH
    if (matches(rule, path)) return rule
  }
  return undefined
}

/** What patterns are matched with; undefined for the file itself, which is always allowed (RFC 9309 §2.2.2). */
export function matchedPathOf(url: string): string | undefined {
  const path = commonPath(pathOf(url))
  return path === '/robots.txt' ? undefined : path
}

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
  const token = productToken(agent) ?? '*'
  return isNamed(robots, token) ? robots.delays.get(token) : robots.delays.get('*')
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

/** All rules for `agent`, the one that decides first. */
export function rulesFor(robots: Robots, agent: string): readonly Rule[] {
  const token = productToken(agent) ?? '*'
  const known = rulesByAgent.get(robots) ?? new Map<string, readonly Rule[]>()
  const cached = known.get(token)
  if (cached !== undefined) return cached
  const name = isNamed(robots, token) ? token : '*'
  const rules = robots.groups.flatMap((group) => (group.agents.has(name) ? group.rules : [])).sort(heavier)
  rulesByAgent.set(robots, known.set(token, rules))
  return rules
}

/** A named agent is not one of `*`, even when the group that names it says nothing. */
function isNamed(robots: Robots, token: string): boolean {
  return robots.groups.some(({ agents }) => agents.has(token))
}

/** Path and query, by hand: it is asked once a page, and what is no URL has a path too. */
function pathOf(url: string): string {
  const hash = url.indexOf('#')
  const whole = hash === -1 ? url : url.slice(0, hash)
  const rest = whole.slice(BEFORE_AUTHORITY.exec(whole)?.[0].length ?? 0)
  const start = rest.search(/[/?;]/)
  if (start === -1) return '/'
  return rest[start] === '/' ? rest.slice(start) : `/${rest.slice(start)}`
}

// What a site says about the use of its content, by AI and others: kept as it is written, for people to read. It is not interpreted, and decides nothing.
//
// In robots.txt these are lines of a group, Content-Signal (contentsignals.org) and Content-Usage (IETF draft-ietf-aipref-attach); in answers, header fields of
// the same names and those of the TDM Reservation Protocol (W3C). None of them is a standard yet, and what they ask for depends on what the items are for.

/** Memory is written with every lease, and a site may say something else on every page. */
const MAX_LINES = 8
const MAX_CHARACTERS = 160

const FIELDS = ['Content-Usage', 'Content-Signal', 'TDM-Reservation', 'TDM-Policy'].map(
  (name) => [name, name.toLowerCase()] as const,
)

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
  const token = productToken(agent) ?? '*'
  const name = robots.groups.some(({ agents }) => agents.has(token)) ? token : '*'
  const ours = robots.preferences.filter(({ agents }) => agents === undefined || agents.has(name))
  return [...new Set(ours.map(({ text }) => text.slice(0, MAX_CHARACTERS)))].slice(0, MAX_LINES)
}

/** `known` and what the header fields of an answer add to it; the same list if that is nothing. */
export function withDeclared(known: readonly string[] | undefined, headers: ResponseHeaders): readonly string[] | undefined {
  let lines = known
  for (const [name, key] of FIELDS) {
    const value = headerOf(headers, key)
    if (value === undefined) continue
    const line = `${name}: ${value}`.slice(0, MAX_CHARACTERS)
    if ((lines?.length ?? 0) < MAX_LINES && lines?.includes(line) !== true) lines = [...(lines ?? []), line]
  }
  return lines
}
