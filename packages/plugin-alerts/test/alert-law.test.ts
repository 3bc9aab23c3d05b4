// When alerts begin and end, and which messages that makes.
import { describe, expect, it } from 'vitest'
import { freshAlerts, judgeAlerts, nextAlert, taken, type AlertsMemory, type Reading } from '../src/laws/alert-law.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const START = 1_800_000_000_000
const law = { calmMs: 10 * MINUTE_MS, maxPerHour: 20, targets: ['slack'] }

const on = (subject: string, text = 'why'): Reading => ({ subject, level: 'on', text })
const between = (subject: string): Reading => ({ subject, level: 'between', text: 'why' })

/** One look a minute; returns what is sent, as `state rule subject`, by a target that takes all. */
function looks(memory: AlertsMemory, all: readonly (readonly Reading[] | undefined)[], from = START, rules = law): string[] {
  const sent: string[] = []
  all.forEach((readings, minute) => {
    const now = from + minute * MINUTE_MS
    judgeAlerts(memory, readings === undefined ? {} : { refused: readings }, now, rules)
    for (let alert = nextAlert(memory, 'slack'); alert !== undefined; alert = nextAlert(memory, 'slack')) {
      sent.push(`${minute} ${alert.state} ${alert.subject || alert.text}`)
      taken(memory, alert.id, 'slack', now)
    }
  })
  return sent
}

const times = <Each>(count: number, of: (n: number) => Each): Each[] => Array.from({ length: count }, (_, n) => of(n))

describe('an alert', () => {
  it('is sent once when it begins, and once when it has been over for ten minutes', () => {
    const sent = looks(freshAlerts(), [...times(30, () => [on('a.test')]), ...times(30, () => [])])

    expect(sent).toEqual(['0 begun a.test', '40 ended a.test'])
  })

  it('of a value that wavers around its limit for hours is two messages', () => {
    const wavering = times(300, (n) => (n % 3 === 0 ? [on('a.test')] : n % 3 === 1 ? [between('a.test')] : []))

    expect(looks(freshAlerts(), [...wavering, ...times(20, () => [])])).toEqual(['0 begun a.test', '309 ended a.test'])
  })

  it('does not begin between the limits, and does not end there', () => {
    const sent = looks(freshAlerts(), [[between('a.test')], [on('a.test')], ...times(60, () => [between('a.test')])])

    expect(sent).toEqual(['1 begun a.test'])
  })

  it('stays while its rule cannot be read', () => {
    expect(looks(freshAlerts(), [[on('a.test')], ...times(60, () => undefined)])).toEqual(['0 begun a.test'])
  })

  it('goes on over a restart, as its memory is JSON', () => {
    const memory = freshAlerts()
    looks(memory, [[on('a.test')]])

    const later = JSON.parse(JSON.stringify(memory)) as AlertsMemory
    expect(looks(later, [[on('a.test')], ...times(20, () => [])], START + HOUR_MS)).toEqual(['11 ended a.test'])
  })

  it('waits for a target that has not taken it, and only for that one', () => {
    const memory = freshAlerts()
    judgeAlerts(memory, { refused: [on('a.test')] }, START, { ...law, targets: ['slack', 'email'] })
    const { id = '' } = nextAlert(memory, 'slack') ?? {}

    taken(memory, id, 'slack', START)

    expect([nextAlert(memory, 'slack'), nextAlert(memory, 'email')?.id]).toEqual([undefined, id])
  })
})

describe('messages', () => {
  it('are twenty an hour, and then one that counts the others, which have no end either', () => {
    const hosts = times(60, (n) => on(`host-${n}.test`))
    const sent = looks(freshAlerts(), [...times(80, () => hosts), ...times(20, () => [])])

    expect(sent.slice(0, 20)).toEqual(times(20, (n) => `0 begun host-${n}.test`))
    expect(sent[20]).toBe('60 more and 40 more, which were left out')
    expect(sent.slice(21)).toEqual(times(20, (n) => `90 ended host-${n}.test`))
  })

  it('are kept for a target that is down, forty at most, and the rest is counted', () => {
    const memory = freshAlerts()
    const many = { ...law, maxPerHour: 1_000 }
    judgeAlerts(memory, { refused: times(80, (n) => on(`host-${n}.test`)) }, START, many)
    expect(memory.waiting).toHaveLength(40)

    for (const { id } of memory.waiting) taken(memory, id, 'slack', START)
    judgeAlerts(memory, {}, START + HOUR_MS, many)

    expect(memory.waiting.map(({ text }) => text)).toEqual(['and 40 more, which were left out'])
  })

  it('never fill the memory of the plugin, however long the names and reasons of sites are', () => {
    const memory = freshAlerts()
    const long = (n: number): Reading => on(`${n}.${'x'.repeat(250)}`, `"\u{1b}\n\u202e${'"\\'.repeat(400)}`)
    judgeAlerts(memory, { refused: times(1_000, long) }, START, {
      ...law,
      maxPerHour: 10_000,
      targets: ['slack', 'discord', 'email 2'],
    })

    expect(JSON.stringify([1, memory]).length).toBeLessThan(64 * 1024)
  })
})
