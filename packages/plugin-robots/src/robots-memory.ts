// What the plugin remembers of a host: a copy for each of its origins (with hostKeying `domain` there may be many), and when it was asked last.
import type { HostView } from '@avocet/core'
import type { Copy } from './copy-law.ts'
import type { Spacing } from './spacing-law.ts'

/** Host memory. */
export interface RobotsMemory extends Spacing {
  readonly origins: Record<string, Copy>
}

/** Memory is written with every visit: the copy that was asked for longest ago makes room, and is fetched again when it is needed. */
const MAX_ORIGINS = 50

/** Keeps `copy`, and no more copies than there is room for. */
export function keep({ origins }: RobotsMemory, origin: string, copy: Copy, host: HostView): void {
  origins[origin] = copy
  const names = Object.keys(origins)
  if (names.length <= MAX_ORIGINS) return
  const oldest = names.reduce((a, b) => ((origins[b]?.refreshAt ?? 0) < (origins[a]?.refreshAt ?? 0) ? b : a))
  Reflect.deleteProperty(origins, oldest)
  host.keepBlob(blobOf(oldest), undefined)
}

/** Name of the blob with the rules of `origin`. */
export function blobOf(origin: string): string {
  return `robots ${origin}`
}

/** The longest Crawl-delay of any origin: it is about the machine behind them. */
export function delayOf({ origins }: RobotsMemory): number {
  let longest = 0
  for (const origin in origins) longest = Math.max(longest, origins[origin]?.crawlDelayMs ?? 0)
  return longest
}

/** Whether some origin can be asked: then one that cannot must not hold the host. */
export function otherIsKnown({ origins }: RobotsMemory): boolean {
  for (const origin in origins) if (origins[origin]?.kind !== 'unknown') return true
  return false
}

/** Scheme and authority of an absolute URL, without a slash at the end. */
export function originOf(url: string): string {
  const slash = url.indexOf('/', url.indexOf('//') + 2)
  return slash === -1 ? url : url.slice(0, slash)
}
