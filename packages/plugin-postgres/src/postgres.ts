// The frontier on PostgreSQL: the port, call by call. Each call is one function of the crawl's schema, and one transaction.
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hash } from 'node:crypto'
import { AvocetError } from '@avocet/core'
import {
  systemClock,
  type Clock,
  type CrawlInfo,
  type CrawlSpec,
  type Frontier,
  type MemoryParts,
  type RejectStore,
  type SinkStore,
} from '@avocet/core/store'
import { schemaFor } from './catalogue/meant-crawl.ts'
import { GroupCommits } from './commit/commit.ts'
import { addSeeds } from './commit/seeds.ts'
import { numbersText, textsText } from './connection/storable-text.ts'
import { ServerConnections } from './connection/connections.ts'
import { codeOf } from './connection/postgres-fault.ts'
import { storeUrl, type StoreUrl } from './connection/store-url.ts'
import { InProgress } from './in-progress.ts'
import { ServerLeasing } from './leasing.ts'
import { madeSchema, signedIn, stayOnServer } from './open-store.ts'
import { machineTime } from './process/clock.ts'
import { LIFETIMES, type Lifetimes, type TimeSources } from './process/held-time.ts'
import { Membership } from './process/membership.ts'
import { storedWord } from './names/word-ids.ts'
import { postgresReader } from './read/postgres-reader.ts'
import { rescheduling } from './rescheduling.ts'
import { packed } from './schema/packed-memory.ts'
import { ServerStore, type Durability } from './store.ts'
import { rejectStore } from './yields/reject-store.ts'
import { sinkStore } from './yields/sink-store.ts'

/** Options of `postgresFrontier`. */
export interface PostgresFrontierOptions {
  /** How a commit is synced, as `synchronous_commit` has it. Default: `on`. */
  readonly durability?: Durability
  /** How long to wait for a connection, and for an answer, in ms; longer for a call that carries more than 250,000 characters. Default 15,000. */
  readonly timeoutMs?: number
  /** Whose monotonic time the tenure goes by. Default: the machine's. */
  readonly clock?: Clock
  /** How long a process holds its hosts without a word, and when it is taken for dead. All processes of a crawl need the same. */
  readonly lifetimes?: Lifetimes
  /** Where time comes from: for tests. Default: the clock, and the machine's wall clock. */
  readonly sources?: TimeSources
  /** Accept a server with fsync=off: for tests, whose data nobody keeps. */
  readonly allowUnsafe?: boolean
}

/** An open store, and what works on it. */
interface Opened {
  readonly store: ServerStore
  readonly leasing: ServerLeasing
  readonly commits: GroupCommits
  readonly inProgress: InProgress
}

/** What lasts longer than one opening. */
interface OpeningParts {
  readonly lifetimes: Lifetimes
  readonly sources: TimeSources
  /** The opening before this one found no server, or one that was just beginning. */
  readonly wasAway: boolean
}

/** A frontier, and what tests need of it. */
export interface PostgresFrontier extends Frontier {
  /** Dies as a kill would: nothing is given back, and no call is answered. */
  abandon(): Promise<void>
}

const CONNECTIONS = 4

/**
 * The frontier of a crawl on a PostgreSQL server (15 to 18), for processes on any number of machines. The crawl has a schema of its own.
 *
 * Throws AVO_CONFIG_INVALID for what is no URL of PostgreSQL; its calls throw AVO_FRONTIER_….
 *
 * @example
 * ```ts
 * const frontier = postgresFrontier('postgres://db.example/crawls?crawl=books')
 * ```
 */
export function postgresFrontier(text: string, options: PostgresFrontierOptions = {}): PostgresFrontier {
  const url = storeUrl(text)
  const { clock = systemClock() } = options
  const { lifetimes = LIFETIMES, sources = machineTime(clock) } = options
  let opened: Opened | undefined
  let last: Opened | undefined
  let wasAway = false
  const use = (): Opened => opened ?? closed(url)
  return {
    reader: postgresReader({ all: async (...asked) => ((opened ?? last)?.store.connections ?? closed(url)).all(...asked) }),
    sharing: sharingOf(use, () => (opened ?? last)?.store.membership),
    async open(spec, now): Promise<CrawlInfo> {
      if (opened !== undefined) await leave(opened)
      const made = await openedStore(url, { spec, now }, { ...options, lifetimes, sources, wasAway }).catch((error: unknown) => {
        wasAway ||= codeOf(error) === 'AVO_FRONTIER_AWAY'
        throw error
      })
      try {
        const info = await signedIn(made.store.connections, made.store.membership, now)
        opened = made
        last = made
        wasAway = false
        return info
      } catch (error) {
        await made.store.connections.close()
        throw error
      }
    },
    add: async (requests) => addSeeds(use().store, requests),
    lease: async (want) => use().leasing.lease(want),
    refill: async (lease, n, now, putBack) => use().leasing.refill(lease, { n, now, putBack }),
    commit: async (units) => use().commits.commit(units),
    inProgress: (ids) => use().inProgress.write(ids),
    renew: async (leases, now) => use().leasing.renew(leases, now),
    release: async (hosts) => use().leasing.release(hosts),
    ...rescheduling(() => use().store),
    note: async (memory) => note(use().store, memory),
    order: async (jsons, when) => order(use().store, jsons, when),
    prune: async ({ now, itemsMs, upToSeq, afterSeq }) =>
      use().store.connections.call('prune', [Math.round(now), Math.round(itemsMs), upToSeq, afterSeq]),
    pruneChanges: async ({ before, upToSeq, afterSeq }) =>
      Number(await use().store.connections.call('prune_changes', [Math.round(before), upToSeq, afterSeq])),
    ...yieldsOf(use),
    async close() {
      const closing = opened
      opened = undefined
      if (closing !== undefined) await leave(closing)
    },
    async abandon() {
      const dying = opened
      opened = undefined
      dying?.store.membership.abandon()
      await dying?.store.connections.close()
    },
  }
}

async function openedStore(
  url: StoreUrl,
  { spec, now }: { readonly spec: CrawlSpec; readonly now: number },
  options: Omit<PostgresFrontierOptions, 'clock'> & OpeningParts,
): Promise<Opened> {
  const { durability = 'on', timeoutMs = 15_000, allowUnsafe = false } = options
  const { lifetimes, sources, wasAway } = options
  const schema = await schemaFor(url, spec.name, timeoutMs)
  const connections = new ServerConnections({ url, schema, connections: CONNECTIONS, timeoutMs })
  try {
    const opening = { url, schema, connections, allowUnsafe, wasAway, now }
    await madeSchema(spec, opening)
    await stayOnServer(opening)
  } catch (error) {
    await connections.close()
    throw error
  }
  const filesBase = join(tmpdir(), `avocet-${hash('sha1', `${url.shown} ${schema}`).slice(0, 16)}`)
  const membership = new Membership({ connections, durability, lifetimes, sources, filesBase })
  const store = new ServerStore({ connections, durability, membership })
  return {
    store,
    leasing: new ServerLeasing(store),
    commits: new GroupCommits(store),
    inProgress: new InProgress(store, filesBase),
  }
}

async function leave({ store, leasing, inProgress }: Opened): Promise<void> {
  try {
    await leasing.settled()
    await store.inTurn(() => store.membership.leave())
  } finally {
    inProgress.close()
    store.held.clear()
    await store.connections.close()
  }
}

/** Rejects and sinks. */
function yieldsOf(use: () => Opened): Pick<Frontier, 'rejects' | 'sinks'> {
  const rejects = (): RejectStore => rejectStore(use().store.connections, use().store.lanes)
  return {
    rejects: {
      setAside: async (given) => rejects().setAside(given),
      forget: async (ids) => rejects().forget(ids),
    },
    sinks: {
      get: async (name) => (await sinks(use())).get(name),
      keep: async (...kept) => (await sinks(use())).keep(...kept),
      claim: async (name) => (await sinks(use())).claim(name),
      free: async (name) => (await sinks(use())).free(name),
    },
  }
}

/** What other processes do. `last`: of a store that was closed, its membership as it was. */
function sharingOf(use: () => Opened, last: () => Membership | undefined): NonNullable<Frontier['sharing']> {
  return {
    news: async () => use().store.membership.newMemories(),
    changedElsewhere: () => use().store.membership.changedElsewhere(),
    share: (now) => use().store.membership.share(now),
    tenure: {
      now: () => last()?.time.now ?? 0,
      heldUntil: () => last()?.time.heldUntil ?? -Infinity,
      term: () => last()?.term ?? 0,
    },
  }
}

async function sinks({ store }: Opened): Promise<SinkStore> {
  return sinkStore(store.connections, store, await store.membership.provenDead())
}

async function note(store: ServerStore, memory: MemoryParts): Promise<void> {
  const parts = Object.entries(memory)
  const columns = [
    textsText(parts.map(([part]) => storedWord(part))),
    textsText(parts.map(([part, json]) => packed({ [part]: json }))),
  ]
  await store.askInTurn(async (no) => {
    await store.membership.ensure()
    const { connections, me, membership, durability } = store
    return connections.call<true | null>('note', [...me, no, ...columns, numbersText(membership.inherited), durability])
  })
}

async function order(
  store: ServerStore,
  jsons: readonly string[],
  { now, drop }: Parameters<Frontier['order']>[1],
): Promise<void> {
  const { connections, durability } = store
  const values = [textsText(jsons), now, numbersText(drop), durability]
  await store.askInTurn((no) => connections.call<true | null>('give_orders', [...store.me, no, ...values]))
}

function closed({ shown }: StoreUrl): never {
  throw new AvocetError('AVO_FRONTIER_CLOSED', `${shown}: expected an open store, got one before open() or after close()`)
}
