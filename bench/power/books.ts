// What a crawl left behind, in its store and in its output, and what is wrong with that beside what a crawl without trouble leaves.
import { readFileSync } from 'node:fs'
import { openReader, verifyStore } from '@avocet/plugin-sqlite'

const ALL = 1_000_000

/** What was left. */
export interface Books {
  /** Handler, URL and state of every request. */
  readonly requests: readonly string[]
  readonly items: readonly string[]
  readonly lines: readonly string[]
}

/** Reads a store and its output. */
export async function booksOf(store: string, output: string): Promise<Books> {
  const reader = await openReader(store)
  try {
    const requests = await reader.requests({ limit: ALL })
    const items = await reader.items({ afterSeq: 0, limit: ALL })
    return {
      requests: requests.map(({ handler, url, state }) => `${handler} ${url} ${state}`),
      items: items.map(({ json }) => json),
      lines: readFileSync(output, 'utf8').split('\n').slice(0, -1),
    }
  } finally {
    await reader.close()
  }
}

/** What is wrong; nothing where all is as it should be. `store`: is to be sound, too. */
export async function wrongIn(
  store: string,
  { came, expected }: { readonly came: Books; readonly expected: Books },
): Promise<string[]> {
  const { faults } = await verifyStore(store)
  return [
    ...faults.map(({ message }) => `not sound: ${message}`),
    ...differences('request', came.requests, expected.requests),
    ...differences('item', came.items, expected.items),
    ...differences('line', came.lines, expected.lines),
  ]
}

function differences(what: string, came: readonly string[], expected: readonly string[]): string[] {
  const left = tally(expected)
  const wrong: string[] = []
  for (const [one, times] of tally(came)) {
    const wanted = left.get(one) ?? 0
    left.delete(one)
    if (times > wanted) wrong.push(`${what} ${String(times)} times, expected ${String(wanted)}: ${one.slice(0, 80)}`)
    if (times < wanted) wrong.push(`${what} missing ${String(wanted - times)} times: ${one.slice(0, 80)}`)
  }
  return [...wrong, ...[...left].map(([one, times]) => `${what} missing ${String(times)} times: ${one.slice(0, 80)}`)]
}

function tally(all: readonly string[]): Map<string, number> {
  const times = new Map<string, number>()
  for (const one of all) times.set(one, (times.get(one) ?? 0) + 1)
  return times
}
