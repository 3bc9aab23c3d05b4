// Where a login finds its form, and where the site sends logged-out requests: spelled in another way than in the configuration.
import { expect, it } from 'vitest'
import { FORM, formPage, memberSite, membersOf } from './member-site.ts'

it.each([
  ['https://members.test/login', 'https://members.test/login/'],
  ['http://members.test/login', 'https://members.test/login'],
  ['https://members.test/login', 'https://members.test/Login'],
  ['https://members.test/login', 'https://members.test/login.html'],
  ['https://members.test/login?lang=en', 'https://members.test/login'],
  ['https://members.test/login', 'https://members.test/sso/form'],
])('every page is crawled where the login is %s, and logged-out requests are redirected to %s', async (url, form) => {
  const site = memberSite({ ends: 5, outTo: form, answer: (href) => formAt({ url, form, href }) })
  const { items, report } = await membersOf(site, { url })

  expect(items).toEqual(site.paths)
  expect([report.ended, report.counts.moved ?? 0, report.problems]).toEqual(['done', 0, []])
})

it('every page is crawled where the session ended between two runs', async () => {
  const [url, form] = ['https://members.test/login', 'https://members.test/sso/form']
  const site = memberSite({ ends: 5, outTo: form, answer: (href) => formAt({ url, form, href }) })
  const first = await membersOf(site, { url, maxPages: 3 })
  site.endSessions()
  const { items, report } = await membersOf(site, { url, store: first.store })

  expect(items).toEqual(site.paths)
  expect([report.ended, report.problems]).toEqual(['done', []])
})

it('a form that does not say that it is logged out is filled in', async () => {
  const [url, form] = ['https://members.test/login', 'https://members.test/sso/form']
  const plain = FORM.replace('<p class=out></p>', '')
  const answer = (href: string) => (href.split('?')[0] === form ? formPage(plain) : formAt({ url, form, href }))
  const { items, report } = await membersOf(memberSite({ ends: 5, outTo: form, answer }), { url })

  expect([items.length, report.problems]).toEqual([21, []])
})

it('on a site with one script a page that redirects to another page is followed', async () => {
  const [url, form] = ['https://members.test/login', 'https://members.test/i.php?route=login']
  const site = memberSite({
    ends: 8,
    outTo: form,
    answer(href, isIn) {
      if (href === url) return { status: 302, headers: { location: form }, body: '' }
      if (href.startsWith(form)) return formPage()
      if (isIn && href.endsWith('/p3')) return { status: 302, headers: { location: '/i.php?route=three' }, body: '' }
      if (isIn && href.endsWith('/p4')) return { status: 302, headers: { location: '/i.php?route=four' }, body: '' }
      return undefined
    },
  })
  const { items, report } = await membersOf(site, { url, links: ['/i.php?route=home'] })

  expect(items.filter((path) => path === '/i.php').length).toBe(3)
  expect([report.ended, report.counts.failed, report.counts.waiting]).toEqual(['done', 0, 0])
})

function formAt({ url, form, href }: { readonly url: string; readonly form: string; readonly href: string }) {
  if (href.split('?')[0] === form) return formPage()
  return href === url ? { status: 301, headers: { location: form }, body: '' } : undefined
}
