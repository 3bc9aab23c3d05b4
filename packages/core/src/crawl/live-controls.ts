// Carries out what operators order while a crawl runs: by this process (`Crawl.control`), or by another one, whose order comes with the news of the store.
//
// An order is in the store before anybody carries it out, and each process carries out what it has not yet: what is paused, limited or forgotten is a state,
// and seeds that are offered twice are known. So a process that is killed in between loses none of it. A paused host is in the store with a
// moment that never comes, so each process that hears of its resumption tries to lease it by its key, and one of them gets it.
import type { MemoryParts } from '../frontier-reader.ts'
import { storedControl, type AddedSeed, type Control, type GivenUpChange } from '../controls/control.ts'
import type { UnwrittenControls } from '../controls/control-book.ts'
import type { ControlChanges } from '../controls/controls.ts'
import { checkedSeed, offerSeeds, type CheckedSeed } from '../discovery/seeds.ts'
import { messageOf } from '../errors.ts'
import type { LiveHost } from '../hosts/live-host.ts'
import type { Run } from '../run/run.ts'
import { begunAnew } from '../scheduler/renewed.ts'
import type { LeasesByKey } from '../scheduler/leases-by-key.ts'
import type { Scheduler } from '../scheduler/scheduler.ts'
import type { Window } from '../scheduler/window.ts'
import type { Opened } from './open-run.ts'

/** Within it each process hears of an order, which it asks for four times a second. */
const HEARD_BY_ALL_MS = 600

/** What it acts on. */
interface Controlled {
  readonly window: Window
  readonly scheduler: Scheduler
  readonly leases: LeasesByKey
  readonly opened: Pick<Opened, 'discoveries' | 'takeSeeds'>
}

/** Of a run whose engine is made. */
export class LiveControls {
  readonly #run: Run
  readonly #parts: Controlled
  #underWay = 0
  /** Hosts that are being leased for an order, and for how many: the store may have a moment for them that is overtaken. */
  readonly #waking = new Map<string, number>()
  /** Resolves once nothing is being written: each write has all that this process knows, so that one made from less would undo another. */
  #turn: Promise<unknown> = Promise.resolve()

  constructor(run: Run, parts: Controlled) {
    this.#run = run
    this.#parts = parts
  }

  /** Whether seeds are on their way to the store, or hosts are looked for: the crawl is not over. */
  get busy(): boolean {
    return this.#underWay > 0
  }

  /** The run begins: what was ordered before it, and not carried out, is now. */
  begin(): void {
    const { controls } = this.#run
    this.#carryOut({ isPauseNew: controls.isPaused, hosts: controls.wakeable, seeds: controls.seeds, origins: [], givenUp: 0 })
  }

  /** Other processes wrote this. */
  hears(crawlMemories: readonly MemoryParts[]): void {
    this.#carryOut(this.#run.controls.hears(crawlMemories))
  }

  /** Orders something, or lists what was done. Resolves once it is in the store. Throws AVO_USAGE, AVO_FRONTIER_…. */
  async order(typed: Control | GivenUpChange): Promise<void> {
    const { controls, settings } = this.#run
    const now = settings.clock.now()
    // It may wait for its turn, while its caller goes on with the object.
    const control = structuredClone(typed)
    const make = control.kind === 'given-up' ? () => controls.givenUpChanged(control, now) : this.#ordered(control, now)
    // What is none is refused at once, also while the store is away.
    make()
    return this.#inTurn('an order', make, (changes) => this.#carryOut(changes))
  }

  #ordered(control: Control, now: number): () => UnwrittenControls {
    const { controls, settings } = this.#run
    // This process remembers what is secret in it; the others, and the next run, know what their seeds supply.
    const stored = storedControl(control, (url) => settings.secrets.parameters.hidden(url))
    return () => controls.ordered(stored, now)
  }

  /** Writes what `make` gives when its turn has come, unless that is nothing, and takes it then. */
  #inTurn(
    name: string,
    make: () => UnwrittenControls | undefined,
    taken: (changes: ControlChanges) => void = () => undefined,
  ): Promise<void> {
    const { calls, settings } = this.#run
    const written = this.#turn.then(async () => {
      const unwritten = make()
      if (unwritten === undefined) return
      await calls.make(name, () => settings.frontier.note(unwritten.part))
      taken(unwritten.take())
    })
    this.#turn = written.catch(() => undefined)
    return written
  }

  #carryOut({ isPauseNew, stop, hosts, seeds, origins, givenUp }: ControlChanges): void {
    const { pause, controls, tally } = this.#run
    tally.settledBeside(givenUp)
    if (isPauseNew) pause.byOperator(controls.isPaused)
    if (stop !== undefined) this.#run.stop(stop === 'now')
    const elsewhere: string[] = []
    const held = new Map<string, number>()
    for (const hostKey of hosts) {
      if (!this.#changeHeld(hostKey)) elsewhere.push(hostKey)
      else if (!this.#waking.has(hostKey)) held.set(hostKey, controls.orderedAt(hostKey))
    }
    if (held.size > 0) this.#during(() => this.#told(held))
    if (elsewhere.length > 0) this.#during(() => this.#wake(elsewhere))
    if (seeds.length + origins.length > 0) this.#during(() => this.#offer(seeds, origins))
    this.#run.goOn()
  }

  /** What holds for a host from now on. False where this process does not hold it. */
  #changeHeld(hostKey: string): boolean {
    const { window, scheduler } = this.#parts
    const { controls, settings } = this.#run
    const host = window.hosts.get(hostKey)
    if (host === undefined) return false
    host.options = controls.optionsOf(hostKey, settings.hostOptions(hostKey))
    host.pausedUntil = controls.pausedUntil(hostKey)
    host.forgetting ||= controls.forgottenAt(hostKey) > (host.core.forgottenAt ?? 0)
    scheduler.place(host)
    window.review(host)
    return true
  }

  /** Leases hosts that nobody holds, so that what holds them is asked again; one that may not go on yet is given back at once. */
  async #wake(hostKeys: readonly string[]): Promise<void> {
    const { leases, window } = this.#parts
    const { settings, calls, controls, memories } = this.#run
    const { frontier } = settings
    for (const hostKey of hostKeys) this.#waking.set(hostKey, (this.#waking.get(hostKey) ?? 0) + 1)
    const done = new Map<string, number>()
    for (const hostKey of hostKeys) {
      const record = await calls.make(`look for ${hostKey}`, () => frontier.reader.host(hostKey))
      // One that nobody has met is ordered ahead: that holds from its first lease on.
      if (record === undefined) {
        done.set(hostKey, controls.orderedAt(hostKey))
        continue
      }
      const { forgottenAt = 0 } = memories.restoreHost(record.memory).core
      if (record.retiredFor !== undefined && controls.forgottenAt(hostKey) > forgottenAt)
        await calls.make(`revival of ${hostKey}`, () => frontier.revive(hostKey))
      let released: Promise<void> | undefined
      await leases.take({ hostKey, url: `https://${hostKey}/` }, (taken) => {
        // Of one that another process holds, that one carries it out; a host that was given up rests at no moment.
        if (taken !== 'held-elsewhere' && (taken !== 'given-up' || record.retiredFor !== undefined))
          done.set(hostKey, controls.orderedAt(hostKey))
        if (typeof taken === 'string') return
        if (record.readyAt > settings.clock.now()) released = this.#restedAnew(taken)
        else window.review(taken)
      })
      await released
    }
    for (const hostKey of hostKeys) {
      const others = (this.#waking.get(hostKey) ?? 1) - 1
      if (others === 0) this.#waking.delete(hostKey)
      else this.#waking.set(hostKey, others)
    }
    // The store is asked again when the next of its hosts may go: it was one that waited for an order.
    window.hastened()
    await this.#told(done)
  }

  /** Orders for these hosts, up to a moment each, were carried out. */
  #told(done: ReadonlyMap<string, number>): Promise<void> {
    return this.#inTurn('orders that were carried out', () => this.#run.controls.carriedOut(done))
  }

  /** The store has a moment for it that is overtaken, and would keep it while the host is held: a run that is killed would leave it resting until then. */
  #restedAnew(host: LiveHost): Promise<void> {
    const { window, scheduler } = this.#parts
    if (host.forgetting) scheduler.place(begunAnew(host, this.#run))
    return window.release(host, Math.floor(this.#run.settings.clock.now()))
  }

  /** Another process that leased a host of them before it heard of its site would refuse the host's links. */
  #heardByAll(): Promise<void> {
    const { clock } = this.#run.settings
    return new Promise((heard) => void clock.at(clock.now() + HEARD_BY_ALL_MS, heard))
  }

  /** Opens sites and offers batches of seeds, then says so: a batch that is offered again after a kill is known. */
  async #offer(batches: ControlChanges['seeds'], origins: readonly string[]): Promise<void> {
    const { settings, calls, tally, controls } = this.#run
    const { opened, window } = this.#parts
    const checked = batches.map((batch) => ({ batch, seeds: this.#checked(batch.value) }))
    const seeds = checked.flatMap(({ seeds: some }) => some)
    await opened.takeSeeds([...origins.map((origin) => `${origin}/`), ...seeds.map(({ url }) => url)])
    if (seeds.length === 0) return
    // As a run begins, each process has read it in the store.
    if (origins.length > 0 && settings.frontier.news !== undefined) await this.#heardByAll()
    const { added, problems } = await offerSeeds(seeds, opened.discoveries, { frontier: settings.frontier, calls })
    for (const problem of problems) tally.problem(problem)
    tally.seeded(added)
    window.hastened()
    // One whose handler is missing is offered again by a run that has it.
    const whole = checked.filter(({ batch, seeds: some }) => some.length === batch.value.length).map(({ batch }) => batch)
    if (whole.length > 0) await this.#inTurn('seeds that were added', () => controls.offered(whole))
  }

  #checked(seeds: readonly AddedSeed[]): readonly CheckedSeed[] {
    return seeds.flatMap((seed) => {
      try {
        return [checkedSeed(seed, this.#run.settings)]
      } catch (error) {
        this.#run.tally.problem(`an added seed is left out: ${messageOf(error)}`)
        return []
      }
    })
  }

  #during(work: () => Promise<void>): void {
    this.#underWay++
    work()
      .catch((error: unknown) => this.#run.fail(error))
      .finally(() => {
        this.#underWay--
        this.#run.goOn()
      })
  }
}
