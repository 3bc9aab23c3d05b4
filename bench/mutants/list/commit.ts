// Ways to break the commit: groups, pages on their way to it, and a store that is away.
import { caught, type Mutant } from '../mutant.ts'

export const COMMIT: readonly Mutant[] = [
  ...caught(
    'packages/core/src/store/commits.ts',
    ['packages/core/test/crawl/commit-group.test.ts'],
    [
      { name: 'commits a thousand turns at once', find: 'const GROUP_UNITS = 64', replace: 'const GROUP_UNITS = 1_024' },
      { name: 'waits two seconds for a group', find: 'const GROUP_MS = 20', replace: 'const GROUP_MS = 2_000' },
      {
        name: 'never closes a group by its size',
        find: '    if (this.#units.length >= GROUP_UNITS) this.flush()\n    else ',
        replace: '    ',
      },
      {
        name: 'commits two groups at once',
        find: 'if (this.#committing > 0 || this.#units.length === 0',
        replace: 'if (this.#units.length === 0',
      },
      {
        name: 'commits after a commit failed for good',
        find: '|| this.#units.length === 0 || this.#dead) return',
        replace: '|| this.#units.length === 0) return',
      },
      {
        name: 'takes nothing under way for nothing pending',
        find: 'return this.#units.length + this.#committing',
        replace: 'return this.#units.length',
      },
      {
        name: 'takes memory that was not written for written',
        find: '    this.#memories.notWritten(unit.host, written)\n',
        replace: '',
      },
      {
        name: 'counts the items of a page that the store refused',
        find: "    settle((index) => results[index]?.status === 'committed')\n",
        replace: '',
      },
      { name: 'counts no links that are not followed', find: '      countRefused(unit.host, unit.refused, 1)\n', replace: '' },
      {
        name: 'counts the items of no page',
        find: 'const settle = countYields(units)',
        replace: 'const settle = countYields([])',
      },
      {
        name: 'writes memory with the first turn of a host',
        find: '      lastOf.set(unit.host, unit)',
        replace: '      if (!lastOf.has(unit.host)) lastOf.set(unit.host, unit)',
      },
      {
        name: 'writes memory with no turn',
        find: 'const memory = lastOf.get(unit.host) === unit ?',
        replace: 'const memory = lastOf.get(unit.host) !== unit ?',
      },
      {
        name: 'writes the memory of the crawl with every turn',
        find: '...(crawlMemory && index === units.length - 1 && { crawlMemory })',
        replace: '...(crawlMemory && { crawlMemory })',
      },
      {
        name: 'writes no memory of the crawl',
        find: '...(crawlMemory && index === units.length - 1 && { crawlMemory })',
        replace: '...(crawlMemory && index === units.length && { crawlMemory })',
      },
      { name: 'commits outcomes without items', find: 'items: unit.items,', replace: 'items: [],' },
      { name: 'commits outcomes without links', find: 'links: unit.links,', replace: 'links: [],' },
    ],
  ),
  ...caught(
    'packages/core/src/store/commits.ts',
    ['test/crawl/plugins.test.ts'],
    [
      { name: 'never closes a group in time', find: '    else this.#closeWithin(GROUP_MS)\n', replace: '' },
      { name: 'does not tell that a group is done', find: '        this.#parts.goOn()\n', replace: '' },
    ],
  ),
  ...caught(
    'packages/core/src/store/commits.ts',
    ['test/crawl/store-faults.test.ts'],
    [
      { name: 'does not commit what came meanwhile', find: '        if (this.#units.length > 0) this.flush()\n', replace: '' },
      { name: 'does not tell that a commit failed', find: '        this.#parts.fail(error)\n', replace: '' },
    ],
  ),
  ...caught(
    'packages/core/src/store/store-calls.ts',
    ['packages/core/test/crawl/store-calls.test.ts'],
    [
      {
        name: 'makes calls past those that wait',
        find: '    if (this.#inTrouble) return this.#wait(name, call, first)\n',
        replace: '',
      },
      {
        name: 'makes calls in the order in which they failed',
        find: 'this.#queue.findLastIndex((each) => each.order < order)',
        replace: 'this.#queue.length - 1',
      },
      {
        name: 'tries again for ever after it gave up',
        find: 'return this.#clock.now() < this.#until && isPassing(error)',
        replace: 'return isPassing(error)',
      },
      { name: 'tries the store after two seconds', find: 'const FIRST_MS = 1_000', replace: 'const FIRST_MS = 2_000' },
      { name: 'tries the store once a second', find: 'restMs = longer(restMs, error)', replace: 'restMs = FIRST_MS' },
      { name: 'does not say what it waited', find: '    this.#waitedMs = this.waitedMs\n', replace: '' },
      {
        name: 'goes on before all calls were made',
        find: '      } while (error === undefined && this.#queue.length > 0)',
        replace: '      } while (false)',
      },
      {
        name: 'makes a call twice that went well',
        find: '      this.#queue.splice(this.#queue.indexOf(next), 1)\n',
        replace:
          '      if (this.#queue.length > 1) this.#queue.splice(this.#queue.indexOf(next), 1)\n      else { const [it] = this.#queue.splice(0); await it.attempt().catch(() => {}) }\n',
      },
    ],
  ),
  ...caught(
    'packages/core/src/store/store-calls.ts',
    ['test/crawl/store-faults.test.ts'],
    [
      {
        name: 'waits for a damaged store',
        find: 'return error instanceof AvocetError && MAY_PASS.has(error.code)',
        replace: 'return error instanceof AvocetError',
      },
      {
        name: 'rests for hours between tries',
        find: 'restMs = longer(restMs, error)',
        replace: 'restMs = 2 * restMs',
      },
      {
        name: 'counts the patience from the fault, not from the call',
        find: 'Math.min(since + this.#patienceMs, this.#until)',
        replace: 'Math.min(this.#clock.now() + this.#patienceMs, this.#until)',
      },
      {
        name: 'does not hold the crawl while the store is away',
        find: '      this.#pause.byStore(`the store cannot be used',
        replace: '      void (`the store cannot be used',
      },
      {
        name: 'holds the crawl though the store is back',
        find: '    this.#end()\n    this.#pause.byStore(undefined)',
        replace: '    this.#end()',
      },
      {
        name: 'leaves calls waiting when the patience is over',
        find: '    for (const each of this.#queue.splice(0)) each.reject(error)\n',
        replace: '',
      },
      { name: 'does not wake when it is to give up', find: '    this.#wake?.()\n', replace: '' },
    ],
  ),
  ...caught(
    'packages/core/src/process/loop-budget.ts',
    ['packages/core/test/crawl/loop-budget.test.ts'],
    [
      {
        name: 'counts all work as its worst',
        find: 'if (workMs > 0) {',
        replace: 'if (workMs < 0) {',
      },
      {
        name: 'counts work as no more than was foreseen',
        find: 'this.#begunCost - workMs * WORK_A_MS',
        replace: 'Math.max(0, this.#begunCost - workMs * WORK_A_MS)',
      },
      {
        name: 'counts time of the crawl as time of the machine',
        find: '/ (this.#clock.scale ?? 1)',
        replace: '',
      },
      {
        name: 'takes the time until the next work for work',
        find: '      void nextTick().then(() => this.#measure())\n',
        replace: '',
      },
      { name: 'fills a turn up to its worst', find: ' && this.#workedMs < ENOUGH_MS', replace: '' },
      { name: 'remembers the work of the turn before', find: '    this.#workedMs = 0\n    void', replace: '    void' },
      { name: 'lets all who wait go on at once', find: '      await nextTick()\n', replace: '' },
      {
        name: 'lets one pass who waits',
        find: 'if (this.#waiting.length > 0 || !this.#fits(cost)) return false',
        replace: 'if (!this.#fits(cost)) return false',
      },
      {
        name: 'takes what no turn has room for never',
        find: 'return this.#left === MOST_A_TURN || (cost',
        replace: 'return (cost',
      },
    ],
  ),
  ...caught(
    'packages/core/src/pages/page-turns.ts',
    ['packages/core/test/crawl/page-turns.test.ts'],
    [
      {
        name: 'builds a document for each page that waited behind the first',
        find: 'page.inSteps({ dom })',
        replace: 'page.inSteps({ dom: () => true })',
      },
    ],
  ),
  ...caught(
    'packages/core/src/pages/page-turns.ts',
    ['packages/core/test/crawl/page-turns.test.ts'],
    [
      { name: 'forgets who asked', find: 'this.#patience.set(handler, MAX_IN_VAIN)', replace: 'this.#patience.delete(handler)' },
      { name: 'builds documents in vain for ever', find: 'return patience > 0', replace: 'return true' },
      {
        name: 'guesses again after a wrong guess',
        find: '(this.#patience.get(handler) ?? 1) - 1',
        replace: '(this.#patience.get(handler) ?? 9) - 1',
      },
      { name: 'learns from a page that has no document', find: 'else if (page.hasDom)', replace: 'else' },
    ],
  ),
  ...caught(
    'packages/page/src/markup/charset.ts',
    ['packages/page/test/markup/hostile-markup.test.ts'],
    [{ name: 'cuts characters of fast charsets', find: '{ stream: true }', replace: '{ stream: !isFast }' }],
  ),
]
