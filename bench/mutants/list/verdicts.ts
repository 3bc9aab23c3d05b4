// Ways to break verdicts on hosts and pages: banned, given up, gone, over.
import { caught, type Mutant } from '../mutant.ts'

export const VERDICTS: readonly Mutant[] = [
  ...caught(
    'packages/core/src/blocking.ts',
    ['packages/core/test/blocking.test.ts'],
    [
      { name: 'suspects a ban after three', find: 'const SUSPECTED_FROM = 2', replace: 'const SUSPECTED_FROM = 3' },
      { name: 'is certain of a ban after five', find: 'const CERTAIN_FROM = 10', replace: 'const CERTAIN_FROM = 5' },
      {
        name: 'takes a ban of half a minute for private pages',
        find: 'const SHORTEST_BAN_MS = 60_000',
        replace: 'const SHORTEST_BAN_MS = 30_000',
      },
      { name: 'suspects a host that never served', find: 'isSuspected: served && inRow', replace: 'isSuspected: inRow' },
      {
        name: 'suspects rows that were private before',
        find: 'inRow >= SUSPECTED_FROM && inRow > longestPrivate',
        replace: 'inRow >= SUSPECTED_FROM',
      },
      { name: 'ends a row by what was sent before it', find: '  if (answer.seq < firstSeq) return record\n', replace: '' },
      {
        name: 'takes a redirect for a page that was served',
        find: 'return status < 300 && !forbidden',
        replace: 'return status < 400 && !forbidden',
      },
      {
        name: 'remembers private pages though one was served after all',
        find: 'const longest = isRescued ? 0 : wasBan',
        replace: 'const longest = wasBan',
      },
    ],
  ),
  ...caught(
    'packages/core/src/hooks/votes.ts',
    ['packages/core/test/verdict.test.ts'],
    [
      {
        name: 'names the plugin that voted last',
        find: 'if (binds(vote, this.verdict) || (isFirst && !binds(this.verdict, vote))) this.by = by',
        replace: 'this.by = by',
      },
      { name: 'names the first of equals to vote', find: ' || (isFirst && !binds(this.verdict, vote))', replace: '' },
      { name: 'names the plugin with the sooner moment', find: 'return a.at > b.at', replace: 'return a.at < b.at' },
    ],
  ),
  ...caught(
    'packages/core/src/hooks/hooks.ts',
    ['test/crawl/trace.test.ts'],
    [
      {
        name: 'does not say who votes on an answer',
        find: "'beforeRequest', 'onResponse', 'onError'",
        replace: "'beforeRequest', 'onError'",
      },
    ],
  ),
  ...caught(
    'packages/core/src/hooks/admission.ts',
    ['test/crawl/trace.test.ts'],
    [{ name: 'tells nobody what holds a host', find: '!isSame(hold, host.constraint.hold)', replace: 'false' }],
  ),
  ...caught(
    'packages/core/src/scheduler/retirements.ts',
    ['test/crawl/retirement.test.ts'],
    [
      { name: 'probes once in two weeks', find: 'const MOST_DAYS = 7', replace: 'const MOST_DAYS = 14' },
      { name: 'doubts count in full', find: "(end === 'doubtful' ? 0.5 : 1)", replace: '1' },
      { name: 'probes every day', find: '2 ** Math.floor(probes)', replace: '1' },
    ],
  ),
  ...caught(
    'packages/core/src/scheduler/retirements.ts',
    ['packages/core/test/crawl/retirement.test.ts'],
    [
      {
        name: 'takes a host that sends garbage for down',
        find: "return (blame === 'url' && sent) || code",
        replace: 'return code',
      },
    ],
  ),
  ...caught(
    'packages/core/src/recrawl/probation.ts',
    ['packages/core/test/crawl/recrawl.test.ts'],
    [
      {
        name: 'takes a page for gone after two visits',
        find: 'const GONE_AFTER_VISITS = 3',
        replace: 'const GONE_AFTER_VISITS = 2',
      },
      {
        name: 'takes a page for gone after an hour',
        find: 'const GONE_AFTER_MS = 24 * 3_600_000',
        replace: 'const GONE_AFTER_MS = 3_600_000',
      },
      { name: 'takes 410 for 404', find: '404: 1, 410: 2', replace: '404: 1, 410: 1' },
      {
        name: 'counts a page as gone while nobody looked',
        find: 'const unseenMs = Math.max(0, now - dueAt - MOST_UNSEEN_MS)',
        replace: 'const unseenMs = 0',
      },
      {
        name: 'stays on probation after a page was there',
        find: 'return isThere(outcome) ? undefined : before',
        replace: 'return before',
      },
    ],
  ),
  ...caught(
    'packages/core/src/recrawl/probation.ts',
    ['test/crawl/recrawl/probation.test.ts'],
    [
      {
        name: 'ends probation with a failure of another kind',
        find: 'return isThere(outcome) ? undefined : before',
        replace: 'return undefined',
      },
    ],
  ),
  ...caught(
    'packages/core/src/crawl/ending.ts',
    ['packages/core/test/crawl/ending.test.ts'],
    [
      { name: 'ends with work under way', find: '  if (underWay > 0) return undefined\n', replace: '' },
      { name: 'ends while it is paused', find: '  if (activity.paused) return undefined\n', replace: '' },
      {
        name: 'ends while pages are due again',
        find: 'if (activity.watching || nextAt - now <= patienceMs) return undefined',
        replace: 'if (nextAt - now <= patienceMs) return undefined',
      },
      {
        name: 'ends at the last moment of its patience',
        find: 'nextAt - now <= patienceMs) return undefined',
        replace: 'nextAt - now < patienceMs) return undefined',
      },
      {
        name: 'does not stop while it is paused',
        find: '  if (stopping) return stopping\n  if (activity.paused) return undefined\n',
        replace: '  if (activity.paused) return undefined\n  if (stopping) return stopping\n',
      },
    ],
  ),
]
