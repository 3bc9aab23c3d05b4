// The hours in which a host may be visited, by the clock of its zone.
import { describe, expect, it } from 'vitest'
import { minutesOf, openingAt, visitAt, type Hours } from '../src/hours-law.ts'

const BERLIN = 'Europe/Berlin'

function hours(from: string, to: string, timeZone = BERLIN): Hours {
  return { from: minutesOf(from) ?? 0, to: minutesOf(to) ?? 0, timeZone }
}

/** The opening that lasts at `moment`, or the next one. */
function opening(of: Hours, moment: string): readonly string[] {
  const { opensAt, closesAt } = openingAt(of, Date.parse(moment))
  return [opensAt, closesAt].map((at) => new Date(at).toISOString().slice(0, 16))
}

describe('the opening of a window', () => {
  it.each([
    ['is the next one', '09:00', '17:00', '2026-01-15T05:00Z', '2026-01-15T08:00', '2026-01-15T16:00'],
    ['is the present one', '09:00', '17:00', '2026-01-15T12:00Z', '2026-01-15T08:00', '2026-01-15T16:00'],
    ['has ended at its end', '09:00', '17:00', '2026-01-15T16:00Z', '2026-01-16T08:00', '2026-01-16T16:00'],
    ['goes over midnight', '20:00', '08:00', '2026-01-15T01:00Z', '2026-01-14T19:00', '2026-01-15T07:00'],
    ['ends with the day', '20:00', '24:00', '2026-01-15T12:00Z', '2026-01-15T19:00', '2026-01-15T23:00'],
    ['begins at the jump over its beginning', '02:30', '08:00', '2026-03-29T00:00Z', '2026-03-29T01:00', '2026-03-29T06:00'],
    ['ends at the jump over its end', '20:00', '02:30', '2026-03-28T22:00Z', '2026-03-28T19:00', '2026-03-29T01:00'],
    [
      'begins the second time its beginning is shown',
      '02:30',
      '08:00',
      '2026-10-24T22:00Z',
      '2026-10-25T01:30',
      '2026-10-25T07:00',
    ],
    ['ends the first time its end is shown', '20:00', '02:30', '2026-10-24T22:00Z', '2026-10-24T18:00', '2026-10-25T00:30'],
    ['does not come again with the hour', '20:00', '02:30', '2026-10-25T00:45Z', '2026-10-25T19:00', '2026-10-26T01:30'],
    ['is not on a day that skips it', '02:10', '02:40', '2026-03-28T22:00Z', '2026-03-30T00:10', '2026-03-30T00:40'],
    ['is an hour longer on a day of 25 hours', '20:00', '08:00', '2026-10-24T22:00Z', '2026-10-24T18:00', '2026-10-25T07:00'],
  ])('%s', (_title, from, to, moment, opensAt, closesAt) => {
    expect(opening(hours(from, to), moment)).toEqual([opensAt, closesAt])
  })

  it.each([
    ['Asia/Kolkata', '2026-01-15T14:30', '2026-01-16T02:30'],
    ['America/St_Johns', '2026-01-15T23:30', '2026-01-16T11:30'],
    ['Pacific/Kiritimati', '2026-01-15T06:00', '2026-01-15T18:00'],
    ['Pacific/Pago_Pago', '2026-01-15T07:00', '2026-01-15T19:00'],
    ['UTC', '2026-01-15T20:00', '2026-01-16T08:00'],
  ])('goes by the clock of %s', (timeZone, opensAt, closesAt) => {
    const found = opening(hours('20:00', '08:00', timeZone), opensAt + 'Z')

    expect(found).toEqual([opensAt, closesAt])
  })

  it('is the same whichever moment it was asked about before', () => {
    const of = hours('20:00', '08:00')
    const asked = ['2026-01-15T12:00Z', '2026-01-16T12:00Z', '2026-01-15T12:00Z'].map((moment) => opening(of, moment)[0])

    expect(asked).toEqual(['2026-01-15T19:00', '2026-01-16T19:00', '2026-01-15T19:00'])
  })

  it('never lasts while the clock shows a time outside of the window, and is on each day but two of a year', () => {
    const of = hours('02:15', '02:45')
    const clock = new Intl.DateTimeFormat('en-GB', { timeZone: BERLIN, hour: '2-digit', minute: '2-digit' })
    const from = Date.parse('2026-01-01T00:00Z')
    const open = Array.from({ length: 365 * 96 }, (_, n) => from + n * 900_000).filter((at) => openingAt(of, at).opensAt <= at)

    expect(open.filter((at) => !['02:15', '02:30'].includes(clock.format(at)))).toEqual([])
    expect(open).toHaveLength(2 * (365 - 2))
  })
})

describe('a visit', () => {
  const of = hours('20:00', '08:00')
  const noon = Date.parse('2026-01-15T11:00Z')
  const opensAt = Date.parse('2026-01-15T19:00Z')
  const visits = Array.from({ length: 800 }, (_, n) => visitAt(of, noon, `shop${n}.test`) - opensAt)

  it('of one of 800 hosts begins by chance within the first ten minutes', () => {
    const minutes = visits.map((ms) => Math.floor(ms / 60_000))

    expect([Math.min(...minutes), Math.max(...minutes)]).toEqual([0, 9])
    for (let minute = 0; minute < 10; minute++) expect(minutes.filter((each) => each === minute).length).toBeGreaterThan(50)
  })

  it('begins at another moment each day', () => {
    const tomorrow = visitAt(of, noon + 86_400_000, 'shop1.test') - opensAt - 86_400_000

    expect(tomorrow).not.toBe(visits[1])
  })

  it('may begin at once later in the window, but not in its last half minute', () => {
    const closesAt = Date.parse('2026-01-16T07:00Z')

    expect(visitAt(of, closesAt - 30_001, 'shop1.test')).toBeLessThan(closesAt - 30_001)
    expect(visitAt(of, closesAt - 30_000, 'shop1.test')).toBeGreaterThan(closesAt)
  })

  it('of a window of a minute begins in its first six seconds', () => {
    expect(visitAt(hours('12:00', '12:01'), noon - 60_000, 'shop1.test') - noon).toBeLessThan(6_000)
  })
})

describe('a time of the day', () => {
  it.each(['24:01', '7:00', '12:60', '12', '', '12:00:00', '-1:00'])('is not %s', (text) => {
    expect(minutesOf(text)).toBeUndefined()
  })
})
