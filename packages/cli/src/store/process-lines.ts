// The processes that crawl, one a line: `crawler-1: process 4711 holds 32 hosts, running for 12 min, last heard from 2 s ago`.
import type { CrawlingProcess } from '@avocet/core/store'
import { printable } from '../text/printable.ts'
import { formatCountOf, formatDuration } from '../text/quantity.ts'

/** Lines of them, in their order. `now`: epoch ms. */
export function processLines(processes: readonly CrawlingProcess[], now: number): string[] {
  return processes.map(({ machine, pid, hosts, since, silentMs }) => {
    const where = machine === undefined ? '' : `${printable(machine)}: `
    const facts = [
      `${where}process ${String(pid)} holds ${formatCountOf(hosts, 'host')}`,
      ...(since === undefined ? [] : [`running for ${formatDuration(Math.max(0, now - since))}`]),
      ...(silentMs === undefined ? [] : [`last heard from ${formatDuration(silentMs)} ago`]),
    ]
    return facts.join(', ')
  })
}
