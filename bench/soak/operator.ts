// Whoever keeps the crawler running: begins its runs, and begins them again when one ends before its time, which none should.
import { AvocetError, type CrawlConfig } from '@avocet/core'
import { sleepUntil, type Clock, type Fetcher } from '@avocet/core/store'
import { momentOf, type Findings } from './findings.ts'
import { Machine, type RunEnd } from './machine.ts'
import type { Watcher } from './machine-net.ts'
import type { Shift } from './own-weather.ts'
import type { OpenStore, SoakStore } from './stores.ts'
import type { Span, WeatherKind } from './trouble.ts'
import type { SoakWorld } from './world.ts'

const MINUTE_MS = 60_000
/** What is in flight may take half a minute to drain; shifts are a minute apart. */
const STOP_MS = 50_000
/** A crawler that ends at once, again and again, is given up. */
const MOST_MISSES = 60

/** What the operator works with. */
export interface OperatorGround {
  readonly world: SoakWorld
  readonly clock: Clock
  readonly web: Fetcher
  readonly watcher: Watcher
  readonly store: SoakStore
  readonly findings: Findings
  /** A fresh configuration for each run. */
  readonly config: () => Omit<CrawlConfig, 'clock' | 'fetcher' | 'frontier'>
  /** Store and network of a process, as a test wants them spoiled. */
  readonly spoiledStore: (store: OpenStore) => OpenStore
  readonly spoiledNet: (net: Fetcher, clock: Clock) => Fetcher
  /** A process died, or fell silent so long that others take its hosts. */
  readonly disturbed: (nowMs: number) => void
}

/** What the crawl rightly says of weather that there is. Of weather that there is not, it is a false alarm. */
const NOTICES: readonly { readonly says: RegExp; readonly of: readonly WeatherKind[]; readonly how?: string }[] = [
  { says: /^many hosts stopped responding at once/, of: ['network', 'portal', 'suspend'] },
  { says: /^this machine cannot open connections \(AVO_NETWORK_DOWN\)/, of: ['network'], how: 'unreachable' },
  { says: /^certificates of/, of: ['portal'] },
  { says: /^the clock is .* behind the last run/, of: ['clock'] },
  { says: /^the store was temporarily unusable/, of: ['disk'] },
  // Stopped while it waited for room before it had begun.
  { says: /^the crawl had not begun: expected room on the disk/, of: ['disk'] },
]

/** Whether there was such weather while the run lasted. */
function isNotice(message: string, { own }: SoakWorld, run: Span): boolean {
  const near = own.troubles.filter(({ fromMs, untilMs, graceMs }) => fromMs <= run.untilMs && untilMs + graceMs >= run.fromMs)
  return NOTICES.some(
    ({ says, of, how: only }) =>
      says.test(message) && near.some(({ kind, how }) => of.includes(kind) && (only === undefined || how === only)),
  )
}

/** Runs the shifts of one process. */
export class Operator {
  readonly #ground: OperatorGround
  readonly #startedAt: number
  #misses = 0
  /** The run under way. */
  machine: Machine | undefined

  constructor(ground: OperatorGround) {
    this.#ground = ground
    this.#startedAt = ground.clock.now()
    const { suspends } = ground.world.own
    for (const { fromMs, untilMs } of suspends) {
      ground.clock.at(this.#startedAt + fromMs, () => {
        ground.disturbed(this.#nowMs)
        this.machine?.sleep()
      })
      ground.clock.at(this.#startedAt + untilMs, () => this.machine?.wake())
    }
  }

  async work(shifts: readonly Shift[]): Promise<void> {
    const { clock } = this.#ground
    for (const shift of shifts) {
      await sleepUntil(clock, this.#startedAt + shift.fromMs)
      // A run that ends by itself is begun again, until the shift is over.
      while (this.#nowMs < shift.untilMs && this.#misses <= MOST_MISSES) {
        const isOver = await this.#run(shift)
        if (isOver) break
        await sleepUntil(clock, Math.min(clock.now() + MINUTE_MS, this.#startedAt + shift.untilMs))
      }
    }
  }

  get #nowMs(): number {
    return this.#ground.clock.now() - this.#startedAt
  }

  /** Until the shift is over (true), or until the run has ended by itself (false). */
  async #run(shift: Shift): Promise<boolean> {
    const { clock, web, watcher, world, config, spoiledNet } = this.#ground
    const beganMs = this.#nowMs
    const store = this.#ground.spoiledStore(this.#ground.store.open(clock))
    const isFull = (): boolean => world.own.disk.some(({ fromMs, untilMs }) => this.#nowMs >= fromMs && this.#nowMs < untilMs)
    const machine = new Machine(store.frontier, config(), {
      clock,
      web,
      watcher,
      spoiledNet,
      isFull,
      clockAheadMs: shift.clockAheadMs,
    })
    this.machine = machine
    const killed = Promise.withResolvers<'killed'>()
    let isAsked = false
    const kill = (): void => {
      this.#ground.disturbed(this.#nowMs)
      machine.kill()
      store.killed()
      killed.resolve('killed')
    }
    const endMs = shift.ending === 'stop' ? this.#awakeMs(shift.untilMs) : shift.untilMs
    using _end = clock.at(this.#startedAt + endMs, () => {
      isAsked = true
      if (shift.ending === 'stop') machine.stop()
      else kill()
    })
    // A service manager kills what does not stop.
    using _last = clock.at(this.#startedAt + endMs + STOP_MS, () => {
      this.#ground.findings.add('run', 'does not stop', `${momentOf(this.#nowMs)}: asked to ${String(STOP_MS / 1_000)} s ago`)
      kill()
    })
    const end = await Promise.race([machine.ended, killed.promise])
    this.machine = undefined
    if (end === 'killed') return true
    await store.close()
    return this.#judge(end, { isAsked, beganMs })
  }

  /** A signal reaches a machine that is asleep when it wakes. */
  #awakeMs(atMs: number): number {
    const asleep = this.#ground.world.own.suspends.find(({ fromMs, untilMs }) => atMs >= fromMs && atMs < untilMs)
    return asleep?.untilMs ?? atMs
  }

  #judge(end: RunEnd, { isAsked, beganMs }: { isAsked: boolean; beganMs: number }): boolean {
    const { findings, world } = this.#ground
    const run = { fromMs: beganMs, untilMs: this.#nowMs }
    // Nothing begins on a full disk, and says so.
    if ('error' in end && end.error instanceof AvocetError && end.error.code === 'AVO_FRONTIER_FULL') return isAsked
    const at = momentOf(this.#nowMs)
    if ('error' in end) {
      this.#misses++
      findings.add('run', 'rejected', `${at}: ${end.error instanceof Error ? end.error.message : String(end.error)}`)
      return isAsked
    }
    const { ended, why, problems, handlerErrors, run: counts, error } = end.report
    for (const { message, count } of [...problems, ...handlerErrors].filter((problem) => !isNotice(problem.message, world, run)))
      findings.add('problem', message.replaceAll(/\d+/g, 'n').slice(0, 80), `${at}: ${message}, ${String(count)} times`)
    if (counts.pluginErrors > 0) findings.add('problem', 'throws in plugins', `${at}: ${String(counts.pluginErrors)}`)
    // Who is stopped while the disk is full cannot write down what is in hand, and says so.
    const isFull =
      error?.code === 'AVO_FRONTIER_FULL' &&
      world.own.disk.some((span) => span.fromMs < run.untilMs && span.untilMs > run.untilMs - STOP_MS)
    if (!isAsked || (ended === 'failed' && !isFull)) {
      this.#misses++
      findings.add('run', `ended by itself: ${ended}`, `${at}: ${why}${error === undefined ? '' : ` (${error.code})`}`)
    }
    return isAsked
  }
}
