// What the plugin remembers of a host: a copy for each of its origins (with hostKeying `domain` there may be many), and when it was asked last.
//
// A list, for it is asked several times an exchange: a record by origin would be of another shape for each host, and slow to look into.
import type { HostView } from '@avocet/core/plugin'
import type { Copy } from './copy-law.ts'
import type { Spacing } from './spacing-law.ts'

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
  /** What header fields of its answers said about the use of the content, as they are written. Absent = nothing. */
  declared?: readonly string[]
}

/** Memory is written with every lease: the copy that was requested longest ago is dropped, and fetched again when it is needed. */
const MAX_ORIGINS = 50

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
  if (copies.length > MAX_ORIGINS) {
    const oldest = copies.reduce((a, b) => (b.copy.refreshAt < a.copy.refreshAt ? b : a))
    copies.splice(copies.indexOf(oldest), 1)
    host.keepBlob(blobOf(oldest.origin), undefined)
  }
  memory.copies = copies
  const delayMs = Math.max(...copies.map((other) => other.copy.crawlDelayMs ?? 0))
  memory.delayMs = delayMs > 0 ? delayMs : undefined
}

/** Forgets the copies that were read for another agent than `agent`. */
export function readFor(memory: RobotsMemory, agent: string, host: HostView): void {
  if (memory.agent !== undefined && memory.agent !== agent) {
    for (const { origin } of memory.copies) host.keepBlob(blobOf(origin), undefined)
    memory.copies = []
    memory.delayMs = undefined
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
