// What the plugin remembers of a host: a copy for each of its origins (with hostKeying `domain` there may be many), and when it was asked last.
//
// A list, for it is asked several times an exchange: a record by origin would be of another shape for each host, and slow to look into.
import type { HostView } from '@avocet/core/plugin'
import type { Copy } from './copy-law.ts'
import { strictest, type TimedWish } from './timed-wishes.ts'

/** The copy of one origin. */
export interface OriginCopy {
  /** Scheme and authority, without a slash at the end. */
  readonly origin: string
  readonly copy: Copy
}

/** Host memory. */
export interface RobotsMemory extends Spacing {
  copies: readonly OriginCopy[]
  /** Product token that the copies were read for: they hold the rules for no other. Absent = none was read yet. */
  agent?: string
  /** The longest Crawl-delay of any origin, ms: it is about the machine behind them. Absent = none asks for one. */
  delayMs?: number | undefined
  /** The Request-rate that it comes from, as it is written. Absent = none. */
  requestRate?: string | undefined
  /** What any of them asks by the time of the day. Absent = nothing. */
  timed?: readonly TimedWish[] | undefined
  /** What header fields of its answers said about the use of the content, as they are written. Absent = nothing. */
  declared?: readonly string[]
}

/** Memory is written with every lease: the copies that were requested longest ago are dropped, and fetched again when they are needed. */
const MAX_ORIGINS = 50
/** Of the copies as JSON: memory of a host has 64 KiB. */
const MAX_CHARACTERS = 48 * 1024

/** Memory of a host that was never met. */
export function freshRobotsMemory(): RobotsMemory {
  return { copies: [], lastStartAt: 0, beforeAt: 0, bookedAt: 0 }
}

/** The copy for the origin of `url`; undefined when there is none. */
export function copyFor({ copies }: RobotsMemory, url: string): Copy | undefined {
  for (const { origin, copy } of copies) if (url.startsWith(origin) && isEndOfOrigin(url, origin.length)) return copy
  return undefined
}

/** Keeps `copy`, and no more copies than there is room for. */
export function keep(memory: RobotsMemory, { origin, copy }: OriginCopy, host: HostView): void {
  const copies = [...memory.copies.filter((other) => other.origin !== origin), { origin, copy }]
  while (copies.length > MAX_ORIGINS || JSON.stringify(copies).length > MAX_CHARACTERS) {
    const oldest = copies.shift()
    if (oldest) host.keepBlob(blobOf(oldest.origin), undefined)
  }
  join(memory, copies)
}

/** Of several copies the strictest counts. */
function join(memory: RobotsMemory, copies: RobotsMemory['copies']): void {
  memory.copies = copies
  const [slowest] = copies.map(({ copy }) => copy).toSorted((a, b) => (b.crawlDelayMs ?? 0) - (a.crawlDelayMs ?? 0))
  const timed = strictest(copies.flatMap(({ copy }) => copy.timed ?? []))
  memory.delayMs = slowest?.crawlDelayMs
  memory.requestRate = slowest?.requestRate
  memory.timed = timed.length > 0 ? timed : undefined
}

/** Forgets the copies that were read for another agent than `agent`. */
export function readFor(memory: RobotsMemory, agent: string, host: HostView): void {
  if (memory.agent !== undefined && memory.agent !== agent) {
    for (const { origin } of memory.copies) host.keepBlob(blobOf(origin), undefined)
    join(memory, [])
  }
  memory.agent = agent
}

/** Name of the blob with the rules of `origin`. */
export function blobOf(origin: string): string {
  return `robots ${origin}`
}

/** Whether some origin can be asked: then one that cannot must not hold the host. */
export function otherIsKnown({ copies }: RobotsMemory): boolean {
  return copies.some(({ copy }) => copy.kind !== 'unknown')
}

/** `http://a.example` is no origin of `http://a.example.org/`. */
function isEndOfOrigin(url: string, length: number): boolean {
  return url.length === length || url.charCodeAt(length) === 0x2f
}

// Keeps requests to a host at least its Crawl-delay apart, from start to start, as the host sees them: a pure law over three moments.
//
// A booking counts as a start until it is known better: given back, it never was one; sent later than it was booked (a connection had to be
// made), the start is when it was sent. While a Crawl-delay holds there is one exchange at a time, so there is one booking to give back.
// Before it was known, and when the last holder of the host died, there were bookings that this law does not know: then the numbers of the host's view count.

/** When requests to this host started. Epoch ms; 0 = never. */
export interface Spacing {
  lastStartAt: number
  /** What it was before the last booking. */
  beforeAt: number
  /** The last booking that this law knows, also when it was given back. */
  bookedAt: number
}

/** Earliest next start, where the host was last booked at `hostBookedAt`. */
export function nextStartAt(spacing: Spacing, hostBookedAt: number, delayMs: number): number {
  const last = hostBookedAt > spacing.bookedAt ? hostBookedAt : spacing.lastStartAt
  return last === 0 ? 0 : last + delayMs
}

/** A booking at `at`. */
export function bookStart(spacing: Spacing, at: number): void {
  spacing.beforeAt = spacing.lastStartAt
  spacing.lastStartAt = Math.max(spacing.lastStartAt, at)
  spacing.bookedAt = at
}

/** The booking at `at` was never sent. */
export function returnStart(spacing: Spacing, at: number): void {
  if (spacing.lastStartAt === at) spacing.lastStartAt = spacing.beforeAt
}

/** Its first byte was written at `at`; undefined when it was not. */
export function sent(spacing: Spacing, at: number | undefined): void {
  spacing.lastStartAt = Math.max(spacing.lastStartAt, at ?? 0)
}
