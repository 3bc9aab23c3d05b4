// What the hooks of a crawl tell while it runs: the answers of each host over the last minutes, and what went wrong, by kind.
//
// A host that is parked is in no status: what was seen of it last is kept here, so that a crawl of one dead host has something to say.
import {
  isRefusal,
  reasonOf,
  type Answered,
  type Crawl,
  type Failed,
  type HandlerFailed,
  type HostStatus,
  type Settled,
} from '@avocet/core'
import { AnswerHistory } from './answer-history.ts'
import type { StoreTrouble } from './scene.ts'

/** Hosts that are remembered; the first met are forgotten first. */
const MAX_HOSTS = 5_000
/** Kinds of trouble that are told apart. */
const MAX_KINDS = 100

/** What was seen of a host. */
export interface HostNote {
  readonly history: AnswerHistory
  /** As the last status had it; undefined when it came and went between two statuses. */
  last: HostStatus | undefined
  /** Given up: what waits there is not gone on with. */
  retired: boolean
  /** Epoch ms at which a status was the first without it; undefined while the crawl has it in hand. */
  goneAt: number | undefined
}

/** Listens to one crawl. */
export class HostWatch {
  readonly notes: Map<string, HostNote> = new Map()
  readonly #failures = new Map<string, number>()
  readonly #troubles = new Map<string, number>()

  constructor({ hooks }: Pick<Crawl, 'hooks'>) {
    const name = 'view'
    hooks.onResponse.tap(name, (answered: Answered) => this.#answered(answered))
    hooks.onError.tap(name, (failed: Failed) => this.#failed(failed))
    hooks.onHandlerError.tap(name, ({ failure }: HandlerFailed) => count(this.#troubles, reasonOf(failure.code)))
    hooks.onSettled.tap(name, ({ outcome }: Settled) => {
      if (outcome.kind === 'failed') count(this.#failures, outcome.reason)
    })
    hooks.onRetire.tap(name, ({ hostKey }) => {
      this.note(hostKey).retired = true
    })
  }

  /** Remembers the hosts of a status, and which are not in it any more. */
  saw(hosts: readonly HostStatus[], now: number): void {
    const live = new Set<string>()
    for (const host of hosts) {
      live.add(host.hostKey)
      const note = this.note(host.hostKey)
      note.last = host
      note.retired = false
      note.goneAt = undefined
    }
    for (const [hostKey, note] of this.notes) if (!live.has(hostKey)) note.goneAt ??= now
  }

  /** Reasons of requests that failed for good, most frequent first. */
  get failures(): readonly StoreTrouble[] {
    return mostFirst(this.#failures)
  }

  /** Exchanges and handlers that went wrong, most frequent first. */
  get troubles(): readonly StoreTrouble[] {
    return mostFirst(this.#troubles)
  }

  /** What is known of a host; made when it is new. */
  note(hostKey: string): HostNote {
    const known = this.notes.get(hostKey)
    if (known) return known
    const [oldest] = this.notes.size < MAX_HOSTS ? [] : this.notes.keys()
    if (oldest !== undefined) this.notes.delete(oldest)
    const note: HostNote = { history: new AnswerHistory(), last: undefined, retired: false, goneAt: undefined }
    this.notes.set(hostKey, note)
    return note
  }

  #answered({ exchange, response, now }: Answered): void {
    const isRefused = isRefusal(response.status)
    this.note(exchange.host.key).history.add(now, !isRefused)
    if (isRefused) count(this.#troubles, `refused (${response.status})`)
  }

  #failed({ exchange, failure, now }: Failed): void {
    this.note(exchange.host.key).history.add(now, false)
    // No request fails with a robots.txt: without its name the reader would look for one.
    const of = exchange.required ? ` of ${new URL(exchange.request.url).pathname.slice(1)}` : ''
    count(this.#troubles, `${reasonOf(failure.code)}${of}`)
  }
}

function count(counts: Map<string, number>, kind: string): void {
  if (counts.has(kind) || counts.size < MAX_KINDS) counts.set(kind, (counts.get(kind) ?? 0) + 1)
}

function mostFirst(counts: Map<string, number>): readonly StoreTrouble[] {
  return [...counts].map(([kind, times]) => ({ kind, count: times })).sort((a, b) => b.count - a.count)
}
