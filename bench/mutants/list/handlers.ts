// Ways to lose errors in the user's own code, or to blame the wrong line.
import { caught, type Mutant } from '../mutant.ts'

const CONTRACT = ['packages/store-memory/test/memory-frontier.contract.test.ts', 'packages/plugin-sqlite/test/contract.test.ts']

export const HANDLERS: readonly Mutant[] = [
  ...caught('packages/core/src/handler-error.ts', CONTRACT, [
    {
      name: 'takes two lines for one error',
      find: '`${code} ${place} ${alikeMessage(message)}`',
      replace: '`${code} ${alikeMessage(message)}`',
    },
    { name: 'takes each number for an error of its own', find: ".replaceAll(/\\d+(?:[.,]\\d+)*/g, '0')", replace: '' },
  ]),
  ...caught(
    'packages/plugin-sqlite/src/outcome/handler-error-table.ts',
    ['packages/plugin-sqlite/test/contract.test.ts', 'packages/plugin-sqlite/test/handler-errors.test.ts'],
    [
      { name: 'lists one kind more than there is room for', find: '>= MAX_ERROR_GROUPS', replace: '> MAX_ERROR_GROUPS' },
      { name: 'keeps kinds that are mended', find: 'if (this.#dropMended.run().changes > 0) return', replace: '' },
      { name: 'loses the pages of a kind that makes room', find: 'this.#moveToOthers.run(others, stalest)', replace: '' },
      {
        name: 'lets the kind go that has the most to say',
        find: 'LIMIT ${MANY_PAGES})), seen_at',
        replace: 'LIMIT ${MANY_PAGES})) DESC, seen_at',
      },
      { name: 'never notes that a kind is seen', find: '>= ERROR_SEEN_EVERY_MS', replace: '>= Infinity * ERROR_SEEN_EVERY_MS' },
    ],
  ),
  ...caught('packages/store-memory/src/error-groups.ts', CONTRACT.slice(0, 1), [
    { name: 'keeps kinds in RAM that are mended', find: 'if (mended.length > 0) return', replace: '' },
    { name: 'lets the kind go that was seen last', find: 'a.seenAt - b.seenAt', replace: 'b.seenAt - a.seenAt' },
  ]),
  ...caught(
    'packages/cli/src/exit-code.ts',
    ['packages/cli/test/crawl/exit-code.test.ts'],
    [
      { name: 'fails at the very share that is allowed', find: 'lost.pages > failOver', replace: 'lost.pages >= failOver' },
      { name: 'counts pages that were lost not among all', find: 'of: pages + pagesIn(report)', replace: 'of: pagesIn(report)' },
    ],
  ),
  ...caught(
    'packages/core/src/crawl/report-of.ts',
    ['test/crawl/silent-handlers.test.ts', 'packages/core/test/crawl/handler-yields.test.ts'],
    [
      { name: 'tells of a handler after nine pages', find: 'const MANY = 10', replace: 'const MANY = 8' },
      {
        name: 'forgets that a handler has yielded',
        find: 'this.#pages.set(handler, undefined)',
        replace: 'this.#pages.delete(handler)',
      },
    ],
  ),
]
