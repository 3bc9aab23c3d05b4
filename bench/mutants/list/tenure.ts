// Ways to send what another process may have by now, where the store is on another machine.
import { caught, type Mutant } from '../mutant.ts'

export const TENURE: readonly Mutant[] = [
  ...caught(
    'packages/core/src/store/tenure-watch.ts',
    ['test/crawl/tenure.test.ts'],
    [
      { name: 'holds for ever', find: 'const isOver = clock.now() >= tenure.heldUntil()', replace: 'const isOver = false' },
      { name: 'hears of no new term', find: 'if (!isSame || isOver) this.#lapse()', replace: 'if (isOver) this.#lapse()' },
      { name: 'drops no hosts', find: '    this.#lapsed()\n', replace: '' },
      {
        name: 'takes what comes too late',
        find: 'return () => this.holds && tenure?.term() === term',
        replace: 'return () => this.holds',
      },
    ],
  ),
  ...caught(
    'packages/core/src/exchange/live-exchange.ts',
    ['test/crawl/tenure.test.ts'],
    [
      {
        name: 'writes on a connection that came too late',
        find: '    if (!this.#parts.tenure.holds) return this.recall()\n',
        replace: '',
      },
    ],
  ),
  ...caught(
    'packages/core/src/store/commits.ts',
    ['packages/core/test/crawl/commit-group.test.ts'],
    [{ name: 'requests on and on while the store is away', find: 'this.pending >= MAX_WAITING', replace: 'false' }],
  ),
  ...caught(
    'packages/core/src/store/store-clock.ts',
    ['packages/core/test/crawl/store-clock.test.ts'],
    [
      {
        name: 'goes back with the time of the store',
        find: 'Math.max(this.#latest, this.#kept())',
        replace: 'this.#kept()',
      },
    ],
  ),
]
