// What is kept of a robots.txt: our rules and the sitemaps, as a robots.txt of its own.
//
// A page is decided by this text, without parsing it: 24,000 rules take 20 ms to parse and 3 MB of RAM, and there may be hundreds of hosts. Rules are in the
// order of what stands before their first `*` or `$`, which a path must begin with. So those that may match are found as in a trie: at each character of the
// path the rules that end there are tried, and a binary search leaves those that go on as the path does. Rules that share what stands before their first `*`
// are in the order of their patterns: where one does not match, all that begin with the part that rules it out are passed over (`/*?f`, of 300 filters).
import { rulesFor, sitemapsOf } from './agent-rules.ts'
import { MAX_ROBOTS_BYTES, parseRobots, type Robots } from './parse.ts'
import { excludingLength, heavier, isEnd, matchedPathOf, octetsOf, type Rule } from './pattern.ts'

const MAX_SITEMAPS = 50
const MAX_SITEMAP_CHARACTERS = 8_000

const HEAD = 'User-agent: *'
const ALLOW = 'Allow: '
const DISALLOW = 'Disallow: '
const SITEMAP = 'Sitemap: '
const UPPER_A = 65
const UPPER_S = 83

/** Octets that are looked through for one URL: 5,000 patterns with stars against the longest URL, about 0.1 s. A file can hold 34,000. */
const MAX_STEPS = 10_000_000

/** Kept texts by agent. They belong to a parsed file and go with it. */
const texts = new WeakMap<Robots, Map<string, string>>()

/**
 * Whether `agent` may request `url`, as a crawl decides it: where rules take more than 500 KiB percent-encoded, the most specific ones are left out.
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
  const known = texts.get(robots) ?? new Map<string, string>()
  const text = known.get(agent) ?? keptText(robots, agent)
  texts.set(robots, known.set(agent, text))
  return decidingRuleIn(text, url)
}

/** `robots` as far as it concerns `agent`, at most 500 KiB. Patterns are in their common form, which is ASCII. */
export function keptText(robots: Robots, agent: string): string {
  let left = MAX_ROBOTS_BYTES - HEAD.length - 1
  const fits = (line: string): boolean => (left -= octetsOf(line).length + 1) >= 0
  // The broadest rules first: in their common form patterns can be longer than they were written, and if something must be cut, it is the exceptions.
  const broadest = rulesFor(robots, agent).toSorted((a, b) => heavier(b, a))
  const byLine = new Map(
    broadest.map(({ allow, pattern }) => [(allow ? ALLOW : DISALLOW) + pattern, pattern.replace(/[*$]/, '\n$&')]),
  )
  const rules = [...byLine].filter(([line]) => fits(line)).sort(([, a], [, b]) => (a < b ? -1 : Number(a > b)))
  const sitemaps = [...new Set(robots.sitemaps)].filter((url) => url.length <= MAX_SITEMAP_CHARACTERS).slice(0, MAX_SITEMAPS)
  return [HEAD, ...rules.map(([line]) => line), ...sitemaps.map((url) => SITEMAP + url).filter(fits)].join('\n')
}

/** The sitemaps that `kept` lists, of a file of `origin`. */
export function sitemapsIn(kept: string, origin: string): readonly string[] {
  return sitemapsOf(parseRobots(kept.slice(endOfRules(kept))), origin)
}

/** What `decidingRule` says of the file that `kept` was made of. */
export function decidingRuleIn(kept: string, url: string): Rule | undefined {
  const path = matchedPathOf(url)
  if (path === undefined) return undefined
  let steps = MAX_STEPS
  let [from, to] = [lineAfter(kept, 0), endOfRules(kept)]
  let best: Rule | undefined
  for (let at = 0; from < to; at++) {
    while (from < to && isEnd(kept.charCodeAt(patternAt(kept, from) + at))) {
      // A site that hides its rules in so much text does not want to be crawled.
      if ((steps -= path.length) < 0) return { allow: false, pattern: '/' }
      const [start, next] = [patternAt(kept, from), lineAfter(kept, from)]
      const excluding = excludingLength(kept, { start, known: at }, path)
      if (excluding > 0) {
        const part = kept.slice(start, start + excluding)
        from = lineBehind(kept, [next, to], (pattern) => kept.startsWith(part, pattern))
        continue
      }
      const rule = { allow: kept.charCodeAt(from) === UPPER_A, pattern: kept.slice(start, next - 1) }
      if (best === undefined || heavier(rule, best) < 0) best = rule
      from = next
    }
    if (at === path.length) break
    const [place, code] = [at, path.charCodeAt(at)]
    from = lineBehind(kept, [from, to], (pattern) => kept.charCodeAt(pattern + place) < code)
    to = lineBehind(kept, [from, to], (pattern) => kept.charCodeAt(pattern + place) === code)
  }
  return best
}

/** Start of the first rule from `low` to `high` whose pattern is not one of those that come first. */
function lineBehind(kept: string, [low, high]: [from: number, to: number], isFirst: (pattern: number) => boolean): number {
  while (low < high) {
    const middle = Math.max(low, kept.lastIndexOf('\n', Math.floor((low + high) / 2) - 1) + 1)
    if (isFirst(patternAt(kept, middle))) low = lineAfter(kept, middle)
    else high = middle
  }
  return low
}

function patternAt(kept: string, line: number): number {
  return line + (kept.charCodeAt(line) === UPPER_A ? ALLOW : DISALLOW).length
}

/** Start of the next line; behind the last one there is a line feed that is not written. */
function lineAfter(kept: string, line: number): number {
  const end = kept.indexOf('\n', line)
  return (end === -1 ? kept.length : end) + 1
}

function endOfRules(kept: string): number {
  for (let end = kept.length + 1; ;) {
    const line = kept.lastIndexOf('\n', end - 2) + 1
    if (kept.charCodeAt(line) !== UPPER_S) return end
    end = line
  }
}
