// A crawl of several processes, looked at for the page: what its workers tell, and what they are asked while somebody looks.
//
// Told, with each scene: what ended in each second, as counts that are added up here, so that none is counted twice and none falls when a worker dies.
// Asked, while a page shows it and never else: the hosts at work with what holds them, the rows on the screen, and one host closely with its last exchanges.
// A worker that dies leaves the exchanges that it has told of a host that is looked at; what nobody asked for dies with it, as with any process.
import type { Series, ExchangeLine } from '@avocet/dashboard'
import type { Clock } from '@avocet/core/store'
import { WorkerQuestions } from '../processes/worker-questions.ts'
import type { FromWorker, ToWorker } from '../processes/process-messages.ts'
import type { LiveCloseUp, LiveHosts, LiveRow, HostAtWork, ParkedHold } from '../view/live-hosts.ts'
import type { Scene } from '../view/scene.ts'
import { SecondRing } from '../view/second-ring.ts'
import { KeptAnswers, type HeardAnswers } from './kept-answers.ts'
import type { LiveSight } from './live-sight.ts'
import { joinedStretches } from './host-stretches.ts'
import { SHOWN_EXCHANGES } from './own-hosts.ts'

/** What it is made of. */
interface Parts {
  readonly clock: Clock
  /** All processes as one; undefined before one has shown something. */
  readonly scene: () => Scene | undefined
  /** To one worker. */
  send(message: ToWorker, number: number): void
}

/** Hosts that are looked at closely: two for each page that may be open. */
const MAX_CLOSE_UPS = 16
/** Five screens of rows, the largest. */
const MAX_ROWS = 1_000
const ALL = 'all'

/** The sight of one command. */
export class FellowSight implements LiveSight {
  readonly #clock: Clock
  readonly #questions: WorkerQuestions
  readonly #seconds = new SecondRing()
  readonly #hosts: KeptAnswers<LiveHosts>
  readonly #rows: KeptAnswers<LiveRow>
  readonly #closeUps: KeptAnswers<LiveCloseUp>
  readonly scene: LiveSight['scene']
  #refusals = 0

  constructor({ clock, scene, send }: Parts) {
    this.#clock = clock
    this.scene = scene
    const questions = (this.#questions = new WorkerQuestions({ clock, send }))
    this.#hosts = new KeptAnswers<LiveHosts>({
      ...{ clock, most: 1 },
      ask: (_all, heard) =>
        questions.ask({ about: 'hosts', now: clock.now() }, (number, answer) => {
          if (answer.about === 'hosts') heard(number, [answer.hosts])
        }),
    })
    this.#rows = new KeptAnswers<LiveRow>({
      ...{ clock, most: MAX_ROWS },
      ask: (hostKeys, heard) =>
        questions.ask({ about: 'rows', hostKeys, now: clock.now() }, (number, answer) => {
          if (answer.about !== 'rows') return
          const rows = answer.rows.map((row) => row ?? undefined)
          heard(number, rows)
        }),
    })
    this.#closeUps = new KeptAnswers<LiveCloseUp>({
      ...{ clock, most: MAX_CLOSE_UPS, past: pastOf },
      ask: ([hostKey = ''], heard) =>
        questions.ask({ about: 'host', hostKey, now: clock.now() }, (number, answer) => {
          if (answer.about === 'host') heard(number, [answer.host])
        }),
    })
  }

  /** A worker has said something. */
  heard(number: number, message: FromWorker): void {
    this.#questions.heard(number, message)
    if (message.kind === 'ended') this.#gone(number)
    if (message.kind !== 'scene') return
    for (const second of message.ended ?? []) {
      this.#refusals += second.refusals
      this.#seconds.add(second, this.#clock.now())
    }
  }

  /** A worker has died. */
  died(number: number): void {
    this.#questions.gone(number)
    this.#gone(number)
  }

  get refusals(): number {
    return this.#refusals
  }

  lately(now: number): Series {
    return this.#seconds.series(now)
  }

  async hosts(): Promise<LiveHosts> {
    return mergedHosts(saidOf(await this.#hosts.of([ALL]), ALL).now)
  }

  async rows(hostKeys: readonly string[]): Promise<ReadonlyMap<string, LiveRow>> {
    const said = await this.#rows.of(hostKeys)
    return new Map([...said].flatMap(([hostKey, { now }]) => (now.length === 0 ? [] : [[hostKey, mergedRow(now)] as const])))
  }

  async host(hostKey: string): Promise<LiveCloseUp> {
    const { now, ever } = saidOf(await this.#closeUps.of([hostKey]), hostKey)
    return mergedHost(now, ever)
  }

  #gone(number: number): void {
    for (const kept of [this.#hosts, this.#rows, this.#closeUps]) kept.gone(number)
  }
}

function saidOf<Answer>(said: ReadonlyMap<string, HeardAnswers<Answer>>, key: string): HeardAnswers<Answer> {
  return said.get(key) ?? { now: [], ever: [] }
}

/** Each host once. One that changes hands may be in two answers: where something is in flight it is held, and no host is both at work and parked. */
function mergedHosts(all: readonly LiveHosts[]): LiveHosts {
  const atWork = new Map<string, HostAtWork>()
  for (const host of all.flatMap((each) => each.atWork)) {
    const other = atWork.get(host.hostKey)
    if (other === undefined || host.inFlight >= other.inFlight) atWork.set(host.hostKey, host)
  }
  const parked = new Map<string, ParkedHold>()
  for (const host of all.flatMap((each) => each.parked)) if (!atWork.has(host.hostKey)) parked.set(host.hostKey, host)
  return { atWork: [...atWork.values()], parked: [...parked.values()] }
}

/** The row of one host: what was found by the one that holds it, and the answers of all. The last one has said it last. */
function mergedRow(all: readonly LiveRow[]): LiveRow {
  const found = all.flatMap((row) => row.found ?? []).at(-1)
  const recent = all.map((row) => row.recent).reduce(added, [])
  return { ...(found && { found }), recent }
}

/** One host: what holds it is said by those in `now`, its exchanges are those of all in `ever`. */
function mergedHost(now: readonly LiveCloseUp[], ever: readonly LiveCloseUp[]): LiveCloseUp {
  const explained = now.flatMap((each) => each.explained ?? []).at(-1)
  return { ...(explained && { explained }), ...pastOf(ever) }
}

/** What is left of what workers said that hold nothing any more: its exchanges, the youngest first. */
function pastOf(all: readonly LiveCloseUp[]): LiveCloseUp {
  const youngest = (a: ExchangeLine, b: ExchangeLine): number => b.at - a.at
  return {
    exchanges: all
      .flatMap(({ exchanges }) => exchanges)
      .toSorted(youngest)
      .slice(0, SHOWN_EXCHANGES),
    stretches: joinedStretches(all.flatMap(({ stretches }) => stretches)),
  }
}

/** Slices of two, which end at one moment. */
function added(a: readonly number[], b: readonly number[]): readonly number[] {
  if (a.length === 0 || b.length === 0) return a.length === 0 ? b : a
  return a.map((count, n) => count + (b[n] ?? 0))
}
