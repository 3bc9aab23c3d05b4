// Pages behind a login that are visited again, where the session has ended each time.
import { memoryFrontier } from 'avocet'
import { VirtualClock } from '@avocet/simulator'
import { expect, it } from 'vitest'
import { formPage, memberSite, membersOf, type MemberSite } from './member-site.ts'

const HOUR_MS = 3_600_000

/** Twelve rounds, an hour apart; half an hour after each, all sessions end. */
async function halfADay(site: MemberSite, { url = 'https://members.test/login' } = {}) {
  const store = { clock: new VirtualClock(), frontier: memoryFrontier() }
  const start = store.clock.now()
  for (let n = 0; n < 12; n++) store.clock.at(start + (n + 0.5) * HOUR_MS, () => site.endSessions())
  return membersOf(site, { store, url, recrawl: [{ everyMs: HOUR_MS }], maxTimeMs: 12 * HOUR_MS - 1_000 })
}

it.each([1, 20])('the first of %d pages of each round has a visit in each round', async (pages) => {
  const { items, report } = await halfADay(memberSite({ pages }))

  expect(items.filter((path) => path === '/').length).toBe(12)
  expect([items.length, report.counts.failed]).toEqual([12 * (pages + 1), 0])
})

it('a front page with the form of the login is handled as its user sees it', async () => {
  const site = memberSite({
    answer: (href, isIn) => (new URL(href).pathname === '/' && !isIn ? formPage() : undefined),
    pages: 3,
  })
  const { items, report } = await halfADay(site, { url: 'https://members.test/' })

  expect([items.length, site.felt.logins, report.counts.failed]).toEqual([12 * 4, 12, 0])
})

it('a page with a form that its user sees as well is handled, after one login at most', async () => {
  const site = memberSite({ pages: 3 })
  const { items } = await membersOf(site, { links: ['/login'] })

  expect(items).toEqual(['/', '/login', '/p0', '/p1', '/p2'])
  expect(site.felt.logins).toBe(2)
})
