// The crawl as its user sees it: made from a configuration, run once, stopped, paused, looked at.
import type { RunnableConfig } from '../ports/config.ts'
import type { Control, GivenUpChange } from '../ports/orders.ts'
import type { CrawlHooks } from '../hooks/hooks.ts'
import type { Explanation } from '../hooks/explain-host.ts'
import type { Ports } from '../ports/ports.ts'
import type { CrawlReport, CrawlStatus } from '../ports/report.ts'
import { CrawlRun } from './crawl-run.ts'
import type { StopWait } from './drain.ts'
import { settingsOf } from './settings-of.ts'

/** One resumable run of a spider that yields `Item`s. */
export interface Crawl<Item = unknown> {
  /** Real tapable hooks, for those who would rather tap than write a plugin. */
  readonly hooks: CrawlHooks
  /**
   * Runs until the crawl has ended. Once only. Rejects when it cannot begin (AVO_FRONTIER_…, AVO_SEED_INVALID, AVO_PLUGIN_OPEN,
   * AVO_SINK_OPEN); what happens later is in the report. The frontier stays open: who made it closes it.
   */
  run(): Promise<CrawlReport>
  /**
   * Begins nothing more, and waits for what is in flight (at most `drainMs`). Called again, it may only wait for less.
   * @example
   * ```ts
   * // stop-on-interrupt.ts
   * import type { Crawl } from 'avocet'
   *
   * // On Ctrl-C, requests in flight finish first, except those whose server sends nothing for two seconds.
   * export function stopOnInterrupt(run: Crawl): void {
   *   process.once('SIGINT', () => run.stop({ recallMs: 5_000 }))
   * }
   * ```
   */
  stop(wait?: StopWait): void
  /** Lets go of what is in flight and commits what is done. Nothing committed is lost. */
  abort(): void
  /** The items in the store, those of earlier runs included, in the order of their commits. */
  items(): AsyncIterable<Item>
  /** Begins nothing more until `resume`; `why` is shown in the status. What is in flight finishes. */
  pause(why: string): void
  /** Ends a pause. */
  resume(): void
  /**
   * Orders something of the crawl. Resolves once the order is in the store; every process carries it out within a second. Pauses
   * and limits hold in later runs as well.
   * @throws AvocetError AVO_USAGE for what is no order, AVO_FRONTIER_… for a store that cannot be written.
   * @example
   * ```ts
   * // slow-down.ts
   * import type { Crawl } from 'avocet'
   *
   * // The owner of a site has called: one request each ten seconds, from now on.
   * export function slowDown(run: Crawl): Promise<void> {
   *   return run.control({ kind: 'limit-host', hostKey: 'shop.example', limits: { delayMs: 10_000 } })
   * }
   * ```
   */
  control(order: Control | GivenUpChange): Promise<void>
  /** The live status: phase, counts, hosts. */
  status(): CrawlStatus
  /** What holds a host that this process holds, and what each plugin knows of it; undefined where it holds no such host. */
  explain(hostKey: string): Explanation | undefined
}

/**
 * Makes a crawl of a configuration, and of ports for what that does not name. Authors of spiders call `crawl` of the package `avocet`, which has them.
 *
 * @throws AvocetError AVO_CONFIG_INVALID, AVO_SPIDER_INVALID or AVO_PLUGIN_INVALID, naming what was expected and what came.
 */
export function crawlWith<Item>(config: RunnableConfig<Item>, ports: Ports): Crawl<Item> {
  return new CrawlRun<Item>(settingsOf(config, ports))
}
