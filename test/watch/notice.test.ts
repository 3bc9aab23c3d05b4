// When a break counts as noticed, and what counts as a false alarm.
import { HOUR_MS } from '@avocet/stress/shops'
import { describe, expect, it } from 'vitest'
import { noticed } from '../../bench/watch/notice.ts'

const span = (from: number, until: number): { fromMs: number; untilMs: number } => ({
  fromMs: from * HOUR_MS,
  untilMs: until * HOUR_MS,
})
const BREAK = span(30, 40)
/** Hours of answers that the break spoiled. */
const SPOILED = [30.1, 31.1, 32.1].map((hour) => hour * HOUR_MS)

describe('a break', () => {
  it('is noticed in time within two rounds of the first answer that it spoiled', () => {
    expect(noticed(SPOILED, [span(31.1, 41)], BREAK)).toMatchObject({ isInTime: true, alarms: [] })
    expect(noticed(SPOILED, [span(32.5, 41)], BREAK)).toMatchObject({ isInTime: false, alarms: [] })
    expect(noticed(SPOILED, [], BREAK)).toMatchObject({ isInTime: false, alarms: [] })
  })

  it('that no visit saw says nothing', () => {
    expect(noticed([], [], BREAK).seenAt).toBeUndefined()
  })

  it('is not noticed by an alarm before it, nor by one after it: those are false', () => {
    expect(noticed(SPOILED, [span(10, 12)], BREAK)).toMatchObject({ isInTime: false, alarms: [span(10, 12)] })
    expect(noticed(SPOILED, [span(50, 51)], BREAK)).toMatchObject({ isInTime: false, alarms: [span(50, 51)] })
    expect(noticed(SPOILED, [span(20, 31)], BREAK)).toMatchObject({ isInTime: true, alarms: [span(20, 31)] })
  })
})

describe('a shop without a break', () => {
  it('has false alarms alone', () => {
    expect(noticed([], [span(3, 4), span(9, 9)])).toMatchObject({ alarms: [span(3, 4), span(9, 9)] })
  })
})
