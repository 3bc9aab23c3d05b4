// What is kept of a robots.txt: our rules and the sitemaps, as a robots.txt of its own, so that reading it back is parsing it.
//
// A file with so many rules that they cannot be kept ready for each of hundreds of hosts is decided by its text, without parsing it: 24,000 rules take
// 20 ms to parse and 3 MB; parsed anew for every page of every host they were all that a crawl did. The kept text has a rule a line, the one that
// decides first at the end, so it is read from its end until a line matches. Most lines differ from the path in their first characters, and cost
// some 20 ns.
import { matchedPathOf, MAX_STEPS, rulesFor } from './is-allowed.ts'
import { octetsOf } from './octets.ts'
import { MAX_ROBOTS_BYTES, parseRobots, type Robots } from './parse.ts'
import { matches, ruleOf } from './pattern.ts'

const MAX_SITEMAPS = 50
const MAX_SITEMAP_CHARACTERS = 8_000

const ALLOW = 'Allow: '
const DISALLOW = 'Disallow: '
const LINE_FEED = 10
const DOLLAR = 36
const STAR = 42

/** `robots` as far as it concerns `agent`, at most 500 KiB. Patterns are in their common form, which is ASCII. */
export function keptText(robots: Robots, agent: string): string {
  const sitemaps = [...new Set(robots.sitemaps)].filter((url) => url.length <= MAX_SITEMAP_CHARACTERS).slice(0, MAX_SITEMAPS)
  // The broadest rules first: if something must be cut, it is the exceptions.
  const rules = rulesFor(robots, agent).toReversed()
  const lines = rules.map(({ allow, pattern }) => `${allow ? 'Allow' : 'Disallow'}: ${pattern}`)
  return wholeLines(['User-agent: *', ...new Set(lines), ...sitemaps.map((url) => `Sitemap: ${url}`)])
}

/** Reads it back. */
export function readKept(text: string): Robots {
  return parseRobots(text)
}

/** As many lines as fit: in their common form patterns can be longer than they were written. */
function wholeLines(lines: readonly string[]): string {
  let bytes = 0
  const fit = lines.findIndex((line) => (bytes += octetsOf(line).length + 1) > MAX_ROBOTS_BYTES)
  return (fit === -1 ? lines : lines.slice(0, fit)).join('\n')
}

/** What `isAllowed` says of the file that `kept` was made of. */
export function isAllowedByKept(kept: string, url: string): boolean {
  const path = matchedPathOf(url)
  if (path === undefined) return true
  let steps = MAX_STEPS
  for (let end = kept.length; end > 0;) {
    const start = kept.lastIndexOf('\n', end - 1) + 1
    const allow = kept.startsWith(ALLOW, start)
    if (allow || kept.startsWith(DISALLOW, start)) {
      const from = start + (allow ? ALLOW : DISALLOW).length
      const fit = prefixFits(kept, from, path)
      if (fit === 'whole') return allow
      if (fit === 'so-far') {
        // A site that sends so much to make us look for it does not want to be crawled.
        if ((steps -= path.length) < 0) return false
        if (matches(ruleOf(allow, kept.slice(from, end)), path)) return allow
      }
    }
    end = start - 1
  }
  return true
}

/** Whether the pattern at `from` begins as `path` does: all of it, or what stands before its first `*` or `$`. */
function prefixFits(kept: string, from: number, path: string): 'whole' | 'so-far' | 'not' {
  for (let at = 0; ; at++) {
    const code = kept.charCodeAt(from + at)
    if (code === LINE_FEED || Number.isNaN(code)) return 'whole'
    if (code === STAR || code === DOLLAR) return 'so-far'
    if (code !== path.charCodeAt(at)) return 'not'
  }
}
