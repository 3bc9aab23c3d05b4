// What a worker knows for the page that its supervisor serves: its tape, from which it tells what ended with each of its scenes, and answers to questions.
//
// It answers when it is asked, which it is while somebody looks. What it tells unasked is a few numbers for each second in which something ended: they
// are of the last minutes also for who looks later, and a worker that dies takes only those along that ended since its last scene.
import type { Crawl } from '@avocet/core'
import type { WorkerAnswer, PageQuestion } from '../processes/page-questions.ts'
import { partOf } from '../processes/part-of.ts'
import type { CrawlWatcher } from '../view/crawl-watcher.ts'
import type { LiveHosts } from '../view/live-hosts.ts'
import type { SecondCounts } from '../view/second-ring.ts'
import { MAX_EXCHANGES } from './exchange-ring.ts'
import { OwnHosts } from './own-hosts.ts'
import { RunTape } from './run-tape.ts'

/** A worker; `part`: which of how many. */
interface Worker {
  readonly run: Pick<Crawl, 'hooks' | 'status'>
  readonly watcher: CrawlWatcher
  readonly part: Parameters<typeof partOf>[1]
}

/** Scenes are shown four times a second: nothing ends while the event loop is blocked for longer. */
const UNTOLD_SECONDS = 60
/** Hosts that are told; with so many the others are not missed. About 1 MB. */
const MAX_HOSTS = 5_000

/** The sight of one worker; made before it runs. */
export class WorkerSight {
  readonly #tape: RunTape
  readonly #hosts: OwnHosts

  constructor({ run, watcher, part }: Worker) {
    // All workers together remember as many exchanges as one process does.
    this.#tape = new RunTape(run, { exchanges: partOf(MAX_EXCHANGES, part), seconds: UNTOLD_SECONDS })
    const { exchanges } = this.#tape
    this.#hosts = new OwnHosts({ watcher, exchanges, statuses: () => run.status().hosts })
  }

  /** What ended since it was asked last. */
  ended(): readonly SecondCounts[] {
    return this.#tape.seconds.take()
  }

  /** What it knows of that. What goes wrong here must not cost the crawl. */
  answer(question: PageQuestion): WorkerAnswer {
    try {
      return this.#found(question)
    } catch {
      return { about: 'nothing' }
    }
  }

  #found(question: PageQuestion): WorkerAnswer {
    const { about, now } = question
    if (about === 'hosts') return { about, hosts: compact(this.#hosts.all(now)) }
    if (about === 'rows') return { about, rows: this.#hosts.rows(question.hostKeys, now) }
    return { about, host: this.#hosts.host(question.hostKey, now) }
  }
}

function compact({ atWork, parked }: LiveHosts): LiveHosts {
  return {
    atWork: atWork.slice(0, MAX_HOSTS).map(({ hostKey, waiting, answered, inFlight, hold }) => {
      return { hostKey, waiting, answered, inFlight, ...(hold && { hold }) }
    }),
    parked: parked.slice(0, MAX_HOSTS),
  }
}
