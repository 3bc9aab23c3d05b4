// One browser process, started when the first page is to be rendered, and its contexts: each belongs to a site and a session, and builds one page at a time.
//
// A context keeps the scripts and style sheets of its site, so that these are loaded once and not with every page. It is given up after a number of pages, as
// the browser itself is, for both grow. A browser that crashed, or does not react, is killed: the pages in it go back to the crawl, uncounted, and the next one
// starts another.
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { type Clock, messageOf } from '@avocet/core/store'
import type { BrowserContext } from 'playwright-core'
import type { Guard } from './guard.ts'
import { type Launch, type Launched, missing } from './launch.ts'
import { ignored, unlessLate } from './unless-late.ts'

/** Pages of a context before it makes way for a new one. */
const PAGES_OF_A_CONTEXT = 50

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
  /** It has built no page yet. */
  readonly isNew: boolean
  /** Whether the browser is still there. */
  isAlive(): boolean
  /** Whether it says anything; one that does not is killed. */
  reacts(): Promise<boolean>
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

interface Running extends Launched {
  /** While it has pages. */
  watch: Disposable | undefined
  pages: number
  open: number
}

/** How it is run. */
export interface ChromiumOptions {
  readonly launch: Launch
  /** Contexts that are kept for the next page of their owner. */
  readonly maxIdle: number
  /** Pages of a browser before it makes way for a new one. */
  readonly pagesOfABrowser: number
  readonly clock: Clock
  /** For a context, or a browser, to close. Beyond that the browser is killed. */
  readonly reactMs: number
}

/** The browser of a crawl. */
export class Chromium {
  readonly #guard: Guard
  readonly #options: ChromiumOptions
  /** Least recently used first. */
  readonly #idle: Kept[] = []
  #running: Promise<Running> | undefined
  #isClosed = false

  constructor(guard: Guard, options: ChromiumOptions) {
    this.#guard = guard
    this.#options = options
  }

  /** A context for a page of `owner`. Throws AVO_BROWSER_MISSING where none starts, and what Playwright throws when one breaks down. */
  async lend({ key, userAgent, language }: ContextOwner): Promise<Lent> {
    const running = await this.#started()
    const wanted = `${userAgent}\n${language ?? ''}\n${key}`
    const at = this.#idle.findIndex((kept) => kept.key === wanted && kept.process === running)
    const kept = at >= 0 ? this.#idle.splice(at, 1)[0] : undefined
    // Before anything is waited for: a browser that others leave must not be closed now.
    running.pages++
    if (running.open++ === 0) running.watch = watchTabs(running, this.#options.clock)
    try {
      const used = kept ?? (await this.#context(running, wanted, { userAgent, language }))
      used.pages++
      const { name, context } = used
      return {
        name,
        context,
        isNew: used.pages === 1,
        isAlive: () => running.browser.isConnected(),
        reacts: () => this.#reacts(running),
        giveBack: (state) => this.#takeBack(used, state),
      }
    } catch (error) {
      this.#left(running)
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
    this.#left(process)
    const isFresh = process.pages < this.#options.pagesOfABrowser && process.browser.isConnected()
    const isCurrent = isFresh && process === (await this.#running?.catch(ignored))
    if (state === 'broken' || !isCurrent || used.pages >= PAGES_OF_A_CONTEXT) await this.#closed(process, context)
    else this.#idle.push(used)
    const last = this.#idle.length > this.#options.maxIdle ? this.#idle.shift() : undefined
    if (last !== undefined) await this.#closed(last.process, last.context)
    // The old one ends with its last page.
    if (process.open === 0 && !isCurrent) await this.#end(process)
  }

  #left(running: Running): void {
    if (--running.open === 0) running.watch?.[Symbol.dispose]()
  }

  async #reacts(running: Running): Promise<boolean> {
    const tabs = running.tabs().then(
      () => true,
      () => false,
    )
    const isAlive = await unlessLate(this.#patience, tabs, false)
    if (!isAlive) kill(running)
    return isAlive
  }

  async #closed(running: Running, context: BrowserContext): Promise<void> {
    const isClosed = context.close().then(
      () => true,
      () => !running.browser.isConnected(),
    )
    if (!(await unlessLate(this.#patience, isClosed, false))) kill(running)
  }

  get #patience(): { readonly ms: number; readonly clock: Clock } {
    return { ms: this.#options.reactMs, clock: this.#options.clock }
  }

  async #end(running: Running): Promise<void> {
    const isClosed = running.browser.close().then(
      () => true,
      () => false,
    )
    if (!(await unlessLate(this.#patience, isClosed, false))) kill(running)
  }

  async #started(): Promise<Running> {
    if (this.#isClosed) throw new Error('the browser is closed')
    const running = await this.#running?.catch(ignored)
    if (running !== undefined && (running.pages >= this.#options.pagesOfABrowser || !running.browser.isConnected())) {
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
      const launched = await this.#options.launch()
      return { ...launched, watch: undefined, pages: 0, open: 0 }
    } catch (error) {
      this.#running = undefined
      const [first = ''] = messageOf(error).split('\n')
      if (/executable doesn't exist/i.test(first))
        throw missing('Chromium or Chrome on this machine, found none; install one, or name it with executablePath', error)
      throw missing(
        `a browser that starts, got: ${first}; run it by hand to see what it lacks, or name another with executablePath`,
        error,
      )
    }
  }
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

// Ends tabs that take too much memory: what scripts hold outside of the heap of V8, which has a limit of its own, only the machine would limit.
//
// Looks twice a second while pages are built. A tab that is ended crashes its page, and that one only. On systems without /proc it does nothing.
const LOOK_EVERY_MS = 500
/** Of a tab. Pages of the largest sites stay below 600 MB, pictures included. */
const MAX_TAB_BYTES = 1.5 * 2 ** 30
/** Linux counts in these on all machines that Chromium is built for but some of arm64, where they are larger. */
const PAGE_BYTES = 4_096

/** Watches the tabs of a browser until it is disposed. */
function watchTabs(launched: Pick<Launched, 'tabs'>, clock: Clock, maxBytes: number = MAX_TAB_BYTES): Disposable {
  let timer: Disposable | undefined
  let isOver = false
  const look = async (): Promise<void> => {
    const tabs = (await launched.tabs().catch(ignored)) ?? []
    await Promise.all(tabs.map((pid) => endIfLarge(pid, maxBytes)))
    if (!isOver) later()
  }
  const later = (): void => {
    timer = clock.at(clock.now() + LOOK_EVERY_MS, () => void look())
  }
  if (process.platform === 'linux') later()
  return {
    [Symbol.dispose]() {
      isOver = true
      timer?.[Symbol.dispose]()
    },
  }
}

/** Only what still is a tab: its number may be another's by now. */
async function endIfLarge(pid: number, maxBytes: number): Promise<void> {
  const resident = Number((await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => '')).split(' ')[1])
  if (!(resident * PAGE_BYTES > maxBytes)) return
  const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  if (line.includes('--type=renderer'))
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
}
