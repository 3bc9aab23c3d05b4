// Carries out what operators order while a crawl runs: by this process (`Crawl.control`), or by another one, whose order comes with the news of the store.
//
// An order is in the store before anybody carries it out, and each process carries out what it has read: what is paused, limited or forgotten is a state, and
// seeds that are offered twice are known. So a process that is killed in between loses none of it. A paused host is in the store with a moment that never
// comes, so each process that hears of an order for a host that it does not hold, and each run that begins, has the host be due now: whoever leases it asks
// anew.
import { storedOrder, type Control, type GivenUpChange } from '../controls/control.ts'
import { Orders, type OrderNews, type SeedBatch } from '../controls/orders.ts'
import { offerSeeds, usableSeeds } from '../discovery/seeds.ts'
import type { Run } from '../run/run.ts'
import type { Scheduler } from '../scheduler/scheduler.ts'
import type { Window } from '../scheduler/window.ts'
import { isUntilResumed } from '../ports/frontier-reader.ts'
import type { Opened } from './open-run.ts'

/** Within it each process hears of an order, which it asks for four times a second. */
const HEARD_BY_ALL_MS = 600

/** What it acts on. */
interface Controlled {
  readonly window: Window
  readonly scheduler: Scheduler
  readonly opened: Pick<Opened, 'discoveries' | 'takeSeeds'>
}

/** Of a run whose engine is made. */
export class LiveControls {
  readonly #run: Run
  readonly #parts: Controlled

  constructor(run: Run, parts: Controlled) {
    this.#run = run
    this.#parts = parts
  }

  /** The run begins: what was ordered before it holds from now on. */
  begin(): void {
    const { isPaused: isPauseNew, hosts, seeds } = this.#run.orders
    this.#carryOut({ isPauseNew, hosts: [...hosts.keys()], seeds: [], givenUp: 0 })
    // Each other process has read of them in the store by now.
    if (seeds.length > 0) void this.#run.besides.begin(() => this.#offer(seeds))
  }

  /** Reads what was ordered meanwhile. Throws AVO_FRONTIER_…. */
  async hear(): Promise<void> {
    const { orders, settings } = this.#run
    this.#carryOut(await orders.hear(settings.frontier.reader))
  }

  /** Orders something, or lists what was done. Resolves once it is in the store. Throws AVO_USAGE, AVO_FRONTIER_…. */
  async order(typed: Control | GivenUpChange): Promise<void> {
    const { calls, settings } = this.#run
    const { frontier, clock, codec } = settings
    // This process remembers what is hidden in it; the others, and the next run, know what their seeds supply. Its caller may go on with the object.
    const stored = storedOrder(structuredClone(typed), (url) => codec.current.url(url))
    await calls.make('an order', () => Orders.give(frontier, stored, clock.now(), (url) => url))
    await calls.make('orders', () => this.hear())
  }

  #carryOut({ isPauseNew, stop, hosts, seeds, givenUp }: OrderNews): void {
    const { pause, orders, settings, tally } = this.#run
    tally.settledBeside(givenUp)
    if (isPauseNew) pause.byOperator(orders.isPaused)
    if (stop !== undefined) this.#run.stop(stop === 'now')
    const elsewhere = hosts.filter((hostKey) => !this.#changeHeld(hostKey))
    if (elsewhere.length > 0) void this.#run.besides.begin(() => this.#wake(elsewhere))
    if (seeds.length > 0) void this.#run.besides.begin(() => this.#offer(seeds, settings.frontier.sharing && this.#heardByAll()))
    this.#run.goOn()
  }

  /** What holds for a host from now on. False where this process does not hold it. */
  #changeHeld(hostKey: string): boolean {
    const { window, scheduler } = this.#parts
    const { orders, settings } = this.#run
    const host = window.hosts.get(hostKey)
    if (host === undefined) return false
    const { limits, pausedUntil, forgottenAt } = orders.ofHost(hostKey)
    host.options = { ...settings.hostOptions(hostKey), ...limits }
    host.pausedUntil = pausedUntil
    host.forgetting ||= forgottenAt > (host.core.forgottenAt ?? 0)
    scheduler.place(host)
    window.review(host)
    return true
  }

  /** Hosts that nobody holds are due now, whatever the moment is that the store has: what holds them is asked again once they are leased. */
  async #wake(hostKeys: readonly string[]): Promise<void> {
    const { settings, calls, orders, memories } = this.#run
    const { frontier, clock } = settings
    for (const hostKey of hostKeys) {
      const record = await calls.make(`look for ${hostKey}`, () => frontier.reader.host(hostKey))
      // One that nobody has met is ordered ahead: that holds from its first lease on.
      if (record === undefined) continue
      const { forgottenAt, pausedUntil } = orders.ofHost(hostKey)
      const isForgotten = forgottenAt > (memories.restoreHost(record.memory).core.forgottenAt ?? 0)
      const isLate = record.readyAt > Math.max(clock.now(), isUntilResumed(pausedUntil) ? Infinity : pausedUntil)
      if (record.retiredFor === undefined ? isLate || isForgotten : isForgotten)
        await calls.make(`revival of ${hostKey}`, () => frontier.change({ kind: 'revive', hostKey }))
    }
    this.#parts.window.hastened()
  }

  /** Another process that leased a host of them before it heard of its site would refuse the host's links. */
  #heardByAll(): Promise<void> {
    const { clock } = this.#run.settings
    return new Promise((heard) => void clock.at(clock.now() + HEARD_BY_ALL_MS, heard))
  }

  /** Opens sites and offers batches of seeds once all have `heard`, then says so: a batch that is offered again after a kill is known. */
  async #offer(batches: readonly SeedBatch[], heard?: Promise<void>): Promise<void> {
    const { settings, calls, orders } = this.#run
    const { frontier, clock } = settings
    const { opened } = this.#parts
    const checked = batches.map((batch) => ({ batch, seeds: usableSeeds(batch.seeds, this.#run, 'an added seed') }))
    const seeds = checked.flatMap(({ seeds: some }) => some)
    await opened.takeSeeds(
      seeds.map(({ url }) => url),
      'core:added',
    )
    await heard
    await offerSeeds(seeds, opened.discoveries, this.#run)
    // One whose handler is missing is offered again by a run that has it.
    const whole = checked.filter(({ batch, seeds: some }) => some.length === batch.seeds.length).map(({ batch }) => batch)
    const drop = whole.map(({ at }) => at)
    orders.offered(whole)
    if (drop.length > 0)
      await calls.make('seeds that were added', () => frontier.order([], { now: Math.floor(clock.now()), drop }))
  }
}
