// One Chromium for all tests of a file: to start it takes longer than most of them. What a crawl has open in it ends with the crawl.
import { existsSync } from 'node:fs'
import { afterAll } from 'vitest'
import { launchOf, type Launch, type Launched } from '../src/launch.ts'

/** The browser of these tests. */
export const CHROMIUM = process.env['AVOCET_TEST_CHROMIUM'] ?? '/usr/bin/chromium'
/** Whether it is there: without it these tests are skipped. */
export const hasChromium = existsSync(CHROMIUM)
if (!hasChromium) console.warn(`tests of rendered pages are skipped: no browser at ${CHROMIUM}; apt-get install chromium`)

let running: Promise<Launched> | undefined

/** Starts the one that is shared, again if it is gone. A crawl that closes it closes its contexts. */
export const sharedLaunch: Launch = async () => {
  const before = await running?.catch(() => undefined)
  if (before === undefined || !before.browser.isConnected()) running = launchOf(CHROMIUM)()
  const launched = await running
  if (launched === undefined) throw new Error('expected a browser, got none')
  const { browser } = launched
  const close = async (): Promise<void> => {
    await Promise.all(browser.contexts().map((context) => context.close()))
  }
  const shared = new Proxy(browser, {
    get: (target, name) => (name === 'close' ? close : bound(target, Reflect.get(target, name))),
  })
  return { ...launched, browser: shared }
}

function bound(target: object, value: unknown): unknown {
  return typeof value === 'function' ? (value.bind(target) as unknown) : value
}

afterAll(async () => {
  await (await running)?.browser.close()
})
