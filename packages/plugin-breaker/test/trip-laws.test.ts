// When a circuit opens, law by law.
import { describe, expect, it } from 'vitest'
import type { Signal } from '../src/signal.ts'
import { ALIVE, BLOCKED, ERROR, FAILURE, NEUTRAL, REFUSED, Story, times } from './stories.ts'

const HOPELESS: Signal = { kind: 'hopeless', of: 'dns', word: 'dns-not-found' }
const mixed = (n: number, ...pattern: Signal[]): Signal[] =>
  Array.from({ length: n }, (_, i) => pattern[i % pattern.length] ?? ALIVE)

describe('the law ratio', () => {
  it.each<[string, Signal[], number, string]>([
    ['two failures out of the blue', times(2, FAILURE), 1_000, 'closed'],
    ['three failures out of the blue', times(3, FAILURE), 1_000, 'open'],
    ['four failures in a row, where others came before', [FAILURE, ALIVE, ...times(4, FAILURE)], 1_000, 'closed'],
    ['five failures in a row, where others came before', [FAILURE, ALIVE, ...times(5, FAILURE)], 1_000, 'open'],
    ['five failures with an answer between', [FAILURE, FAILURE, ALIVE, ...times(3, FAILURE)], 1_000, 'closed'],
    ['five failures with something neutral between', [FAILURE, ALIVE, ...times(4, FAILURE), NEUTRAL, FAILURE], 1_000, 'open'],
    ['seven of ten within a minute, never five in a row', mixed(10, FAILURE, FAILURE, ALIVE), 1_000, 'open'],
    ['seven of ten within 45 s, never five in a row', mixed(10, FAILURE, FAILURE, ALIVE), 5_000, 'open'],
    ['half of thirty within a minute', mixed(30, FAILURE, ALIVE), 1_000, 'closed'],
    ['seven of ten over five minutes', mixed(10, FAILURE, FAILURE, ALIVE), 30_000, 'closed'],
    ['one page in ten that is a 500', mixed(100, ERROR, ...times(9, ALIVE)), 1_000, 'closed'],
    ['nine 500s in a row', times(9, ERROR), 1_000, 'closed'],
    ['twenty 500s in a row: ten to doubt, ten halves to open', times(19, ERROR), 1_000, 'open'],
    ['nine refusals in a row', times(9, REFUSED), 1_000, 'closed'],
    ['ten refusals in a row and not one answer', times(10, REFUSED), 1_000, 'open'],
    ['ten refusals with an answer between', [...times(9, REFUSED), ALIVE, REFUSED], 1_000, 'closed'],
    ['refusals only, for a minute', times(3, REFUSED), 30_000, 'open'],
    ['refusals only, for less than a minute', times(3, REFUSED), 29_000, 'closed'],
    ['two refusals a minute apart', times(2, REFUSED), 60_000, 'closed'],
    ['forbidden pages that core takes for private ones', times(40, BLOCKED), 1_000, 'closed'],
    ['a name that does not exist', [HOPELESS], 1_000, 'open'],
  ])('%s', (_what, signals, everyMs, state) => {
    expect(new Story().lives(signals, everyMs).state).toBe(state)
  })

  it('opens at the forbidden page by which core is certain of a ban, and at no other answer', () => {
    expect(new Story({ banned: true }).lives([ALIVE, ERROR]).state).toBe('closed')
    expect(new Story({ banned: true }).lives([BLOCKED]).state).toBe('open')
  })

  it('needs two failures only of a host that never answered with a success', () => {
    expect(new Story({ proven: false }).lives([FAILURE]).state).toBe('closed')
    expect(new Story({ proven: false }).lives([FAILURE, FAILURE]).state).toBe('open')
  })

  it('remembers nothing of a host that is well, and forgets trouble that is over', () => {
    expect(new Story().lives(times(50, ALIVE)).circuit).toEqual({
      phase: { kind: 'closed', level: 0, since: 0 },
      changedAtSeq: 0,
    })
    const story = new Story().lives([FAILURE])
    expect(JSON.stringify(story.circuit).length).toBeLessThan(220)
    expect(story.lives(times(7, ALIVE), 10_000).circuit).not.toHaveProperty('trouble')
    expect(new Story().lives([BLOCKED, BLOCKED, ALIVE]).circuit).not.toHaveProperty('trouble')
  })
})

describe('the law consecutive', () => {
  it.each<[string, Signal[], string]>([
    ['four failures in a row', times(4, FAILURE), 'closed'],
    ['five', times(5, FAILURE), 'open'],
    ['most of a minute failing, never five in a row', mixed(40, FAILURE, FAILURE, FAILURE, ALIVE), 'closed'],
    ['ten refusals', times(10, REFUSED), 'closed'],
    ['one name that does not exist', [HOPELESS], 'closed'],
  ])('%s', (_what, signals, state) => {
    expect(new Story({ law: 'consecutive' }).lives(signals).state).toBe(state)
  })
})

it('the law none never opens', () => {
  expect(new Story({ law: 'none' }).lives([HOPELESS, ...times(100, FAILURE)]).state).toBe('closed')
})

it('a law of your own decides by the same record', () => {
  const strict = { name: 'strict', trips: ({ inRow }: { inRow: number }) => (inRow >= 1 ? ('failing' as const) : undefined) }
  expect(new Story({ law: strict }).lives([ALIVE, FAILURE]).state).toBe('open')
})

it.each([
  [{ law: 'sre' }, "expected breaker: law to be 'ratio', 'consecutive' or 'none', or a law with the function trips, got 'sre'"],
  [{ failures: 0 }, 'expected breaker: failures to be a whole number from 1 to 1000, got 0'],
  [{ openMs: Number.NaN }, 'expected breaker: openMs to be a number from 1 to 43200000, got NaN'],
  [{ openMs: 5_000, maxOpenMs: 4_000 }, 'expected breaker: maxOpenMs to be at least openMs (5000), got 4000'],
  [
    { blockedStatuses: [403] },
    'expected blockedStatuses beside plugins, got it as an option of breaker; write defineCrawl({ blockedStatuses:',
  ],
  [{ openMS: 5 }, "breaker has no option 'openMS' (did you mean 'openMs'?)"],
])('refuses %o when it is made', (options, message) => {
  expect(() => new Story(options as object)).toThrow(message)
})
