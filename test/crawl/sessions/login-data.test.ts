// Rendered pages whose data is answered with 401 while the document is there.
import { describe, expect, it } from 'vitest'
import { formPage, memberSite, membersOf, type MemberSite } from './member-site.ts'

/** Documents are there for everybody, and hold no items; `isRefused`: what the data of a page that is in is answered. */
function scriptedSite(ends: number, isRefused: (pathname: string) => boolean = () => false): MemberSite {
  const served = new Map<string, number>()
  return memberSite({
    answer(href, _isIn, headers) {
      const { pathname } = new URL(href)
      if (['/do-login', '/welcome', '/login'].includes(pathname)) return undefined
      const session = headers['cookie'] ?? ''
      const count = (served.get(session) ?? 0) + 1
      served.set(session, count)
      const links = Array.from({ length: 40 }, (_, n) => `<a href="/p${n}">x</a>`).join('')
      const isOut = session === '' || count > ends || isRefused(pathname)
      return { ...formPage(pathname === '/' ? links : 'page'), ...(isOut && { unauthorized: true }) }
    },
  })
}

describe('a page whose data is answered with 401', () => {
  it('is requested again after a new login', async () => {
    const site = scriptedSite(8)
    const { items, asked, report } = await membersOf(site)

    expect(items).toHaveLength(41)
    expect(site.felt.logins).toBeGreaterThanOrEqual(6)
    expect(asked.filter((what) => what.startsWith('GET /p')).length).toBeGreaterThan(40)
    expect(report.problems).toEqual([])
  })

  it.each<[string, (pathname: string) => boolean, number]>([
    ['each page', () => true, 3],
    ['some pages', (pathname) => pathname.endsWith('7'), 7],
  ])('is taken as it is where %s is so also after new logins', async (_which, isRefused, logins) => {
    const site = scriptedSite(Infinity, isRefused)
    const { items, report } = await membersOf(site)

    expect(items).toHaveLength(41)
    expect(site.felt.logins).toBeLessThanOrEqual(logins)
    expect(report.problems.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/^data of https:\/\/members\.test\/p?\d* is answered with 401, also after new logins/),
    )
  })
})
