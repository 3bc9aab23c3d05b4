// Sessions that end after so many pages: whichever page is the first behind the end, it is no fault of that page.
import { describe, expect, it } from 'vitest'
import { membersOf, memberSite } from './member-site.ts'

describe('a session that ends', () => {
  // With 20 a page was the first behind the end of three sessions in a row.
  it.each([7, 20, 50])('after %i pages costs no page', async (ends) => {
    const site = memberSite({ ends, pages: 1_200 })
    const { items } = await membersOf(site, { concurrency: 1 })
    expect(items).toEqual(site.paths)
  })

  it('is begun anew, and the page that came back is the first that is requested', async () => {
    const { asked } = await membersOf(memberSite({ ends: 30, pages: 90 }), { concurrency: 1 })
    const logins = asked.flatMap((line, at) => (line === 'GET /welcome' ? [at] : []))
    const first = logins.slice(1).map((at) => [asked[at - 3], asked[at + 1]])
    expect(first.length).toBeGreaterThan(2)
    for (const [before, after] of first) expect(after).toBe(before)
  })
})
