// Ways to drop a page that somebody still waits for, or to let a dropped one come back.
import { caught, type Mutant } from '../mutant.ts'

export const DROPPED: readonly Mutant[] = [
  ...caught(
    'packages/plugin-sqlite/src/reschedule.ts',
    ['packages/plugin-sqlite/test/contract.test.ts'],
    [
      { name: 'drops what is due again', find: 'AND NOT EXISTS (SELECT 1 FROM delayed d WHERE d.id = a.id)', replace: '' },
      { name: 'drops what a holder has handed out', find: 'AND owner IS NULL', replace: '' },
      { name: 'drops pages of hosts that were not given up', find: 'WHERE retired_for IS NOT NULL AND', replace: 'WHERE' },
      { name: 'drops what was dropped', find: "AND coalesce(w.word, '') NOT GLOB ? || '*'", replace: "AND ? <> ''" },
      {
        name: 'leaves a dropped page in its span',
        find: 'if (!queue.undelay(host, request.id)) queue.leave(host, request)',
        replace: 'queue.undelay(host, request.id)',
      },
    ],
  ),
  ...caught(
    'packages/core/src/recrawl/schedule.ts',
    ['test/crawl/recrawl/probation.test.ts'],
    [{ name: 'schedules a dropped page', find: ' || droppedReason(reason) === undefined', replace: '' }],
  ),
]
