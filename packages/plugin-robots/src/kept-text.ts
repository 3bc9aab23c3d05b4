// What is kept of a robots.txt: our rules and the sitemaps, as a robots.txt of its own.
//
// A page is decided by this text, without parsing it: 24,000 rules take 20 ms to parse and 3 MB of RAM, and there may be hundreds of hosts. Rules are in the
// order of what stands before their first `*` or `$`, which a path must begin with. So those that may match are found as in a trie: at each character of the
// path the rules that end there are tried, and a binary search leaves those that go on as the path does.
import { matchedPathOf, MAX_STEPS, rulesFor, sitemapsOf, TOO_MUCH } from './is-allowed.ts'
import { MAX_ROBOTS_BYTES, parseRobots, type Robots } from './parse.ts'
import { heavier, matches, octetsOf, ruleOf, type Rule } from './pattern.ts'

const MAX_SITEMAPS = 50
const MAX_SITEMAP_CHARACTERS = 8_000

const HEAD = 'User-agent: *'
const ALLOW = 'Allow: '
const DISALLOW = 'Disallow: '
const SITEMAP = 'Sitemap: '
const UPPER_A = 65
const UPPER_S = 83
const DOLLAR = 36
const STAR = 42

/** `robots` as far as it concerns `agent`, at most 500 KiB. Patterns are in their common form, which is ASCII. */
export function keptText(robots: Robots, agent: string): string {
  let left = MAX_ROBOTS_BYTES - HEAD.length - 1
  const fits = (line: string): boolean => (left -= octetsOf(line).length + 1) >= 0
  // The broadest rules first: in their common form patterns can be longer than they were written, and if something must be cut, it is the exceptions.
  const broadest = rulesFor(robots, agent).toReversed()
  const byLine = new Map(broadest.map((rule) => [(rule.allow ? ALLOW : DISALLOW) + rule.pattern, rule.prefix]))
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
    for (; from < to && isEnd(kept.charCodeAt(patternAt(kept, from) + at)); from = lineAfter(kept, from)) {
      // A site that hides its rules in so much text does not want to be crawled.
      if ((steps -= path.length) < 0) return TOO_MUCH
      const rule = ruleOf(kept.charCodeAt(from) === UPPER_A, kept.slice(patternAt(kept, from), lineAfter(kept, from) - 1))
      if (matches(rule, path) && (best === undefined || heavier(rule, best) < 0)) best = rule
    }
    if (at === path.length) break
    const code = path.charCodeAt(at)
    from = firstFrom(kept, { from, to, at, code })
    to = firstFrom(kept, { from, to, at, code: code + 1 })
  }
  return best
}

/** Start of the first rule between `from` and `to` that has `code`, or a higher one, at place `at` of its pattern. */
function firstFrom(kept: string, { from, to, at, code }: Readonly<Record<'from' | 'to' | 'at' | 'code', number>>): number {
  let [low, high] = [from, to]
  while (low < high) {
    const middle = Math.max(low, kept.lastIndexOf('\n', Math.floor((low + high) / 2) - 1) + 1)
    if (kept.charCodeAt(patternAt(kept, middle) + at) < code) low = lineAfter(kept, middle)
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

/** Whether what a path must begin with ends before this character: `*`, `$`, the end of the line or that of the text. */
function isEnd(code: number): boolean {
  return code === STAR || code === DOLLAR || !(code > 10)
}
