// Ways to lose an item that the schema or a sink refused, to keep it twice, or to hide it.
import { caught, type Mutant } from '../mutant.ts'

const CONTRACT = ['packages/store-memory/test/memory-frontier.contract.test.ts', 'packages/plugin-sqlite/test/contract.test.ts']
const CHECK = ['packages/core/test/crawl/item-check.test.ts']

export const REFUSED: readonly Mutant[] = [
  ...caught('packages/core/src/pages/item-check.ts', CHECK, [
    { name: 'places a reject one too late', find: 'const ordinal = this.#next - 1', replace: 'const ordinal = this.#next' },
    {
      name: 'takes what is no result for a reject',
      find: 'if (Array.isArray(issues)) return { issues }',
      replace: 'if (issues) return { issues: [] }',
    },
    { name: 'keeps secrets in a reason', find: 'keptReason(hide(reason))', replace: 'keptReason(reason)' },
    {
      name: 'never lets others have the loop',
      find: 'await this.#world.loop.room(ITEMS_A_STEP * COST.row)',
      replace: 'await undefined',
    },
  ]),
  ...caught('packages/core/src/pages/item-check.ts', CHECK, [
    { name: 'tells of every issue', find: 'issues.slice(0, MOST_ISSUES)', replace: 'issues' },
  ]),
  ...caught(
    'packages/core/src/pages/page-items.ts',
    ['test/crawl/sinks/rejects.test.ts'],
    [
      {
        name: 'shows plugins what is set aside',
        find: 'if (schema === undefined)',
        replace: 'if (isTapped(world.hooks.onItem))',
      },
    ],
  ),
  ...caught(
    'packages/core/src/hosts/handler-yields.ts',
    ['test/crawl/sinks/rejects.test.ts'],
    [{ name: 'counts no rejects of a handler', find: 'if (rejects > 0) row[9]', replace: 'if (rejects < 0) row[9]' }],
  ),
  ...caught('packages/plugin-sqlite/src/outcome/reject-table.ts', CONTRACT.slice(1), [
    { name: 'sets an item aside that is none', find: '`${INSERT} ${HAS_ITEM} ${AGAIN}`', replace: '`${INSERT} true ${AGAIN}`' },
    { name: 'refuses what is an item', find: '`${INSERT} NOT ${HAS_ITEM} ${AGAIN}`', replace: '`${INSERT} true ${AGAIN}`' },
    {
      name: 'keeps a reject beside the item that took its place',
      find: 'if (before > 0) this.#takePlaces',
      replace: 'if (before < 0) this.#takePlaces',
    },
    {
      name: 'makes two items of a reject',
      find: 'if (place === undefined) continue',
      replace: 'if (place === undefined) { items++; continue }',
    },
    { name: 'hands over for ever', find: 'at = excluded.at, retried = 0`', replace: 'at = excluded.at`' },
  ]),
  ...caught('packages/store-memory/src/memory-rejects.ts', CONTRACT.slice(0, 1), [
    {
      name: 'forgets that a sink refused',
      find: 'if (this.#store.itemAt(place) !== undefined)',
      replace: 'if (this.#store.itemAt(place) === undefined && place.ordinal < 0)',
    },
  ]),
]
