// The whole crawl over time, joined from the journals of its hosts. To be replaced by the history that the journal keeps of the crawl itself, once it does.
import type { Series } from '@avocet/dashboard'
import type { FrontierReader } from '@avocet/core/store'
import { journalOf } from '@avocet/plugin-journal'
import { crawlTimeline } from '../report/crawl-timeline.ts'

/** Hosts that are read: of a larger crawl it is a sample, the first by name. */
const MAX_HOSTS = 2_000
/** Read at once; between two of them others have their turn. */
const PAGE = 50

/** Reads it. */
export async function crawlHistory(reader: Pick<FrontierReader, 'hosts'>): Promise<Series> {
  const timed: Parameters<typeof crawlTimeline>[0][number][] = []
  for (let after = ''; timed.length < MAX_HOSTS;) {
    const page = await reader.hosts({ limit: PAGE, parts: ['journal'], ...(after !== '' && { afterHostKey: after }) })
    for (const { memory } of page) {
      const known = journalOf(memory)
      if (known)
        timed.push({ timeline: { widthMs: known.widthMs, buckets: known.buckets }, firstAt: known.firstAt, lastAt: known.lastAt })
    }
    if (page.length < PAGE) break
    after = page.at(-1)?.hostKey ?? ''
    await new Promise((done) => setImmediate(done))
  }
  const { widthMs, steps } = crawlTimeline(timed)
  const points = steps.map(({ at, requests, refusals, failures, firstByte }) => ({
    ...{ at, requests, refusals, failures },
    halfMs: firstByte?.halfMs ?? null,
    nineInTenMs: firstByte?.nineInTenMs ?? null,
  }))
  return { widthMs, points }
}
