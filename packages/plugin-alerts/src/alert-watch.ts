// Looks, judges and sends, beside a crawl that it never holds up.
//
// Every process of a crawl has one, and the one that the store lets claim `alerts` works: it reads what all of them did. Another one takes over when that
// one is gone, with its memory as the store has it. What changed is written at once, also while no page is committed: a kill may double a message, and
// loses none.
import { crc32 } from 'node:zlib'
import type { CrawlReport } from '@avocet/core'
import type { Session } from '@avocet/core/plugin'
import { messageOf } from '@avocet/core/store'
import { SinkDown } from '@avocet/core/sink'
import { type Alert, type AlertsMemory, judgeAlerts, nextAlert, type Readings, taken } from './laws/alert-law.ts'
import type { AlertSettings } from './options.ts'
import { ALERTS_NAME, readEnd, readHosts, readStatus } from './readings.ts'
import type { heartbeat, Target } from './targets.ts'

/** How often to see what is due. */
const WAKE_MS = 5_000
/** So many times as long as a look took, none follows. */
const LOOK_REST = 50
/** Between two looks at the store. */
const LOOK_MS = 60_000
const SEND_MS = 30_000
/** For all messages that wait at the end of a run. */
const LAST_MS = 10_000
const FIRST_RETRY_MS = 5_000
const LONGEST_RETRY_MS = 600_000

/** What it works with. */
export interface AlertWork extends AlertSettings {
  readonly targets: readonly Target[]
  /** Says that the crawl works. */
  readonly beat?: ReturnType<typeof heartbeat>
}

/** A target, and what is known of it in RAM: a new run tries it anew. */
interface Outlet {
  readonly target: Target
  tries: number
  /** Epoch ms. */
  retryAt: number
  sending?: Promise<void> | undefined
}

/** The alerts of one run in this process. */
export class AlertWatch {
  readonly #session: Session
  readonly #memory: AlertsMemory
  readonly #work: AlertWork
  readonly #outlets: readonly Outlet[]
  #timer: Disposable | undefined
  #looking: Promise<void> | undefined
  #nextLookAt = 0
  /** This process is the one that sends. */
  #isOurs = false

  constructor(session: Session, memory: AlertsMemory, work: AlertWork) {
    this.#session = session
    this.#memory = memory
    this.#work = work
    this.#outlets = work.targets.map((target) => ({ target, tries: 0, retryAt: 0 }))
    this.#arm()
  }

  /** Looks once more, and sends what waits, for 10 s at most; the rest is for the next run. */
  async close(report: CrawlReport): Promise<void> {
    this.#timer?.[Symbol.dispose]()
    const signal = this.#within(LAST_MS)
    await unlessAborted(this.#last(report, signal), signal).catch(() => undefined)
  }

  async #last(report: CrawlReport, signal: AbortSignal): Promise<void> {
    await this.#looking
    const isWell = await this.#look().catch(this.#unread)
    if (!this.#isOurs) return
    this.#judge(readEnd(report))
    if (isWell === true && report.ended !== 'failed') await this.#beat()
    await Promise.all(this.#outlets.flatMap(({ sending }) => sending ?? []))
    await Promise.all(this.#outlets.map((outlet) => this.#deliver(outlet, signal)))
    await this.#session.save()
  }

  #arm(): void {
    const { clock } = this.#session
    this.#timer = clock.at(clock.now() + WAKE_MS, () => {
      if (clock.now() >= this.#nextLookAt) this.#lookOn()
      if (this.#isOurs) this.#send()
      this.#arm()
    })
  }

  /** A store that cannot be used is waited for by who asks it: that it pauses the crawl is reported meanwhile. */
  #lookOn(): void {
    this.#nextLookAt = this.#session.clock.now() + LOOK_MS
    const status = this.#session.status()
    if (this.#isOurs) this.#judge(readStatus(status))
    if (this.#looking !== undefined || status.pausedBy === 'store') return
    this.#looking = this.#look()
      .then((isWell) => void (isWell && this.#beat()), this.#unread)
      .finally(() => (this.#looking = undefined))
  }

  /** Looks at the store, if this process is the one that does. Returns whether the crawl works. */
  async #look(): Promise<boolean> {
    const { clock, claim, status } = this.#session
    const from = clock.monotonic()
    this.#isOurs = await claim(ALERTS_NAME)
    if (!this.#isOurs) return false
    using _hold = clock.hold(ALERTS_NAME)
    const { readings, left } = await readHosts(this.#session, this.#work.rules)
    // Another process did this before.
    for (const memory of left) if (memory.revision > this.#memory.revision) Object.assign(this.#memory, memory)
    this.#judge(readings)
    this.#send()
    this.#nextLookAt = Math.max(this.#nextLookAt, clock.now() + LOOK_REST * (clock.monotonic() - from))
    return status().pausedBy === undefined
  }

  /** A rule that was turned off reads nothing: what was open of it ends. */
  #judge(read: Readings): void {
    const { rules, targets } = this.#work
    const law = { ...this.#work, targets: targets.map(({ name }) => name) }
    const off = new Set(Object.entries(rules).flatMap(([rule, is]) => (is === false ? [rule] : [])))
    const readings = Object.fromEntries(Object.entries(read).map(([rule, found]) => [rule, off.has(rule) ? [] : found]))
    if (judgeAlerts(this.#memory, readings, this.#session.clock.now(), law)) this.#save()
  }

  #send(): void {
    for (const outlet of this.#outlets) outlet.sending ??= this.#deliver(outlet).finally(() => (outlet.sending = undefined))
  }

  /** All that waits for a target, until it fails. */
  async #deliver(outlet: Outlet, end?: AbortSignal): Promise<void> {
    const { clock, status } = this.#session
    const { name, send } = outlet.target
    const next = (): Alert | undefined => (clock.now() < outlet.retryAt ? undefined : nextAlert(this.#memory, name))
    for (let alert = next(); alert !== undefined; alert = next()) {
      using _hold = clock.hold(ALERTS_NAME)
      const signal = AbortSignal.any([this.#within(SEND_MS), ...(end ? [end] : [])])
      try {
        await unlessAborted(send({ ...alert, crawl: status().name }, { signal, clock }), signal)
      } catch (error) {
        return this.#failed(outlet, alert, error)
      }
      outlet.tries = 0
      taken(this.#memory, alert.id, name)
      this.#save()
    }
  }

  #failed(outlet: Outlet, { id }: Alert, error: unknown): void {
    const { clock, problem, status } = this.#session
    const { name } = outlet.target
    // So that all who were refused by one server do not come back together.
    const chance = crc32(`${status().name}\n${name}\n${id}\n${outlet.tries}`) / 2 ** 32
    const waitMs = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** outlet.tries) * (1 - chance / 2)
    outlet.retryAt = Math.max(clock.now() + waitMs, (error instanceof SinkDown && error.retryAt) || 0)
    if (outlet.tries++ === 0) problem(`alerts: ${name} took no message, which is kept and sent again: ${messageOf(error)}`)
  }

  /** A look that fails or never ends says nothing: those who wait for the heartbeat notice. */
  async #beat(): Promise<void> {
    const { clock, problem, status } = this.#session
    using _hold = clock.hold(ALERTS_NAME)
    const sent = { id: `beat ${clock.now()}`, crawl: status().name }
    const beating = this.#work.beat?.(sent, { signal: this.#within(SEND_MS), clock })
    await beating?.catch((error: unknown) => problem(`alerts: the heartbeat failed: ${messageOf(error)}`))
  }

  /** Of time that passes outside: a clock of tests stands still while a message is under way. */
  #within(ms: number): AbortSignal {
    return AbortSignal.timeout(ms / (this.#session.clock.scale ?? 1))
  }

  #save(): void {
    void this.#session.save().catch(this.#unread)
  }

  readonly #unread = (error: unknown): void => this.#session.problem(`alerts: the store cannot be used: ${messageOf(error)}`)
}

/** A function of a user may wait for longer than it was told. */
function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>()
  const late = (): void => reject(new Error('expected it to be done in time, got no answer'))
  if (signal.aborted) late()
  signal.addEventListener('abort', late, { once: true })
  return Promise.race([work, promise])
}
