// What the plugin says of a host when it is asked why.
import type { HostView, Json } from '@avocet/core'
import { sitemapsOf } from './is-allowed.ts'
import { readKept } from './kept-text.ts'
import { blobOf, type RobotsMemory } from './robots-memory.ts'

/** More than these would fill the screen. */
const ORIGINS = 9
const SITEMAPS = 5

/** One value for each origin, by its name. */
export function explainRobots(host: HostView, { copies }: RobotsMemory, ignored: boolean): Readonly<Record<string, Json>> {
  if (ignored) return { ignored: true }
  return Object.fromEntries(
    copies.slice(0, ORIGINS).map(({ origin, copy }) => {
      const { kind, fetchedAt, refreshAt, failures, last, rules = 0, crawlDelayMs, ignoredLines } = copy
      const text = kind === 'rules' ? host.blob(blobOf(origin)) : undefined
      const sitemaps = text === undefined ? [] : sitemapsOf(readKept(text), origin).slice(0, SITEMAPS)
      const value = {
        state: kind,
        last,
        ...(fetchedAt > 0 && { fetchedAt }),
        refreshAt,
        ...(failures > 0 && { failures }),
        rules,
        ...(crawlDelayMs !== undefined && { crawlDelayMs }),
        ...(ignoredLines !== undefined && { ignoredLines }),
        ...(sitemaps.length > 0 && { sitemaps: [...sitemaps] }),
      }
      return [origin, value]
    }),
  )
}
