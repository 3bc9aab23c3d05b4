// What keys do to the live view: order, filter, help, pause; and that nothing but a key does it.
import { describe, expect, it } from 'vitest'
import { AnswerHistory } from '../../src/view/answer-history.ts'
import { Pauses } from '../../src/crawl/pauses.ts'
import { frame, roomFor } from '../../src/view/frame.ts'
import { PAUSED_BY_KEY } from '../../src/view/paused-words.ts'
import { HostPicks, type HostLook } from '../../src/view/host-picks.ts'
import { keysIn, NO_WISHES, wishesAfter, type ViewWishes } from '../../src/view/view-wishes.ts'
import { columnsOf } from '../../src/text/columns.ts'
import { hostStatus } from '../crawl/crawl-status.ts'
import { hostRow, scene } from './view-scene.ts'

const NARROW = { columns: 80, rows: 24 }
const T0 = 1_800_000_000_000

/** The wishes after these keys. */
function after(sent: string, from: ViewWishes = NO_WISHES): ViewWishes {
  return keysIn(sent).reduce(wishesAfter, from)
}

describe('a filter that matches no host', () => {
  it.each([80, 160])('is said in place of the table, %i columns wide', (columns) => {
    const wishes = { ...NO_WISHES, filter: 'zzz' }
    const lines = frame(scene({ rows: [], matchingHosts: 0 }), { columns, rows: 24 }, { wishes })

    expect(lines).toContain('no host matches /zzz')
    expect(frame(scene({ rows: [], matchingHosts: 0 }), { columns, rows: 24 }).join()).not.toContain('no host')
  })
})

describe('a key', () => {
  it('goes through the orders of the table, and back', () => {
    const orders = ['', 's', 'ss', 'sss', 'ssss', 'sssss', 'ssssss', 'S'].map((keys) => after(keys).order)

    expect(orders).toEqual(['trouble', 'requests', 'rate', 'errors', 'waiting', 'name', 'trouble', 'name'])
  })

  it('begins a filter, in which each character is text until Enter or Escape', () => {
    expect(after('/shop?p')).toMatchObject({ filter: 'shop?p', isTyping: true, isHelp: false })
    expect(after('/sho\u007fe\r')).toMatchObject({ filter: 'she', isTyping: false })
    expect(after('/shop\r\u001b')).toMatchObject({ filter: '', isTyping: false })
    expect(after('/shop\u001b')).toMatchObject({ filter: '', isTyping: false })
    expect(after('/日本\u007f\r')).toMatchObject({ filter: '日' })
  })

  it('is ignored when it is no character: arrows, function keys, the brackets of a paste', () => {
    expect(after('\u001b[A\u001b[1;5C\u001bOP\u001b[15~')).toBe(NO_WISHES)
    expect(after('/\u001b[200~shop\u001b[201~')).toMatchObject({ filter: 'shop' })
    expect(after(`/${'x'.repeat(1_000)}`).filter).toHaveLength(60)
  })

  it('shows the keys, and hides them again', () => {
    expect(['?', '??', '?\u001b', '?/'].map((keys) => after(keys).isHelp)).toEqual([true, false, false, false])
  })
})

describe('the table', () => {
  const look = (
    hostKey: string,
    numbers: Parameters<typeof hostStatus>[0],
    good = 0,
    phase: HostLook['phase'] = 'running',
  ): [string, HostLook] => {
    const history = new AnswerHistory()
    for (let n = 0; n < good; n++) history.add(T0, true)
    return [
      hostKey,
      { status: hostStatus({ hostKey, ...numbers }), history, values: () => ({}), phase, now: T0, startedAt: T0 - 60_000 },
    ]
  }
  const views = new Map([
    look('b.shop', { answered: 9, failed: 0, waiting: 3 }, 1),
    look('a.shop', { answered: 5, failed: 2, waiting: 7 }, 4),
    look('c.news', { answered: 7, failed: 1, refused: 4, waiting: 5 }, 2),
    look('idle.shop', { answered: 99, waiting: 0 }),
  ])
  const keysOf = (wishes: Partial<ViewWishes>, room = 9) => {
    const { rows, matchingHosts } = new HostPicks().pick(views, { room, now: T0, wishes: { ...NO_WISHES, ...wishes } })
    return [rows.map(({ hostKey }) => hostKey[0]).join(''), matchingHosts]
  }

  it.each([
    ['requests', 'bca'],
    ['rate', 'acb'],
    ['errors', 'cab'],
    ['waiting', 'acb'],
    ['name', 'abc'],
  ] as const)('by %s is in that order', (order, keys) => {
    expect(keysOf({ order })).toEqual([keys, 3])
  })

  it('has only hosts whose name contains the filter, in any case', () => {
    expect(keysOf({ filter: 'SHOP', order: 'name' })).toEqual(['ab', 2])
    expect(keysOf({ filter: 'none' })).toEqual(['', 0])
  })

  it('follows a key at once, not two seconds later', () => {
    const picks = new HostPicks()
    picks.pick(views, { room: 9, now: T0 })
    const { rows } = picks.pick(views, { room: 9, now: T0 + 250, wishes: { ...NO_WISHES, filter: 'news' } })

    expect(rows.map(({ hostKey }) => hostKey)).toEqual(['c.news'])
  })

  it('has as many rows as fit, and says how many hosts it leaves out', () => {
    const rows = Array.from({ length: 40 }, (_, n) => hostRow({ hostKey: `${n}.example` }))
    const many = scene({ rows, matchingHosts: 40 })
    const lines = frame(many, NARROW)

    expect(lines).toHaveLength(23)
    expect(roomFor(NARROW, many)).toBe(13)
    expect(lines.at(-1)).toBe('27 more')
    expect(frame(many, { columns: 160, rows: 60 }, { hasKeys: true }).at(-1)).toBe('? keys')
  })

  it('says below what was wished for, also at 40 columns', () => {
    const below = (wishes: Partial<ViewWishes>, columns = 80): string =>
      frame(scene({ matchingHosts: 5 }), { columns, rows: 24 }, { wishes: { ...NO_WISHES, ...wishes }, hasKeys: true }).at(-1) ??
      ''

    expect(below({ order: 'rate', filter: 'sho' })).toBe('1 more  only /sho (Esc shows all)  by rate  ? keys')
    expect(below({ filter: 'sho', isTyping: true })).toBe('/sho_  5 hosts; Enter keeps it, Esc shows all')
    expect(columnsOf(below({ filter: 'x'.repeat(60), isTyping: true }, 40))).toBeLessThanOrEqual(40)
  })

  it('gives way to the keys where somebody asks for them', () => {
    const lines = frame(scene(), NARROW, { wishes: { ...NO_WISHES, isHelp: true }, hasKeys: true })

    expect(lines).toContain('p  pause this run, or resume it')
    expect(lines.join('\n')).not.toContain('picky.example')
    expect(after('?s')).toMatchObject({ isHelp: false, order: 'requests' })
  })

  it.each([
    [80, 24, 'p s / Ctrl-C'],
    [80, 8, 'p s / Ctrl-C'],
    [50, 12, 'p Ctrl-C'],
    [40, 10, 'p Ctrl-C'],
  ])('names each key that does something at %dx%d, uncut', (columns, rows, keys) => {
    const lines = frame(scene(), { columns, rows }, { wishes: { ...NO_WISHES, isHelp: true }, hasKeys: true })

    expect(lines.length).toBeLessThan(rows)
    for (const key of keys.split(' ')) expect(lines.find((line) => line.startsWith(`${key}  `))).not.toMatch(/…$/)
    expect(lines.filter((line) => /^[s/] {2}/.test(line))).toHaveLength(keys.includes('s') ? 2 : 0)
    expect(lines.at(-1)).toBe('? or Esc  back')
  })

  it('says from which width on the keys of the table do something, where there is none', () => {
    const lines = frame(scene(), { columns: 50, rows: 15 }, { wishes: { ...NO_WISHES, isHelp: true }, hasKeys: true })

    expect(lines).toContain('s /  sort and filter hosts, from 60 columns on')
    expect(lines).not.toContainEqual(expect.stringMatching(/more key/))
  })

  it.each([
    [80, 6, ['p  pause this run, or resume it', 'Ctrl-C  stop; a second time: stop now', '2 more keys; needs 1 more line']],
    [80, 5, ['p  pause this run, or resume it', '3 more keys; needs 2 more lines']],
    [80, 4, ['4 more keys; needs 3 more lines']],
  ])('counts the keys for which %dx%d has no room', (columns, rows, keys) => {
    const lines = frame(scene(), { columns, rows }, { wishes: { ...NO_WISHES, isHelp: true }, hasKeys: true })

    expect(lines.slice(1, -1)).toEqual(keys)
    expect(lines.length).toBeLessThan(rows)
  })

  it('says nothing below of hosts for which the terminal is too narrow', () => {
    const wishes = { ...NO_WISHES, order: 'rate', filter: 'sho' } as const
    expect(frame(scene({ matchingHosts: 9 }), { columns: 50, rows: 12 }, { wishes, hasKeys: true }).at(-1)).toBe('? keys')
  })

  it('calls nobody busy while the crawl is paused, and shows what is in flight while it stops', () => {
    const at = (phase: HostLook['phase']) =>
      new Map([
        look('flies.shop', { inFlight: 1, waiting: 0 }, 1, phase),
        look('waits.shop', { lastDurationMs: 90 }, 1, phase),
        look('fails.shop', { consecutiveFailures: 2 }, 0, phase),
      ])
    const picks = new HostPicks()
    const rows = (phase: HostLook['phase']) =>
      picks.pick(at(phase), { room: 9, now: T0 }).rows.map(({ hostKey, labels }) => `${hostKey} ${labels[0]}`)

    expect(rows('running')).toEqual(['fails.shop failing', 'flies.shop slow', 'waits.shop busy'])
    expect(rows('paused')).toEqual(['fails.shop failing', 'flies.shop slow', 'waits.shop paused'])
    expect(rows('draining')).toEqual(['flies.shop slow'])
  })

  it('calls a host paused that an operator has paused, with an end or without, and shows it beside busy ones', () => {
    const hold = { by: 'operator', why: 'paused' }
    const views = new Map([
      ...Array.from({ length: 9 }, (_, n) => look(`busy-${n}.shop`, { lastDurationMs: 90 }, 5, 'running')),
      look('hour.shop', { lastDurationMs: 9_000, hold: { ...hold, until: T0 + 3_600_000 } }, 1, 'running'),
      look('open.shop', { consecutiveFailures: 2, hold: { ...hold, until: Infinity } }, 1, 'running'),
    ])
    const { rows } = new HostPicks().pick(views, { room: 4, now: T0 })

    expect(rows.map(({ hostKey, labels }) => [hostKey, labels])).toEqual([
      ['busy-0.shop', ['busy']],
      ['busy-1.shop', ['busy']],
      ['hour.shop', ['paused']],
      ['open.shop', ['paused']],
    ])
  })
})

describe('a pause by a key', () => {
  it('and one by slow output do not end each other', () => {
    const told: string[] = []
    const pauses = new Pauses({ pause: (why) => told.push(why), resume: () => told.push('on') })

    pauses.pressed(undefined, () => undefined)
    pauses.pause('output', 'slow')
    pauses.resume('output')
    pauses.resume('output')
    pauses.pressed('user', () => undefined)

    expect(told).toEqual([PAUSED_BY_KEY, PAUSED_BY_KEY, PAUSED_BY_KEY, 'on'])
  })

  it('is not made under an order, which it could not end: a line says what ends that', () => {
    const told: string[] = []
    const said: string[] = []
    const pauses = new Pauses({ pause: (why) => told.push(why), resume: () => told.push('on') })

    pauses.pressed('operator', (line) => said.push(line))

    expect(told).toEqual([])
    expect(said).toEqual([expect.stringMatching(/this run only.* an order .*avocet resume continues it$/)])
  })

  it('is ended by the key also where an order has come meanwhile', () => {
    const told: string[] = []
    const pauses = new Pauses({ pause: (why) => told.push(why), resume: () => told.push('on') })

    const said: string[] = []
    pauses.pressed(undefined, (line) => said.push(line))
    pauses.pressed('operator', (line) => said.push(line))

    expect(told).toEqual([PAUSED_BY_KEY, 'on'])
    // The log has it.
    expect(said).toEqual([`paused ${PAUSED_BY_KEY}`, 'resumed by a key'])
  })
})
