// Four processes on one PostgreSQL server, and faults, as `npm run faults` has them two hundred times: twenty runs, or as many as fit, judged by the servers of
// their web.
import { postgresMissing } from '@avocet/testkit/postgres'
import { describe, expect, it } from 'vitest'
import { faultPlan, FAULT_KINDS } from '../bench/faults/fault-plan.ts'
import { faultRun } from '../bench/faults/fault-run.ts'

const missing =
  postgresMissing() ??
  (process.env['AVOCET_TEST_POSTGRES'] === undefined ? undefined : '(the server is not ours)') ??
  (process.platform === 'linux' ? undefined : '(the web of the runs needs the loopback addresses of Linux)')
const RUNS = 20
/** Where other tests run beside, a run takes up to three times as long. Then there are fewer. */
const ALL_MS = 100_000
const MOST_MS = ALL_MS + 300_000

describe.skipIf(missing !== undefined)(`four processes on one server, with faults ${missing ?? ''}`, () => {
  it('crawl all there is, each item once, and no host hears two', { timeout: MOST_MS }, async () => {
    const until = performance.now() + ALL_MS
    const found: string[] = []
    let befell = 0
    for (let n = 1; n <= RUNS && performance.now() < until; n++) {
      const plan = faultPlan(`test ${String(n)}`, { kinds: new Set(FAULT_KINDS), scale: 10 })
      const { wrong, befallen } = await faultRun({ plan, pages: 8, scale: 10 })
      befell += befallen.length
      found.push(...wrong.map((what) => `npm run faults -- --seed test --only ${String(n)}: ${what}`))
    }

    expect(found).toEqual([])
    expect(befell).toBeGreaterThan(0)
  })
})
