// Ways to lose errors in the user's own code, or to blame the wrong line.
import { caught, type Mutant } from '../mutant.ts'

const CONTRACT = ['packages/core/test/frontier/memory-frontier.test.ts', 'packages/plugin-sqlite/test/contract.test.ts']

export const HANDLERS: readonly Mutant[] = [
  ...caught('packages/core/src/handler-error.ts', CONTRACT, [
    {
      name: 'takes two lines for one error',
      find: '`${code} ${place} ${alike(message)}`',
      replace: '`${code} ${alike(message)}`',
    },
    { name: 'takes each number for an error of its own', find: ".replaceAll(/\\d+(?:[.,]\\d+)*/g, '0')", replace: '' },
  ]),
  ...caught('packages/plugin-sqlite/src/outcome/handler-error-table.ts', CONTRACT.slice(1), [
    { name: 'lists one kind more than there is room for', find: '< MAX_ERROR_GROUPS', replace: '<= MAX_ERROR_GROUPS' },
  ]),
  ...caught(
    'packages/cli/src/exit-code.ts',
    ['packages/cli/test/exit-code.test.ts'],
    [
      { name: 'fails at the very share that is allowed', find: 'lost.pages > failOver', replace: 'lost.pages >= failOver' },
      { name: 'counts pages that were lost not among all', find: 'of: pages + counts.done', replace: 'of: counts.done' },
    ],
  ),
  ...caught(
    'packages/core/src/hosts/silent-handlers.ts',
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
