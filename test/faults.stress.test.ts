// Four processes on one PostgreSQL server, and faults, as `npm run faults` has them two hundred times, judged by the servers of their web. How many runs there
// were is printed: beside other tests fewer than twenty fit into the time.
import { postgresMissing } from '@avocet/stress/postgres'
import { describe, expect, it } from 'vitest'
import { faultPlan, FAULT_KINDS } from '../bench/faults/fault-plan.ts'
import { faultRun } from '../bench/faults/fault-run.ts'

const missing =
  postgresMissing() ??
  (process.env['AVOCET_TEST_POSTGRES'] === undefined ? undefined : '(the server is not ours)') ??
  (process.platform === 'linux' ? undefined : '(the web of the runs needs the loopback addresses of Linux)')
const MAX_RUNS = 20
/** However long they take: fewer meet too few kinds of faults. */
const MIN_RUNS = 3
/** A run takes some 8 s, and up to three times as long where other tests run beside. */
const ALL_MS = 100_000
const MOST_MS = ALL_MS + 300_000

describe.skipIf(missing !== undefined)(`four processes on one server, with faults ${missing ?? ''}`, () => {
  it(
    'in at least three runs crawl every page, store each item once, and request no host from two processes',
    { timeout: MOST_MS },
    async () => {
      const until = performance.now() + ALL_MS
      const found: string[] = []
      let befell = 0
      let runs = 0
      while (runs < MAX_RUNS && (runs < MIN_RUNS || performance.now() < until)) {
        const n = ++runs
        const plan = faultPlan(`test ${String(n)}`, { kinds: new Set(FAULT_KINDS), scale: 10 })
        const { wrong, befallen } = await faultRun({ plan, pages: 8, scale: 10 })
        befell += befallen.length
        found.push(...wrong.map((what) => `npm run faults -- --seed test --only ${String(n)}: ${what}`))
      }

      process.stdout.write(`faults: ${String(runs)} of ${String(MAX_RUNS)} runs, ${String(befell)} faults\n`)
      expect(found).toEqual([])
      expect(befell).toBeGreaterThan(0)
    },
  )
})
