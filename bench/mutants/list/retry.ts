// Ways to break retries.
import { caught, type Mutant } from '../mutant.ts'

export const RETRY: readonly Mutant[] = [
  ...caught(
    'packages/plugin-retry/src/decide.ts',
    ['packages/plugin-retry/test/decide.test.ts'],
    [
      {
        name: 'tries once more than it may',
        find: 'if (counted && attempts + 1 >= Math',
        replace: 'if (counted && attempts >= Math',
      },
      {
        name: 'goes by the larger of two limits',
        find: 'Math.min(limits.maxAttempts, maxAttempts)',
        replace: 'Math.max(limits.maxAttempts, maxAttempts)',
      },
      { name: 'comes before the host wants it', find: 'at: Math.max(askedAt, now + waitMs)', replace: 'at: now + waitMs' },
      {
        name: 'repeats what must not be sent twice',
        find: 'if (retryClass === undefined || !isRepeatable(method, processed, limits)) return undefined',
        replace: 'if (retryClass === undefined) return undefined',
      },
      {
        name: 'takes one bad page for an outage',
        find: 'return hostFailures >= outageFrom && failingPages >= OUTAGE_PAGES',
        replace: 'return hostFailures >= outageFrom',
      },
      {
        name: 'takes the first failure of a new host for an outage',
        find: 'return hostFailures >= (proven ? 1 : outageFrom)',
        replace: 'return hostFailures >= 1',
      },
      { name: 'tries for ever in an outage', find: 'outage ? freeAttempts >= outageAttempts :', replace: 'outage ? false :' },
      { name: 'tries a refused page for ever', find: 'freeAttempts >= FREE_ATTEMPTS || !isDoubtful', replace: '!isDoubtful' },
      { name: 'counts refusals', find: "return name === 'throttle' || (hostFailures", replace: 'return (hostFailures' },
      {
        name: 'counts one attempt a minute',
        find: 'const COUNTED_EVERY_MS = 180_000',
        replace: 'const COUNTED_EVERY_MS = 60_000',
      },
      { name: 'pays for refusals', find: "budgeted: retryClass.name !== 'throttle'", replace: 'budgeted: true' },
    ],
  ),
  ...caught(
    'packages/plugin-retry/src/decide.ts',
    ['packages/plugin-retry/test/decide.test.ts'],
    [
      {
        name: 'repeats PUT unasked',
        find: 'return idempotent && IDEMPOTENT.has(method)',
        replace: 'return IDEMPOTENT.has(method)',
      },
      {
        name: 'repeats POST where PUT may be',
        find: 'return idempotent && IDEMPOTENT.has(method)',
        replace: 'return idempotent',
      },
      {
        name: 'does not repeat what was never sent',
        find: 'if (SAFE.has(method) || retryUnsafe || !processed) return true',
        replace: 'if (SAFE.has(method) || retryUnsafe) return true',
      },
    ],
  ),
  ...caught(
    'packages/plugin-retry/src/budget.ts',
    ['packages/plugin-retry/test/decide.test.ts'],
    [
      { name: 'spends its reserve', find: 'const HOST_RESERVE = 5', replace: 'const HOST_RESERVE = 0' },
      { name: 'earns a token a success', find: 'const PER_SUCCESS = 0.1', replace: 'const PER_SUCCESS = 1' },
      { name: 'retries ten times a second', find: 'const PER_SECOND = 1\n', replace: 'const PER_SECOND = 10\n' },
      {
        name: 'has debts of any length',
        find: 'Math.max(DEEPEST, tenths(refilled(crawl, now) - 1))',
        replace: 'tenths(refilled(crawl, now) - 1)',
      },
      {
        name: 'takes the richest of two budgets',
        find: 'return a.tokens <= b.tokens ? a : b',
        replace: 'return a.tokens >= b.tokens ? a : b',
      },
    ],
  ),
]
