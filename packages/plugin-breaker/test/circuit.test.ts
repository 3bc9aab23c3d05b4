// The circuit around every law: how long it stays open, one probe at a time, what is old news, and when a host is given up.
import { describe, expect, it } from 'vitest'
import { GIVING_UP_MS } from '../src/circuit.ts'
import { coolDownMs } from '../src/cool-down.ts'
import { explained } from '../src/explain.ts'
import { holdOf } from '../src/hold.ts'
import type { TripKind } from '../src/trip-law.ts'
import { ALIVE, BLOCKED, ERROR, FAILURE, NEUTRAL, REFUSED, START, Story, times } from './stories.ts'

const LIMITS = { openMs: 60_000, maxOpenMs: 3_600_000, blockedOpenMs: 600_000 }
const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** Open since a moment ago, for 60 s. */
function opened(): Story {
  const story = new Story().lives(times(5, FAILURE), 0)
  expect(story.state).toBe('open')
  return story
}

describe('a cool-down', () => {
  it.each<[TripKind, number, number]>([
    ['failing', 0, 60_000],
    ['failing', 1, 120_000],
    ['failing', 5, 1_920_000],
    ['refused', 0, 60_000],
    ['blocked', 0, 600_000],
    ['blocked', 1, 1_800_000],
    ['blocked', 9, 21_600_000],
  ])('after %s at level %i is %i ms, give or take a fifth', (kind, level, ms) => {
    expect([0, 0.5, 1].map((chance) => coolDownMs(kind, level, chance, LIMITS))).toEqual([ms * 0.8, ms, ms * 1.2])
  })

  it.each<[TripKind, number]>([
    ['failing', 6],
    ['failing', 500],
    ['dns', 0],
  ])('after %s at level %i is an hour or a little more: a dead host is asked once an hour at most', (kind, level) => {
    expect([0, 0.5, 1].map((chance) => coolDownMs(kind, level, chance, LIMITS))).toEqual([3_600_000, 3_960_000, 4_320_000])
  })
})

describe('an open circuit', () => {
  it('holds its host until the moment has come, and takes back what is not sent', () => {
    const { circuit, now } = opened()
    expect(holdOf(circuit.phase, now)).toEqual({ notBefore: START + 60_000, atMost: 0, why: 'open after reset' })
    expect(holdOf(circuit.phase, START + 60_000)).toMatchObject({ notBefore: 0, atMost: 1 })
  })

  it('is not touched by whatever was sent before it opened, good or bad', () => {
    const story = new Story()
    const old = times(5, FAILURE).map(() => story.book())
    const late = [story.book(), story.book()]
    for (const seq of old) story.end(seq, FAILURE)
    const before = story.circuit
    for (const seq of late) story.end(seq, ALIVE)
    expect(story.circuit).toBe(before)
    story.wait(60_000)
    const probe = story.book()
    story.end(late[0] ?? 0, FAILURE)
    story.end(late[1] ?? 0, ALIVE)
    expect(story.circuit.phase).toMatchObject({ kind: 'half-open', successes: 0 })
    story.end(probe, ALIVE)
    expect(story.circuit.phase).toMatchObject({ kind: 'half-open', successes: 1 })
  })

  it('is half-open from the first booking after its time, not before', () => {
    const story = opened().wait(59_999)
    story.book()
    expect(story.state).toBe('open')
    story.wait(1).book()
    expect(story.state).toBe('half-open')
    expect(holdOf(story.circuit.phase, story.now)).toEqual({ notBefore: 0, atMost: 1, why: 'half-open: one probe at a time' })
  })
})

describe('a half-open circuit', () => {
  it('closes after two successes, the second sent after the first came back', () => {
    const story = opened().wait(60_000).lives([ALIVE])
    expect(story.state).toBe('half-open')
    expect(story.lives([ALIVE]).state).toBe('closed')
  })

  it('a probe that never went out leaves it as it was: whoever comes next is the probe, also after a restart', () => {
    const story = opened().wait(60_000)
    story.book()
    const restored = JSON.parse(JSON.stringify(story.circuit)) as typeof story.circuit
    expect(restored).toEqual(story.circuit)
    expect(holdOf(restored.phase, story.now).atMost).toBe(1)
    expect(story.lives([ALIVE, ALIVE]).state).toBe('closed')
  })

  it('a failure opens it again, for twice as long each time, up to an hour', () => {
    const story = opened()
    const lengths = [1, 2, 4, 8, 16, 32, 66, 66].map((minutes) => {
      const openFor = story.openForS
      story.wait(minutes * MINUTE).lives([FAILURE], 0)
      return openFor
    })
    expect(lengths).toEqual([60, 120, 240, 480, 960, 1_920, 3_960, 3_960])
  })

  it('a failure after one success does so too', () => {
    expect(opened().wait(MINUTE).lives([ALIVE, FAILURE], 0)).toMatchObject({ state: 'open', level: 1 })
  })

  it.each([
    ['an answer of any page', ALIVE, 'half-open', 1],
    ['one private page, of a host that failed otherwise', BLOCKED, 'half-open', 1],
    ['nothing that counts', NEUTRAL, 'half-open', 0],
    ['a 500', ERROR, 'open', undefined],
    ['a refusal without a word', REFUSED, 'open', undefined],
  ])('%s', (_what, signal, kind, successes) => {
    const { phase } = opened().wait(MINUTE).lives([signal], 0).circuit
    expect([phase.kind, 'successes' in phase ? phase.successes : undefined]).toEqual([kind, successes])
  })

  it('of a host that banned us takes another ban for a failure, three times as long', () => {
    const story = new Story().lives(times(10, BLOCKED), 0)
    expect(story.openForS).toBe(600)
    expect(story.wait(10 * MINUTE).lives([BLOCKED], 0).openForS).toBe(1_800)
  })
})

describe('a circuit that has closed again', () => {
  const closed = (): Story => opened().wait(MINUTE).lives([ALIVE, ALIVE], 0)

  it('lets 1, 2, 4, 8 be in flight, one step a success, and then as many as others allow', () => {
    const story = closed()
    const limits = times(5, ALIVE).map(() => {
      const { atMost } = holdOf(story.circuit.phase, story.now)
      story.lives([ALIVE])
      return atMost
    })
    expect(limits).toEqual([1, 2, 4, 8, Infinity])
  })

  it('that fails twice before it is fully back opens for longer than before', () => {
    expect(closed().lives([ALIVE, FAILURE, FAILURE], 0)).toMatchObject({ state: 'open', level: 1, openForS: 120 })
  })

  it('rises by no level for negative time: a clock that went back is no trouble of the host', () => {
    const story = closed().lives(times(8, ALIVE), 0)
    story.wait(-2 * HOUR).lives(times(5, FAILURE), 0)
    expect(story).toMatchObject({ state: 'open', level: 0 })
  })

  it('forgets one level for each ten healthy minutes, not at the first success', () => {
    const story = opened()
    for (const minutes of [1, 2, 4]) story.wait(minutes * MINUTE).lives([FAILURE], 0)
    story.wait(8 * MINUTE).lives(times(6, ALIVE), 0)
    expect(story).toMatchObject({ state: 'closed', level: 3 })
    story.wait(20 * MINUTE + 1).lives(times(5, FAILURE), 0)
    expect(story).toMatchObject({ state: 'open', level: 1 })
  })
})

describe('a host is given up', () => {
  it('after a day without a success, at the longest cool-down, and not before', () => {
    const story = opened()
    while (story.state === 'open' && story.now < START + 48 * HOUR) story.wait(story.openForS * 1_000).lives([FAILURE], 0)
    expect(story.state).toBe('given-up')
    expect((story.now - START) / HOUR).toBeGreaterThanOrEqual(24)
    expect((story.now - START) / HOUR).toBeLessThan(25.2)
    expect(holdOf(story.circuit.phase, story.now).notBefore - story.now).toBeGreaterThan(24 * HOUR)
  })

  it('at once for its certificate', () => {
    const story = new Story().lives([{ kind: 'hopeless', of: 'certificate', word: 'tls-certificate' }], 0)
    expect(story.state).toBe('given-up')
    expect(holdOf(story.circuit.phase, story.now)).toMatchObject({ why: 'given up after tls-certificate', atMost: 0 })
  })

  it('and gets a probe when it is asked for again later: then somebody revived it', () => {
    const story = new Story().lives([{ kind: 'hopeless', of: 'certificate', word: 'tls-certificate' }], 0)
    story.wait(GIVING_UP_MS)
    expect(holdOf(story.circuit.phase, story.now)).toMatchObject({ notBefore: 0, atMost: 1 })
    expect(story.lives([ALIVE, ALIVE]).state).toBe('closed')
  })
})

it('says what it knows of a host', () => {
  expect(explained(new Story().lives([FAILURE, FAILURE], 0).circuit, START)).toEqual({
    state: 'closed',
    level: 0,
    failuresInRow: 2,
  })
  expect(explained(opened().circuit, START)).toEqual({
    state: 'open',
    level: 0,
    cause: 'reset',
    kind: 'failing',
    failingSince: START,
    openUntil: START + 60_000,
  })
})
