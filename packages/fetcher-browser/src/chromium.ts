// One browser process, started when the first page is to be rendered, and its contexts: each belongs to a site and a session, and builds one page at a time.
//
// A context keeps the scripts and style sheets of its site, so that these are loaded once and not with every page. It is given up after a number of pages, as
// the browser itself is, for both grow. A browser that crashed, or does not react, is killed: the pages in it go back to the crawl, uncounted, and the next one
// starts another.
import { randomUUID } from 'node:crypto'
import { messageOf, type Clock } from '@avocet/core/store'
import type { Browser as Process, BrowserContext, BrowserType } from 'playwright-core'
import { missing } from './executable.ts'
import type { Guard } from './guard.ts'
import { ignored, unlessLate } from './unless-late.ts'

/** Pages of a context, and of a browser, before it makes way for a new one. */
const PAGES_OF_A_CONTEXT = 50
const PAGES_OF_A_BROWSER = 1_000
/** For a browser to start. */
const START_MS = 30_000
/** For a context, or a browser, to close. Beyond that the browser is killed. */
const CLOSE_MS = 10_000
/** A browser that did not start so many times in a row will not. */
const MAX_STARTS = 3

/**
 * Nothing that a page has not asked for, no way around the proxy, and no protocol that the proxy does not speak. Without `--disable-features`, of which
 * the last counts:
 * Playwright has a list of its own, which keeps Chromium from requesting https where the page says http.
 */
const FLAGS = [
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-domain-reliability',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--no-first-run',
  '--no-pings',
  '--dns-prefetch-disable',
]

/** Whose pages a context builds. */
export interface ContextOwner {
  /** Origin and session: what is kept of one is not seen by another. */
  readonly key: string
  readonly userAgent: string
  /** The `accept-language` field, where there is one. */
  readonly language: string | undefined
}

/** A context in use. */
export interface Lent {
  /** For the proxy. */
  readonly name: string
  readonly context: BrowserContext
  /** Whether the browser is still there. */
  isAlive(): boolean
  /** Gives it back; `broken`: what it holds cannot be trusted to end by itself. */
  giveBack(state: 'sound' | 'broken'): Promise<void>
}

interface Kept {
  readonly name: string
  readonly key: string
  readonly context: BrowserContext
  readonly process: Running
  pages: number
}

interface Running {
  readonly browser: Process
  /** Of its main process, which leads a group of its own. */
  readonly pid: number | undefined
  pages: number
  open: number
}

/** The browser of a crawl. */
export class Chromium {
  readonly #guard: Guard
  readonly #executablePath: string | undefined
  readonly #maxIdle: number
  readonly #clock: Clock
  /** Least recently used first. */
  readonly #idle: Kept[] = []
  #running: Promise<Running> | undefined
  #failedStarts = 0
  #isClosed = false

  constructor(
    guard: Guard,
    {
      executablePath,
      maxIdle,
      clock,
    }: { readonly executablePath: string | undefined; readonly maxIdle: number; readonly clock: Clock },
  ) {
    this.#guard = guard
    this.#executablePath = executablePath
    this.#maxIdle = maxIdle
    this.#clock = clock
  }

  /** A context for a page of `owner`. Throws AVO_BROWSER_MISSING where no browser starts, and what Playwright throws when one breaks down. */
  async lend({ key, userAgent, language }: ContextOwner): Promise<Lent> {
    const running = await this.#started()
    const wanted = `${userAgent}\n${language ?? ''}\n${key}`
    const at = this.#idle.findIndex((kept) => kept.key === wanted && kept.process === running)
    const kept = at >= 0 ? this.#idle.splice(at, 1)[0] : undefined
    // Before anything is waited for: a browser that others leave must not be closed now.
    running.pages++
    running.open++
    try {
      const used = kept ?? (await this.#context(running, wanted, { userAgent, language }))
      used.pages++
      const { name, context } = used
      return {
        name,
        context,
        isAlive: () => running.browser.isConnected(),
        giveBack: (state) => this.#takeBack(used, state),
      }
    } catch (error) {
      running.open--
      throw error
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const running = await this.#running?.catch(ignored)
    if (running !== undefined) await this.#end(running)
  }

  /** Kills a browser that does not react: what is open in it is gone. */
  async kill(): Promise<void> {
    const running = await this.#running?.catch(ignored)
    this.#forget()
    if (running !== undefined) kill(running)
  }

  async #context(running: Running, key: string, { userAgent, language }: Omit<ContextOwner, 'key'>): Promise<Kept> {
    const name = randomUUID()
    const context = await running.browser.newContext({
      userAgent,
      ...(language !== undefined && { extraHTTPHeaders: { 'accept-language': language } }),
      proxy: this.#guard.proxyFor(name),
      serviceWorkers: 'block',
      acceptDownloads: false,
      viewport: { width: 1_280, height: 800 },
    })
    return { name, key, context, process: running, pages: 0 }
  }

  async #takeBack(used: Kept, state: 'sound' | 'broken'): Promise<void> {
    const { process, context } = used
    process.open--
    const isCurrent = process === (await this.#running?.catch(ignored)) && process.browser.isConnected()
    if (state === 'broken' || !isCurrent || used.pages >= PAGES_OF_A_CONTEXT) await this.#closed(process, context)
    else this.#idle.push(used)
    const last = this.#idle.length > this.#maxIdle ? this.#idle.shift() : undefined
    if (last !== undefined) await this.#closed(last.process, last.context)
    // The old one ends with its last page.
    if (process.open === 0 && !isCurrent) await this.#end(process)
  }

  async #closed(running: Running, context: BrowserContext): Promise<void> {
    const isClosed = context.close().then(
      () => true,
      () => !running.browser.isConnected(),
    )
    if (!(await unlessLate({ ms: CLOSE_MS, clock: this.#clock }, isClosed, false))) kill(running)
  }

  async #end(running: Running): Promise<void> {
    const isClosed = running.browser.close().then(
      () => true,
      () => false,
    )
    if (!(await unlessLate({ ms: CLOSE_MS, clock: this.#clock }, isClosed, false))) kill(running)
  }

  async #started(): Promise<Running> {
    if (this.#isClosed) throw new Error('the browser is closed')
    const running = await this.#running?.catch(ignored)
    if (running !== undefined && (running.pages >= PAGES_OF_A_BROWSER || !running.browser.isConnected())) {
      this.#forget()
      if (running.open === 0) void this.#end(running)
    }
    this.#running ??= this.#start()
    return this.#running
  }

  #forget(): void {
    this.#running = undefined
    this.#idle.length = 0
  }

  async #start(): Promise<Running> {
    try {
      const { chromium } = await import('playwright-core')
      const browser = await chromium.launch(this.#launchOptions())
      this.#failedStarts = 0
      return { browser, pid: await pidOf(browser), pages: 0, open: 0 }
    } catch (error) {
      this.#running = undefined
      const [first = ''] = messageOf(error).split('\n')
      if (/executable doesn't exist/i.test(first))
        throw missing('Chromium or Chrome on this machine, found none; install one, or name it with executablePath', error)
      if (++this.#failedStarts < MAX_STARTS) throw error
      throw missing(
        `a browser that starts, got: ${first}; run it by hand to see what it lacks, or name another with executablePath`,
        error,
      )
    }
  }

  #launchOptions(): Parameters<BrowserType['launch']>[0] {
    // Chromium refuses to run as root with its sandbox. In a container that runs as root there is nothing else.
    const isRoot = process.getuid?.() === 0
    return {
      ...(this.#executablePath !== undefined && { executablePath: this.#executablePath }),
      args: FLAGS,
      chromiumSandbox: !isRoot,
      timeout: START_MS,
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    }
  }
}

async function pidOf(browser: Process): Promise<number | undefined> {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  await session.detach()
  return processInfo.find(({ type }) => type === 'browser')?.id
}

/** The whole group, for a process that is stopped takes none of its children along. While Playwright is connected the number is nobody else's. */
function kill({ browser, pid }: Running): void {
  if (pid === undefined || !browser.isConnected()) return
  for (const target of [-pid, pid])
    try {
      process.kill(target, 'SIGKILL')
    } catch {
      // It is gone already, or there are no groups on this system.
    }
}
