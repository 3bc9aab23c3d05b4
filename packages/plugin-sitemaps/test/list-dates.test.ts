// Dates of sitemaps and feeds: what can be read, and what is taken for none.
import { listDate } from '@avocet/plugin-sitemaps'
import { describe, expect, it, vi } from 'vitest'

const NOON = Date.UTC(2026, 10, 23, 12)

describe('a date of a list', () => {
  it.each([
    ['2026-11-23T12:00:00Z', NOON],
    ['2026-11-23T12:00Z', NOON],
    ['2026-11-23T12:00:00.000+00:00', NOON],
    ['2026-11-23T14:00:00+0200', NOON],
    ['2026-11-23 12:00:00', NOON],
    [' 2026-11-23T12:00:00.123456Z\n', NOON],
    ['Mon, 23 Nov 2026 12:00:00 GMT', NOON],
    ['23 Nov 2026 07:00 EST', NOON],
    ['23 Nov 26 12:00 UT', NOON],
    ['Mon, 23 Nov 2026 12:00:00', NOON],
    ['23 Nov 2026 12:00', NOON],
    ['Mon, 23 Nov 2026 13:00:00 +0100', NOON],
    ['2026-11-23T12:00:00,5Z', NOON],
    ['2026-11-23', Date.UTC(2026, 10, 24)],
    ['2026-11', Date.UTC(2026, 10, 1)],
    ['2026', Date.UTC(2026, 0, 1)],
  ])('is read from %j', (written, at) => {
    expect(listDate(written)).toBe(at)
  })

  it.each(['UTC', 'America/New_York', 'Asia/Kolkata'])('is the same moment on a machine of %s', (zone) => {
    const written = ['Mon, 23 Nov 2026 12:00:00', '23 Nov 2026 12:00', '2026-11-23 12:00:00', 'Mon, 23 Nov 2026 12:00:00 (CET)']
    vi.stubEnv('TZ', zone)

    expect(written.map(listDate)).toEqual([NOON, NOON, NOON, undefined])
    vi.unstubAllEnvs()
  })

  it.each([
    '',
    'now',
    '0',
    '1970-01-01',
    '1970-01-01T00:00:00Z',
    '2026-13-01',
    '2026-02-40',
    '0000-00-00',
    '1763899200',
    '23/11/2026',
    'Mon, 23 Nov 2026 12:00:00 CET',
    '2026-11-23T99:99Z',
    'x'.repeat(100_000),
  ])('is none in %.20j', (written) => {
    expect(listDate(written)).toBeUndefined()
  })
})
