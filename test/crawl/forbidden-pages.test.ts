// Pages that are logged out whoever asks: they fail alone, and the session of all others goes on.
import { describe, expect, it } from 'vitest'
import { memberSite, membersOf } from './sessions/member-site.ts'

const numberOf = (path: string): number => (/^\/p\d+$/.test(path) ? Number(path.slice(2)) : -1)

describe('pages that always answer 401', () => {
  it.each([1, 2, 3, 4, 5, 8])('%d of them in front do not stop the others', async (forbidden) => {
    const isForbidden = (path: string) => numberOf(path) >= 0 && numberOf(path) < forbidden
    const site = memberSite({ pages: 100, isForbidden })
    const { items, report, asked } = await membersOf(site)

    expect(items.length).toBe(101 - forbidden)
    expect([report.ended, report.counts.failed, report.counts.waiting]).toEqual(['done', forbidden, 0])
    expect(JSON.stringify(report.problems)).not.toContain('login of')
    expect(site.felt.logins).toBeLessThanOrEqual(8)
    expect(asked.filter((what) => what === 'GET /p0').length).toBeLessThanOrEqual(5)
  })

  it.each([1, 5, 10])('%d of them among 100 fail, and nothing else does', async (forbidden) => {
    const isForbidden = (path: string) => numberOf(path) >= 0 && numberOf(path) % (100 / forbidden) === 1
    const { items, report } = await membersOf(memberSite({ pages: 100, isForbidden }))

    expect(items.length).toBe(101 - forbidden)
    expect([report.ended, report.counts.failed, report.counts.waiting]).toEqual(['done', forbidden, 0])
    expect(JSON.stringify(report.problems)).not.toContain('login of')
  })

  it('that is discovered last is settled, and no login is reported as failed', async () => {
    const site = memberSite({ isForbidden: (path) => path === '/p19' })
    const { report } = await membersOf(site)

    expect([report.ended, report.counts.failed, report.counts.waiting]).toEqual(['done', 1, 0])
    expect(JSON.stringify(report.problems)).not.toContain('login of')
    expect(site.felt.logins).toBeLessThanOrEqual(4)
  })

  it('that alone is left for another run is settled there', async () => {
    const site = memberSite({ isForbidden: (path) => path === '/p19' })
    const first = await membersOf(site, { maxPages: 20 })
    site.endSessions()
    const { items, report } = await membersOf(site, { store: first.store })

    expect([items.length, report.ended, report.counts.failed, report.counts.waiting]).toEqual([20, 'done', 1, 0])
  })

  it('are not taken for forbidden where sessions end after a few pages', async () => {
    const site = memberSite({ pages: 100, ends: 4 })
    const { items, report } = await membersOf(site)

    expect([items.length, report.ended, report.counts.failed]).toEqual([101, 'done', 0])
  })

  it('wait where all of them are out since the account was closed', async () => {
    let isOpen = true
    const site = memberSite({ pages: 100, isForbidden: () => !isOpen })
    const first = await membersOf(site, { maxPages: 20 })
    isOpen = false
    const closed = await membersOf(site, { store: first.store })
    isOpen = true
    await first.store.clock.advance(7 * 3_600_000)
    const { items, report } = await membersOf(site, { store: first.store })

    expect([closed.report.ended, closed.report.counts.failed]).toEqual(['patience', 0])
    expect([items.length, report.ended, report.counts.failed]).toEqual([101, 'done', 0])
  })
})
