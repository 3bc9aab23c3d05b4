// Leases: hosts go to one process at a time, fenced by an epoch that rises with each lease.
//
// A lease whose answer was lost may have given hosts to this process that it does not know of: before the next one, the store is told what it holds, and frees
// the rest. So it is where a beat finds that the store counts more than are known here, for whatever reason: a crawl would wait for a host that nobody knows
// of. A network may hold a call back and deliver it when this process has long made others: leases, and what tells the store, are numbered, and what has a
// lower number than the last that told the store does nothing. A process that finds itself buried signs in anew and asks again, once.
import { askSignedIn } from './connection/call-lanes.ts'
import { codeOf } from './connection/postgres-fault.ts'
import { numbersText, textsText } from './connection/storable-text.ts'
import { LeasedHost } from './held-host.ts'
import { leasedOf, type LeasedRow } from './leased-of.ts'
import { unpacked } from './schema/packed-memory.ts'
import { Refills, type Refilled } from './refills.ts'
import type { GivenBack, HostLease, Leased, LeaseResult, LeaseToken, LeaseWant, MemoryParts } from '@avocet/core/store'
import { NEVER } from '@avocet/store-sql'
import type { ServerStore } from './store.ts'

/** What was answered, and whether this process is still signed in as it was then. */
interface Asked<Answer> {
  readonly answer: Answer
  isSame(): boolean
}

type EnteredHost = readonly [
  id: number,
  key: string,
  origin: string,
  epoch: number,
  takenOver: boolean,
  retired: string | null,
  waiting: number,
  nextDelayedAt: number | null,
  memory: readonly (readonly [part: string, json: string])[] | null,
]

interface LeaseAnswer {
  readonly hosts: readonly EnteredHost[] | null
  readonly requests: readonly LeasedRow[] | null
  readonly missed: boolean
  readonly rest: readonly [nextAt: number | null, leftOnProbation: boolean, heldElsewhere: number]
}

interface GivenHosts extends Pick<Asked<unknown>, 'isSame'> {
  readonly hosts: readonly EnteredHost[]
  readonly rows: readonly LeasedRow[]
}

/** How many hosts the store says are held, and of each that was asked for whether it is, and how many requests wait at it. */
type Renewed = readonly [owned: number, hosts: readonly (readonly [held: boolean, waiting: number])[] | null]

/** Leases of one store. */
export class ServerLeasing {
  readonly #store: ServerStore
  /** Hosts taken so far: decides which of the two orders begins. */
  #taken = 0
  #mayHoldMore = false
  /** Of the last lease, or of what told the store what is held. */
  #no = 0
  readonly #refills: Refills

  constructor(store: ServerStore) {
    this.#store = store
    this.#refills = new Refills(store, { held: (token) => this.#held(token), handOut: (...given) => this.#handOut(...given) })
  }

  lease(want: LeaseWant): Promise<LeaseResult> {
    return this.#store.inTurn(async () => {
      const { answer, isSame } = await this.#asked((store) =>
        store.connections.call<LeaseAnswer | null>('lease', [...store.me, ++this.#no, ...this.#wanted(want)]),
      )
      const [nextAt, left, heldElsewhere] = answer.rest
      const given = { hosts: answer.hosts ?? [], rows: answer.requests ?? [], isSame }
      return this.#entered(given, async (leases) => {
        if (want.idle === true && want.hosts > 0 && leases.length === 0 && heldElsewhere > 0)
          await this.#store.membership.sayIdle(want.now)
        const crawlMemories = await this.#store.membership.newMemories()
        this.#taken += leases.length
        const nextReadyAt = answer.missed || !isSame() ? want.now : (nextAt ?? undefined)
        const isLeft = left && want.onProbation !== undefined && leases.length < want.hosts
        return {
          leases,
          heldElsewhere,
          ...(nextReadyAt !== undefined && { nextReadyAt }),
          ...(isLeft && { leftOnProbation: isLeft }),
          ...(crawlMemories.length > 0 && { crawlMemories }),
        }
      })
    })
  }

  refill(
    token: LeaseToken,
    { n, now, putBack = [] }: { n: number; now: number; putBack: readonly number[] | undefined },
  ): Promise<Refilled> {
    return this.#refills.ask({ token, n, now, putBack })
  }

  /** Nothing that was asked for waits for an answer, or for its turn. */
  async settled(): Promise<void> {
    await this.#refills.settled()
    await this.#store.inTurn(() => Promise.resolve())
  }

  /** Says that this process lives, and what of these it holds. */
  async renew(
    tokens: readonly LeaseToken[],
    now: number,
  ): Promise<readonly { readonly held: boolean; readonly waiting: number }[]> {
    await this.#store.membership.beat(now)
    const hosts = tokens.map((token) => this.#held(token))
    const { connections, me } = this.#store
    const [owned, found] = await connections.call<Renewed>('renew', [
      ...me,
      numbersText(hosts.map((host) => host?.id ?? 0)),
      numbersText(tokens.map(({ epoch }) => epoch)),
    ])
    // Or a lease is on its way: then it is told in vain.
    if (owned > this.#store.held.size) this.#mayHoldMore = true
    return hosts.map((host, n) => {
      const [isHeld = false, waiting = 0] = found?.[n] ?? []
      if (host !== undefined && !isHeld) this.#store.lose(host)
      return host === undefined || !isHeld ? { held: false, waiting: 0 } : { held: true, waiting: waiting - host.out.size }
    })
  }

  release(hosts: readonly GivenBack[]): Promise<void> {
    return this.#store.inTurn(async () => {
      const { connections, me, durability } = this.#store
      const given = hosts.flatMap(({ lease, rest }) => {
        const held = this.#held(lease)
        return held === undefined ? [] : [{ held, rest }]
      })
      if (given.length === 0) return
      const rows = given.flatMap(({ held, rest }) => held.rowsWith(rest.memory))
      const columns = [
        numbersText(given.map(({ held }) => held.id)),
        numbersText(given.map(({ held }) => held.epoch)),
        numbersText(given.map(({ rest }) => Math.min(Math.ceil(rest.readyAt), NEVER))),
        textsText(given.map(({ rest }) => String(rest.onProbation ?? false))),
        numbersText(rows.map(({ host }) => host)),
        textsText(rows.map(({ part }) => part)),
        textsText(rows.map(({ json }) => json)),
      ]
      await connections.call('release', [...me, ...columns, durability])
      for (const { held } of given) this.#store.lose(held)
    })
  }

  #wanted({ now, hosts, requestsPerHost, onProbation = hosts }: LeaseWant): readonly unknown[] {
    return [Math.floor(now), hosts, requestsPerHost, Math.min(onProbation, hosts), this.#taken, this.#store.durability]
  }

  /** Until what is answered has been entered, this process may hold more than it knows of. Null: it was buried. */
  async #asked<Answer>(ask: (store: ServerStore) => Promise<Answer | null>): Promise<Asked<Answer>> {
    const store = this.#store
    if (this.#mayHoldMore) {
      await store.connections.call('keep_only', [
        ...store.me,
        ++this.#no,
        numbersText([...store.held.values()].map(({ id }) => id)),
        store.durability,
      ])
      this.#mayHoldMore = false
    }
    await store.membership.ensure()
    return askSignedIn(store.membership, async () => {
      this.#mayHoldMore = true
      const isSame = store.since()
      const answer = await ask(store).catch((thrown: unknown) => {
        // What the server answered with an error was rolled back.
        if (codeOf(thrown) !== 'AVO_FRONTIER_AWAY') this.#mayHoldMore = false
        throw thrown
      })
      return answer === null || !isSame() ? null : { answer, isSame }
    })
  }

  /** What a lease needs beside its hosts may fail: then nobody gets them, and the store hears of it before the next one. */
  async #entered<Result>(given: GivenHosts, result: (leases: readonly HostLease[]) => Promise<Result>): Promise<Result> {
    try {
      const whole = await result(await this.#enter(given))
      this.#mayHoldMore = false
      return whole
    } catch (thrown) {
      for (const [, key] of given.hosts) this.#store.held.delete(key)
      throw thrown
    }
  }

  /** What was leased before this process signed in anew is free, or another's. */
  async #enter({ hosts, rows, isSame }: GivenHosts): Promise<HostLease[]> {
    const { handlers, held, names } = this.#store
    await handlers.read(rows.map((row) => row[6]))
    if (!isSame()) return []
    const byHost = Map.groupBy(rows, ([host]) => host)
    return hosts.map(([id, key, origin, epoch, takenOver, retired, waiting, nextDelayedAt, memory]) => {
      names.set(key, { id, origin })
      const parts: MemoryParts = Object.assign({}, ...(memory ?? []).map(([, json]) => unpacked(json))) as MemoryParts
      const host = new LeasedHost({ id, key, origin, epoch, isTakenOver: takenOver }, parts)
      held.set(key, host)
      const requests = this.#mapped(host, byHost.get(id) ?? [])
      return {
        hostKey: key,
        epoch,
        memory: parts,
        requests,
        waiting: waiting - host.out.size,
        ...(nextDelayedAt !== null && { nextDelayedAt }),
        ...(takenOver && { takenOver }),
        ...(retired !== null && { retired }),
      }
    })
  }

  async #handOut(held: LeasedHost, rows: readonly LeasedRow[]): Promise<Leased[]> {
    await this.#store.handlers.read(rows.map((row) => row[6]))
    return this.#mapped(held, rows)
  }

  #mapped(held: LeasedHost, rows: readonly LeasedRow[]): Leased[] {
    const { handlers } = this.#store
    return rows.map((row) => {
      const leased = leasedOf(row, { hostKey: held.key, origin: held.origin, handler: handlers.wordOf(row[6]) })
      held.out.set(leased.id, { rank: row[4], fingerprint: leased.fingerprint, isPlain: !row[9] && row[13] === null })
      held.returned.delete(leased.id)
      return leased
    })
  }

  #held({ hostKey, epoch }: LeaseToken): LeasedHost | undefined {
    const held = this.#store.held.get(hostKey)
    return held?.epoch === epoch ? held : undefined
  }
}
