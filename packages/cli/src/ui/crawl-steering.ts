// What can be done to a crawl from the page: the orders of operators, which are in its store before they are carried out; and pages that were given up wait
// again, or are dropped, which is listed among the orders.
import { AvocetError } from '@avocet/core'
import { parseUrl } from '@avocet/core/plugin'
import type { Control, CrawlStatus } from '@avocet/core/tools'
import type { Steering, SteeringAction, SteeringKind, WhichPages } from '@avocet/dashboard'
import { checkSeedUrl } from '@avocet/project/load'
import type { DeadLetterClass } from '@avocet/project/store'
import { formatCountOf } from '@avocet/project/text'
import type { Changer, GivenUpQuery } from '../failed/given-up-change.ts'
import { dropPage, dropPages, reopenPage, reopenPages, skippedInWords } from '../failed/changed-pages.ts'
import { CLASSES, OPEN_CLASSES } from '../store/dead-letters.ts'
import { orderInWords } from '../text/orders-in-words.ts'

/** The run of a crawl that this command runs. */
interface CrawlReins {
  status(): Pick<CrawlStatus, 'phase' | 'pausedBy'> | undefined
  /** Of a run whose store is not open yet: nothing can be ordered. */
  stop(now: boolean): void
}

/** What there is to steer. */
export interface SteeringParts {
  /** Absent: no process of ours crawls. */
  readonly reins?: CrawlReins
  /** Writes an order into the store. Resolves once it is there. */
  order(control: Control): Promise<void>
  /** Changes given-up pages. */
  readonly change: Changer
  /** Whether the crawl was ordered to pause, as it was last read. */
  isOrderedToPause(): boolean
  /** Whether any process crawls, as it was last read. */
  isCrawled(): boolean
  /** Epoch ms. */
  now(): number
  /** Reads anew what was changed in the store. */
  changed(): Promise<void>
}

/** What holds for the crawl at any time, whether it runs or not. */
const ALWAYS = [
  'pause-host',
  'resume-host',
  'limit-host',
  'forget-host',
  'add',
  'reopen',
  'drop',
] as const satisfies readonly SteeringKind[]

/** The steering of one crawl. */
export class CrawlSteering implements Steering {
  readonly #parts: SteeringParts

  constructor(parts: SteeringParts) {
    this.#parts = parts
  }

  get offers(): readonly SteeringKind[] {
    const { reins, isOrderedToPause, isCrawled } = this.#parts
    const { phase, pausedBy } = reins?.status() ?? {}
    if (phase === 'opening') return ['stop']
    if (phase === 'closed' || (reins !== undefined && phase === undefined)) return []
    if (phase === 'draining') return ['stop', ...ALWAYS]
    // What the store, the machine or a slow reader paused goes on by itself.
    const isPaused = reins === undefined ? isOrderedToPause() : pausedBy === 'operator'
    const canStop = reins !== undefined || isCrawled()
    return [isPaused ? 'resume' : 'pause', ...(canStop ? (['stop'] as const) : []), ...ALWAYS]
  }

  async act(action: SteeringAction): Promise<string> {
    const { reins, order, now, changed } = this.#parts
    if (!this.offers.includes(action.kind)) throw cannot(action.kind)
    if (action.kind === 'reopen') return this.#reopen(action)
    if (action.kind === 'drop') return this.#drop(action)
    if (action.kind === 'stop' && reins?.status()?.phase === 'opening') reins.stop(action.now === true)
    else await order(action)
    await changed()
    return `${sentence(orderInWords(action, now()))}.`
  }

  async #reopen({ url, ...which }: WhichPages): Promise<string> {
    const { change, changed } = this.#parts
    const { pages, revived } = await change({
      done: 'retried',
      work: (frontier, list, now) =>
        url === undefined
          ? reopenPages(frontier, queryOf(which), list)
          : reopenPage(frontier, pageOf(url, 'retry'), { list, now }),
    })
    await changed()
    if (pages + revived === 0) return 'There was nothing to retry.'
    const hosts = revived === 0 ? '' : `, ${formatCountOf(revived, 'host')} revived`
    return `${formatCountOf(pages, 'page')} ${pages === 1 ? 'waits' : 'wait'} again${hosts}.`
  }

  async #drop({ url, ...which }: WhichPages): Promise<string> {
    const { change, changed } = this.#parts
    const { pages, inUse } = await change({
      done: 'dropped',
      work: (frontier, list) =>
        url === undefined ? dropPages(frontier, queryOf(which), list) : dropPage(frontier, pageOf(url, 'drop'), list),
    })
    await changed()
    const left = skippedInWords(inUse)
    return pages === 0 ? `There was nothing to drop${left}.` : `${formatCountOf(pages, 'page')} dropped${left}.`
  }
}

/** Of a host, all its pages that somebody may have to look at. */
function queryOf({ failureClass, hostKey }: Omit<WhichPages, 'url'>): GivenUpQuery {
  const ofHost = hostKey === undefined ? undefined : OPEN_CLASSES
  const classes = failureClass === undefined ? ofHost : [classNamed(failureClass)]
  return { ...(classes && { classes }), ...(hostKey !== undefined && { hostKey }) }
}

function pageOf(url: string, word: string): string {
  return parseUrl(checkSeedUrl(url, word)) ?? url
}

/** A host's name begins a sentence as it is. */
function sentence(words: string): string {
  return words.includes(':') ? words : `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`
}

function classNamed(name: string): DeadLetterClass {
  const found = CLASSES.find((each) => each === name)
  if (found === undefined)
    throw new AvocetError('AVO_USAGE', `expected a class of failed pages (${CLASSES.join(', ')}), got '${name}'`)
  return found
}

function cannot(kind: SteeringKind): AvocetError {
  return new AvocetError('AVO_USAGE', `expected what the crawl can do now, got ${kind}; look at what the page offers`)
}
