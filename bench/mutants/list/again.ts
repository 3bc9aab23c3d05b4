// Ways to replace items of a page by those of another visit, to have them twice, and to lose a store, by running handlers again.
import { caught, type Mutant } from '../mutant.ts'

export const AGAIN: readonly Mutant[] = [
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
]
