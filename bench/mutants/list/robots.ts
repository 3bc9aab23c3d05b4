// Ways to break robots.txt.
import { caught, type Mutant } from '../mutant.ts'

export const ROBOTS: readonly Mutant[] = [
  ...caught(
    'packages/plugin-robots/src/copy-law.ts',
    ['packages/plugin-robots/test/copy-law.test.ts'],
    [
      {
        name: 'keeps a copy for a week',
        find: 'const FRESH_MS = 24 * 3_600_000',
        replace: 'const FRESH_MS = 7 * 24 * 3_600_000',
      },
      {
        name: 'allows all while robots.txt cannot be had',
        find: "const kind = before?.kind ?? 'unknown'",
        replace: "const kind = before?.kind ?? 'open'",
      },
      {
        name: 'forgets a good copy that cannot be renewed',
        find: "const kind = before?.kind ?? 'unknown'",
        replace: "const kind = 'unknown'",
      },
      {
        name: 'asks before the server wants it',
        find: 'Math.max(now + pauseMs(failures), fetched.retryAfterAt ?? 0)',
        replace: 'now + pauseMs(failures)',
      },
      { name: 'gives a host up after six attempts', find: 'const MAX_FAILURES = 12', replace: 'const MAX_FAILURES = 6' },
      {
        name: 'gives a host up whose copy is old',
        find: "return kind === 'unknown' && failures >= MAX_FAILURES",
        replace: 'return failures >= MAX_FAILURES',
      },
      { name: 'asks every five minutes', find: 'Math.min(LONGEST_PAUSE_MS, 300_000 * 2 ** (failures - 3))', replace: '300_000' },
    ],
  ),
  ...caught(
    'packages/plugin-robots/src/is-allowed.ts',
    ['packages/plugin-robots/test/is-allowed.test.ts'],
    [
      { name: 'disallows what no rule is about', find: '?.allow ?? true', replace: '?.allow ?? false' },
      { name: 'asks whether it may ask for robots.txt', find: "path === '/robots.txt' ? undefined : path", replace: 'path' },
      {
        name: 'takes whoever is named for everybody',
        find: "const name = isNamed(robots, token) ? token : '*'",
        replace: "const name = '*'",
      },
      { name: 'takes rules of all groups', find: 'group.agents.has(name) ? group.rules : []', replace: 'group.rules' },
      { name: 'looks for patterns without bound', find: '    if (steps < 0) return TOO_MUCH\n', replace: '' },
      {
        name: 'allows what takes too long to look for',
        find: "const TOO_MUCH = ruleOf(false, '/')",
        replace: "const TOO_MUCH = ruleOf(true, '/')",
      },
    ],
  ),
  ...caught(
    'packages/plugin-robots/src/pattern.ts',
    ['packages/plugin-robots/test/is-allowed.test.ts'],
    [
      {
        name: 'goes by the shortest rule',
        find: 'return b.pattern.length - a.pattern.length ||',
        replace: 'return a.pattern.length - b.pattern.length ||',
      },
      { name: 'disallows among equals', find: 'Number(b.allow) - Number(a.allow)', replace: 'Number(a.allow) - Number(b.allow)' },
      {
        name: 'takes a dollar for nothing',
        find: 'if (prefix.length + 1 === pattern.length) return at === path.length',
        replace: 'if (prefix.length + 1 === pattern.length) return true',
      },
      {
        name: 'lets the end of a pattern overlap',
        find: 'return path.length - suffix.length >= at && path.endsWith(suffix)',
        replace: 'return path.endsWith(suffix)',
      },
      { name: 'looks for pieces in any order', find: '    at = found + piece.length\n', replace: '' },
    ],
  ),
  ...caught(
    'packages/plugin-robots/src/parse.ts',
    ['packages/plugin-robots/test/parse-robots.test.ts'],
    [
      {
        name: 'takes a delay of two days for meant',
        find: 'const MAX_DELAY_MS = 86_400_000',
        replace: 'const MAX_DELAY_MS = 2 * 86_400_000',
      },
      {
        name: 'takes seconds for milliseconds',
        find: 'Number(value) * 1_000 : Number.NaN',
        replace: 'Number(value) : Number.NaN',
      },
      {
        name: 'takes the shortest of several delays',
        find: 'this.#namedDelayMs = Math.max(delayMs, this.#namedDelayMs ?? 0)',
        replace: 'this.#namedDelayMs = Math.min(delayMs, this.#namedDelayMs ?? Infinity)',
      },
      {
        name: 'keeps sitemaps without end',
        find: "if (value !== '' && this.#sitemaps.length < MAX_SITEMAPS)",
        replace: "if (value !== '')",
      },
    ],
  ),
  ...caught(
    'packages/plugin-robots/src/parse.ts',
    ['packages/plugin-robots/test/is-allowed.test.ts'],
    [
      { name: 'takes an empty Disallow for everything', find: "    if (value === '') return\n", replace: '' },
      { name: 'never ends a group', find: '    this.#closed = true\n    // "Disallow', replace: '    // "Disallow' },
    ],
  ),
  ...caught(
    'packages/plugin-robots/src/spacing-law.ts',
    ['packages/plugin-robots/test/spacing-law.test.ts'],
    [
      {
        name: 'forgets to give a booking back',
        find: 'if (spacing.lastStartAt === at) spacing.lastStartAt = spacing.beforeAt',
        replace: 'if (spacing.lastStartAt < at) spacing.lastStartAt = spacing.beforeAt',
      },
      {
        name: 'goes by the booking though it was sent later',
        find: 'spacing.lastStartAt = Math.max(spacing.lastStartAt, at ?? 0)',
        replace: 'spacing.lastStartAt = spacing.lastStartAt + 0 * (at ?? 0)',
      },
      {
        name: 'does not hear of bookings that it was not told of',
        find: 'hostBookedAt > spacing.bookedAt ? hostBookedAt : spacing.lastStartAt',
        replace: 'spacing.lastStartAt',
      },
    ],
  ),
]
