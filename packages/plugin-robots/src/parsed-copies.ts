// The rules of live hosts, parsed once. A cache and no memory: what it holds can be read again from the blobs.
//
// It is capped by bytes, not by number: a robots.txt may hold 46,000 rules, all of which count (RFC 9309 §2.5), and there may be hundreds of hosts. What
// was used longest ago goes first. What would push out all others is not parsed at all: `isAllowedByKept` decides by its text.
import type { HostView } from '@avocet/core/plugin'
import { isAllowed, matchedPathOf, MAX_STEPS, rulesFor } from './is-allowed.ts'
import { MAX_ROBOTS_BYTES, parseRobots, type Robots } from './parse.ts'
import { matches, octetsOf, ruleOf } from './pattern.ts'
import { blobOf, type OriginCopy, type RobotsMemory } from './robots-memory.ts'

/** What all of them may take. A usual file takes some 5 KB, so this is for 10,000 hosts at once. */
const MAX_PARSED_BYTES = 64 * 2 ** 20

/** Characters of a kept text from which it is not parsed: some 3,000 rules. */
const LARGE_TEXT = 64 * 2 ** 10

/** What a rule takes beside its text, measured. */
const BYTES_A_RULE = 120

/** What a copy takes however small it is. */
const BYTES_A_COPY = 1_024

interface Parsed {
  readonly fetchedAt: number
  readonly robots: Robots
  readonly bytes: number
  readonly memory: WeakRef<RobotsMemory>
  readonly origin: string
}

/** Parsed copies, by the memory of their host and their origin. */
export class ParsedCopies {
  readonly #byMemory = new WeakMap<RobotsMemory, Map<string, Parsed>>()
  /** Used longest ago first. */
  readonly #all = new Set<Parsed>()
  readonly #maxBytes: number
  #bytes = 0

  constructor(maxBytes: number = MAX_PARSED_BYTES) {
    this.#maxBytes = maxBytes
  }

  /** Estimated size of all that is kept. */
  get bytes(): number {
    return this.#bytes
  }

  /** Whether `agent` may request `url`, of whose origin `place` is what is known. */
  allows(
    host: HostView,
    memory: RobotsMemory,
    { place, agent, url }: { readonly place: OriginCopy; readonly agent: string; readonly url: string },
  ): boolean {
    const text = host.blob(blobOf(place.origin)) ?? ''
    if (text.length > LARGE_TEXT) return isAllowedByKept(text, url)
    return isAllowed(this.of(host, memory, place), agent, url)
  }

  /** The rules of `origin`, of which `copy` is what is known. */
  of(host: HostView, memory: RobotsMemory, { origin, copy }: OriginCopy): Robots {
    const known = this.#byMemory.get(memory)
    const cached = known?.get(origin)
    if (cached?.fetchedAt === copy.fetchedAt) {
      this.#all.delete(cached)
      this.#all.add(cached)
      return cached.robots
    }
    // Origins come and go; the memory holds few of them, and so does this.
    for (const [name, parsed] of known ?? []) {
      if (name === origin || !memory.copies.some((kept) => kept.origin === name)) this.#forget(parsed)
    }
    const text = host.blob(blobOf(origin)) ?? ''
    const robots = readKept(text)
    this.#keep({ fetchedAt: copy.fetchedAt, robots, bytes: bytesOf(text, robots), memory: new WeakRef(memory), origin }, memory)
    return robots
  }

  #keep(parsed: Parsed, memory: RobotsMemory): void {
    const known = this.#byMemory.get(memory) ?? new Map<string, Parsed>()
    this.#byMemory.set(memory, known.set(parsed.origin, parsed))
    this.#all.add(parsed)
    this.#bytes += parsed.bytes
    for (const oldest of this.#all) {
      if (this.#bytes <= this.#maxBytes || oldest === parsed) break
      this.#forget(oldest)
    }
  }

  #forget(parsed: Parsed): void {
    if (!this.#all.delete(parsed)) return
    this.#bytes -= parsed.bytes
    const memory = parsed.memory.deref()
    if (memory !== undefined) this.#byMemory.get(memory)?.delete(parsed.origin)
  }
}

function bytesOf(text: string, { groups }: Robots): number {
  const rules = groups.reduce((sum, group) => sum + group.rules.length, 0)
  return BYTES_A_COPY + text.length + rules * BYTES_A_RULE
}

// What is kept of a robots.txt: our rules and the sitemaps, as a robots.txt of its own, so that reading it back is parsing it.
//
// A file with so many rules that they cannot be kept ready for each of hundreds of hosts is decided by its text, without parsing it: 24,000 rules take
// 20 ms to parse and 3 MB; parsed anew for every page of every host they were all that a crawl did. The kept text has a rule a line, the one that
// decides first at the end, so it is read from its end until a line matches. Most lines differ from the path in their first characters, and cost
// some 20 ns.

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
