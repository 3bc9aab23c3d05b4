// Orders of operators as one state: whoever joins what, in whatever order, comes to the same.
import { AvocetError } from '@avocet/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isUntilResumed, UNTIL_RESUMED } from '../../src/until-resumed.ts'
import { ControlBook } from '../../src/controls/control-book.ts'
import { MAX_ADDED_SEEDS, type Control } from '../../src/controls/control.ts'
import {
  batchName,
  changesOf,
  controlled,
  controlsIn,
  controlsPart,
  joinedControls,
  NO_CONTROLS,
  withGivenUpChange,
  withOffered,
  type Controls,
} from '../../src/controls/controls.ts'
import { orderedLimits, withoutSpent } from '../../src/controls/host-controls.ts'

const DAY = 86_400_000

const hostKey = fc.constantFrom('a.test', 'b.test', '__proto__')
const control: fc.Arbitrary<Control> = fc.oneof(
  fc.constantFrom<Control>({ kind: 'pause' }, { kind: 'resume' }, { kind: 'stop' }, { kind: 'stop', now: true }),
  fc.record({ kind: fc.constantFrom('pause-host' as const, 'resume-host' as const, 'forget-host' as const), hostKey }),
  fc.record({ kind: fc.constant('limit-host' as const), hostKey, limits: fc.record({ maxRps: fc.constantFrom(1, 2, null) }) }),
  fc.record({
    kind: fc.constant('add' as const),
    seeds: fc.constantFrom([{ url: 'https://a.test/' }], [{ url: 'https://b.test/x' }]),
  }),
)
/** What one of several processes knows: its own orders, some of the same moments as those of others. */
const controls: fc.Arbitrary<Controls> = fc
  .array(fc.tuple(control, fc.integer({ min: 1, max: 5 })), { maxLength: 6 })
  .map((orders) => orders.reduce((known, [order, now]) => controlled(known, order, now), NO_CONTROLS))

describe('orders', () => {
  it('come to the same in any order of joining, and twice is as once', () => {
    fc.assert(
      fc.property(controls, controls, controls, (a, b, c) => {
        expect(joinedControls(a, b)).toEqual(joinedControls(b, a))
        expect(joinedControls(joinedControls(a, b), c)).toEqual(joinedControls(a, joinedControls(b, c)))
        expect(joinedControls(a, joinedControls(a, b))).toEqual(joinedControls(a, b))
      }),
    )
  })

  it('come back from the store as they were written', () => {
    fc.assert(
      fc.property(controls, (known) => {
        expect(controlsIn([controlsPart(known)])).toEqual(joinedControls(known, NO_CONTROLS))
      }),
    )
  })

  it('hold once they are given, whatever was known and however late the clock is', () => {
    const paused = controlled(NO_CONTROLS, { kind: 'pause' }, 1_000)
    const resumed = controlled(paused, { kind: 'resume' }, 10)

    expect(joinedControls(paused, resumed).paused).toEqual({ at: 1_001, value: false })
  })

  it('are nothing where the part is damaged, or of another version', () => {
    for (const text of ['', '{', '[2,{}]', '[1]', 'null']) expect(controlsIn([{ 'core:controls': text }])).toEqual(NO_CONTROLS)
  })

  it('are listed, the last 200 of them', () => {
    const many = Array.from({ length: 250 }).reduce<Controls>(
      (known, _each, n) => controlled(known, { kind: 'pause' }, n),
      NO_CONTROLS,
    )

    expect(many.listed).toHaveLength(200)
    expect(many.listed.at(-1)).toMatchObject({ control: { kind: 'pause' } })
  })
})

describe('limits of a host', () => {
  it('are each of the later order, whoever set the other ones', () => {
    const slow = controlled(NO_CONTROLS, { kind: 'limit-host', hostKey: 'a.test', limits: { maxRps: 0.1 } }, 5)
    const spaced = controlled(NO_CONTROLS, { kind: 'limit-host', hostKey: 'a.test', limits: { delayMs: 2_000 } }, 5)

    expect(orderedLimits(joinedControls(slow, spaced).hosts['a.test'] ?? {})).toEqual({ maxRps: 0.1, delayMs: 2_000 })
  })

  it('are set one by one, and null has one as configured', () => {
    const book = new ControlBook()
    const order = (limits: Extract<Control, { kind: 'limit-host' }>['limits']): void =>
      void book.ordered({ kind: 'limit-host', hostKey: 'a.test', limits }, 0).take()

    order({ maxRps: 2, delayMs: 500 })
    order({ maxRps: null, maxInFlight: 3 })

    expect(book.optionsOf('a.test', { maxRps: 9, ignoreRobots: true })).toEqual({
      maxRps: 9,
      ignoreRobots: true,
      delayMs: 500,
      maxInFlight: 3,
    })
    expect(book.optionsOf('b.test', { maxRps: 9 })).toEqual({ maxRps: 9 })
  })
})

describe('an order to stop now', () => {
  it('is not overruled by one to stop that comes within the same moment', () => {
    const now = controlled(NO_CONTROLS, { kind: 'stop', now: true }, 1_000)

    expect(controlled(now, { kind: 'stop' }, 1_500).stop?.value).toBe('now')
    expect(controlled(now, { kind: 'stop' }, 60_000).stop?.value).toBe('gently')
  })
})

describe('seeds that were added', () => {
  it('are listed without what may be a secret in them', () => {
    const url = 'https://user:word@shop.test/a?token=SECRET#part'
    const { listed } = controlled(NO_CONTROLS, { kind: 'add', seeds: [{ url }] }, 7)

    expect(JSON.stringify(listed)).not.toMatch(/word|SECRET|part/)
    expect(listed[0]?.control).toEqual({ kind: 'add', seeds: [{ url: 'https://shop.test/a' }] })
  })

  it('are pending until they are known to be offered, also where an old copy is joined again', () => {
    const added = controlled(NO_CONTROLS, { kind: 'add', seeds: [{ url: 'https://shop.test/a?b' }] }, 7)
    const offered = withOffered(added, added.seeds.map(batchName))

    expect(added.seeds).toEqual([{ at: 7, value: [{ url: 'https://shop.test/a?b' }] }])
    expect(joinedControls(added, offered)).toMatchObject({ seeds: [], origins: ['https://shop.test'] })
  })
})

describe('two batches of one moment', () => {
  it('are two: that one was offered says nothing of the other', () => {
    const [a, b] = ['https://a.test/', 'https://b.test/'].map((url) =>
      controlled(NO_CONTROLS, { kind: 'add', seeds: [{ url }] }, 7),
    )
    const offered = withOffered(a ?? NO_CONTROLS, (a ?? NO_CONTROLS).seeds.map(batchName))

    expect(joinedControls(offered, b ?? NO_CONTROLS).seeds).toEqual([{ at: 7, value: [{ url: 'https://b.test/' }] }])
  })
})

describe('what is new', () => {
  it('names the hosts, the batches and the stop that are later than what was known', () => {
    const before = controlled(controlled(NO_CONTROLS, { kind: 'stop' }, 1), { kind: 'pause-host', hostKey: 'a.test' }, 2)
    const after = [
      { kind: 'pause-host', hostKey: 'b.test' },
      { kind: 'add', seeds: [{ url: 'https://c.test/' }] },
    ].reduce((known, order) => controlled(known, order as Control, 3), before)

    expect(changesOf(before, after)).toEqual({
      isPauseNew: false,
      hosts: ['b.test'],
      seeds: [{ at: 4, value: [{ url: 'https://c.test/' }] }],
      origins: ['https://c.test'],
      givenUp: 0,
    })
    const dropped = withGivenUpChange(after, { kind: 'given-up', done: 'dropped', pages: 5, settled: 2 }, 9)
    expect(changesOf(after, dropped)).toMatchObject({ givenUp: 2 })
    expect(changesOf(dropped, joinedControls(dropped, after))).toMatchObject({ givenUp: 0 })
    expect(changesOf(after, controlled(after, { kind: 'stop', now: true }, 9))).toMatchObject({
      stop: 'now',
      hosts: [],
      seeds: [],
    })
  })
})

describe('the sites of added seeds', () => {
  it('are new to a process that hears of a batch once another one has offered it', () => {
    const added = controlled(NO_CONTROLS, { kind: 'add', seeds: [{ url: 'https://new.test/a' }] }, 1)
    const offered = withOffered(added, added.seeds.map(batchName))

    expect(changesOf(NO_CONTROLS, joinedControls(NO_CONTROLS, offered))).toMatchObject({
      seeds: [],
      origins: ['https://new.test'],
    })
    expect(changesOf(added, offered)).toMatchObject({ origins: [] })
  })

  it('are refused beyond as many as there may be, and none of them is lost', () => {
    const urls = Array.from({ length: 20_001 }, (_, n) => ({ url: `https://${n}.test/` }))
    let controls = NO_CONTROLS
    for (let from = 0; from < 20_000; from += 1_000) {
      controls = controlled(controls, { kind: 'add', seeds: urls.slice(from, from + 1_000) }, from)
      controls = withOffered(controls, controls.seeds.map(batchName))
    }

    expect(() => controlled(controls, { kind: 'add', seeds: urls.slice(20_000) }, 99_999)).toThrow(
      'expected at most 20000 sites of added URLs in one crawl, got 20001',
    )
    expect(controls.origins).toHaveLength(20_000)
  })
})

describe('orders that a process has carried out', () => {
  it('are written up to the first that was not: its host is woken by the next run', () => {
    const resumed = ['early.test', 'late.test', 'last.test'].reduce(
      (controls, hostKey, n) => controlled(controls, { kind: 'resume-host', hostKey }, 1_000 * (n + 1)),
      NO_CONTROLS,
    )
    const book = new ControlBook()
    book.hears([controlsPart(resumed)])

    expect(book.carriedOut(new Map([['late.test', 2_000]]))).toBe(undefined)
    expect(book.wakeable).toEqual(['early.test', 'late.test', 'last.test'])
    book.carriedOut(new Map([['early.test', 1_000]]))?.take()
    expect(book.wakeable).toEqual(['last.test'])
    // Another order came while that one was carried out.
    book.ordered({ kind: 'pause-host', hostKey: 'last.test' }, 4_000).take()
    book.carriedOut(new Map([['last.test', 3_000]]))?.take()
    expect(book.wakeable).toEqual(['last.test'])
    book.carriedOut(new Map([['last.test', 4_000]]))?.take()
    expect(book.wakeable).toEqual([])
  })
})

describe('the moment of a pause without an end', () => {
  it('is that one also where a clock that was ahead has moved it', () => {
    expect([UNTIL_RESUMED, UNTIL_RESUMED - 365 * 86_400_000, Infinity, Date.now()].map(isUntilResumed)).toEqual([
      true,
      true,
      false,
      false,
    ])
  })
})

/** So many hosts that room is made for one more. */
function crowd(at: number): Controls['hosts'] {
  return Object.fromEntries(Array.from({ length: 9_998 }, (_each, n) => [`h${n}.test`, { pausedUntil: { at, value: 0 } }]))
}

describe('an order that was taken out to make room', () => {
  /** What a process knew that died before the host was resumed, and the limit lifted. */
  const stale = [
    { kind: 'pause-host', hostKey: 'a.test' },
    { kind: 'limit-host', hostKey: 'a.test', limits: { maxRps: 0.1 } },
    { kind: 'forget-host', hostKey: 'b.test' },
  ] as const satisfies readonly Control[]
  const old = stale.reduce<Controls>((known, order) => controlled(known, order, 50), NO_CONTROLS)
  const lifted = [
    { kind: 'resume-host', hostKey: 'a.test' },
    { kind: 'limit-host', hostKey: 'a.test', limits: { maxRps: null } },
  ] as const satisfies readonly Control[]
  const known = lifted.reduce<Controls>((all, order) => controlled(all, order, 100), {
    ...old,
    hosts: { ...old.hosts, ...crowd(60) },
    carriedOut: 200,
  })
  const order = { kind: 'pause-host', hostKey: 'one.more' } as const

  it('does not come back from the copy of a process that died', () => {
    const after = joinedControls(controlled(known, order, DAY), old)

    expect(Object.keys(after.hosts)).toEqual(['one.more'])
    expect(joinedControls(old, controlled(known, order, DAY))).toEqual(after)
    expect(changesOf(old, after).hosts).toEqual(['one.more'])
  })

  it('takes no other one with it: those that hold, and those that came since, stay in any order of joining', () => {
    const held = controlled(known, { kind: 'pause-host', hostKey: 'h1.test' }, 90)
    const pruned = controlled(held, order, DAY)
    const elsewhere = controlled(held, { kind: 'resume-host', hostKey: 'a.test' }, DAY + 5)
    const again = controlled(old, { kind: 'pause-host', hostKey: 'c.test' }, DAY + 1)

    expect(joinedControls(pruned, old).hosts['h1.test']?.pausedUntil?.value).toBe(UNTIL_RESUMED)
    const all = joinedControls(joinedControls(pruned, elsewhere), again)
    expect(Object.keys(all.hosts).toSorted()).toEqual(['a.test', 'c.test', 'h1.test', 'one.more'])
    expect(joinedControls(again, joinedControls(elsewhere, pruned))).toEqual(all)
    expect(joinedControls(joinedControls(again, pruned), elsewhere)).toEqual(all)
  })

  it('is one of an hour ago, which was carried out: the others stay', () => {
    const another = { kind: 'forget-host', hostKey: 'h7.test' } as const
    const young = controlled(known, another, 1_000)
    const waiting = controlled({ ...known, carriedOut: 55 }, another, DAY)

    expect(Object.keys(young.hosts)).toHaveLength(10_000)
    expect(Object.keys(waiting.hosts).toSorted().slice(0, 2)).toEqual(['a.test', 'h0.test'])
    expect(Object.keys(controlled(known, another, DAY).hosts)).toEqual(['h7.test'])
  })

  it('is missed by nobody: what holds is what would hold had nothing been left out, whoever died with whichever copy', () => {
    const ordered = fc.record({
      kind: fc.constantFrom('pause-host' as const, 'resume-host' as const),
      hostKey: fc.constantFrom('a.test', 'b.test'),
    })
    const limited = fc.record({
      kind: fc.constant('limit-host' as const),
      hostKey: fc.constantFrom('a.test', 'b.test'),
      limits: fc.record({ maxRps: fc.constantFrom(1, null) }),
    })
    const step = fc.record({
      by: fc.nat(2),
      waitMs: fc.constantFrom(1, 2 * 3_600_000),
      order: fc.option(fc.oneof(ordered, limited)),
    })
    const holding = ({ hosts }: Controls) =>
      ['a.test', 'b.test'].map((name) => [(hosts[name]?.pausedUntil?.value ?? 0) > 0, orderedLimits(hosts[name] ?? {})])

    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        let now = DAY
        let whole = NO_CONTROLS
        const copies = [NO_CONTROLS, NO_CONTROLS, NO_CONTROLS]
        for (const { by, waitMs, order: given } of steps) {
          now += waitMs
          const read = copies.reduce(joinedControls)
          if (given !== null) whole = controlled(whole, given, now)
          copies[by] =
            given === null ? { ...read, ...withoutSpent(read, { carriedOut: now, now }) } : controlled(read, given, now)
        }
        const [a = NO_CONTROLS, b = NO_CONTROLS, c = NO_CONTROLS] = copies
        const all = joinedControls(joinedControls(a, b), c)

        expect(holding(all)).toEqual(holding(whole))
        expect(joinedControls(c, joinedControls(b, a))).toEqual(all)
        expect(joinedControls(joinedControls(c, a), b)).toEqual(all)
      }),
      { numRuns: 500 },
    )
  })
})

describe('an order that nobody can carry out', () => {
  it.each<[Control, string]>([
    [{ kind: 'pause-host', hostKey: '' }, 'the name of a host'],
    [{ kind: 'pause-host', hostKey: 'https://shop.example/' }, 'the name of a host'],
    [{ kind: 'pause-host', hostKey: 'a.test', until: Number.NaN }, 'a moment in epoch ms'],
    [{ kind: 'pause-host', hostKey: 'a.test', until: 9e15 }, 'before the year 5000'],
    [{ kind: 'limit-host', hostKey: 'a.test', limits: { delayMs: 1e17 } }, 'a year at most'],
    [{ kind: 'limit-host', hostKey: 'a.test', limits: { maxRps: 1e-306 } }, 'at least one request a year'],
    [{ kind: 'limit-host', hostKey: 'a.test', limits: {} }, 'a limit to set'],
    [{ kind: 'limit-host', hostKey: 'a.test', limits: { maxRps: 0 } }, 'a positive number of requests per second'],
    [{ kind: 'limit-host', hostKey: 'a.test', limits: { maxInFlight: 1.5 } }, 'a whole number of requests'],
    [{ kind: 'limit-host', hostKey: 'a.test', limits: { delayMs: -1 } }, '0 or more ms'],
    [{ kind: 'add', seeds: [] }, `1 to ${MAX_ADDED_SEEDS} URLs`],
    [{ kind: 'add', seeds: [{ url: 'javascript:alert(1)' }] }, 'absolute http(s) URLs'],
  ])('%j is refused: expected %s', (order, expected) => {
    expect(() => controlled(NO_CONTROLS, order, 0)).toThrow(AvocetError)
    expect(() => controlled(NO_CONTROLS, order, 0)).toThrow(expected)
  })

  it('takes the place of hosts of which nothing holds any more', () => {
    const hosts = Object.fromEntries(
      Array.from({ length: 10_000 }, (_each, n) => [`h${n}.test`, { pausedUntil: { at: 1, value: DAY + n } }]),
    )
    const after = controlled({ ...NO_CONTROLS, hosts, carriedOut: 1 }, { kind: 'pause-host', hostKey: 'one.more' }, DAY + 9_000)

    expect(Object.keys(after.hosts)).toHaveLength(1_000)
    expect(after.hosts).toHaveProperty('one.more')
  })

  it('is refused where more URLs wait to be added than a run takes at once', () => {
    const seeds = Array.from({ length: MAX_ADDED_SEEDS }, (_each, n) => ({ url: `https://a.test/${n}` }))
    const pending = Array.from({ length: 20 }).reduce<Controls>(
      (known) => controlled(known, { kind: 'add', seeds }, 0),
      NO_CONTROLS,
    )

    expect(() => controlled(pending, { kind: 'add', seeds }, 0)).toThrow('expected at most 20000 added URLs')
  })

  it('is refused where it is one host too many', () => {
    const hosts = Object.fromEntries(
      Array.from({ length: 10_000 }, (_each, n) => [`h${n}.test`, { maxRps: { at: 1, value: 1 } }]),
    )

    expect(() => controlled({ ...NO_CONTROLS, hosts }, { kind: 'forget-host', hostKey: 'one.more' }, 0)).toThrow(
      'at most 10000 hosts with orders',
    )
  })
})
