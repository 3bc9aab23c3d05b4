// The circuit around every law: how long it stays open, one probe at a time, what is old news, and when a host is given up.
import { describe, expect, it } from 'vitest'
import { coolDownMs } from '../src/cool-down.ts'
import { explainCircuit } from '../src/breaker.ts'
import { GIVING_UP_MS, holdOf } from '../src/origins.ts'
import type { TripKind } from '../src/trip-law.ts'
import { ALIVE, BLOCKED, ERROR, FAILURE, NEUTRAL, REFUSED, START, Story, times } from './stories.ts'

const LIMITS = { openMs: 5_000, maxOpenMs: 3_600_000 }
const SECOND = 1_000
const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** Open since a moment ago, for 5 s and a tenth of jitter. */
function opened(): Story {
  const story = new Story().lives(times(3, FAILURE), 0)
  expect(story.state).toBe('open')
  return story
}

/** Down for so long, however often it is probed meanwhile; then back. Seconds from the opening to each probe. */
function outage(story: Story, lengthMs: number): number[] {
  story.lives(times(3, FAILURE), 0)
  const since = story.now
  const probes: number[] = []
  while (story.state === 'open') {
    story.wait(story.openForMs)
    probes.push(Math.round((story.now - since) / SECOND))
    story.lives([story.now - since < lengthMs ? FAILURE : ALIVE], 0)
  }
  story
    .lives(times(5, ALIVE), 0)
    .wait(5 * MINUTE)
    .lives(times(10, ALIVE), 0)
  expect(story.circuit.phase).toMatchObject({ kind: 'closed' })
  return probes
}

describe('a cool-down', () => {
  const spreadOf = (kind: TripKind, more: { level?: number; downMs?: number; proven?: boolean }): number[] =>
    [0, 0.5, 1].map((chance) => coolDownMs({ kind, proven: true, level: 0, downMs: 0, ...more }, chance, LIMITS))

  it.each<[TripKind, { downMs?: number; proven?: boolean }, number]>([
    ['failing', {}, 5_000],
    ['failing', { downMs: 15_000 }, 20_000],
    ['failing', { proven: false }, 60_000],
    ['refused', {}, 60_000],
    ['dns', {}, 30_000],
    ['dns', { downMs: 90_000 }, 120_000],
    ['dns', { proven: false }, 3_600_000],
    ['certificate', {}, 300_000],
    ['failing', { downMs: 100 * HOUR }, 3_600_000],
  ])('after %s, %o, is %i ms and up to a fifth more: what is promised to a dead host is no mean', (kind, more, ms) => {
    expect(spreadOf(kind, more)).toEqual([ms, Math.round(ms * 1.1), Math.round(ms * 1.2)])
  })

  it.each([
    [0, 600_000],
    [1, 1_800_000],
    [9, 21_600_000],
  ])('after a ban at level %i is %i ms, give or take a fifth', (level, ms) => {
    expect(spreadOf('blocked', { level })).toEqual([ms * 0.8, ms, ms * 1.2])
  })
})

describe('a host of which nobody knew', () => {
  it('is not given up for the month in which nobody asked it', () => {
    const story = opened()
    story.wait(30 * 24 * HOUR).lives([FAILURE], 0)

    expect(story.state).toBe('open')
  })

  it('was not down for the month in which nobody asked it', () => {
    const story = opened()
    story.wait(30 * 24 * HOUR).lives(times(10, ALIVE), 0)

    expect(story.circuit.outages?.meanMs).toBeLessThan(HOUR)
  })

  it('is banned as for the first time after an outage that is over', () => {
    const story = new Story({ banned: true }).lives(times(3, FAILURE), 0)
    for (let probe = 0; probe < 3; probe++) story.wait(story.openForMs).lives([FAILURE], 0)
    story.wait(story.openForMs).lives(times(10, ALIVE), 0)

    story.lives([BLOCKED], 0)

    expect(story.openForMs).toBeLessThanOrEqual(720_000)
  })
})

describe('a host that comes and goes', () => {
  it('is probed when its outages tend to be over, and not at every doubling', () => {
    const story = new Story()

    const probes = [30, 30, 30, 30, 30, 30].map((seconds) => outage(story, seconds * SECOND))

    expect(probes[0]).toEqual([6, 17, 41])
    expect(probes.at(-1)?.at(-1)).toBeLessThanOrEqual(36)
    expect(probes.at(-1)?.length).toBeLessThanOrEqual(2)
  })

  it('and is down equally long each time is found within six seconds of its return, from the second outage on', () => {
    const story = new Story()
    outage(story, 30 * SECOND)

    const found = [30, 30, 30, 30, 30, 30].map((seconds) => outage(story, seconds * SECOND).at(-1))

    for (const second of found) expect(second).toBeLessThanOrEqual(36)
  })

  it('and was down for long once is still asked as one whose outages are short', () => {
    const story = new Story()
    for (const seconds of [30, 30, 30, 30, 30, 30, 300]) outage(story, seconds * SECOND)

    const found = [30, 30, 30].map((seconds) => outage(story, seconds * SECOND).at(-1))

    // Without anything learned it is asked after 35 s and 75 s, and a tenth later for jitter.
    for (const second of found) expect(second).toBeLessThan(75)
  })

  it('and stays down for longer than it used to is known for it after a few outages', () => {
    const story = new Story()
    for (const seconds of [20, 20, 20, 20]) outage(story, seconds * SECOND)
    for (const seconds of [50, 50, 50, 50, 50, 50]) outage(story, seconds * SECOND)

    expect(outage(story, 50 * SECOND).at(-1)).toBeLessThanOrEqual(60)
  })

  it('is probed at the end of its first minute, and a minute later, when it is down for longer than ever before', () => {
    const story = new Story()
    for (const seconds of [30, 30, 30, 30, 30, 30]) outage(story, seconds * SECOND)

    const asked = outage(story, 100 * SECOND)

    expect(asked.filter((second) => second >= 60 && second < 66)).toHaveLength(1)
    expect(asked.at(-1)).toBeLessThan(130)
  })

  it('is left alone for a minute after four probes in vain, and then for ever longer, when it is down for good this time', () => {
    const story = new Story()
    for (const seconds of [20, 50, 25, 45]) outage(story, seconds * SECOND)

    const asked = outage(story, 20 * MINUTE)

    expect(asked.filter((second) => second < 60).length).toBeLessThanOrEqual(4)
    const later = asked.filter((second) => second >= 60)
    expect(later.every((second, n) => n === 0 || second - (later[n - 1] ?? 0) >= 60)).toBe(true)
    expect(asked.length).toBeLessThanOrEqual(10)
  })

  it('opens after two failures out of the blue, and needs no more patience than before with a host that merely fails at times', () => {
    const story = new Story()
    outage(story, 30 * SECOND)

    expect(story.lives([FAILURE, FAILURE], 0).state).toBe('open')
  })

  it('learns nothing of an outage of a day', () => {
    const story = new Story()
    outage(story, 30 * SECOND)
    const { outages } = story.circuit

    outage(story, 20 * HOUR)

    expect(story.circuit.outages).toEqual(outages)
  })
})

describe('an open circuit', () => {
  it('holds its host until the moment has come, and takes back what is not sent', () => {
    const { circuit, now } = opened()
    expect(holdOf(circuit.phase, now)).toEqual({ notBefore: START + 5_500, atMost: 0, why: 'open after reset' })
    expect(holdOf(circuit.phase, START + 5_500)).toMatchObject({ notBefore: 0, atMost: 1 })
  })

  it('is not touched by whatever was sent before it opened, good or bad', () => {
    const story = new Story()
    const old = times(3, FAILURE).map(() => story.book())
    const late = [story.book(), story.book()]
    for (const seq of old) story.end(seq, FAILURE)
    const before = story.circuit
    for (const seq of late) story.end(seq, ALIVE)
    expect(story.circuit).toBe(before)
    story.wait(5_500)
    const probe = story.book()
    story.end(late[0] ?? 0, FAILURE)
    story.end(late[1] ?? 0, ALIVE)
    expect(story.circuit.phase).toMatchObject({ kind: 'half-open', successes: 0 })
    story.end(probe, ALIVE)
    expect(story.circuit.phase).toMatchObject({ kind: 'half-open', successes: 1 })
  })

  it('is half-open from the first booking after its time, not before', () => {
    const story = opened().wait(5_499)
    story.book()
    expect(story.state).toBe('open')
    story.wait(1).book()
    expect(story.state).toBe('half-open')
    expect(holdOf(story.circuit.phase, story.now)).toEqual({ notBefore: 0, atMost: 1, why: 'half-open: one probe at a time' })
  })
})

describe('a half-open circuit', () => {
  it('closes after two successes, the second sent after the first came back', () => {
    const story = opened().wait(5_500).lives([ALIVE])
    expect(story.state).toBe('half-open')
    expect(story.lives([ALIVE]).state).toBe('closed')
  })

  it('a probe that never went out leaves it as it was: the next one is the probe, also after a restart', () => {
    const story = opened().wait(5_500)
    story.book()
    const restored = JSON.parse(JSON.stringify(story.circuit)) as typeof story.circuit
    expect(restored).toEqual(story.circuit)
    expect(holdOf(restored.phase, story.now).atMost).toBe(1)
    expect(story.lives([ALIVE, ALIVE]).state).toBe('closed')
  })

  it('a failure opens it again, for as long as it has been down by then and a little more, up to an hour; its first minute ends with a probe', () => {
    const story = opened()
    const lengths = Array.from({ length: 12 }, () => {
      const openFor = story.openForS
      story.wait(story.openForMs).lives([FAILURE], 0)
      return openFor
    })
    expect(lengths.map((seconds) => Math.round(seconds / 1.1))).toEqual([
      5, 11, 22, 19, 67, 140, 295, 619, 1_301, 2_731, 3_600, 3_600,
    ])
  })

  it('a failure after one success does so too', () => {
    expect(
      opened()
        .wait(6 * SECOND)
        .lives([ALIVE, FAILURE], 0),
    ).toMatchObject({ state: 'open', level: 1, openForS: 12 })
  })

  it.each([
    ['an answer of any page', ALIVE, 'half-open', 1],
    ['one private page, of a host that failed otherwise', BLOCKED, 'half-open', 1],
    ['nothing that counts', NEUTRAL, 'half-open', 0],
    ['a 500', ERROR, 'open', undefined],
    ['a refusal without a word', REFUSED, 'open', undefined],
  ])('%s', (_what, signal, kind, successes) => {
    const { phase } = opened()
      .wait(6 * SECOND)
      .lives([signal], 0).circuit
    expect([phase.kind, 'successes' in phase ? phase.successes : undefined]).toEqual([kind, successes])
  })

  it('of a host that banned us takes another ban for a failure, three times as long', () => {
    const story = new Story({ banned: true }).lives([BLOCKED], 0)
    expect(story.openForS).toBe(600)
    expect(story.wait(10 * MINUTE).lives([BLOCKED], 0).openForS).toBe(1_800)
  })
})

describe('a circuit that has closed again', () => {
  const closed = (): Story =>
    opened()
      .wait(6 * SECOND)
      .lives([ALIVE, ALIVE], 0)

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
    expect(closed().lives([ALIVE, FAILURE, FAILURE], 0)).toMatchObject({ state: 'open', level: 1, openForS: 12 })
  })

  it('rises by no level for negative time: a clock that went back is no trouble of the host', () => {
    const story = closed().lives(times(8, ALIVE), 0)
    story.wait(-2 * HOUR).lives(times(5, FAILURE), 0)
    expect(story).toMatchObject({ state: 'open', level: 0 })
  })

  it('and is fully back begins anew with its next outage', () => {
    const story = closed()
      .lives(times(5, ALIVE))
      .wait(2 * MINUTE)
      .lives(times(3, FAILURE), 0)
    expect(story).toMatchObject({ state: 'open', level: 0 })
  })

  it('after a ban forgets one level for each ten healthy minutes, not at the first success', () => {
    const story = new Story({ banned: true }).lives([BLOCKED], 0)
    for (const minutes of [10, 30, 90]) story.wait(minutes * MINUTE).lives([BLOCKED], 0)
    story.wait(6 * HOUR).lives(times(6, ALIVE), 0)
    expect(story).toMatchObject({ state: 'closed', level: 3 })
    story.wait(20 * MINUTE + 1).lives([BLOCKED], 0)
    expect(story).toMatchObject({ state: 'open', level: 1 })
  })
})

describe('a host is given up', () => {
  it('after a day without a success, at the longest cool-down, and not before', () => {
    const story = opened()
    while (story.state === 'open' && story.now < START + 48 * HOUR) story.wait(story.openForMs).lives([FAILURE], 0)
    expect(story.state).toBe('given-up')
    expect((story.now - START) / HOUR).toBeGreaterThanOrEqual(24)
    expect((story.now - START) / HOUR).toBeLessThan(25.2)
    expect(holdOf(story.circuit.phase, story.now)).toEqual({ notBefore: Infinity, atMost: 0, why: 'given up after reset' })
  })

  it('not while it answers now and then, however seldom', () => {
    const story = opened()
    for (let n = 0; n < 40; n++) story.wait(story.openForMs).lives([ALIVE, FAILURE], 0)
    expect(story.state).toBe('open')
    expect(story.now - START).toBeGreaterThan(30 * HOUR)
  })

  it('not for a time in which nobody asked: the crawl was off for a week, or the clock jumped', () => {
    const story = opened()
    for (let n = 0; n < 8; n++) story.wait(story.openForMs).lives([FAILURE], 0)
    story.wait(7 * 24 * HOUR).lives([FAILURE], 0)
    expect(story.state).toBe('open')
  })

  it('nor for a day in which it was parked, just back from an outage', () => {
    const story = opened().wait(10_000).lives([ALIVE, ALIVE], 0)
    story.wait(25 * HOUR).lives([FAILURE, FAILURE], 0)
    for (let n = 0; n < 12; n++) if (story.state === 'open') story.wait(story.openForMs).lives([FAILURE], 0)
    expect(story.state).toBe('open')
    expect(story.now - START).toBeLessThan(40 * HOUR)
  })

  it('nor for a week in which its probe was under way, as far as anybody knows', () => {
    const story = opened()
    for (let n = 0; n < 8; n++) story.wait(story.openForMs).lives([FAILURE], 0)
    const probe = story.wait(story.openForMs).book()
    story.wait(7 * 24 * HOUR).end(probe, FAILURE)
    expect(story.state).toBe('open')
  })

  const givenUp = (): Story => {
    const story = opened()
    while (story.state === 'open') story.wait(story.openForMs).lives([FAILURE], 0)
    return story
  }

  it('and gets a probe when it is requested again later: then somebody revived it', () => {
    const story = givenUp().wait(GIVING_UP_MS)
    expect(holdOf(story.circuit.phase, story.now)).toMatchObject({ notBefore: 0, atMost: 1 })
    expect(story.lives([ALIVE, ALIVE]).state).toBe('closed')
  })

  it('and is given up again at once when that probe fails: a user who revives it daily sends it one request', () => {
    expect(
      givenUp()
        .wait(24 * HOUR)
        .lives([FAILURE], 0).state,
    ).toBe('given-up')
  })
})

it('says what it knows of a host', () => {
  expect(explainCircuit(new Story().lives([FAILURE, FAILURE], 0).circuit, START)).toEqual({
    state: 'closed',
    level: 0,
    failuresInRow: 2,
  })
  expect(explainCircuit(opened().circuit, START)).toEqual({
    state: 'open',
    level: 0,
    cause: 'reset',
    kind: 'failing',
    failingSince: START,
    openUntil: START + 5_500,
  })
})
