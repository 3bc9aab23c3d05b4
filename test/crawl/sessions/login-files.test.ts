// Files behind a login: a page that comes in place of one says that the session has ended.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crawl, spider, type Page } from 'avocet'
import type { SavedBody } from '@avocet/core/plugin'
import type { Fetcher } from '@avocet/core/store'
import { cookies } from '@avocet/plugin-cookies'
import { file, files } from '@avocet/plugin-files'
import { VirtualClock } from '@avocet/simulator'
import { expect, it, onTestFinished } from 'vitest'
import { FORM, formPage, memberSite, type SiteAnswer } from './member-site.ts'

/** The site, whose bodies are saved where that is wished. */
function savingFetcher(clock: VirtualClock, answer: (request: Parameters<Fetcher['fetch']>[0]) => SiteAnswer): Fetcher {
  return {
    fetch(request, receiver) {
      receiver.sent()
      clock.at(clock.now() + 20, () => {
        const { status, headers, body: text } = answer(request)
        const body = new TextEncoder().encode(text)
        const wish = receiver.headers({ status, headers })
        const timings = { firstByteMs: 20, bodyMs: 0, reusedSocket: false }
        const came = { url: request.url, status, headers, wireBytes: body.length, timings }
        const saves = status === 200 && request.save?.accepts({ status, headers }) === 'save'
        if (!saves) return receiver.done({ ...came, body: wish === 'read' ? body : new Uint8Array() })
        const hold = clock.hold('a file')
        request.save?.write(body)
        request.save?.end((saved) => {
          hold[Symbol.dispose]()
          receiver.done({ ...came, body: new Uint8Array(), saved: saved as SavedBody })
        })
      })
      return () => {}
    },
    close: async () => {},
  }
}

it('all of them are saved where the session ends on the way, with status 200', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'avocet-files-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const clock = new VirtualClock()
  const site = memberSite({
    ends: 5,
    answer: (href, isIn) => (isIn || /login|welcome/.test(new URL(href).pathname) ? undefined : formPage()),
  })
  const members = spider({
    name: 'members',
    seeds: ['https://members.test/'],
    login: {
      url: 'https://members.test/login',
      submit: (page: Page) => page.form('#login').fill({ user: 'ann', password: 'apple' }).submit(),
      isLoggedOut: (page: Page) => page.$('.out').length > 0,
    },
    handlers: {
      *start(page: Page) {
        for (let n = 0; n < 12; n++) yield file(page, `/p${n}`)
      },
    },
  })
  const fetcher = savingFetcher(clock, (request) => {
    const { pathname } = new URL(request.url)
    const answer = site.answer(request, [])
    return answer.body === 'page' ? { status: 200, headers: { 'content-type': 'text/plain' }, body: `file ${pathname}` } : answer
  })
  const plugins = [cookies(), files({ folder })]
  const config = { spider: members, policies: [], plugins, hosts: { '*': { delayMs: 0 } }, clock, fetcher }

  const report = await clock.run(() => crawl(config).run())

  const saved = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const texts = saved.map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
  expect([report.ended, report.counts.failed, texts.length, texts.includes(FORM)]).toEqual(['done', 0, 12, false])
})
