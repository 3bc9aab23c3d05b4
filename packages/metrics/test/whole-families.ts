// Every family that there is, of a crawl made up of odd names and numbers.
import type { CountKey } from '../src/laws/counted.ts'
import { crawlFamilies } from '../src/laws/crawl-families.ts'
import type { MetricFamily } from '../src/laws/family.ts'
import { NO_RUN } from './no-run.ts'

/** All of them. */
export function wholeFamilies(): readonly MetricFamily[] {
  const counts: Readonly<Partial<Record<CountKey, number>>> = {
    'response 2xx': 3,
    'latency 0': 2,
    'latency 14': 1,
    'latency sum': 61.25,
    'commit 3': 1,
    'commit sum': 0.007,
  }
  const run = { ...NO_RUN, pages: 3, requests: 35, failures: 5, items: 2, wireBytes: 2 ** 53 - 1 }
  const sinks = [{ name: 'items "of\n the day".jsonl', written: 1, behind: 1, setAside: 0, failingSince: 5 }]
  const status = {
    name: 'déjà "vu"',
    phase: 'running' as const,
    now: 1e12,
    startedAt: 1e12,
    known: 9,
    waiting: 6,
    settled: 3,
    done: 2,
    moved: 0,
    failed: 1,
    items: 2,
    inFlight: 1,
    slots: 100,
    handlersRunning: 0,
  }
  const rounds = [{ everyMs: 60_000, begunAt: 1e12, due: 5, visited: 4, late: 1 }]
  const shown = {
    status: { ...status, connections: { open: 3, busy: 1 }, rounds, run, sinks },
    conditions: { fine: 3, 'broken layout': 1 },
    counted: (key: CountKey) => counts[key] ?? 0,
    live: { heapBytes: 1e7, loopDelay: { p50: 0, p99: 1e-7, max: 2.5 } },
  }
  const own = { cpuSeconds: 1.5, residentBytes: 1e8, startedAt: 1_795_758_234.347, openFds: 25, maxFds: 1024 }
  return crawlFamilies(shown, { own, version: '0.1.0', node: 'v24.0.0', reasons: ['reset', 'dns-failed'] })
}
