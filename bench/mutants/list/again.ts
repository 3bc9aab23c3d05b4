// Ways to replace items of a page by those of another visit, to have them twice, and to lose a store, by running handlers again.
import { caught, type Mutant } from '../mutant.ts'

const ADOPTION = ['packages/plugin-sqlite/test/adopt-replay.test.ts', 'packages/plugin-sqlite/test/followed-handlers.test.ts']

export const AGAIN: readonly Mutant[] = [
  ...caught('packages/plugin-sqlite/src/adoption/adopted-pages.ts', ADOPTION, [
    {
      name: 'takes any kept response for that of the last visit',
      find: 'lastAt === null || keptAt === at) return true',
      replace: 'lastAt === null || keptAt !== null) return true',
    },
    {
      name: 'takes an older response, because another handler got it',
      find: 'at === null || keptAt < at) return false',
      replace: 'at === null || keptAt < 0) return false',
    },
    {
      name: 'lets one of two handlers have the kept response',
      find: 'id !== undefined && pageAt.get(id) === keptAt',
      replace: 'id !== undefined && keptAt < 0',
    },
    {
      name: 'takes any newer response, of no visit of the store',
      find: 'id !== undefined && pageAt.get(id) === keptAt',
      replace: 'id !== undefined',
    },
    { name: 'replaces the items of the first visit', find: 'coalesce(v.page_visit, 0) AS visit', replace: '0 AS visit' },
    {
      name: 'counts a page of an older response as settled anew',
      find: 'done += batch.filter(',
      replace: 'done += rows.filter(',
    },
    {
      name: 'settles anew what waits, by a response of before',
      find: "const PAGE_AT = 'iif(v.id IS NULL, b.fetched_at, v.page_at)'",
      replace: "const PAGE_AT = 'iif(v.id IS NULL, 1000, v.page_at)'",
    },
    {
      name: 'takes over the damaged words of an error',
      find: 'iif(json_valid(x.json), x.json, NULL) AS error',
      replace: 'x.json AS error',
    },
  ]),
  ...caught('packages/plugin-sqlite/src/adoption/id-batches.ts', ADOPTION, [
    { name: 'reads the first batch only', find: 'after = idOf(last)', replace: 'after = Infinity' },
  ]),
  ...caught('packages/plugin-sqlite/src/adopt-replay.ts', ADOPTION, [
    {
      name: 'takes over damaged memory',
      find: "part = ? AND (json = '' OR json_valid(json)) ORDER",
      replace: 'part = ? ORDER',
    },
  ]),
  ...caught('packages/plugin-sqlite/src/adoption/followed-handlers.ts', ADOPTION, [
    {
      name: 'takes the page of a handler that still gets it',
      find: 'WHERE fingerprint = @it AND NOT EXISTS (SELECT 1 FROM temp.there WHERE fingerprint = @it) RETURNING id',
      replace: 'WHERE fingerprint = @it RETURNING id',
    },
    {
      name: 'leaves a page under the old name in the index',
      find: 'if (count > 0) indexKnown(db)',
      replace: 'if (count < 0) indexKnown(db)',
    },
    {
      name: 'follows no handler',
      find: 'const id = handler === row.handler ? undefined',
      replace: 'const id = handler !== row.handler ? undefined',
    },
  ]),
  ...caught('packages/plugin-sqlite/src/outcome/recrawl-table.ts', ADOPTION, [
    {
      name: 'forgets the last page when a visit brings none',
      find: 'page_at = coalesce(@pageAt, page_at)',
      replace: 'page_at = @pageAt',
    },
  ]),
  ...caught('packages/core/src/at-rest/page-at-of.ts', ADOPTION, [
    {
      name: 'takes a page that is as it was for a new one',
      find: "outcome.reason === 'unchanged' ? undefined : outcome.fetched.at",
      replace: 'outcome.fetched.at',
    },
  ]),
  ...caught('packages/plugin-sqlite/src/adoption/same-visits.ts', ADOPTION, [
    {
      name: 'takes a store that was crawled for the one before',
      find: 'one !== undefined && JSON.stringify(one) === JSON.stringify(two)',
      replace: 'one !== undefined && two !== undefined',
    },
  ]),
  ...caught(
    'packages/core/src/exchange.ts',
    ['packages/plugin-sqlite/test/response-cache.test.ts'],
    [
      {
        name: 'takes a served page for one of now',
        find: 'Math.round(response?.fetchedAt ?? sentAt ?? admittedAt)',
        replace: 'Math.round(sentAt ?? admittedAt)',
      },
    ],
  ),
  ...caught(
    'packages/plugin-sqlite/src/cache/keeper.ts',
    ['packages/plugin-sqlite/test/response-cache.test.ts'],
    [
      {
        name: 'keeps the moment at which a body was complete',
        find: 'fetched_at: Math.round(fetchedAt) })',
        replace: 'fetched_at: Math.round(this.#since) })',
      },
      { name: 'does not count what cannot be searched for secrets', find: 'this.#notSearched++', replace: '' },
    ],
  ),
  ...caught(
    'packages/plugin-sqlite/src/adoption/unreached-pages.ts',
    ['packages/cli/test/again/again-unreached.test.ts'],
    [
      {
        name: 'runs pages that the scope of today excludes',
        find: 'if (!isInScope(request)) return false',
        replace: 'if (isInScope === undefined) return false',
      },
    ],
  ),
  ...caught(
    'packages/core/src/hosts/replayed-yields.ts',
    ['packages/core/test/crawl/replayed-yields.test.ts'],
    [
      {
        name: 'forgets the pages that the replay did not settle',
        find: 'Math.min(yielding + others, pages)',
        replace: 'Math.min(yielding, pages)',
      },
    ],
  ),
]
