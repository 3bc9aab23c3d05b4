// Ways to break what the scheduler keeps: heaps, queues and slots; and how a stop waits for them.
import { caught, type Mutant } from '../mutant.ts'

export const QUEUES: readonly Mutant[] = [
  ...caught(
    'packages/core/src/hosts/request-queue.ts',
    ['packages/core/test/scheduler/request-queue.test.ts'],
    [
      {
        name: 'asks for the lowest priority first',
        find: 'return a.priority > b.priority',
        replace: 'return a.priority < b.priority',
      },
      {
        name: 'asks for the newest page first',
        find: '(aDueAt === bDueAt && a.id < b.id)',
        replace: '(aDueAt === bDueAt && a.id > b.id)',
      },
      {
        name: 'asks for pages it knows before new ones',
        find: 'return aDueAt < bDueAt ||',
        replace: 'return aDueAt > bDueAt ||',
      },
      {
        name: 'lets what is due now wait',
        find: 'if ((request.notBefore ?? 0) > now) insert',
        replace: 'if ((request.notBefore ?? 0) >= now) insert',
      },
      { name: 'lets a delayed request wait beyond its moment', find: '?? Infinity) <= now) {', replace: '?? Infinity) < now) {' },
      {
        name: 'wakes for the last of the delayed',
        find: 'return at < bt || (at === bt',
        replace: 'return at > bt || (at === bt',
      },
      { name: 'gives the best requests back', find: 'return this.#ready.splice(0, n)', replace: 'return this.#ready.splice(-n)' },
      {
        name: 'takes the best priority for the lowest',
        find: 'return this.#ready[0]?.priority',
        replace: 'return this.#ready.at(-1)?.priority',
      },
      {
        name: 'hands out delayed requests',
        find: '    if (this.#ready.length > 0) return 0\n    return this.#delayed.at(-1)?.notBefore ?? Infinity',
        replace: '    if (this.size > 0) return 0\n    return Infinity',
      },
    ],
  ),
  ...caught(
    'packages/core/src/indexed-heap.ts',
    ['packages/core/test/scheduler/indexed-heap.test.ts'],
    [
      { name: 'takes the last of equals first', find: 'a.heapOrder < b.heapOrder', replace: 'a.heapOrder > b.heapOrder' },
      {
        name: 'loses the order after a removal that should rise',
        find: '    this.#rise(last, index)\n    this.#sink',
        replace: '    this.#put(last, index)\n    this.#sink',
      },
      { name: 'loses the order after a removal that should sink', find: '    this.#sink(last, last.heapIndex)\n', replace: '' },
      {
        name: 'moves an entry the wrong way',
        find: 'const rises = heapKey < entry.heapKey',
        replace: 'const rises = heapKey > entry.heapKey',
      },
      { name: 'leaves an entry its place after removal', find: '    entry.heapIndex = -1\n', replace: '' },
      {
        name: 'takes the larger child',
        find: 'before(right, left) ? right : left',
        replace: 'before(right, left) ? left : right',
      },
    ],
  ),
  ...caught(
    'packages/core/src/scheduler/slots.ts',
    ['packages/core/test/scheduler/slots.test.ts'],
    [
      { name: 'gives probation 30 of 100 slots', find: 'this.total * 0.15', replace: 'this.total * 0.3' },
      { name: 'gives probation less than four of twelve slots', find: 'Math.max(4, Math.ceil', replace: 'Math.max(2, Math.ceil' },
      {
        name: 'rounds the share of probation down',
        find: 'Math.ceil(this.total * 0.15)',
        replace: 'Math.floor(this.total * 0.15)',
      },
      {
        name: 'gives probation more than half of few slots',
        find: 'Math.min(half, Math.max(4,',
        replace: 'Math.max(1, Math.max(4,',
      },
      { name: 'gives probation one slot too many', find: 'this.#onProbation < share', replace: 'this.#onProbation <= share' },
      {
        name: 'gives probation all slots while nobody else is ready',
        find: 'Math.max(1, this.total >> 1)',
        replace: 'Math.max(1, this.total)',
      },
      {
        name: 'leaves probation nothing of a single slot',
        find: 'const half = Math.max(1, this.total >> 1)',
        replace: 'const half = this.total >> 1',
      },
      { name: 'never gives a slot of probation back', find: '    if (onProbation) this.#onProbation--\n', replace: '' },
      { name: 'never gives a slot back', find: '    this.#used--\n', replace: '' },
    ],
  ),
  ...caught(
    'packages/core/src/crawl/drain.ts',
    ['test/crawl/stops.test.ts'],
    [
      { name: 'looks at silent servers once only', find: '      this.#lookAt(now + LOOK_AGAIN_MS)\n', replace: '' },
      { name: 'lets a later stop slow an earlier one down', find: 'if (silentMs >= this.#silentMs) return', replace: '' },
      { name: 'takes back what flows', find: 'takeBack(now - this.#silentMs)', replace: 'takeBack(now)' },
    ],
  ),
  ...caught(
    'packages/core/src/exchange/left-silent.ts',
    ['test/crawl/stops.test.ts'],
    [
      { name: 'waits for no request that a stop left', find: 'leftSilent?.includes(nameOf(request)) ?? false', replace: 'false' },
      { name: 'takes two requests for one URL for one', find: '`${fingerprint} ${url}`', replace: 'url' },
    ],
  ),
  ...caught(
    'packages/cli/src/crawl/pauses.ts',
    ['packages/cli/test/view/view-keys.test.ts'],
    [
      {
        name: 'goes on as soon as one of two lets go',
        find: 'if (why === undefined) this',
        replace: 'if (why !== undefined) this',
      },
    ],
  ),
]
