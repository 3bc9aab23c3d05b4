// Ways to break the clocks.
import { caught, type Mutant } from '../mutant.ts'

export const TIME: readonly Mutant[] = [
  ...caught(
    'packages/core/src/clock.ts',
    ['packages/core/test/crawl/store-clock.test.ts'],
    [{ name: 'follows a clock that is half a second ahead', find: 'TOLERANCE_MS = 1_000', replace: 'TOLERANCE_MS = 400' }],
  ),
  ...caught(
    'packages/core/src/clock.ts',
    ['packages/core/test/clock.test.ts'],
    [
      { name: 'compares once in two minutes', find: 'const COMPARE_MS = 60_000', replace: 'const COMPARE_MS = 120_000' },
      { name: 'compares twice a minute', find: 'const COMPARE_MS = 60_000', replace: 'const COMPARE_MS = 30_000' },
      { name: 'slews by two hours', find: 'LONGEST_SLEW_MS = 3_600_000', replace: 'LONGEST_SLEW_MS = 7_200_000' },
      { name: 'runs a fifth slower', find: 'SLEW = 0.1', replace: 'SLEW = 0.2' },
      { name: 'goes back', find: 'Math.min(this.#slewMs, (at - this.#comparedAt) * SLEW)', replace: 'this.#slewMs' },
      {
        name: 'slews beyond the clock of the machine',
        find: 'Math.min(this.#slewMs, (at - this.#comparedAt) * SLEW)',
        replace: '(at - this.#comparedAt) * SLEW',
      },
      { name: 'forgets what it has slewed', find: '    this.#offsetMs -= this.#slewed(at)\n', replace: '' },
      { name: 'does not say that the clock was set back', find: '      this.trouble ??= `the', replace: '      void `the' },
      {
        name: 'wakes before the time',
        find: 'if (epochMs <= clock.now()) wake()',
        replace: 'if (epochMs <= clock.now() + 5) wake()',
      },
      { name: 'sleeps for longer than a minute', find: ', COMPARE_MS)\n      // Node', replace: ', Infinity)\n      // Node' },
      {
        name: 'wakes though it was disposed of',
        find: 'return { [Symbol.dispose]: () => timer[Symbol.dispose]() }',
        replace: 'return { [Symbol.dispose]: () => {} }',
      },
      {
        name: 'runs at the scale of one',
        find: 'now: () => openedAt + elapsed.ms() * scale',
        replace: 'now: () => openedAt + elapsed.ms()',
      },
    ],
  ),
  ...caught(
    'packages/core/src/store/store-clock.ts',
    ['packages/core/test/crawl/store-clock.test.ts'],
    [
      { name: 'looks once a minute while it follows', find: 'const LOOK_MS = 10_000', replace: 'const LOOK_MS = 60_000' },
      { name: 'settles after a minute', find: 'const SETTLED_MS = 120_000', replace: 'const SETTLED_MS = 60_000' },
      {
        name: 'jumps back',
        find: 'if (aheadMs < -TOLERANCE_MS && aheadMs >= -LONGEST_SLEW_MS) this.#slewMs = -aheadMs',
        replace: 'if (aheadMs < -TOLERANCE_MS) this.#offsetMs += aheadMs',
      },
      {
        name: 'slews by days',
        find: 'aheadMs < -TOLERANCE_MS && aheadMs >= -LONGEST_SLEW_MS',
        replace: 'aheadMs < -TOLERANCE_MS',
      },
      {
        name: 'does not adopt what is ahead',
        find: 'this.now() + (aheadMs > TOLERANCE_MS ? aheadMs : 0)',
        replace: 'this.now()',
      },
      {
        name: 'goes on following when it is the first',
        find: '      if (this.#offsetMs !== undefined) this.#lead()\n',
        replace: '',
      },
      {
        name: 'leads at once though a jump is yet to be heard of',
        find: '    if (behindMs > TOLERANCE_MS && !this.#isForGood(behindMs)) return\n',
        replace: '',
      },
    ],
  ),
]
