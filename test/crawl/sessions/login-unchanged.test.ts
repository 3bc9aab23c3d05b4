// A 304 has no body: it says nothing of a login.
import { expect, it } from 'vitest'
import { formPage, memberSite, membersOf } from './member-site.ts'

it('a page that is not modified is not taken for one that is logged out by what only pages of users have', async () => {
  const site = memberSite({
    pages: 10,
    answer(href, isIn, headers) {
      const { pathname } = new URL(href)
      if (pathname === '/welcome') return formPage('<b class=user>')
      if (!isIn || pathname === '/login') return undefined
      if (headers['if-none-match'] === '"1"') return { status: 304, headers: { etag: '"1"' }, body: '' }
      const links = Array.from({ length: 10 }, (_, n) => `<a href="/p${n}">x</a>`).join('')
      const page = formPage(`<b class=user>${pathname === '/' ? links : ''}`)
      return { ...page, headers: { ...page.headers, etag: '"1"' } }
    },
  })
  const { report, asked } = await membersOf(site, {
    login: { isLoggedOut: (page) => page.$('.user').length === 0 },
    recrawl: [{ everyMs: 3_600_000 }],
    maxTimeMs: 4 * 3_600_000 - 10,
  })

  expect([site.felt.logins, report.problems]).toEqual([1, []])
  expect(asked.filter((what) => what === 'GET /p3').length).toBe(4)
})
