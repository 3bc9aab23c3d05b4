// What the plugin says of a host when it is asked why.
import type { HostView, Json } from '@avocet/core'
import { sitemapsOf } from './is-allowed.ts'
import { readKept } from './kept-text.ts'
import { blobOf, type RobotsMemory } from './robots-memory.ts'

/** More than these would fill the screen. */
const ORIGINS = 9
const SITEMAPS = 5

/** One value for each origin, by its name. */
export function explained(host: HostView, { origins }: RobotsMemory, ignored: boolean): Readonly<Record<string, Json>> {
  if (ignored) return { ignored: true }
  const shown = Object.entries(origins).slice(0, ORIGINS)
  return Object.fromEntries(
    shown.map(([origin, { kind, fetchedAt, refreshAt, failures, last, rules = 0, crawlDelayMs, ignoredLines }]) => {
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
