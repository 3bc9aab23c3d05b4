// One browser process, started when the first page is to be rendered, and its contexts: each belongs to a site and a session, and builds one page at a time.
//
// A context keeps the scripts and style sheets of its site, so that these are loaded once and not with every page. It is given up after a number of pages, as
// the browser itself is, for both grow. A browser that crashed, or does not react, is killed: the pages in it go back to the crawl, uncounted, and the next one
// starts another.
import { randomUUID } from 'node:crypto'
import { messageOf } from '@avocet/core/store'
import type { Browser as Process, BrowserContext, BrowserType } from 'playwright-core'
import { missing } from './executable.ts'
import type { Guard } from './guard.ts'

/** Pages of a context, and of a browser, before it makes way for a new one. */
const PAGES_OF_A_CONTEXT = 50
const PAGES_OF_A_BROWSER = 1_000
/** For a browser to start, and for a context or a browser to close. */
const START_MS = 30_000

/** Nothing that a page has not asked for, no way around the proxy, and no protocol that the proxy does not speak. */
const FLAGS = [
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-domain-reliability',
  '--disable-features=WebRtcHideLocalIpsWithMdns,OptimizationHints,MediaRouter,Translate',
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
}

/** A context in use. */
export interface Lent {
  /** For the proxy. */
  readonly name: string
  readonly context: BrowserContext
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
  pages: number
  open: number
}

/** The browser of a crawl. */
export class Chromium {
  readonly #guard: Guard
  readonly #executablePath: string | undefined
  readonly #maxIdle: number
  /** Least recently used first. */
  readonly #idle: Kept[] = []
  #running: Promise<Running> | undefined
  #isClosed = false

  constructor(
    guard: Guard,
    { executablePath, maxIdle }: { readonly executablePath: string | undefined; readonly maxIdle: number },
  ) {
    this.#guard = guard
    this.#executablePath = executablePath
    this.#maxIdle = maxIdle
  }

  /** A context for a page of `owner`. Throws AVO_BROWSER_MISSING, and what Playwright throws when the browser does not start. */
  async lend({ key, userAgent }: ContextOwner): Promise<Lent> {
    const running = await this.#started()
    const wanted = `${userAgent}\n${key}`
    const at = this.#idle.findIndex((kept) => kept.key === wanted && kept.process === running)
    const kept = at >= 0 ? this.#idle.splice(at, 1)[0] : undefined
    const used = kept ?? (await this.#context(running, wanted, userAgent))
    used.pages++
    running.pages++
    running.open++
    return { name: used.name, context: used.context, giveBack: (state) => this.#takeBack(used, state) }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const running = await this.#running?.catch(() => undefined)
    await running?.browser.close().catch(() => undefined)
  }

  async #context(running: Running, key: string, userAgent: string): Promise<Kept> {
    const name = randomUUID()
    const context = await running.browser.newContext({
      userAgent,
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
    const isCurrent = process === (await this.#running?.catch(() => undefined))
    if (state === 'broken' || !isCurrent || used.pages >= PAGES_OF_A_CONTEXT) await context.close().catch(() => undefined)
    else this.#idle.push(used)
    if (this.#idle.length > this.#maxIdle)
      await this.#idle
        .shift()
        ?.context.close()
        .catch(() => undefined)
    // The old one ends with its last page.
    if (process.open === 0 && !isCurrent) await process.browser.close().catch(() => undefined)
  }

  /** Kills a browser that does not react. */
  async kill(): Promise<void> {
    const running = await this.#running?.catch(() => undefined)
    this.#forget()
    await running?.browser.close().catch(() => undefined)
  }

  async #started(): Promise<Running> {
    if (this.#isClosed) throw new Error('the browser is closed')
    const running = await this.#running?.catch(() => undefined)
    if (running !== undefined && (running.pages >= PAGES_OF_A_BROWSER || !running.browser.isConnected())) {
      this.#forget()
      if (running.open === 0) await running.browser.close().catch(() => undefined)
    }
    this.#running ??= this.#start()
    return this.#running
  }

  #forget(): void {
    this.#running = undefined
    this.#idle.length = 0
  }

  async #start(): Promise<Running> {
    const { chromium } = await import('playwright-core')
    try {
      return { browser: await chromium.launch(this.#launchOptions()), pages: 0, open: 0 }
    } catch (error) {
      this.#running = undefined
      const [first = ''] = messageOf(error).split('\n')
      if (/executable doesn't exist/i.test(first))
        throw missing('Chromium or Chrome on this machine, found none; install one, or name it with executablePath', error)
      throw error
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
