// What `status`, `why`, `hosts`, the report and the page say of a suspect host, from what the plugin left in its memory.
import type { Plugin } from '@avocet/core'
import { formatDuration } from '@avocet/core/plugin'
import type { MemoryParts } from '@avocet/core/store'
import { suspectInWords, type HealthMemory, type Suspect } from './laws/witnesses.ts'

export type { Suspect } from './laws/witnesses.ts'

/** Name of the plugin. */
export const HEALTH = 'health'

/**
 * What fell out of the past of a host; undefined: it is not suspect.
 *
 * @param memory Of a `HostRecord`, as a reader gives it.
 * @example
 * ```ts
 * for (const { hostKey, memory } of await memoryFrontier().reader.hosts({ limit: 100 })) console.log(hostKey, suspectOf(memory)?.kind)
 * ```
 */
export function suspectOf({ [HEALTH]: text }: MemoryParts): Suspect | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as [number, HealthMemory])[1].suspect
}

/** For reports on hosts at rest. */
export const healthFindings: NonNullable<Plugin['findings']> = {
  parts: [HEALTH],
  broken({ hostKey, memory }, now) {
    const suspect = suspectOf(memory)
    if (suspect === undefined) return []
    const { handler, held: items, odd: barren, since } = suspect
    const why = `${suspectInWords(suspect)}, for ${formatDuration(Math.max(0, now - since))}; ${items} ${items === 1 ? 'visit' : 'visits'} held`
    return [{ hostKey, handler, items, barren, why }]
  },
}
