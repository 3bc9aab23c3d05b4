// Sessions of rendered pages: what the scripts of one leave behind comes back to it, and is never there in another. Skipped where there is no Chromium.
import { crawl, link, spider } from 'avocet'
import { cookies } from '@avocet/plugin-cookies'
import { describe, expect, it } from 'vitest'
import { browserBy } from '../../../packages/fetcher-browser/src/browser.ts'
import { scriptSite } from '../../../packages/fetcher-browser/test/script-site.ts'
import { hasChromium, sharedLaunch } from '../../../packages/fetcher-browser/test/shared-chromium.ts'

const SHOWS = `document.body.textContent = (document.cookie || 'no cookie') + ', ' + (localStorage.mark ?? 'nothing stored')`

describe.skipIf(!hasChromium)('a rendered page of a named session', { timeout: 60_000 }, () => {
  it('has the cookies that scripts of its session have set, and no cookie or storage of another', async () => {
    await using site = await scriptSite({
      '/set': `<body><script>document.cookie = 'mark=a; path=/'; localStorage.mark = 'a'; ${SHOWS}</script>`,
      '/see': `<body><script>${SHOWS}</script>`,
    })
    const render = { render: 'browser' } as const
    const made = crawl({
      spider: spider({
        name: 'sessions',
        seeds: [{ url: `${site.origin}/set`, session: 'a', ...render }],
        handlers: {
          *start(page) {
            yield { of: 'a, first', text: page.text('body') }
            yield link('/see', { session: 'b', handler: 'other', ...render })
          },
          *other(page) {
            yield { of: 'b', text: page.text('body') }
            yield link('/see', { session: 'a', handler: 'again', ...render })
          },
          *again(page) {
            yield { of: 'a, next', text: page.text('body').split(',')[0] }
          },
        },
      }),
      policies: [cookies()],
      delayMs: 0,
      browser: browserBy({}, { launch: () => sharedLaunch }),
    })

    await made.run()

    const items: unknown[] = []
    for await (const item of made.items()) items.push(item)
    expect(items).toEqual([
      { of: 'a, first', text: 'mark=a, a' },
      { of: 'b', text: 'no cookie, nothing stored' },
      { of: 'a, next', text: 'mark=a' },
    ])
    expect(site.fields.get('/see')?.cookie).toBe('mark=a')
  })
})
