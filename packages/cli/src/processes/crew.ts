// Starts the processes of one crawl, restarts those that die, ends them together and waits for all.
//
// The first process opens the store before the others do: it is made once, and what is said of the store describes it as it was before. One that dies is
// restarted, also for what it was writing to an output; after a stop none is, and one that says nothing any more is killed.
import { AvocetError } from '@avocet/core'
import type { Clock } from '@avocet/core/store'
import { formatDuration } from '@avocet/core/plugin'
import type { FromWorker, SentError, ToWorker } from './process-messages.ts'
import type { StartProcess, WorkerLink } from './worker-link.ts'

/** What a crew needs. */
export interface CrewParts {
  readonly count: number
  /** The machine's. */
  readonly clock: Clock
  readonly startProcess: StartProcess
  /** What process `number` is told as it starts; called for each of its lives. */
  partFor(number: number): ToWorker
  /** The store is there; called once. */
  opened(): void
  heard(number: number, message: FromWorker): void
  /** A line of its own on standard error. */
  wrote(number: number, line: string): void
  /** It died, and what it knew is lost. */
  died(number: number): void
  /** For people. */
  tell(line: string): void
}

interface Member {
  readonly number: number
  readonly law: RestartLaw
  link?: WorkerLink
  /** Monotonic ms. */
  startedAt: number
  heardAt: number
  restart?: Disposable
  /** In this life, and in any: an error of one that never could is in what all of them were given. */
  hasOpened: boolean
  hasBegun: boolean
  hasEnded: boolean
  isGone: boolean
  failure?: SentError
}

/** A process that crawls, or ends, sends a beat each second. One that is silent for so long is in a handler, or in seeds, that never return. */
const SILENT_MS = 30_000

/** All of them. */
export class Crew {
  readonly #parts: CrewParts
  readonly #members: readonly Member[]
  readonly #left: PromiseWithResolvers<void> = Promise.withResolvers()
  #isStopping = false
  #watch: Disposable | undefined
  #error: AvocetError | undefined

  constructor(parts: CrewParts) {
    this.#parts = parts
    this.#members = Array.from({ length: parts.count }, (_, index) => ({
      number: index + 1,
      law: new RestartLaw(),
      startedAt: 0,
      heardAt: 0,
      hasOpened: false,
      hasBegun: false,
      hasEnded: false,
      isGone: false,
    }))
  }

  /** Starts them. Resolves when all have exited, with the error that ended the crawl, if there was one. */
  async run(): Promise<AvocetError | undefined> {
    for (const member of this.#members) this.#start(member)
    await this.#left.promise
    return this.#error
  }

  /** Whether a store was opened. */
  get hasOpened(): boolean {
    return this.#members.some(({ hasBegun }) => hasBegun)
  }

  /** Whether each that crawls was heard within so many ms. */
  isWell(withinMs: number): boolean {
    const now = this.#parts.clock.monotonic()
    return this.#members.every(({ link, hasOpened, heardAt }) => link === undefined || !hasOpened || now - heardAt < withinMs)
  }

  /** Ends them with this message; none is started again. */
  stop(message: Extract<ToWorker, { readonly kind: 'stop' | 'abort' }>): void {
    this.#isStopping = true
    if (this.#watch === undefined) this.#killSilent()
    for (const member of this.#members) {
      member.link?.send(message)
      if (member.restart === undefined) continue
      member.restart[Symbol.dispose]()
      delete member.restart
      this.#leave(member)
    }
  }

  /** At once. */
  kill(): void {
    this.#isStopping = true
    for (const { link } of this.#members) link?.kill()
  }

  /** Those that have not said anything since now, after a while; then it looks again. */
  #killSilent(): void {
    const { clock, tell } = this.#parts
    const since = clock.monotonic()
    this.#watch = clock.at(clock.now() + SILENT_MS, () => {
      for (const { number, link, heardAt, hasEnded } of this.#members) {
        if (link === undefined || hasEnded || heardAt > since) continue
        tell(`process ${number} does not react, as in a handler or seeds that never return; killing it`)
        link.kill()
      }
      this.#killSilent()
    })
  }

  #start(member: Member): void {
    delete member.restart
    delete member.failure
    member.hasOpened = false
    member.startedAt = this.#parts.clock.monotonic()
    member.link = this.#parts.startProcess({
      heard: (message) => this.#heard(member, message),
      said: (line) => this.#parts.wrote(member.number, line),
      gone: (how) => this.#gone(member, how),
    })
    member.link.send(this.#parts.partFor(member.number))
    if (member.number === 1 || this.hasOpened) member.link.send({ kind: 'open' })
  }

  #heard(member: Member, message: FromWorker): void {
    member.heardAt = this.#parts.clock.monotonic()
    if (message.kind === 'opened' || message.kind === 'ended') this.#opened(member)
    if (message.kind === 'failed') member.failure = message.error
    else if (message.kind === 'ended') member.hasEnded = true
    this.#parts.heard(member.number, message)
  }

  #opened(opener: Member): void {
    const isFirst = !this.hasOpened
    opener.hasOpened = opener.hasBegun = true
    if (!isFirst) return
    this.#parts.opened()
    for (const { link } of this.#members) link?.send({ kind: 'open' })
  }

  #gone(member: Member, how: string): void {
    delete member.link
    if (member.hasEnded) return this.#leave(member)
    this.#parts.died(member.number)
    const { failure } = member
    if (failure !== undefined && !member.hasBegun) this.#fail(new AvocetError(failure.code, failure.message))
    if (this.#isStopping) return this.#leave(member)
    const { clock, tell } = this.#parts
    const pauseMs = member.law.died(clock.monotonic() - member.startedAt)
    const why = failure === undefined ? `died (${how})` : `could not begin: ${failure.message}`
    if (pauseMs === undefined) {
      const { deaths } = member.law
      this.#fail(lost(`process ${member.number} ${why}, ${deaths} times in a row`))
      return this.#leave(member)
    }
    tell(`process ${member.number} ${why}; starting it again${pauseMs === 0 ? '' : ` in ${formatDuration(pauseMs)}`}`)
    member.restart = clock.at(clock.now() + pauseMs, () => this.#start(member))
  }

  /** It is not restarted. */
  #leave(member: Member): void {
    member.isGone = true
    if (!this.#members.every(({ isGone }) => isGone)) return
    this.#watch?.[Symbol.dispose]()
    this.#left.resolve()
  }

  /** The crawl cannot continue: the others stop gracefully. */
  #fail(error: AvocetError): void {
    this.#error ??= error
    this.stop({ kind: 'stop' })
  }
}

function lost(what: string): AvocetError {
  return new AvocetError(
    'AVO_PROCESS_LOST',
    `expected every process to live, but ${what}; the others were stopped. Fix the cause, then run the same command again`,
  )
}

/** A process that lived for so long has recovered: its next death is the first in a row. */
const WELL_AFTER_MS = 60_000
const FIRST_PAUSE_MS = 1_000
const MAX_PAUSE_MS = 30_000
/** In a row. The pauses between them take two minutes. */
const MAX_DEATHS = 10

/** The deaths of one of the processes. */
class RestartLaw {
  #inARow = 0

  /** It has died after `livedMs`. Returns the pause before its restart, in ms; undefined: it is not restarted. */
  died(livedMs: number): number | undefined {
    this.#inARow = livedMs >= WELL_AFTER_MS ? 1 : this.#inARow + 1
    if (this.#inARow >= MAX_DEATHS) return undefined
    return this.#inARow === 1 ? 0 : Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.#inARow - 2))
  }

  /** How often in a row. */
  get deaths(): number {
    return this.#inARow
  }
}
