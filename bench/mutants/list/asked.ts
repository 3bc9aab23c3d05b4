// Pages that links and seeds with `again` ask for: once in each run, as visits of their own, beside the rounds of rules.
import { caught, type Mutant } from '../mutant.ts'

export const ASKED: readonly Mutant[] = [
  ...caught(
    'packages/core/src/recrawl/probation.ts',
    ['test/crawl/recrawl/asked-rounds.test.ts'],
    [
      { name: 'counts visits that were asked for as rounds in which a page was missing', find: ' && !isAhead', replace: '' },
      { name: 'takes a failure without a rule for gone', find: 'return gone === true && notBefore', replace: 'return notBefore' },
    ],
  ),
  ...caught(
    'packages/core/src/recrawl/recrawl.ts',
    ['test/crawl/recrawl/asked-rounds.test.ts', 'test/crawl/recrawl/asked-again.test.ts'],
    [
      {
        name: 'forgets that a page is gone when it is asked for in vain',
        find: 'earlier?.gone && rule?.keep !== true && !isThere(outcome)',
        replace: 'false',
      },
      {
        name: 'leaves a page gone that was there again, and broke its handler',
        find: 'rule?.keep !== true && !isThere(outcome)',
        replace: 'rule?.keep !== true',
      },
      { name: 'keeps the round of a rule that has become shorter', find: 'Math.min(dueAt, now + everyMs)', replace: 'dueAt' },
      { name: 'moves the round when a visit is asked for', find: 'again !== undefined && dueAt > now', replace: 'false' },
    ],
  ),
  ...caught(
    'packages/store-memory/src/memory-request.ts',
    ['packages/store-memory/test/memory-frontier.contract.test.ts'],
    [
      { name: 'visits a page as often in a run as links ask for it', find: 'this.visitedIn === run || ', replace: '' },
      { name: 'asks for a page that is being tried again', find: ' || this.attempts + this.freeAttempts > 0', replace: '' },
      {
        name: 'loses the round of a page that is asked for',
        find: 'dueAt: Math.max(dueAt, asked.at)',
        replace: 'dueAt: asked.at',
      },
      {
        name: 'leaves a page gone that is scheduled',
        find: 'const { gone: _gone, ...earlier } = { visits',
        replace: 'const { ...earlier } = { visits',
      },
    ],
  ),
  ...caught(
    'packages/store-memory/src/memory-rescheduling.ts',
    ['packages/store-memory/test/memory-frontier.contract.test.ts'],
    [
      {
        name: 'takes a page off that a link asked for, because no rule matches it',
        find: 'request === undefined || request.asked !== undefined || ',
        replace: 'request === undefined || ',
      },
    ],
  ),
  ...caught(
    'packages/plugin-sqlite/src/commit/new-rows.ts',
    ['test/crawl/recrawl/asked-again.test.ts'],
    [
      {
        name: 'visits a page of the store as often in a run as links ask for it',
        find: 'standing.isVisited === 1 || ',
        replace: '',
      },
      {
        name: 'leaves what is asked for among what is settled',
        find: '  queue.delay(host, { id, rank }, Math.ceil(at))\n',
        replace: '',
      },
    ],
  ),
  ...caught(
    'packages/plugin-sqlite/src/outcome/recrawl-table.ts',
    ['test/crawl/recrawl/asked-rounds.test.ts'],
    [{ name: 'stores no page of a first visit as gone', find: '    this.#leave.run(id, Math.round(at))\n', replace: '' }],
  ),
]
