// Ways to break what a report says: that what was done is told from the store, and that trouble is seen.
import { caught, type Mutant } from '../mutant.ts'

export const REPORT: readonly Mutant[] = [
  ...caught(
    'packages/core/src/run/tally.ts',
    ['test/crawl/recrawl/counted-states.test.ts'],
    [
      {
        name: 'counts a page once more in each visit',
        find: 'if (request?.was !== undefined) this.#settle(request.was, -1)',
        replace: '',
      },
      {
        name: 'leaves out what operators did to given-up pages',
        find: "if (isCounted) this.#settle('failed', more)",
        replace: '',
      },
    ],
  ),
  ...caught(
    'packages/cli/src/load/policies.ts',
    ['packages/cli/test/report/report-history.test.ts'],
    [
      {
        name: 'asks the policy of today whether robots.txt was ignored',
        find: "activePlugins(treatmentOf(config)).filter(({ name }) => name !== 'robots')",
        replace: 'activePlugins(treatmentOf(config))',
      },
    ],
  ),
  ...caught(
    'packages/plugin-journal/src/journal.ts',
    ['packages/cli/test/report/report-history.test.ts'],
    [
      {
        name: 'counts a host that is excepted from robots.txt as obeyed',
        find: "return here === 'obeyed' && options.ignoreRobots === true ? 'ignored' : here",
        replace: 'return here',
      },
      { name: 'counts a run without a robots policy as obeyed', find: "return 'without'", replace: "return 'obeyed'" },
    ],
  ),
  ...caught(
    'packages/plugin-journal/src/runs.ts',
    ['packages/plugin-journal/test/runs.test.ts'],
    [
      {
        name: 'remembers every run for ever',
        find: '.slice(-MAX_RUNS)\n}\n\n/** An exchange',
        replace: '\n}\n\n/** An exchange',
      },
      { name: 'forgets that robots.txt was ignored', find: "options?.['ignore'] === true && {", replace: 'false && {' },
    ],
  ),
  ...caught(
    'packages/cli/src/report/host-trouble.ts',
    ['packages/cli/test/report/politeness-sheet.test.ts'],
    [
      { name: 'takes a single refusal for trouble', find: 'refusals > requests * TROUBLE_RATIO', replace: 'refusals > 0' },
      {
        name: 'suspects a handler that never found anything',
        find: 'handlers.find(hasDriedUp)',
        replace: 'handlers.find(({ fruitful }) => fruitful === 0)',
      },
    ],
  ),
]
