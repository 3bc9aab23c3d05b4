// What a site says about the use of its content is in the report of its host, as it is written.
import type { HostJournal } from '@avocet/plugin-journal'
import { describe, expect, it } from 'vitest'
import { courtesyOf } from '../../src/treatment/courtesy.ts'
import { wishRows } from '../../src/treatment/report-words.ts'

const JOURNAL = { inSecond: 1, inMinute: 1 } as HostJournal

describe('what robots.txt asks by the time of the day', () => {
  it('has a line each', () => {
    const timed = ['Visit-time 0600-0845 UTC', 'Request-rate one in 10 min, 1300-1659 UTC']
    const robots = {
      'https://shop.example': { state: 'rules', last: 200, timed },
      'http://shop.example': { timed: timed.slice(1) },
    }
    const rows = wishRows(courtesyOf(JOURNAL, robots)).filter(({ name }) => /-time|-rate/.test(name))

    expect(rows).toEqual([
      { name: 'Visit-time', words: 'asks for 0600-0845 UTC', isBad: false },
      { name: 'Request-rate', words: 'asks for one in 10 min, 1300-1659 UTC', isBad: false },
    ])
  })
})

describe('a rate for the whole day', () => {
  it('has the name that it has in robots.txt, and is quoted', () => {
    const journal = { ...JOURNAL, gapSinceMs: 6_000 }
    const robots = { 'https://shop.example': { state: 'rules', last: 200, crawlDelayMs: 5_000, requestRate: '1/5' } }
    const rows = wishRows(courtesyOf(journal, robots)).filter(({ name }) => /-delay|-rate/.test(name))

    expect(rows).toEqual([
      {
        name: 'Request-rate',
        words: 'asks for 1/5, one in 5.0 s: obeyed, the smallest gap since that was read is 6.0 s',
        isBad: false,
      },
    ])
  })
})

describe('the report of a host', () => {
  it('says what its robots.txt and its header fields say about the use of its content', () => {
    const robots = {
      'https://shop.example': { state: 'rules', last: 200, preferences: ['Content-Signal: ai-train=no'] },
      declared: ['TDM-Reservation: 1', 7, '\u001b[31mred'],
    }

    const rows = wishRows(courtesyOf(JOURNAL, robots)).filter(({ name }) => name === 'use of content')

    expect(rows.map(({ words }) => words)).toEqual([
      'Content-Signal: ai-train=no (robots.txt of https://shop.example): recorded only',
      'TDM-Reservation: 1 (header field): recorded only',
      expect.stringMatching(/^[ -~]+red \(header field\): recorded only$/),
    ])
  })

  it('says nothing where the site says nothing', () => {
    expect(courtesyOf(JOURNAL, undefined).preferences).toEqual([])
    expect(courtesyOf(JOURNAL, { 'https://shop.example': { state: 'open' }, declared: 'x' }).preferences).toEqual([])
  })
})
