// What can be done to a crawl of this process from the page: pause, resume, stop; and to any store: pages that were given up wait again.
import type { Steering, SteeringAction, SteeringKind } from '@avocet/dashboard'
import { AvocetError } from '@avocet/core'
import type { Frontier } from '@avocet/core/store'
import type { CrawlStatus, DeadLetterClass } from '@avocet/core/tools'
import { parseUrl } from '@avocet/core/plugin'
import { checkSeedUrl } from '../load/seed-list.ts'
import { CLASSES } from '../store/dead-letters.ts'
import { reopenPage } from '../dlq/reopen-page.ts'
import { reopenPages } from '../dlq/reopen-pages.ts'
import { formatCountOf } from '../text/quantity.ts'

/** What steers a crawl that runs. */
export interface CrawlReins {
  status(): Pick<CrawlStatus, 'phase' | 'pausedBy'> | undefined
  pause(): void
  resume(): void
  stop(drain: boolean): void
}

/** Hands the store to `work`, open to be written to. */
export type WithFrontier = <Answer>(work: (frontier: Frontier, now: number) => Promise<Answer>) => Promise<Answer>

/** What there is to steer. */
export interface SteeringParts {
  /** Absent: no process of ours crawls. */
  readonly reins?: CrawlReins
  /** Absent: the store is not to be written to from here. */
  readonly withFrontier?: WithFrontier
  /** Called after something was changed in the store. */
  changed(): void
}

/** The steering of one crawl. */
export class CrawlSteering implements Steering {
  readonly #parts: SteeringParts

  constructor(parts: SteeringParts) {
    this.#parts = parts
  }

  get offers(): readonly SteeringKind[] {
    const { reins, withFrontier } = this.#parts
    const { phase, pausedBy } = reins?.status() ?? {}
    const ofRun: Readonly<Record<CrawlStatus['phase'], readonly SteeringKind[]>> = {
      opening: ['stop'],
      running: ['pause', 'stop'],
      // What the store or the machine paused goes on by itself.
      paused: pausedBy === 'user' ? ['resume', 'stop'] : ['stop'],
      draining: ['stop'],
      closed: [],
    }
    const canReopen = withFrontier !== undefined && (reins === undefined || phase === 'running' || phase === 'paused')
    return [...(phase === undefined ? [] : ofRun[phase]), ...(canReopen ? (['reopen'] as const) : [])]
  }

  async act(action: SteeringAction): Promise<string> {
    const { reins } = this.#parts
    if (action.kind === 'reopen') return this.#reopen(action)
    if (reins === undefined || !this.offers.includes(action.kind)) throw cannot(action.kind)
    if (action.kind === 'pause') {
      reins.pause()
      return 'Paused. What is in flight finishes.'
    }
    if (action.kind === 'resume') {
      reins.resume()
      return 'Resumed.'
    }
    if (action.kind !== 'stop') throw cannot(action.kind)
    reins.stop(action.drain)
    return action.drain ? 'Stopping: requests in flight finish first.' : 'Stopping now.'
  }

  async #reopen({ url, failureClass, hostKey }: Extract<SteeringAction, { readonly kind: 'reopen' }>): Promise<string> {
    const { withFrontier, changed } = this.#parts
    if (withFrontier === undefined) throw cannot('reopen')
    const classes = failureClass === undefined ? (hostKey === undefined ? undefined : CLASSES) : [classNamed(failureClass)]
    const { reopened, revived } = await withFrontier((frontier, now) =>
      url === undefined
        ? reopenPages(frontier, { ...(classes && { classes }), ...(hostKey !== undefined && { hostKey }) })
        : reopenPage(frontier, parseUrl(checkSeedUrl(url, 'retry')) ?? url, now),
    )
    changed()
    if (reopened + revived === 0) return 'There was nothing to retry.'
    const hosts = revived === 0 ? '' : `, ${formatCountOf(revived, 'host')} revived`
    return `${formatCountOf(reopened, 'page')} ${reopened === 1 ? 'waits' : 'wait'} again${hosts}.`
  }
}

function classNamed(name: string): DeadLetterClass {
  const found = CLASSES.find((each) => each === name)
  if (found === undefined)
    throw new AvocetError('AVO_USAGE', `expected a class of given-up pages (${CLASSES.join(', ')}), got '${name}'`)
  return found
}

function cannot(kind: SteeringKind): AvocetError {
  return new AvocetError('AVO_USAGE', `expected what the crawl can do now, got ${kind}; reload the page`)
}
