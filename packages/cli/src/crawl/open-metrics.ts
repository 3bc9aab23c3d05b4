// `--metrics`: opens the server before anything of the crawl, says where it is, and shows one run after the other there.
import type { CrawlConfig, Crawl, CrawlReport } from '@avocet/core'
import { sleepUntil, type Clock, type Frontier } from '@avocet/core/store'
import type { CrawlStatus } from '@avocet/core/tools'
import { CrawlMetrics, serveMetrics, type MetricsServer } from '@avocet/metrics'
import { isLoopback, type ServerAddress } from '@avocet/metrics/address'
import { say, type Place } from '@avocet/project/place'
import { isSaid, type LogLevel } from '@avocet/project/log'
import type { HostIndex } from '../store/host-index.ts'

/** Opens it. Throws AVO_LISTEN_ADDRESS for an address that cannot be listened at. */
export async function openMetrics(address: ServerAddress, level: LogLevel, { stderr, clock }: Place): Promise<MetricsServer> {
  const server = await serveMetrics(address, clock)
  if (isSaid('info', level)) say(stderr, `metrics: ${server.url}`)
  if (!isLoopback(address.host) && isSaid('warn', level))
    say(stderr, `metrics: whoever reaches ${address.host} can read them; there is no password`)
  return server
}

/** How long a scrape waits for the hosts. */
const READ_MS = 250

/** Shows the run of this process. */
export class ShownRun implements Disposable {
  readonly #server: MetricsServer
  readonly #crawl: CrawlMetrics
  readonly #clock: Clock
  #status: (() => CrawlStatus) | undefined
  #hosts: Pick<HostIndex, 'read' | 'judged'> | undefined

  constructor(server: MetricsServer, clock: Clock) {
    this.#server = server
    this.#crawl = new CrawlMetrics(clock)
    this.#clock = clock
  }

  /** The configuration with a store of which the commits are timed. */
  timed<Config extends Partial<CrawlConfig>>(config: Config, frontier: Frontier): Config & { readonly frontier: Frontier } {
    return { ...config, frontier: this.#crawl.timed(frontier) }
  }

  /** Shows it from now on. `sinkName`: a sink as a person knows it. `hosts`: who reads what they are like. */
  watch(run: Crawl, sinkName: (name: string) => string, hosts: Pick<HostIndex, 'read' | 'judged'>): void {
    this.#hosts = hosts
    this.#crawl.watch(run)
    this.#status = () => {
      const { sinks, ...status } = run.status()
      return { ...status, ...(sinks && { sinks: sinks.map((sink) => ({ ...sink, name: sinkName(sink.name) })) }) }
    }
    this.#show(this.#status)
  }

  /** It has ended so: what was shown a moment ago is outdated. */
  finish(report: CrawlReport): void {
    this.#crawl.finish(report)
    if (this.#status !== undefined) this.#show(this.#status)
  }

  #show(statusOf: () => CrawlStatus): void {
    this.#server.show(async () => {
      // A store that does not answer holds up no scrape: its hosts are as they were.
      const read = this.#hosts?.read().catch(() => undefined)
      await Promise.race([read, sleepUntil(this.#clock, this.#clock.now() + READ_MS)])
      return this.#crawl.shown(statusOf(), this.#hosts?.judged?.conditions)
    })
  }

  [Symbol.dispose](): void {
    this.#crawl[Symbol.dispose]()
  }
}
