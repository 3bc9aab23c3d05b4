// What the supervisor of several processes shows of them, and what it keeps of one that dies.
import { CrawlMetrics, type LiveFigures, type MetricsServer } from '@avocet/metrics'
import { describe, expect, it } from 'vitest'
import { FellowMetrics } from '../../src/processes/fellow-metrics.ts'
import type { FromWorker } from '../../src/processes/process-messages.ts'

const LIVE: LiveFigures = { residentBytes: 1, heapBytes: 1 }

/** What of a beat matters here. */
function beatOf(hostKeys: readonly string[], live?: LiveFigures): FromWorker {
  const hosts = hostKeys.map((hostKey) => ({ hostKey, requests: 1, refusals: 0, failures: 0 }))
  const metrics = { counted: { counts: { page: hosts.length }, hosts }, ...(live && { live }) }
  return { kind: 'beat', metrics } as unknown as FromWorker
}

function fellows(): {
  readonly metrics: FellowMetrics
  readonly crawl: CrawlMetrics
  readonly shows: Parameters<MetricsServer['show']>[0][]
} {
  const shows: Parameters<MetricsServer['show']>[0][] = []
  const crawl = new CrawlMetrics()
  const metrics = new FellowMetrics({ crawl, look: () => undefined, server: { show: (look) => void shows.push(look) } })
  return { metrics, crawl, shows }
}

describe('the metrics of several processes', () => {
  it('show nothing before a process has shown something, and anew once there is a report', () => {
    const { metrics, shows } = fellows()
    expect(shows.map((look) => look())).toEqual([undefined])

    metrics.finish({} as never)

    expect(shows).toHaveLength(2)
  })

  it('keep what a dead process counted, and not how its hosts were', () => {
    const { metrics, crawl } = fellows()
    metrics.heard(1, beatOf(['a', 'b'], LIVE))
    metrics.died(1)
    metrics.heard(1, beatOf(['a']))

    const { book, processes } = crawl.shown({ run: {} } as never)
    expect([book.of('page'), [...processes.keys()]]).toEqual([3, []])
    expect(book.hosts.counts.named.get('a')?.requests).toBe(2)
  })
})
