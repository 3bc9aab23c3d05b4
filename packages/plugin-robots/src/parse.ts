// Reads a robots.txt as RFC 9309 says, with the tolerance that search engines have taught the web to rely on.
//
// Every text can be read: a line that means nothing is skipped and counted. Groups stay as they are written (agents, rules), and are joined
// only for an agent that is asked about: joined for all of them, a file of 18,000 agents and 18,000 rules would be 324 million rules.
// Tolerance as in google/robotstxt (facts, not code): keys by their beginning and in any case, five misspellings of `disallow`, a space
// instead of the colon when the line has just two words, lines of any ending, and other lines within a group do not end it.
import { isAllDay } from './hours-law.ts'
import { octetsOf, type Rule, ruleOf } from './pattern.ts'
import { isEveryAgent, productToken } from './product-token.ts'
import { hoursOf, MAX_TIMED, requestRateOf, strictest, type TimedWish } from './timed-wishes.ts'

/** Agents that are named in a row, and the rules below them. */
export interface Group {
  /** Product tokens in lower case; `*` is everybody. */
  readonly agents: Set<string>
  readonly rules: Rule[]
}

/** What a site says about the use of its content. */
interface Preference {
  /** Of the group that it is in; absent outside of groups. */
  readonly agents: ReadonlySet<string> | undefined
  /** Name and value: `Content-Signal: ai-train=no`. */
  readonly text: string
}

/** Between two starts. */
export interface Delay {
  readonly ms: number
  /** As it is written, of a Request-rate. */
  readonly rate?: string
}

/** What a robots.txt says. Ask it with `isAllowed`, `crawlDelayMs` and `sitemapsOf`. */
export interface Robots {
  readonly groups: readonly Group[]
  /** Start-to-start spacing that it asks of each product token: the longest Crawl-delay, or Request-rate that is for the whole day. */
  readonly delays: ReadonlyMap<string, Delay>
  /** Its Visit-time lines, and Request-rate lines with hours, at most eight of each product token. */
  readonly timed: ReadonlyMap<string, readonly TimedWish[]>
  /** As they are written, at most 500. */
  readonly sitemaps: readonly string[]
  /** Content-Signal, Content-Usage and License lines, as they are written, at most 100. */
  readonly preferences: readonly Preference[]
  /** Lines with something on them that mean nothing, or a Crawl-delay, Request-rate or Visit-time that is not plausible. */
  readonly ignoredLines: number
  /** Whether the file is longer than 500 KiB: the rest was not read. */
  readonly truncated: boolean
}

/** RFC 9309 §2.5: at least 500 KiB must be read. */
export const MAX_ROBOTS_BYTES: number = 500 * 1024
/** Longer lines are cut. Source: google/robotstxt. */
const MAX_LINE_BYTES = 2_083 * 8
const MAX_SITEMAPS = 500
const MAX_PREFERENCES = 100
/** A Crawl-delay above a day is a mistake: nobody means it. */
const MAX_DELAY_MS = 86_400_000

const INDEX_PAGE = /\/index\.htm[^/]*$/

const MEANINGS = [
  { key: /^user[- ]?agent/i, means: 'agent' },
  { key: /^(?:disallow|dissallow|dissalow|disalow|diasllow|disallaw)/i, means: 'disallow' },
  { key: /^allow/i, means: 'allow' },
  { key: /^crawl-?delay/i, means: 'delay' },
  { key: /^request-?rate$/i, means: 'rate' },
  { key: /^visit-?time$/i, means: 'visit' },
  { key: /^site-?map/i, means: 'sitemap' },
  { key: /^content-signals?$/i, means: 'signal' },
  { key: /^content-usage$/i, means: 'usage' },
  { key: /^license$/i, means: 'license' },
] as const

/**
 * Reads a robots.txt. Nothing in it is an error.
 *
 * Of more than 500 KiB the rest is not read; bytes that begin with a byte order mark of UTF-16 are read as such.
 *
 * @example
 * ```ts
 * import { crawlDelayMs, isAllowed } from '@avocet/plugin-robots'
 * const robots = parseRobots('User-agent: *\nDisallow: /cart\nCrawl-delay: 2')
 * isAllowed(robots, 'avocet', 'https://shop.example/cart/1') // false
 * crawlDelayMs(robots, 'avocet') // 2000
 * ```
 * Source: RFC 9309.
 */
export function parseRobots(text: string | Uint8Array): Robots {
  const octets = withoutMark(typeof text === 'string' ? octetsOf(text) : octetsIn(text))
  const truncated = octets.length > MAX_ROBOTS_BYTES
  const reader = new Reader()
  for (const line of linesOf(truncated ? wholeLines(octets) : octets)) reader.line(line)
  return { ...reader.read, truncated }
}

/** Takes line after line. */
class Reader {
  readonly #groups: Group[] = []
  readonly #delays = new Map<string, Delay>()
  readonly #timed = new Map<string, readonly TimedWish[]>()
  readonly #sitemaps: string[] = []
  readonly #preferences: Preference[] = []
  #ignoredLines = 0
  /** Whether a rule ended the agents of the last group. */
  #closed = true
  /** Agents that a Crawl-delay is for: those named since the last line that was not a name. */
  #named: string[] = []
  /** The longest Crawl-delay for them so far; noted for each when the next are named: 18,000 names and 18,000 delays would be 324 million notes. */
  #namedDelay: Delay | undefined
  /** And what it wishes of them by the time of the day. */
  #namedTimed: TimedWish[] = []
  #naming = false

  get read(): Omit<Robots, 'truncated'> {
    this.#noteDelay()
    const [groups, delays, sitemaps, preferences] = [this.#groups, this.#delays, this.#sitemaps, this.#preferences]
    return { groups, delays, timed: this.#timed, sitemaps, preferences, ignoredLines: this.#ignoredLines }
  }

  line(line: string): void {
    const field = fieldOf(line)
    if (field === undefined) {
      if (line.trim() !== '' && !line.trimStart().startsWith('#')) this.#ignoredLines++
    } else if (field.means === 'agent') this.#agent(field.value)
    else if (field.means === 'sitemap') this.#sitemap(field.value)
    else if (field.means === 'signal') this.#preference('Content-Signal', field.value)
    else if (field.means === 'usage') this.#preference('Content-Usage', field.value)
    // It is of no group, like a sitemap (rslstandard.org).
    else if (field.means === 'license') this.#preference('License', field.value, null)
    else {
      this.#naming = false
      if (field.means === 'delay') this.#delay(field.value)
      else if (field.means === 'rate') this.#rate(field.value)
      else if (field.means === 'visit') this.#wish(hoursOf(field.value))
      else this.#rule(field.means === 'allow', field.value)
    }
  }

  #agent(value: string): void {
    if (this.#closed) this.#groups.push({ agents: new Set(), rules: [] })
    if (!this.#naming) {
      this.#noteDelay()
      this.#named = []
    }
    this.#closed = false
    this.#naming = true
    const agent = isEveryAgent(value) ? '*' : productToken(value)
    if (agent === undefined) return
    this.#groups.at(-1)?.agents.add(agent)
    this.#named.push(agent)
  }

  #rule(allow: boolean, value: string): void {
    const group = this.#groups.at(-1)
    if (group === undefined) return void this.#ignoredLines++
    this.#closed = true
    // "Disallow:" alone disallows nothing, but it does make a group.
    if (value === '') return
    group.rules.push(ruleOf(allow, value))
    // A site that allows `/a/index.html` means the page that is served at `/a/`. All engines that were compared agree.
    const index = allow ? INDEX_PAGE.exec(value) : null
    if (index !== null) group.rules.push(ruleOf(true, `${value.slice(0, index.index + 1)}$`))
  }

  #delay(value: string): void {
    this.#spacing({ ms: /^(?:\d+\.?\d*|\.\d+)$/.test(value) ? Number(value) * 1_000 : Number.NaN })
  }

  #spacing(delay: Delay): void {
    if (!(delay.ms <= MAX_DELAY_MS) || this.#named.length === 0) return void this.#ignoredLines++
    this.#namedDelay = longer(delay, this.#namedDelay)
  }

  #rate(value: string): void {
    const rate = requestRateOf(value)
    if (rate === undefined || isAllDay(rate)) this.#spacing({ ms: rate?.delayMs ?? Number.NaN, rate: value.slice(0, 40) })
    else this.#wish(rate.delayMs <= MAX_DELAY_MS ? rate : undefined)
  }

  #wish(wish: TimedWish | undefined): void {
    const isTaken = wish !== undefined && this.#named.length > 0 && this.#namedTimed.length < MAX_TIMED
    if (!isTaken) this.#ignoredLines++
    else if (!isAllDay(wish)) this.#namedTimed.push(wish)
  }

  #noteDelay(): void {
    const [delay, timed] = [this.#namedDelay, this.#namedTimed]
    if (delay !== undefined) for (const agent of this.#named) this.#delays.set(agent, longer(delay, this.#delays.get(agent)))
    if (timed.length > 0)
      for (const agent of this.#named) this.#timed.set(agent, strictest([...(this.#timed.get(agent) ?? []), ...timed]))
    this.#namedDelay = undefined
    this.#namedTimed = []
  }

  #sitemap(value: string): void {
    if (value !== '' && this.#sitemaps.length < MAX_SITEMAPS) this.#sitemaps.push(utf8Of(value))
  }

  /** Like an unknown line, it ends neither a row of agents nor a group. */
  #preference(name: string, value: string, of: Group | null = this.#groups.at(-1) ?? null): void {
    if (value === '' || this.#preferences.length >= MAX_PREFERENCES) return
    this.#preferences.push({ agents: of?.agents, text: `${name}: ${utf8Of(value)}` })
  }
}

function longer(delay: Delay, known: Delay | undefined): Delay {
  return known !== undefined && known.ms >= delay.ms ? known : delay
}

interface Field {
  readonly means: (typeof MEANINGS)[number]['means']
  readonly value: string
}

function fieldOf(line: string): Field | undefined {
  const hash = line.indexOf('#')
  const text = (hash === -1 ? line : line.slice(0, hash)).slice(0, MAX_LINE_BYTES).trim()
  if (text === '') return undefined
  const colon = text.indexOf(':')
  if (colon === -1) return fieldWithoutColon(text)
  const key = text.slice(0, colon).trimEnd()
  return named(key, text.slice(colon + 1).trimStart())
}

/** Only when there are just two words: more of them are prose. */
function fieldWithoutColon(text: string): Field | undefined {
  const words = text.split(/[ \t]+/, 3)
  return words.length === 2 ? named(words[0] ?? '', words[1] ?? '') : undefined
}

function named(key: string, value: string): Field | undefined {
  const meaning = MEANINGS.find((one) => one.key.test(key))
  return meaning && { means: meaning.means, value }
}

function utf8Of(octets: string): string {
  return Buffer.from(octets, 'latin1').toString('utf8')
}

function octetsIn(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const [first, second] = bytes
  // A charset of two bytes a character: read it, then go on in UTF-8.
  if (first === 0xff && second === 0xfe)
    return octetsOf(new TextDecoder('utf-16le').decode(bytes.subarray(0, 2 * MAX_ROBOTS_BYTES)))
  if (first === 0xfe && second === 0xff)
    return octetsOf(new TextDecoder('utf-16be').decode(bytes.subarray(0, 2 * MAX_ROBOTS_BYTES)))
  return buffer.toString('latin1', 0, MAX_ROBOTS_BYTES + 4)
}

/** Without the byte order mark of UTF-8. */
function withoutMark(octets: string): string {
  return octets.startsWith('\xef\xbb\xbf') ? octets.slice(3) : octets
}

/** The first 500 KiB, without the line that they end in: half a rule is another rule. */
function wholeLines(octets: string): string {
  const head = octets.slice(0, MAX_ROBOTS_BYTES)
  const end = Math.max(head.lastIndexOf('\n'), head.lastIndexOf('\r'))
  return end === -1 ? head : head.slice(0, end)
}

function linesOf(octets: string): string[] {
  return octets.split(/\r\n|\r|\n/)
}
