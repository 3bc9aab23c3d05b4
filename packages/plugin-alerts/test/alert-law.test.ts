// When alerts begin and end, and which messages that makes.
import { describe, expect, it } from 'vitest'
import {
  freshAlerts,
  judgeAlerts,
  nextAlert,
  taken,
  type AlertsMemory,
  type Reading,
  type Readings,
} from '../src/laws/alert-law.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const YEAR_MS = 365 * 24 * HOUR_MS
const START = 1_800_000_000_000
const law = { groupIntervalMs: 10 * MINUTE_MS, targets: ['slack'] }

const on = (subject: string, text = 'why'): Reading => ({ subject, level: 'on', text })
const between = (subject: string): Reading => ({ subject, level: 'between', text: 'why' })
const times = <Each>(count: number, of: (n: number) => Each): Each[] => Array.from({ length: count }, (_, n) => of(n))
const hosts = (count: number, from = 0): Reading[] => times(count, (n) => on(`host-${from + n}.test`))

/** What a target that takes all of it is sent at `now`, as `state rule subjects+more`. */
function takeAll(memory: AlertsMemory): string[] {
  const sent: string[] = []
  for (let alert = nextAlert(memory, 'slack'); alert !== undefined; alert = nextAlert(memory, 'slack')) {
    sent.push(`${alert.state} ${alert.rule} ${alert.subjects.join(',')}${alert.more > 0 ? `+${alert.more}` : ''}`.trim())
    taken(memory, alert.id, 'slack')
  }
  return sent
}

/** One look a minute; returns what is sent, with the minute. */
function looks(memory: AlertsMemory, all: readonly Readings[], from = START): string[] {
  return all.flatMap((readings, minute) => {
    judgeAlerts(memory, readings, from + minute * MINUTE_MS, law)
    return takeAll(memory).map((line) => `${minute} ${line}`)
  })
}

const blocked = (...found: Reading[]): Readings => ({ blocked: found })

describe('an alert', () => {
  it('is sent once when it begins, and once when it has been over for ten minutes', () => {
    const sent = looks(freshAlerts(), [...times(30, () => blocked(on('a.test'))), ...times(30, () => blocked())])

    expect(sent).toEqual(['0 begun blocked a.test', '40 ended blocked a.test'])
  })

  it('of a value that wavers around its limit for hours is two messages', () => {
    const wavering = times(300, (n) =>
      n % 3 === 0 ? blocked(on('a.test')) : n % 3 === 1 ? blocked(between('a.test')) : blocked(),
    )

    expect(looks(freshAlerts(), [...wavering, ...times(20, () => blocked())])).toEqual([
      '0 begun blocked a.test',
      '309 ended blocked a.test',
    ])
  })

  it('does not begin between the limits, and does not end there', () => {
    const sent = looks(freshAlerts(), [
      blocked(between('a.test')),
      blocked(on('a.test')),
      ...times(60, () => blocked(between('a.test'))),
    ])

    expect(sent).toEqual(['1 begun blocked a.test'])
  })

  it('stays while its rule cannot be read', () => {
    expect(looks(freshAlerts(), [blocked(on('a.test')), ...times(60, () => ({}))])).toEqual(['0 begun blocked a.test'])
  })

  it('goes on over a restart, as its memory is JSON', () => {
    const memory = freshAlerts()
    looks(memory, [blocked(on('a.test'))])

    const later = JSON.parse(JSON.stringify(memory)) as AlertsMemory
    const sent = looks(later, [blocked(on('a.test')), ...times(20, () => blocked())], START + HOUR_MS)
    expect(sent).toEqual(['11 ended blocked a.test'])
  })

  it('waits for a target that has not taken it, and only for that one', () => {
    const memory = freshAlerts()
    judgeAlerts(memory, blocked(on('a.test')), START, { ...law, targets: ['slack', 'email'] })
    const { id = '' } = nextAlert(memory, 'slack') ?? {}

    taken(memory, id, 'slack')

    expect([nextAlert(memory, 'slack'), nextAlert(memory, 'email')?.id]).toEqual([undefined, id])
  })

  it('begins and ends in time after a clock was a year ahead for a while', () => {
    const memory = freshAlerts()
    looks(memory, [blocked(on('a.test'), on('b.test')), blocked(on('b.test'))], START + YEAR_MS)

    const sent = looks(memory, [...times(20, () => blocked(on('b.test'), on('c.test'))), ...times(20, () => blocked())])

    expect(sent).toEqual(['10 ended blocked a.test', '10 begun blocked c.test', '30 ended blocked b.test,c.test'])
    expect(memory.groups['blocked of parts']).toMatchObject({ open: {} })
  })
})

describe('messages', () => {
  it('are one of all hosts of a rule that begin or end in one look', () => {
    const sent = looks(freshAlerts(), [blocked(...hosts(30)), ...times(20, () => blocked())])

    expect(sent).toEqual([
      '0 begun blocked host-0.test,host-1.test,host-2.test+27',
      '11 ended blocked host-0.test,host-1.test,host-2.test+27',
    ])
  })

  it('say why of the host that is named first', () => {
    const memory = freshAlerts()
    judgeAlerts(memory, blocked(on('a.test', 'forbidden'), on('b.test', 'a captcha')), START, law)

    expect(nextAlert(memory, 'slack')).toEqual({
      ...{ id: `begun ${START} blocked a.test`, state: 'begun', rule: 'blocked', subjects: ['a.test', 'b.test'], more: 0 },
      ...{ since: START, at: START, text: 'a.test: forbidden' },
    })
  })

  it('of a rule follow each other after ten minutes, and tell of all hosts since', () => {
    const sent = looks(
      freshAlerts(),
      times(31, (n) => blocked(...hosts(n + 1))),
    )

    expect(sent).toEqual([
      '0 begun blocked host-0.test',
      '10 begun blocked host-1.test,host-2.test,host-3.test+7',
      '20 begun blocked host-11.test,host-12.test,host-13.test+7',
      '30 begun blocked host-21.test,host-22.test,host-23.test+7',
    ])
  })

  it('of the whole crawl go first, and wait for no room, however many hosts are in trouble', () => {
    const memory = freshAlerts()
    judgeAlerts(memory, { blocked: hosts(500), refusedRatio: hosts(500) }, START, law)
    const all = { blocked: hosts(600), refusedRatio: [...hosts(600), on('')], paused: [on('')], failed: [on('')] }

    judgeAlerts(memory, all, START + MINUTE_MS, law)

    expect(takeAll(memory)).toEqual([
      'begun refusedRatio',
      'begun paused',
      'begun failed',
      'begun blocked host-0.test,host-1.test,host-2.test+497',
      'begun refusedRatio host-0.test,host-1.test,host-2.test+497',
    ])
  })

  it('are kept for a target that is down, the last three of each kind', () => {
    const memory = freshAlerts()
    judgeAlerts(memory, { paused: [on('')] }, START, law)
    const days = times(10, (n) => START + n * HOUR_MS)
    days.forEach((now, n) => judgeAlerts(memory, blocked(...hosts(n + 1)), now, law))

    expect(takeAll(memory)).toEqual([
      'begun paused',
      'begun blocked host-7.test',
      'begun blocked host-8.test',
      'begun blocked host-9.test',
    ])
  })

  it('never fill the memory of the plugin, however long the names and reasons of sites are', () => {
    const memory = freshAlerts()
    const long = (n: number): Reading => on(`${n}.${'x'.repeat(250)}`, `"\u{1b}\n\u202e${'"\\'.repeat(400)}`)
    const all = (from: number): Readings => ({
      ...Object.fromEntries(
        ['broken', 'blocked', 'givenUp', 'refusedRatio'].map((rule) => [rule, times(1_000, (n) => long(from + n))]),
      ),
      ...Object.fromEntries(['lateRatio', 'paused', 'failed'].map((rule) => [rule, [on('', 'x'.repeat(400))]])),
      ...Object.fromEntries(['sinkBehindItems', 'sinkFailsMs'].map((rule) => [rule, times(20, (n) => long(n))])),
    })
    const few = { ...law, targets: ['slack', 'discord', 'email 2'] }

    for (let look = 0; look < 20; look++) judgeAlerts(memory, look % 2 === 0 ? all(look) : {}, START + look * HOUR_MS, few)

    expect(JSON.stringify([1, memory]).length).toBeLessThan(64 * 1024)
  })
})
