// Four processes on one PostgreSQL server, and faults, as `npm run faults` has them two hundred times, judged by the servers of their web.
import { postgresMissing } from '@avocet/stress/postgres'
import { describe, expect, it } from 'vitest'
import { faultPlan, FAULT_KINDS } from '../bench/faults/fault-plan.ts'
import { faultRun } from '../bench/faults/fault-run.ts'

const missing =
  postgresMissing() ??
  (process.env['AVOCET_TEST_POSTGRES'] === undefined ? undefined : '(the server is not ours)') ??
  (process.platform === 'linux' ? undefined : '(the web of the runs needs the loopback addresses of Linux)')
/** Fewer meet too few kinds of faults. */
const RUNS = 3
/** A run takes some 8 s, and many times as long where other tests run beside. */
const MOST_MS = 400_000

describe.skipIf(missing !== undefined)(`four processes on one server, with faults ${missing ?? ''}`, () => {
  it(
    'in three runs crawl every page, store each item once, and request no host from two processes',
    { timeout: MOST_MS },
    async () => {
      const found: string[] = []
      let befell = 0
      for (let n = 1; n <= RUNS; n++) {
        const plan = faultPlan(`test ${String(n)}`, { kinds: new Set(FAULT_KINDS), scale: 10 })
        const { wrong, befallen } = await faultRun({ plan, pages: 8, scale: 10 })
        befell += befallen.length
        found.push(...wrong.map((what) => `npm run faults -- --seed test --only ${String(n)}: ${what}`))
      }

      expect(found).toEqual([])
      expect(befell).toBeGreaterThan(0)
    },
  )
})
