// The processes that crawl, one a line: `crawler-1: process 4711 holds 32 hosts, running for 12 min, last heard from 2 s ago`.
//
// Nobody can tell at once that a process of another machine died: it counts as one that crawls until another process takes its hosts over. So one that was not
// heard from for longer than a process may hold its hosts without a word is told apart.
import type { CrawlingProcess } from '@avocet/core/store'
import { printable } from '../text/printable.ts'
import { formatCountOf, formatDuration } from '../text/quantity.ts'

/**
 * From when on it may be dead: another process would take its hosts over. It is `buryMs` of plugin-postgres, which is loaded only for a store on a server.
 * Of a store in a file it is known whether a process lives.
 */
const MAYBE_DEAD_AFTER_MS = 30_000

/** For how long none of them was heard from, in ms, where that is so long that all of them may be dead. */
export function silenceOf(processes: readonly CrawlingProcess[]): number | undefined {
  const shortest = Math.min(...processes.map((each) => (maybeDead(each) ? (each.silentMs ?? 0) : 0)))
  return processes.length > 0 && shortest > 0 ? shortest : undefined
}

function maybeDead({ machine, silentMs = 0 }: CrawlingProcess): boolean {
  return machine !== undefined && silentMs >= MAYBE_DEAD_AFTER_MS
}

/** Lines of them, in their order. `now`: epoch ms. */
export function processLines(processes: readonly CrawlingProcess[], now: number): string[] {
  return processes.map((each) => {
    const { machine, pid, hosts, since, silentMs } = each
    const silence = silentMs === undefined ? '' : formatDuration(silentMs)
    const where = machine === undefined ? '' : `${printable(machine)}: `
    const facts = [
      `${where}process ${String(pid)} holds ${formatCountOf(hosts, 'host')}`,
      ...(since === undefined ? [] : [`running for ${formatDuration(Math.max(0, now - since))}`]),
      ...(silence === ''
        ? []
        : [maybeDead(each) ? `not heard from for ${silence}, it may be dead` : `last heard from ${silence} ago`]),
    ]
    return facts.join(', ')
  })
}
