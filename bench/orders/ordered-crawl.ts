// A crawl in a process of its own, of sites on loopback in this one, and orders for it by commands in processes of their own.
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { systemClock } from '@avocet/core/store'
import { siteModel } from '@avocet/simulator'
import { startRoughWeb, type RoughWeb } from '@avocet/stress/rough-web'
import type { AvocetCommand } from '../move/avocet-command.ts'

const LATENCY_MS = 20
/** Between two requests to a host: with it, a site says ten times a second that it is crawled. */
const DELAY_MS = 100
/** More than are requested in a minute. */
const PAGES = 3_000
const STORE = 'orders.db'
/** Nothing is found later. */
const PATIENCE_MS = 10_000
const LOOK_MS = 10

/** The crawl, its sites, and who orders. */
export class OrderedCrawl {
  readonly #web: RoughWeb
  readonly #command: AvocetCommand
  readonly #clock = systemClock()
  #crawl: ChildProcess | undefined

  private constructor(web: RoughWeb, command: AvocetCommand) {
    this.#web = web
    this.#command = command
  }

  /** With so many sites. */
  static async of(hosts: number, command: AvocetCommand): Promise<OrderedCrawl> {
    const sites = Array.from({ length: hosts }, (_, n) => ({
      name: `site-${String(n)}.test`,
      pages: { kind: 'tree', pages: PAGES, textBytes: 200 } as const,
      latency: { law: 'fixed', ms: LATENCY_MS } as const,
    }))
    return new OrderedCrawl(await startRoughWeb(siteModel({ seed: 'orders', hosts: sites })), command)
  }

  /** Names of the hosts, as URLs have them. */
  get hostKeys(): readonly string[] {
    return this.#web.model.hosts.map(({ name }) => new URL(this.#web.urlOf(name)).host)
  }

  now(): number {
    return this.#clock.now()
  }

  /** When requests arrived, epoch ms: at one host, or at all of them. In order of time. */
  arrivals(hostKey?: string): readonly number[] {
    const hosts = this.#web.model.hosts.filter(
      ({ name }) => hostKey === undefined || this.#web.urlOf(name).endsWith(`/${hostKey}`),
    )
    return hosts.flatMap(({ name }) => this.#web.felt(name).log.map(({ at }) => at)).toSorted((a, b) => a - b)
  }

  /** Starts the crawl, or goes on with it, and waits until each host but those of `held` has had a request. */
  async start(held: readonly string[] = []): Promise<void> {
    const from = this.now()
    const seeds = this.#web.model.hosts.map(({ name }) => `${this.#web.urlOf(name)}/`)
    const pace = ['--rate', 'none', '--delay', `${String(DELAY_MS)}ms`, '--max-per-host', '1']
    const place = ['--store', STORE, '--allow-private', '--log-level', 'error']
    this.#crawl = this.#command.started('crawl', ...seeds, ...pace, ...place)
    const awaited = this.hostKeys.filter((hostKey) => !held.includes(hostKey))
    await this.until('requests to all hosts', () => awaited.every((hostKey) => (this.arrivals(hostKey).at(-1) ?? 0) > from))
  }

  /** Gives an order. Resolves with the moment at which its command has ended. */
  async order(...words: readonly string[]): Promise<number> {
    await this.#command.took(...words, '--store', STORE)
    return this.now()
  }

  /** What a command says in JSON. */
  async says(...words: readonly string[]): Promise<unknown> {
    return JSON.parse(await this.#command.said(...words, '--store', STORE, '--json'))
  }

  /** Waits until the process of the crawl is gone; kills it first with `SIGKILL`. */
  async gone(signal?: 'SIGKILL'): Promise<void> {
    const crawl = this.#crawl
    if (crawl === undefined || crawl.exitCode !== null || crawl.signalCode !== null) return
    const exit = once(crawl, 'exit')
    if (signal !== undefined) crawl.kill(signal)
    await exit
  }

  /** Waits, and throws for what does not come. */
  async until(what: string, isSo: () => boolean): Promise<void> {
    for (const end = this.now() + PATIENCE_MS; !isSo(); await pause(LOOK_MS))
      if (this.now() > end) throw new Error(`expected ${what} within ${String(PATIENCE_MS / 1_000)} s, got none`)
  }

  /** Waits until nothing has changed for so long. `moment`: of the last change. */
  async quiet(quietMs: number, moment: () => number): Promise<void> {
    await this.until('an end of requests', () => this.now() - moment() >= quietMs)
  }

  async close(): Promise<void> {
    await this.gone('SIGKILL')
    await this.#web.close()
  }
}
