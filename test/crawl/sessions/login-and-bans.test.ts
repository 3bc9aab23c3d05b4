// Pages that come back forbidden because their session has ended are no sign of a ban, whatever the policies make of forbidden pages.
import { polite } from '@avocet/preset-polite'
import { expect, it } from 'vitest'
import { formPage, memberSite, membersOf } from './member-site.ts'

it.each([401, 403])(
  'pages that come back together with %d are requested again as soon as their session is back',
  async (status) => {
    const site = memberSite({
      ends: 10,
      pages: 40,
      answer: (href, isIn) => {
        const { pathname } = new URL(href)
        if (pathname === '/robots.txt') return { status: 404, headers: {}, body: '' }
        return isIn || !/^\/(?:p\d+)?$/.test(pathname) ? undefined : { ...formPage(), status }
      },
    })
    const { report, items } = await membersOf(site, { policies: polite({ rate: 'none' }) })

    expect(items).toEqual(site.paths)
    expect([report.ended, report.counts.failed]).toEqual(['done', 0])
    expect(report.endedAt - report.startedAt).toBeLessThan(10_000)
  },
)
