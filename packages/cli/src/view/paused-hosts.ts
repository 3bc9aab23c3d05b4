// Hosts that an operator has paused and this process does not hold: paused in an earlier run, or ahead of their first request. What waits at them is in
// the store, and read there: rarely, a few at a time, and without their crawl.
import { type FrontierReader, type HostRecord, OPERATOR } from '@avocet/core/store'
import { hostYield, type CrawlStatus, type HostStatus } from '@avocet/core/tools'

/** Hosts that are looked for: those that a table has room for, and that a far store answers for in no time. */
const MAX_READ = 20
/** Nothing is requested from them: what waits there grows by links only. */
const READ_EVERY_MS = 30_000

type Paused = NonNullable<CrawlStatus['pausedHosts']>['first'][number]

/** Those of one crawl. */
export class PausedHosts {
  readonly #reader: Pick<FrontierReader, 'host'>
  #records = new Map<string, HostRecord>()
  #readAt = -Infinity
  #isReading = false
  #named = ''

  constructor(reader: Pick<FrontierReader, 'host'>) {
    this.#reader = reader
  }

  /** Those of `paused` that have something waiting, or to be visited again, as the store had them when it was last asked. `now`: epoch ms. */
  statuses(paused: readonly Paused[], now: number): readonly HostStatus[] {
    const wanted = paused.slice(0, MAX_READ)
    const named = wanted.map(({ hostKey }) => hostKey).join(' ')
    const isOld = named !== this.#named || now - this.#readAt >= READ_EVERY_MS
    if (wanted.length > 0 && isOld && !this.#isReading) void this.#read(wanted, { named, now })
    return wanted.flatMap(({ hostKey, until }) => {
      const record = this.#records.get(hostKey)
      return record === undefined || waitingAt(record) === 0 ? [] : [statusOf(record, until)]
    })
  }

  async #read(wanted: readonly Paused[], { named, now }: { readonly named: string; readonly now: number }): Promise<void> {
    this.#isReading = true
    this.#readAt = now
    this.#named = named
    try {
      const records = await Promise.all(wanted.map(({ hostKey }) => this.#reader.host(hostKey)))
      this.#records = new Map(records.flatMap((record) => (record === undefined ? [] : [[record.hostKey, record]])))
    } catch {
      // It costs the display rows; how many hosts are paused it knows all the same.
    }
    this.#isReading = false
  }
}

/** As of a host that is held: visits to come wait, too. */
function waitingAt({ waiting, again = 0 }: HostRecord): number {
  return waiting + again
}

function statusOf(record: HostRecord, until: number): HostStatus {
  return {
    hostKey: record.hostKey,
    ...{ inFlight: 0, answered: 0, refused: 0, failed: 0, awaited: 0, consecutiveFailures: 0, lastStartAt: 0, lastDurationMs: 0 },
    waiting: waitingAt(record),
    proven: record.done > 0,
    items: hostYield(record.memory).reduce((sum, { items }) => sum + items, 0),
    hold: { by: OPERATOR, why: 'paused', until },
  }
}
