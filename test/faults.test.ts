// Four processes on one PostgreSQL server, and faults, as `npm run faults` has them two hundred times: three runs, judged by the servers of their web.
import { postgresMissing } from '@avocet/testkit/postgres'
import { describe, expect, it } from 'vitest'
import { faultPlan, FAULT_KINDS } from '../bench/faults/fault-plan.ts'
import { faultRun } from '../bench/faults/fault-run.ts'

const missing =
  postgresMissing() ??
  (process.env['AVOCET_TEST_POSTGRES'] === undefined ? undefined : '(the server is not ours)') ??
  (process.platform === 'linux' ? undefined : '(the web of the runs needs the loopback addresses of Linux)')
/** Each takes 10 to 30 s, much of it the start of the processes, so there are few here. Failovers are tested on their own. */
const SEEDS = ['test 2', 'test 8', 'test 9']

describe.skipIf(missing !== undefined)(`four processes on one server, with faults ${missing ?? ''}`, () => {
  it.each(SEEDS)('crawl all there is, each item once, and no host hears two: run "%s"', { timeout: 180_000 }, async (seed) => {
    const plan = faultPlan(seed, { kinds: new Set(FAULT_KINDS), scale: 10 })

    const { wrong, befallen } = await faultRun({ plan, pages: 10, scale: 10 })

    expect(wrong).toEqual([])
    expect(befallen.length).toBeGreaterThan(0)
  })
})
