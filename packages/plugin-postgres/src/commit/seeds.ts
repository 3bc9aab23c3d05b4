// Seeds: new requests of no page, in a call of their own.
import { AvocetError } from '@avocet/core'
import { requestProblem, type Fingerprint, type NewRequest } from '@avocet/core/store'
import type { ServerStore } from '../store.ts'
import type { GroupAnswer } from './group.ts'
import { LinkColumns, textProblem } from './link-columns.ts'
import { sqlStateOf } from '../connection/postgres-fault.ts'

/** Adds those of `requests` that are new. Throws AVO_INTERNAL for one that is bad, and adds none then. */
export async function addSeeds(store: ServerStore, requests: readonly NewRequest[]): Promise<{ added: number; known: number }> {
  for (const request of requests) {
    const problem = requestProblem(request) ?? textProblem(request)
    if (problem !== undefined) throw new AvocetError('AVO_INTERNAL', `link ${request.url}: ${problem}`)
  }
  const answer = await store.askInTurn(async (no) => {
    const { membership, durability, me, connections } = store
    await store.handlers.learn(requests.map(({ handler }) => handler))
    const { hosts, links } = columnsOf(store, requests)
    // What fails because others found a link meanwhile is rolled back with its number.
    return unlessFoundMeanwhile((lockFirst) =>
      connections.call<string | null>('add', [...me, no, membership.run, durability, lockFirst, ...hosts, ...links]),
    )
  })
  const added = (JSON.parse(answer) as GroupAnswer)[0].length
  return { added, known: requests.length - added }
}

function columnsOf(store: ServerStore, requests: readonly NewRequest[]): LinkColumns {
  const columns = new LinkColumns(store.names, store.handlers)
  const taken = new Set<Fingerprint>()
  for (const request of requests) {
    if (request.again !== undefined) columns.ask(request, 0, isOut(store, request))
    if (taken.has(request.fingerprint)) continue
    taken.add(request.fingerprint)
    columns.take(request)
  }
  return columns
}

function isOut({ held }: ServerStore, { hostKey, fingerprint }: NewRequest): boolean {
  return [...(held.get(hostKey)?.out.values() ?? [])].some((out) => out.fingerprint === fingerprint)
}

// Calls that put links into the store, made again where another process found one of them in between: hosts are locked before it is asked which are new, then.
//
// One after another would fail as often as there are processes that find the same links, if it were made again as it was.

/** A unique index refused a row. */
const UNIQUE_VIOLATION = '23505'

/** What `call` answers. Nothing was written where it failed. */
export async function unlessFoundMeanwhile<Answer>(call: (lockFirst: boolean) => Promise<Answer>): Promise<Answer> {
  try {
    return await call(false)
  } catch (thrown) {
    if (sqlStateOf(thrown) !== UNIQUE_VIOLATION) throw thrown
  }
  return call(true)
}
