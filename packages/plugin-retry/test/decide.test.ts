// The law of retries: again, given up, or no opinion; and what counts.
import { describe, expect, it } from 'vitest'
import {
  credited,
  earned,
  FULL_CRAWL,
  FULL_HOST,
  mergedBudgets,
  spent,
  type CrawlBudget,
  type HostBudget,
} from '../src/budget.ts'
import { BLOCKED, classOfFailure, classOfStatus, RESOLVED_BEFORE } from '../src/classify.ts'
import { decide, type FailedAttempt, type Decision } from '../src/decide.ts'
import { retryRules } from '../src/retry.ts'
import { retry } from '../src/index.ts'

const NOW = 1_767_225_600_000

function deciding(more: Partial<FailedAttempt>, options: Parameters<typeof retryRules>[0] = {}): Decision {
  const attempt: FailedAttempt = {
    retryClass: classOfStatus(502),
    reason: 'http-502',
    method: 'GET',
    processed: true,
    attempts: 0,
    freeAttempts: 0,
    hostFailures: 1,
    failingPages: 3,
    proven: true,
    downMs: 0,
    countedAt: 0,
    askedAt: undefined,
    now: NOW,
    chance: 0.5,
    ...more,
  }
  return decide(attempt, retryRules(options))
}

const says = (decision: Decision): string =>
  decision === undefined
    ? 'nothing'
    : decision.kind === 'drop'
      ? `drop ${decision.reason}`
      : `retry, ${decision.counted ? 'counted' : 'free'}`

describe('attempts', () => {
  it.each<[string, Partial<FailedAttempt>, string]>([
    ['the first of four', { attempts: 0 }, 'retry, counted'],
    ['the third', { attempts: 2 }, 'retry, counted'],
    ['the fourth', { attempts: 3 }, 'drop http-502'],
    ['the second 500', { retryClass: classOfStatus(500), reason: 'http-500', attempts: 1 }, 'drop http-500'],
    [
      'the second for a name that does not exist',
      { retryClass: classOfFailure('AVO_DNS_NOT_FOUND'), reason: 'dns-not-found', attempts: 1 },
      'drop dns-not-found',
    ],
    ['a refusal', { retryClass: classOfStatus(429) }, 'retry, free'],
    ['the tenth refusal, after four attempts', { retryClass: classOfStatus(503), attempts: 3, freeAttempts: 9 }, 'retry, free'],
    ['the eleventh', { retryClass: classOfStatus(503), reason: 'http-503', freeAttempts: 10 }, 'retry, counted'],
    ['the fourteenth', { retryClass: classOfStatus(503), reason: 'http-503', freeAttempts: 10, attempts: 3 }, 'drop http-503'],
    ['any while the host fails: the third failure in a row', { attempts: 3, hostFailures: 3 }, 'retry, free'],
    ['the second in a row', { attempts: 3, hostFailures: 2 }, 'drop http-502'],
    [
      'a 500 while the host fails: the third in a row',
      { retryClass: classOfStatus(500), reason: 'http-500', attempts: 1, hostFailures: 3 },
      'drop http-500',
    ],
    ['the tenth 500 in a row', { retryClass: classOfStatus(500), attempts: 1, hostFailures: 10 }, 'retry, free'],
    [
      'a name that does not exist, however often',
      { retryClass: classOfFailure('AVO_DNS_NOT_FOUND'), reason: 'dns-not-found', attempts: 1, hostFailures: 9 },
      'drop dns-not-found',
    ],
    [
      'one for a name that resolved before, though it is the first failure of the host',
      { retryClass: RESOLVED_BEFORE, reason: 'dns-not-found', attempts: 3 },
      'retry, free',
    ],
    ['an outage that lasts: the hundredth attempt', { hostFailures: 99, freeAttempts: 99, attempts: 3 }, 'retry, free'],
    ['the thousandth', { hostFailures: 999, freeAttempts: 1_000, attempts: 3 }, 'drop http-502'],
    ['a bad certificate', { retryClass: classOfFailure('AVO_TLS_CERTIFICATE'), attempts: 3 }, 'retry, free'],
    [
      'one that is bad for days',
      { retryClass: classOfFailure('AVO_TLS_CERTIFICATE'), reason: 'tls-certificate', freeAttempts: 40 },
      'drop tls-certificate',
    ],
    [
      'any of one page that fails again and again, a moment after one that counted',
      { attempts: 3, hostFailures: 9, failingPages: 1, countedAt: NOW - 179_999 },
      'retry, free',
    ],
    [
      'any of it three minutes later',
      { attempts: 3, hostFailures: 9, failingPages: 2, countedAt: NOW - 180_000 },
      'drop http-502',
    ],
    [
      'any while nobody listens, though it is one page only',
      { retryClass: classOfFailure('AVO_CONNECT_REFUSED'), attempts: 3, hostFailures: 9, failingPages: 1 },
      'retry, free',
    ],
    [
      'a connection refused by a host that used to answer, the first of an outage, after many such',
      { retryClass: classOfFailure('AVO_CONNECT_REFUSED'), attempts: 3, freeAttempts: 60, failingPages: 1 },
      'retry, free',
    ],
    [
      'the same of a host that never answered',
      { retryClass: classOfFailure('AVO_CONNECT_REFUSED'), attempts: 0, failingPages: 1, proven: false },
      'retry, counted',
    ],
    ['a page of a ban', { retryClass: BLOCKED, reason: 'http-403', hostFailures: 0 }, 'retry, counted'],
    ['the same for the fourth time', { retryClass: BLOCKED, reason: 'http-403', attempts: 3 }, 'drop http-403'],
    ['a 404', { retryClass: classOfStatus(404) }, 'nothing'],
    ['a POST that may have been acted on', { method: 'POST' }, 'nothing'],
  ])('%s: %s', (_what, attempt, expected) => {
    expect(says(deciding(attempt))).toBe(expected)
  })

  it('are as many as the user says', () => {
    expect(says(deciding({}, { maxAttempts: 1 }))).toBe('drop http-502')
    expect(says(deciding({ attempts: 7 }, { maxAttempts: 9 }))).toBe('retry, counted')
  })

  it('of other methods are made only if the user vouches for it', () => {
    expect(says(deciding({ method: 'PUT' }))).toBe('nothing')
    expect(says(deciding({ method: 'PUT' }, { idempotent: true }))).toBe('retry, counted')
    expect(says(deciding({ method: 'POST' }, { idempotent: true }))).toBe('nothing')
    expect(says(deciding({ method: 'POST' }, { retryUnsafe: true }))).toBe('retry, counted')
  })

  it('of other methods are made where the server cannot have acted on the request', () => {
    expect(says(deciding({ method: 'POST', processed: false }))).toBe('retry, counted')
  })

  it('cost a token, but not after a refusal, which was no request more', () => {
    expect(deciding({})).toMatchObject({ budgeted: true })
    expect(deciding({ retryClass: classOfStatus(429) })).toMatchObject({ budgeted: false })
  })

  it('wait for longer each time, whether they count or not, and never less than the host asked for', () => {
    const at = (more: Partial<FailedAttempt>): number => {
      const decision = deciding(more)
      return decision?.kind === 'retry' ? decision.at - NOW : Number.NaN
    }
    expect([at({}), at({ attempts: 1 }), at({ attempts: 1, freeAttempts: 2 })]).toEqual([2_500, 5_000, 20_000])
    expect(at({ askedAt: NOW + 90_000_000 })).toBe(90_000_000)
    expect(at({ askedAt: NOW + 1 })).toBe(2_500)
  })

  it('in an outage wait about as long as it has lasted, whatever the page went through: it is there when the host is back', () => {
    const after = (downMs: number): number => {
      const decision = deciding({ hostFailures: 5, freeAttempts: 20, downMs })
      return decision?.kind === 'retry' ? decision.at - NOW : Number.NaN
    }
    expect([0, 20_000, 86_400_000].map(after)).toEqual([3_750, 15_000, 2_700_000])
  })
})

describe('the budget of a host', () => {
  const after = (retries: number, successes = 0): HostBudget => {
    let budget = FULL_HOST
    for (let n = 0; n < retries; n++) budget = spent(budget, FULL_CRAWL, { now: NOW, chance: 0 }).host
    for (let n = 0; n < successes; n++) budget = credited(budget)
    return budget
  }

  it('pays for five retries at once; those after come one to five minutes later', () => {
    expect(after(5).tokens).toBe(5)
    expect(after(9).tokens).toBe(5)
    const waits = [0, 0.5, 1].map((chance) => spent(after(5), FULL_CRAWL, { now: NOW, chance }).notBefore - NOW)
    expect(waits).toEqual([60_000, 180_000, 300_000])
    expect(spent(after(4), FULL_CRAWL, { now: NOW, chance: 1 }).notBefore).toBe(NOW)
  })

  it('earns a tenth with each success, up to ten', () => {
    expect(after(3, 1).tokens).toBe(7.1)
    expect(after(3, 99).tokens).toBe(10)
    expect(credited(FULL_HOST)).toBe(FULL_HOST)
  })
})

describe('the budget of the crawl', () => {
  const after = (retries: number): CrawlBudget => {
    let budget: CrawlBudget = { tokens: 60, at: NOW }
    for (let n = 0; n < retries; n++) budget = spent(FULL_HOST, budget, { now: NOW, chance: 0 }).crawl
    return budget
  }

  it('pays for sixty at once; the others get a time, one a second', () => {
    expect(spent(FULL_HOST, after(59), { now: NOW, chance: 0 }).notBefore).toBe(NOW)
    expect(spent(FULL_HOST, after(60), { now: NOW, chance: 0 }).notBefore).toBe(NOW + 1_000)
    expect(spent(FULL_HOST, after(99), { now: NOW, chance: 0 }).notBefore).toBe(NOW + 40_000)
    expect(spent(FULL_HOST, after(99_999), { now: NOW, chance: 0 }).notBefore).toBe(NOW + 3_600_000)
  })

  it('earns one a second and a fifth with each request, and stands still while it is full', () => {
    expect(earned(after(30), NOW)).toEqual({ tokens: 30.2, at: NOW })
    expect(earned(after(30), NOW + 10_000)).toEqual({ tokens: 40.2, at: NOW + 10_000 })
    expect(earned(after(30), NOW + 99_000)).toEqual({ tokens: 60, at: NOW + 99_000 })
    expect(earned(FULL_CRAWL, NOW)).toBe(FULL_CRAWL)
  })

  it('of several processes is the latest word, of equally late ones the poorest, whoever says it first', () => {
    const early = { tokens: 3, at: 10 }
    const late = { tokens: 50, at: 20 }
    const poor = { tokens: 1, at: 20 }
    expect([mergedBudgets(early, late), mergedBudgets(late, early)]).toEqual([late, late])
    expect([mergedBudgets(late, poor), mergedBudgets(poor, late), mergedBudgets(poor, poor)]).toEqual([poor, poor, poor])
  })
})

it.each([
  [{ maxAttempts: 0 }, 'expected retry: maxAttempts to be a whole number from 1 to 100, got 0'],
  [{ retryUnsafe: 1 }, 'expected retry: retryUnsafe to be true or false, got 1'],
  [{ attempts: 3 }, "retry has no option 'attempts' (did you mean 'maxAttempts'?)"],
])('refuses %o when it is made', (options, message) => {
  expect(() => retry(options as object)).toThrow(message)
})
