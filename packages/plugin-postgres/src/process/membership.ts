// This process as one of the crawl: it signs in, says that it lives, buries those that do not, and sees what the others do.
//
// A process that was silent for as long as its hosts are held signs in anew, whether or not somebody has buried it: nothing of what it held is its own then.
// `term` rises, so that core drops it as well. What is asked synchronously (`share`, `changedElsewhere`) is as of the last answer, which is a quarter of a
// second old at most while somebody asks.
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { CrawlInfo, MemoryParts } from '@avocet/core/store'
import { dropInProgress, inProgressOf, memoriesAtOpen, memoriesByProcess, type CrawlPartRow } from '@avocet/store-sql'
import { numbersText } from '../connection/storable-text.ts'
import type { ServerConnections } from '../connection/connections.ts'
import { codeOf } from '../connection/postgres-fault.ts'
import { partsOf } from '../schema/packed-memory.ts'
import { checkDurability } from './check-durability.ts'
import { HeldTime, type Lifetimes, type TimeSources } from './held-time.ts'
import { OPEN_HERE, Peers, type DeadPeer, type PeerRow } from './peers.ts'
import { PeerStandings } from './standings.ts'

/** How often to say that this process is idle. */
const SAY_IDLE_EVERY_MS = 1_000

/** A server that is silent takes longer to count as away. */
const CUT_WITHIN_MS = 5_000

/** On a server that took the place of that of the crawl nobody is signed in any more. */
const LEAVES_ALL_THE_SAME: ReadonlySet<string | undefined> = new Set(['AVO_FRONTIER_FAILED_OVER', 'AVO_FRONTIER_AWAY'])

/** What it is made of. */
export interface MembershipParts {
  readonly connections: ServerConnections
  readonly durability: string
  readonly lifetimes: Lifetimes
  readonly sources: TimeSources
  /** Beginning of the paths of the files in which processes of this machine have what they have in progress. */
  readonly filesBase: string
}

type SignedIn = readonly [id: number, run: number, crawlAt: number, orderedAt: number]
type Beaten = readonly [crawlAt: number, processes: readonly PeerRow[], beat: number]

interface NumberedPartRow extends CrawlPartRow {
  readonly no: number
}

/** A process of a crawl. */
export class Membership {
  readonly #parts: MembershipParts
  readonly #peers: Peers
  readonly #standings: PeerStandings
  readonly time: HeldTime
  #id = 0
  #token = ''
  /** Under this sign-in: the last one that the store answered with, and how many were sent. */
  #beats = { last: 0, sent: 0 }
  #run = 0
  #term = 0
  #inherited: readonly number[] = []
  /** Of each process that wrote crawl memory: the number of the last that this one has. */
  readonly #heard = new Map<number, number>()
  #saidIdleAt = -Infinity
  #signingIn: Promise<void> | undefined
  #forget = (): void => {}

  constructor(parts: MembershipParts) {
    this.#parts = parts
    this.#peers = new Peers(parts.lifetimes)
    this.time = new HeldTime(parts.sources, parts.lifetimes)
    this.#standings = new PeerStandings(parts.connections, () => this.time)
  }

  get id(): number {
    return this.#id
  }

  get token(): string {
    return this.#token
  }

  /** The store, for people. */
  get name(): string {
    return this.#parts.connections.name
  }

  /** Number of the run: it began when a process signed in that was alone. */
  get run(): number {
    return this.#run
  }

  /** Rises with each sign-in after the first. */
  get term(): number {
    return this.#term
  }

  /** Processes that are gone, whose crawl memory this one goes on with. */
  get inherited(): readonly number[] {
    return this.#inherited
  }

  /** `forget` is called when a sign-in is over, and when the next one has begun, whoever found that this must be. */
  whenSignedInAnew(forget: () => void): void {
    this.#forget = forget
  }

  /** Buries who is proven dead, then signs in. Returns how many pages were given up for it, and the crawl memories that all processes left. */
  async signIn(): Promise<Pick<CrawlInfo, 'quarantined' | 'crawlMemories' | 'running' | 'orderedAt'>> {
    const rows = await this.#parts.connections.call<readonly PeerRow[]>('processes', [])
    const dead = rows.filter((row) => this.#peers.isProvenDead(row)).map(([id, beat, , , , , , token]) => ({ id, token, beat }))
    const quarantined = await this.#bury(dead)
    const orderedAt = await this.#enter()
    const gone = new Set(dead.map(({ id }) => id))
    const alive = new Set(rows.map(([id]) => id).filter((id) => !gone.has(id)))
    return { quarantined, orderedAt, ...(await this.#inherit(alive)) }
  }

  /** Signs in anew where nobody can say any more that this process lives, and says that it does where that is due. */
  async ensure(): Promise<void> {
    const { heldMs, beatMs } = this.#parts.lifetimes
    const { silentMs } = this.time
    if (silentMs >= heldMs) await this.signInAnew()
    else if (silentMs >= beatMs) await this.beat()
  }

  /** What it held is lost, and free. Once, however many calls find that this must be: `was` is the sign-in that they found to be over. */
  signInAnew(was: string = this.#token): Promise<void> {
    if (was !== this.#token) return Promise.resolve()
    this.#signingIn ??= this.#signInAnew().finally(() => (this.#signingIn = undefined))
    return this.#signingIn
  }

  async #signInAnew(): Promise<void> {
    const { connections, durability } = this.#parts
    const [id, token] = [this.#id, this.#token]
    // Its pages go on being handled: they killed nobody.
    await connections.call('put_in_progress', [id, token, Number.MAX_SAFE_INTEGER, '{}', durability])
    await connections.call('sign_out', [id, token, null, true, '{}', Math.floor(this.time.now), durability])
    OPEN_HERE.delete(token)
    // Before there is any time to hold hosts for: what was leased must not seem to be held again.
    this.#term++
    this.#forgetAll()
    await this.#enter()
  }

  /** Says that it lives, and buries who does not. */
  async beat(now: number = this.time.now): Promise<void> {
    const { connections } = this.#parts
    this.#standings.at(now)
    if (this.time.silentMs >= this.#parts.lifetimes.heldMs) return this.signInAnew()
    const sent = this.time.moment()
    const [token, beats] = [this.#token, this.#beats]
    beats.sent++
    const answer = await connections.call<Beaten | null>('beat', [this.#id, token, beats.last, Math.floor(this.time.now)])
    // Another call has found meanwhile that this sign-in is over.
    if (token !== this.#token) return
    // An answer that comes too late does not bring back what was held: it is dropped by now.
    if (answer === null || this.time.silentMs >= this.#parts.lifetimes.heldMs) return this.signInAnew(token)
    // More than this process has sent: a copy of it has its token as well, as that of a virtual machine has.
    if (answer[2] > beats.sent) return this.signInAnew(token)
    const [crawlAt, rows, beat] = answer
    beats.last = Math.max(beats.last, beat)
    this.time.answered(sent, crawlAt)
    await this.#bury(this.#peers.answered(rows, this.#id, { sentAt: sent.monotonic, at: this.time.moment().monotonic }))
    await this.look()
  }

  /** Looks what the others do. */
  look(): Promise<void> {
    return this.#standings.look()
  }

  /** As of the last look; also where a process of this machine has died, which the next beat buries. */
  changedElsewhere(): boolean {
    const hasChanged = this.#standings.changed(this.#id)
    return hasChanged || this.#peers.hasProvenDead
  }

  /** As of the last look. */
  share(now: number): number | undefined {
    return this.#standings.share(this.#id, now)
  }

  async sayIdle(now: number): Promise<void> {
    if (Math.abs(now - this.#saidIdleAt) < SAY_IDLE_EVERY_MS) return
    this.#saidIdleAt = now
    await this.#parts.connections.call('say_idle', [this.#id, Math.floor(now)])
  }

  /** What other processes wrote of their crawl memory since this was last asked, by process. */
  async newMemories(): Promise<MemoryParts[]> {
    const heard = [...this.#heard]
    const rows = await this.#parts.connections.all<NumberedPartRow>(
      `SELECT m.process, m.part, m.json, m.no FROM {S}.crawl_memory m LEFT JOIN unnest($2::int[], $3::bigint[]) h (process, no) ON h.process = m.process
       WHERE m.process <> $1 AND m.part NOT LIKE '#%' AND m.no > coalesce(h.no, 0) ORDER BY m.process, m.part`,
      [this.#id, numbersText(heard.map(([process]) => process)), numbersText(heard.map(([, no]) => no))],
    )
    this.#hear(rows)
    return [...memoriesByProcess(rows, partsOf).values()]
  }

  /** Ids of other processes that the system says are dead. */
  async provenDead(): Promise<readonly number[]> {
    const rows = await this.#parts.connections.call<readonly PeerRow[]>('processes', [])
    return rows.filter((row) => row[0] !== this.#id && this.#peers.isProvenDead(row)).map(([id]) => id)
  }

  /** Gives everything back, and raises the crawl's time to that of this process. */
  async leave(): Promise<void> {
    const at = Math.floor(this.time.now)
    const { connections, durability } = this.#parts
    OPEN_HERE.delete(this.#token)
    const [id, token] = [this.#id, this.#token]
    this.#id = 0
    // It lives, whatever becomes of the call: nobody is to be accused.
    dropInProgress(this.#parts.filesBase, id)
    const signOut = (): Promise<unknown> => connections.call('sign_out', [id, token, null, false, '{}', at, durability])
    const askedAt = this.time.moment().monotonic
    const wasCut = (thrown: unknown): boolean =>
      codeOf(thrown) === 'AVO_FRONTIER_AWAY' && this.time.moment().monotonic - askedAt < CUT_WITHIN_MS
    // A connection that was cut is made anew once. All else is in the store by now: one that cannot say that it leaves is buried by the others.
    const hasLeft = await signOut()
      .catch((thrown: unknown) => (wasCut(thrown) ? signOut() : Promise.reject(thrown)))
      .then(() => true)
      .catch((thrown: unknown) => {
        if (!LEAVES_ALL_THE_SAME.has(codeOf(thrown))) throw thrown
        return false
      })
    // Whoever is the last next time may do it as well.
    if (hasLeft) await connections.call('tidy', []).catch(() => undefined)
  }

  /** Dies, for tests: nothing is given back. */
  abandon(): void {
    OPEN_HERE.delete(this.#token)
  }

  /** Returns the moment of the last order. */
  async #enter(): Promise<number> {
    const { connections, durability } = this.#parts
    await checkDurability(connections, durability, connections.name)
    const { boot, namespace, pid, thread, started } = this.#peers.me
    const token = randomUUID()
    OPEN_HERE.add(token)
    const sent = this.time.moment()
    const who = [token, boot, namespace, pid, thread, started, hostname()]
    const values = [...who, this.#parts.lifetimes.buryMs]
    const [id, run, crawlAt, orderedAt] = await connections.call<SignedIn>('sign_in', values).catch((thrown: unknown) => {
      // Where it has signed in all the same, nobody is there under this token.
      OPEN_HERE.delete(token)
      throw thrown
    })
    this.#id = id
    this.#token = token
    this.#run = run
    this.#beats = { last: 0, sent: 0 }
    // Answers to the sign-in before may have come meanwhile.
    if (this.#term > 0) this.#forgetAll()
    this.time.answered(sent, crawlAt)
    await this.look()
    this.#standings.changed(id)
    return orderedAt
  }

  async #bury(dead: readonly DeadPeer[]): Promise<number> {
    const { connections, durability, filesBase } = this.#parts
    let quarantined = 0
    for (const { id, token, beat } of dead) {
      const inProgress = inProgressOf(filesBase, id)
      const values = [id, token, beat, true, numbersText(inProgress), Math.floor(this.time.now), durability]
      const count = await connections.call<number | null>('sign_out', values)
      quarantined += count ?? 0
      if (count !== null) dropInProgress(filesBase, id)
    }
    return quarantined
  }

  async #inherit(alive: ReadonlySet<number>): Promise<Pick<CrawlInfo, 'crawlMemories' | 'running'>> {
    const rows = await this.#parts.connections.all<NumberedPartRow>(
      'SELECT process, part, json, no FROM {S}.crawl_memory ORDER BY process, part',
    )
    this.#hear(rows)
    this.#inherited = [...new Set(rows.map(({ process }) => process))].filter((process) => !alive.has(process))
    return memoriesAtOpen(memoriesByProcess(rows, partsOf), alive)
  }

  /** The store may be another one by now. */
  #forgetAll(): void {
    this.#heard.clear()
    this.#forget()
  }

  #hear(rows: readonly NumberedPartRow[]): void {
    for (const { process, no } of rows) this.#heard.set(process, Math.max(no, this.#heard.get(process) ?? 0))
  }
}
