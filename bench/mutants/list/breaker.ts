// Ways to break the breaker.
import { caught, type Mutant } from '../mutant.ts'

export const BREAKER: readonly Mutant[] = [
  ...caught(
    'packages/plugin-breaker/src/circuit.ts',
    ['packages/plugin-breaker/test/circuit.test.ts'],
    [
      {
        name: 'hears what was sent before it changed',
        find: "if (event.seq <= circuit.changedAtSeq || phase.kind === 'open'",
        replace: "if (phase.kind === 'open'",
      },
      {
        name: 'hears what comes while it is open',
        find: "event.seq <= circuit.changedAtSeq || phase.kind === 'open' ||",
        replace: 'event.seq <= circuit.changedAtSeq ||',
      },
      {
        name: 'takes a booking during the cool-down for a probe',
        find: "(phase.kind === 'open' && now < phase.until)",
        replace: "(phase.kind === 'open' && now < 0)",
      },
      {
        name: 'takes a probe at the end of the cool-down for none',
        find: "(phase.kind === 'open' && now < phase.until)",
        replace: "(phase.kind === 'open' && now <= phase.until)",
      },
      { name: 'closes after one success', find: 'const CLOSING_SUCCESSES = 2', replace: 'const CLOSING_SUCCESSES = 1' },
      { name: 'closes after three successes', find: 'const CLOSING_SUCCESSES = 2', replace: 'const CLOSING_SUCCESSES = 3' },
      { name: 'is fully back at eight', find: 'const FULL_REENTRY = 16', replace: 'const FULL_REENTRY = 8' },
      { name: 'is fully back at thirty-two', find: 'const FULL_REENTRY = 16', replace: 'const FULL_REENTRY = 32' },
      { name: 'is back in steps of four', find: '{ ...phase, most: most * 2 }', replace: '{ ...phase, most: most * 4 }' },
      {
        name: 'forgets bans in five minutes',
        find: 'const HEALTHY_MS_PER_LEVEL = 600_000',
        replace: 'const HEALTHY_MS_PER_LEVEL = 300_000',
      },
      {
        name: 'counts time in which nobody asked as an outage',
        find: 'const unseenMs = Math.max(0, now - until - MOST_UNSEEN_MS)',
        replace: 'const unseenMs = 0',
      },
      { name: 'closes at full speed', find: 'since: now, most: 1, downSince', replace: 'since: now, most: 8, downSince' },
      {
        name: 'takes refusals for outages',
        find: "const isOutage = trip.kind !== 'refused' && trip.kind !== 'blocked'",
        replace: 'const isOutage = true',
      },
      {
        name: 'probes as if nothing had happened before',
        find: '{ level: level + 1, since: downSince, aliveAt: since }',
        replace: '{ level, since: downSince, aliveAt: since }',
      },
      {
        name: 'takes every failure for a new outage',
        find: 'const isSameOutage = most !== undefined && now - since <= MOST_UNSEEN_MS',
        replace: 'const isSameOutage = false',
      },
      {
        name: 'gives a host up before its time',
        find: 'isLongest(outage, rules) && now - aliveAt >= rules.giveUpAfterMs',
        replace: 'isLongest(outage, rules)',
      },
      {
        name: 'never gives a host up',
        find: 'isLongest(outage, rules) && now - aliveAt >= rules.giveUpAfterMs',
        replace: 'false',
      },
      {
        name: 'learns from outages of hours',
        find: 'next.most === undefined && downMs <= LONGEST_LEARNED_MS',
        replace: 'next.most === undefined',
      },
      { name: 'takes silence of a probe for a failure', find: "  if (signal.kind === 'neutral') return circuit\n", replace: '' },
      {
        name: 'remembers a level that is over',
        find: 'level: downMs === undefined ? level : 0, since }',
        replace: 'level, since }',
      },
    ],
  ),
  ...caught(
    'packages/plugin-breaker/src/cool-down.ts',
    ['packages/plugin-breaker/test/circuit.test.ts'],
    [
      {
        name: 'waits for half of six hours at most',
        find: 'const MAX_BLOCKED_MS = 6 * 3_600_000',
        replace: 'const MAX_BLOCKED_MS = 3 * 3_600_000',
      },
      { name: 'waits twice as long after each ban', find: 'blockedOpenMs * 3 ** level', replace: 'blockedOpenMs * 2 ** level' },
      { name: 'spreads bans upwards only', find: '(0.8 + 0.4 * chance)', replace: '(1 + 0.4 * chance)' },
      { name: 'spreads cool-downs by two fifths', find: 'ms + 0.2 * byMs * chance', replace: 'ms + 0.4 * byMs * chance' },
      {
        name: 'does not double',
        find: 'Math.min(maxOpenMs, downMs + Math.max(openMs, leastMs(kind, proven)))',
        replace: 'Math.min(maxOpenMs, Math.max(openMs, leastMs(kind, proven)))',
      },
      {
        name: 'cools down without bound',
        find: 'return Math.min(maxOpenMs, downMs +',
        replace: 'return Math.min(Infinity, downMs +',
      },
      {
        name: 'hurries with hosts that never answered',
        find: "return kind === 'refused' || !proven ? SLOW_MS : 0",
        replace: "return kind === 'refused' ? SLOW_MS : 0",
      },
      {
        name: 'asks again soon for a name that never resolved',
        find: "if (kind === 'dns' && !proven) return maxOpenMs",
        replace: "if (kind === 'dns' && !proven) return 60_000",
      },
      {
        name: 'asks every minute for a certificate',
        find: 'const CERTIFICATE_MS = 5 * MINUTE_MS',
        replace: 'const CERTIFICATE_MS = MINUTE_MS',
      },
      { name: 'asks every minute for a name', find: 'const NAME_MS = 30_000', replace: 'const NAME_MS = 60_000' },
    ],
  ),
  ...caught(
    'packages/plugin-breaker/src/trip-law.ts',
    ['packages/plugin-breaker/test/trip-laws.test.ts'],
    [
      {
        name: 'wants three failures of a host that never answered',
        find: 'const FRAGILE_FAILURES = 2',
        replace: 'const FRAGILE_FAILURES = 3',
      },
      { name: 'opens at four failures of ten', find: 'const FAILURE_RATIO = 0.6', replace: 'const FAILURE_RATIO = 0.4' },
      { name: 'opens at eight failures of ten only', find: 'const FAILURE_RATIO = 0.6', replace: 'const FAILURE_RATIO = 0.8' },
      { name: 'judges a ratio by five outcomes', find: 'const LEAST_OUTCOMES = 10', replace: 'const LEAST_OUTCOMES = 5' },
      { name: 'takes five refusals for a blackout', find: 'const REFUSALS = 10', replace: 'const REFUSALS = 5' },
      {
        name: 'takes a blackout of half a minute for one',
        find: 'const BLACKOUT_MS = 60_000',
        replace: 'const BLACKOUT_MS = 30_000',
      },
      { name: 'takes two refusals for a blackout', find: 'const BLACKOUT_REFUSALS = 3', replace: 'const BLACKOUT_REFUSALS = 2' },
      { name: 'opens at a forbidden page', find: "return banned ? 'blocked' : undefined", replace: "return 'blocked'" },
      { name: 'opens later out of the blue', find: 'const BLUE_SHARE = 0.6', replace: 'const BLUE_SHARE = 1' },
      {
        name: 'takes failures between answers for out of the blue',
        find: '(failureRatio === 1 && trouble.inRow >= outOfTheBlue)',
        replace: 'trouble.inRow >= outOfTheBlue',
      },
      {
        name: 'opens at the next failure but one',
        find: 'return trouble.inRow >= inRow ||',
        replace: 'return trouble.inRow > inRow ||',
      },
    ],
  ),
  ...caught(
    'packages/plugin-breaker/src/trouble.ts',
    ['packages/plugin-breaker/test/trip-laws.test.ts'],
    [
      { name: 'remembers two minutes', find: 'const BUCKETS = 6', replace: 'const BUCKETS = 12' },
      { name: 'remembers half a minute', find: 'const BUCKETS = 6', replace: 'const BUCKETS = 3' },
      {
        name: 'counts failures across answers',
        find: 'return { ...after, inRow: 0, alive: plus(before.alive, 1) }',
        replace: 'return { ...after, alive: plus(before.alive, 1) }',
      },
      {
        name: 'counts refusals across answers',
        find: '    refused: 0,\n    refusedSince: 0,\n    errors: ((',
        replace: '    errors: ((',
      },
      { name: 'counts every 500 as a failure', find: '>= HALF_OF_LAST ? 0.5 : 0', replace: '>= 0 ? 1 : 0' },
      { name: 'forgets when refusals began', find: 'before.refused === 0 ? now : before.refusedSince', replace: 'now' },
      {
        name: 'keeps a record of a host that is well',
        find: "signal.kind !== 'blocked' && isOver(after) ? undefined : after",
        replace: 'after',
      },
    ],
  ),
  ...caught(
    'packages/plugin-breaker/src/signal.ts',
    ['packages/plugin-breaker/test/signal.test.ts'],
    [
      {
        name: 'takes a 404 for a failure',
        find: 'if (status < 500 || WELL_5XX.has(status)) return ALIVE',
        replace: 'if (status < 400 || WELL_5XX.has(status)) return ALIVE',
      },
      {
        name: 'takes a 429 with Retry-After for a refusal without a word',
        find: "return saysWhen ? NEUTRAL : { kind: 'refused', word }",
        replace: "return { kind: 'refused', word }",
      },
      { name: 'takes a 503 with Retry-After for a failure', find: '(status === 503 && saysWhen)', replace: 'false' },
      { name: 'takes a 501 for a failure', find: 'new Set([501, 505, 511])', replace: 'new Set([505, 511])' },
      {
        name: 'takes what the spider wants for a failure',
        find: 'if (wanted || status < 400) return ALIVE',
        replace: 'if (status < 400) return ALIVE',
      },
      {
        name: 'takes a page cut short for a failure',
        find: "return blame === 'url' && !NOT_ASKED.has(code) ? ALIVE : NEUTRAL",
        replace: 'return NEUTRAL',
      },
      {
        name: 'takes what was never asked for an answer',
        find: "blame === 'url' && !NOT_ASKED.has(code)",
        replace: "blame === 'url'",
      },
    ],
  ),
]
