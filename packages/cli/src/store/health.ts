// `avocet status --check`: whether a crawl is healthy, as an exit code, for what watches over it: a container, Kubernetes, a cron job.
//
// Healthy is a crawl whose store can be read and in which a process lives that was heard from lately. A process says so every 5 s, from the opening of the
// store to the end of its run, also while it waits for the next round or is paused: an idle crawl is healthy. One whose event loop hangs, or whose store has
// been full for longer than that, is not heard from. It reads a few rows, so that it may be asked once a second.
import { hostname } from 'node:os'
import type { CrawlingProcess } from '@avocet/core/store'
import type { ExitCode } from '@avocet/project/command'
import { shownName, withReader } from '@avocet/project/store'
import { writeDocument, print, type Place } from '@avocet/project/place'
import { printable, formatCountOf } from '@avocet/project/text'
import { formatDuration } from '@avocet/core/plugin'
import type { StoreWish } from './status.ts'

/** What was typed. */
export interface HealthWish extends StoreWish {
  /** How long ago the last sign of life may be. */
  readonly maxSilenceMs: number
  /** Whether only processes of this machine count. */
  readonly here: boolean
}

/** What was found. */
interface Health {
  readonly healthy: boolean
  /** In words. */
  readonly why: string
  readonly processes: number
  /** Of the one heard from last. Absent: nobody crawls, or nobody knows. */
  readonly silentMs?: number
}

/** Prints one line; with `json` one document. 0 for a healthy crawl, 12 for one that is not. Throws AVO_FRONTIER_… for a store that cannot be read. */
export function healthCommand({ json, maxSilenceMs, here, ...wish }: HealthWish, place: Place): Promise<ExitCode> {
  return withReader(place, wish, async (reader, path) => {
    const { name, processes = [] } = await reader.info()
    const counted = here ? processes.filter(({ machine }) => machine === undefined || machine === hostname()) : processes
    const health = healthOf(counted, maxSilenceMs)
    if (json) await writeDocument(place.stdout, { schema: 1, store: shownName(path), name, ...health })
    else await print(place.stdout, `${printable(name)}: ${health.why}`)
    return health.healthy ? 0 : 12
  })
}

function healthOf(processes: readonly CrawlingProcess[], maxSilenceMs: number): Health {
  const count = processes.length
  if (count === 0) return { healthy: false, processes: 0, why: 'no process crawls' }
  const silentMs = Math.min(...processes.map((each) => each.silentMs ?? Infinity))
  const who = formatCountOf(count, 'process crawls', 'processes crawl')
  // Of a process of another boot of the machine, or in memory, nobody knows.
  if (!Number.isFinite(silentMs)) return { healthy: true, processes: count, why: who }
  const healthy = silentMs <= maxSilenceMs
  const heard = `last heard from ${formatDuration(silentMs)} ago`
  return {
    healthy,
    processes: count,
    silentMs,
    why: `${who}, ${heard}${healthy ? '' : `, more than ${formatDuration(maxSilenceMs)}`}`,
  }
}
