// Ways to break the pace around the rate laws, and what servers say of their limits.
import { caught, type Mutant } from '../mutant.ts'

export const RATE: readonly Mutant[] = [
  ...caught(
    'packages/plugin-aimd/src/pace.ts',
    ['packages/plugin-aimd/test/pace.test.ts'],
    [
      { name: 'makes up for half a second of a late start', find: 'const SLACK_MS = 50', replace: 'const SLACK_MS = 500' },
      { name: 'makes up for nothing', find: 'const SLACK_MS = 50', replace: 'const SLACK_MS = 0' },
      { name: 'holds a host for a minute', find: 'const MAX_HOLD_MS = 5_000', replace: 'const MAX_HOLD_MS = 60_000' },
      { name: 'holds a host for a second', find: 'const MAX_HOLD_MS = 5_000', replace: 'const MAX_HOLD_MS = 1_000' },
      {
        name: 'paces twice as fast',
        find: 'pace.bookedAt + (2 - burst) * (1_000 / rps)',
        replace: 'pace.bookedAt + (2 - burst) * (500 / rps)',
      },
      {
        name: 'takes the last of an epoch for news',
        find: 'return seq > pace.changedAtSeq',
        replace: 'return seq >= pace.changedAtSeq',
      },
      { name: 'takes all answers for news', find: 'return seq > pace.changedAtSeq', replace: 'return true' },
      { name: 'gives back nothing', find: 'whole(pace.bookedAt - 1_000 / rps) }', replace: 'whole(pace.bookedAt) }' },
      {
        name: 'pauses to the earliest of several moments',
        find: 'return until > pace.pausedUntil ?',
        replace: 'return until < pace.pausedUntil || pace.pausedUntil === 0 ?',
      },
      {
        name: 'holds a host with nothing in flight',
        find: 'return inFlight > 0 && pace.holdUntil > now ? pace.holdUntil : 0',
        replace: 'return pace.holdUntil > now ? pace.holdUntil : 0',
      },
      { name: 'makes up for a hold', find: 'const isLate = pace.holdUntil === 0 && even', replace: 'const isLate = even' },
      { name: 'keeps its credit after a refusal', find: 'bookedAt: whole(now + (burst - 1) * (1_000 / rps)) }', replace: '}' },
    ],
  ),
  ...caught(
    'packages/plugin-aimd/src/signals/retry-after.ts',
    ['packages/plugin-aimd/test/signals.test.ts'],
    [
      { name: 'comes back before the moment', find: 'return now + waitMs + Math.min', replace: 'return now + waitMs - Math.min' },
      { name: 'comes back a minute late', find: 'const MOST_JITTER_MS = 2_000', replace: 'const MOST_JITTER_MS = 60_000' },
    ],
  ),
  ...caught(
    'packages/plugin-aimd/src/rate-advice.ts',
    ['packages/plugin-aimd/test/rate-advice.test.ts'],
    [
      { name: 'takes the whole quota', find: 'const RESERVE = 0.95', replace: 'const RESERVE = 1' },
      {
        name: 'waits a day for a quota',
        find: 'const LONGEST_PAUSE_MS = 3_600_000',
        replace: 'const LONGEST_PAUSE_MS = 86_400_000',
      },
      {
        name: 'takes the largest cap of several',
        find: 'rps = Math.min(rps, one.rps ?? Infinity)',
        replace: 'rps = one.rps ?? rps',
      },
      { name: 'forgets what is in flight', find: "unit === 'requests' ? remaining - inFlight : remaining", replace: 'remaining' },
      { name: 'goes on with a quota that is used up', find: 'if (left <= 0) return', replace: 'if (left < 0) return' },
      {
        name: 'takes a host for welcoming that has no request left',
        find: 'remaining > inFlight)',
        replace: 'remaining >= inFlight)',
      },
    ],
  ),
  ...caught(
    'packages/plugin-aimd/src/blocking.ts',
    ['packages/plugin-aimd/test/advice.test.ts'],
    [
      { name: 'takes five captchas for a wall', find: 'const WALL = 10', replace: 'const WALL = 5' },
      { name: 'forgets blocks after ten pages', find: 'const PEACE = 100', replace: 'const PEACE = 10' },
      { name: 'does not slow down after a block', find: 'limits, startRps: half }', replace: 'limits }' },
    ],
  ),
  ...caught(
    'packages/plugin-aimd/src/blocking.ts',
    ['packages/plugin-aimd/test/host-memory.test.ts'],
    [
      { name: 'pauses a minute before a wall', find: 'const FIRST_PAUSE_MS = 600_000', replace: 'const FIRST_PAUSE_MS = 60_000' },
      { name: 'takes a forbidden robots.txt for a block', find: '  if (exchange.required) return true\n', replace: '' },
    ],
  ),
]
