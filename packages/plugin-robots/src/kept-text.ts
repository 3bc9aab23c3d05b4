// What is kept of a robots.txt: our rules and the sitemaps, as a robots.txt of its own, so that reading it back is parsing it.
import { octetsOf } from './octets.ts'
import { rulesFor } from './is-allowed.ts'
import { MAX_ROBOTS_BYTES, parseRobots, type Robots } from './parse.ts'

const MAX_SITEMAPS = 50
const MAX_SITEMAP_CHARACTERS = 2_083

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
