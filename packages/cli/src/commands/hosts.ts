// `avocet hosts`: every host of a store, those with most waiting first.
import { hostsOf, type HostRecord } from '@avocet/core'
import { writeDocument } from '../output/machines.ts'
import { print } from '../output/people.ts'
import type { Place } from '../place.ts'
import { column } from '../text/columns.ts'
import { givenUpInWords } from '../text/given-up.ts'
import { printable } from '../text/printable.ts'
import { formatCount, formatDuration } from '../text/quantity.ts'
import { withReader } from './with-reader.ts'

const MAX_HOST_COLUMNS = 60

/** Prints a table; with `json` one document. */
export function hostsCommand(store: string | undefined, json: boolean, { folder, stdout, clock }: Place): Promise<void> {
  return withReader(folder, store, async (reader) => {
    const hosts: HostRecord[] = []
    for await (const host of hostsOf(reader)) hosts.push(host)
    hosts.sort((a, b) => b.waiting - a.waiting || (a.hostKey < b.hostKey ? -1 : 1))
    if (json) await writeDocument(stdout, { schema: 1, hosts: hosts.map(withoutMemory) })
    else await print(stdout, table(hosts, clock.now()))
  })
}

/** What plugins remember is theirs to show. */
function withoutMemory({ memory: _memory, ...host }: HostRecord): object {
  return host
}

function table(hosts: readonly HostRecord[], now: number): string[] {
  const names = hosts.map(({ hostKey }) => printable(hostKey))
  const nameColumns = Math.min(MAX_HOST_COLUMNS, Math.max(4, ...names.map((name) => name.length)))
  const line = (name: string, cells: readonly string[], state: string): string =>
    [column(name, nameColumns), ...cells.map((cell) => column(cell, 9, 'right')), ` ${state}`].join(' ').trimEnd()
  return [
    line('host', ['waiting', 'done', 'moved', 'failed', 'retried'], 'state'),
    ...hosts.map((host, index) => {
      const cells = [host.waiting, host.done, host.moved, host.failed, host.retried].map(formatCount)
      return line(names[index] ?? '', cells, stateOf(host, now))
    }),
  ]
}

function stateOf({ retiredFor, probeAt, held, readyAt, waiting }: HostRecord, now: number): string {
  if (retiredFor !== undefined) return `given up: ${givenUpInWords(retiredFor, probeAt, now)}`
  if (held) return 'being crawled'
  if (waiting === 0) return ''
  return readyAt <= now ? 'ready' : `not for ${formatDuration(readyAt - now)}`
}
