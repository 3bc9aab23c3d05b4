// Carries out what operators order while a crawl runs: by this process (`Crawl.control`), or by another one, whose order comes with the news of the store.
//
// An order is in the store before anybody carries it out, and each process carries out what it has read: what is paused, limited or forgotten is a state, and
// seeds that are offered twice are known. So a process that is killed in between loses none of it. The store keeps a paused host due never. So each process
// that hears of an order for a host that it does not hold, and each run that begins, makes the host due now: whoever leases it asks again.
import { offerSeeds, usableSeeds } from '../discovery/seeds.ts'
import type { Run } from '../run/run.ts'
import type { Window } from '../scheduler/window.ts'
import { sleepUntil } from '../ports/clock.ts'
import { isUntilResumed } from '../ports/frontier-reader.ts'
import type { Control, GivenUpChange, OrderNews, SeedBatch } from '../ports/orders.ts'
import type { Opened } from './open-run.ts'

/** Within it each process hears of an order, which it asks for four times a second. */
const HEARD_BY_ALL_MS = 600

/** What it acts on. */
interface Steered {
  readonly window: Window
  readonly opened: Pick<Opened, 'discoveries' | 'takeSeeds' | 'ordered'>
}

/** Of a run whose engine is made. */
export class LiveOrders {
  readonly #run: Run
  readonly #parts: Steered

  constructor(run: Run, parts: Steered) {
    this.#run = run
    this.#parts = parts
  }

  /** The run begins: what was ordered before it holds from now on. */
  begin(): void {
    const { ordered } = this.#parts.opened
    this.#carryOut({ ...ordered, seeds: [], givenUp: 0, published: 0 })
    // Each other process has read of them in the store by now.
    if (ordered.seeds.length > 0) void this.#run.besides.begin(() => this.#offer(ordered.seeds))
  }

  /** Reads what was ordered meanwhile. Throws AVO_FRONTIER_…. */
  async hear(): Promise<void> {
    const { orders, frontier } = this.#run.settings
    this.#carryOut(await orders.part.hear(frontier.reader))
  }

  /** Orders something, or lists what was done. Resolves once it is in the store. Throws AVO_USAGE, AVO_FRONTIER_…. */
  async give(order: Control | GivenUpChange): Promise<void> {
    const { calls, settings } = this.#run
    const { frontier, clock, codec, orders } = settings
    // This process remembers what is hidden in it; the others, and the next run, know what their seeds supply.
    const write = orders.part.prepared(order, (url) => codec.current.url(url))
    await calls.make('an order', () => write(frontier, clock.now()))
    await calls.make('orders', () => this.hear())
  }

  #carryOut({ paused, stop, hosts, seeds, givenUp, published }: OrderNews): void {
    const { frontier, clock } = this.#run.settings
    const { pause, tally } = this.#run
    tally.reopened(-givenUp)
    tally.totals.items += published
    // Each makes one change at most.
    this.#run.sinks.committed([], { published, changes: published })
    if (paused !== undefined) pause.hold('operator', paused ? 'by an operator' : undefined)
    if (stop !== undefined) this.#run.stop(stop === 'now')
    const elsewhere = hosts.filter((hostKey) => !this.#changeHeld(hostKey))
    if (elsewhere.length > 0) void this.#run.besides.begin(() => this.#wake(elsewhere))
    // Another process that leased a host of them before it heard of its site would refuse the host's links.
    const heardByAll = (): Promise<void> => sleepUntil(clock, clock.now() + HEARD_BY_ALL_MS)
    if (seeds.length > 0) void this.#run.besides.begin(() => this.#offer(seeds, frontier.sharing && heardByAll()))
    this.#run.goOn()
  }

  /** What holds for a host from now on. False where this process does not hold it. */
  #changeHeld(hostKey: string): boolean {
    const { window } = this.#parts
    const { settings } = this.#run
    const host = window.hosts.get(hostKey)
    if (host === undefined) return false
    const { limits, pausedUntil, forgottenAt, acceptedAt } = settings.orders.part.ofHost(hostKey)
    host.acceptedAt = acceptedAt
    host.options = { ...settings.hostOptions(hostKey), ...limits }
    host.pausedUntil = pausedUntil
    host.forgetting ||= forgottenAt > (host.core.forgottenAt ?? 0)
    window.changed(host)
    return true
  }

  /** Hosts that nobody holds are due now, whatever the moment is that the store has: what holds them is asked again once they are leased. */
  async #wake(hostKeys: readonly string[]): Promise<void> {
    const { settings, calls, memories } = this.#run
    const { frontier, clock } = settings
    for (const hostKey of hostKeys) {
      const [record] = await calls.make(`look for ${hostKey}`, () => frontier.reader.hosts({ hostKey }))
      // One that nobody has met is ordered ahead: that holds from its first lease on.
      if (record === undefined) continue
      const { forgottenAt, pausedUntil } = settings.orders.part.ofHost(hostKey)
      const isForgotten = forgottenAt > (memories.restoreHost(record.memory).core.forgottenAt ?? 0)
      const isLate = record.readyAt > Math.max(clock.now(), isUntilResumed(pausedUntil) ? Infinity : pausedUntil)
      if (record.retiredFor === undefined ? isLate || isForgotten : isForgotten)
        await calls.make(`revival of ${hostKey}`, () => frontier.change({ kind: 'revive', hostKey }))
    }
    this.#parts.window.hastened()
  }

  /** Opens sites and offers batches of seeds once all have `heard`, then says so: a batch that is offered again after a kill is known. */
  async #offer(batches: readonly SeedBatch[], heard?: Promise<void>): Promise<void> {
    const { settings, calls } = this.#run
    const { frontier, clock } = settings
    const { opened } = this.#parts
    const checked = await Promise.all(batches.map((batch) => usableSeeds(batch.seeds, this.#run, () => 'an added seed')))
    const seeds = checked.flat()
    const urls = seeds.map(({ url }) => url)
    await opened.takeSeeds(urls, 'core:added')
    await heard
    await offerSeeds(seeds, opened.discoveries, this.#run)
    // One whose handler is missing is offered again by a run that has it.
    const drop = batches.filter(({ seeds: { length } }, n) => checked[n]?.length === length).map(({ at }) => at)
    if (drop.length > 0)
      await calls.make('seeds that were added', () => frontier.order([], { now: Math.floor(clock.now()), drop }))
  }
}
