// Sessions of rendered pages: what the scripts of one leave behind comes back to it, and is never there in another. Skipped where there is no Chromium.
import { crawl, link, spider } from 'avocet'
import { cookies } from '@avocet/plugin-cookies'
import { describe, expect, it } from 'vitest'
import { browserBy } from '../../../packages/fetcher-browser/src/browser.ts'
import { scriptSite, type Route } from '../../../packages/fetcher-browser/test/script-site.ts'
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

  it('is requested again where its data is no longer there, also where the script shows the form itself', async () => {
    const left = new Map<string, number>()
    const form = '<form id=login method=post action=/do-login><input name=user></form>'
    const shop = `<body><script>fetch('/data').then(async (answer) => {
      document.body.innerHTML = answer.ok ? '<b>' + (await answer.text()) + '</b>' : ${JSON.stringify(form)}
    })</script>`
    const routes: Record<string, Route> = {
      '/login': form,
      '/do-login': (_request, response) => {
        const id = `s${left.size + 1}`
        left.set(id, 8)
        response.writeHead(303, { location: '/welcome', 'set-cookie': `sid=${id}; Path=/` }).end()
      },
      '/welcome': '<p>hello',
      '/data': ({ headers }, response) => {
        const id = /sid=(\w+)/.exec(headers.cookie ?? '')?.[1] ?? ''
        const more = left.get(id) ?? 0
        left.set(id, more - 1)
        response.writeHead(more > 0 ? 200 : 401, { 'content-type': 'text/plain' }).end('9.90')
      },
    }
    const paths = Array.from({ length: 20 }, (_, n) => `/p${n}`)
    await using site = await scriptSite({ ...routes, ...Object.fromEntries(paths.map((path) => [path, shop])) })
    const made = crawl({
      spider: spider({
        name: 'prices',
        seeds: paths.map((path) => site.origin + path),
        login: {
          url: `${site.origin}/login`,
          submit: (page) => page.form('#login').fill({ user: 'ann' }).submit(),
          isLoggedOut: () => false,
        },
        handlers: {
          *start(page) {
            yield { price: page.text('b') }
          },
        },
      }),
      policies: [cookies()],
      delayMs: 0,
      browser: browserBy({ rules: [{ match: /\/p\d+$/, waitFor: 'b, form' }] }, { launch: () => sharedLaunch }),
    })

    await made.run()

    const prices: unknown[] = []
    for await (const { price } of made.items() as AsyncIterable<{ price: string }>) prices.push(price)
    expect(prices).toEqual(paths.map(() => '9.90'))
    expect(left.size).toBeGreaterThanOrEqual(3)
  })
})
