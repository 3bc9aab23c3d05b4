// What a plugin gets when the crawl opens: what is in the store, what runs, and what it may ask for from then on.
import type { Exchange, NextRequest } from './exchange.ts'
import type { Clock } from './clock.ts'
import type { CrawlInfo, LeftText } from './crawl-info.ts'
import type { FrontierReader } from './frontier-reader.ts'
import type { HostOptions } from './host-options.ts'
import type { Json } from '../values/json.ts'
import type { DocumentHandler } from './document-handler.ts'
import type { CrawlStatus } from './report.ts'
import type { Request } from './request.ts'
import type { Response } from './response.ts'
import type { RevisitPlan } from './revisit.ts'
import type { Seed } from './seed.ts'
import type { HostFindings } from './unit.ts'

/** A policy or plugin of a run, as others see it. */
interface RunningPlugin {
  readonly name: string
  /** Which policy, if it is one. */
  readonly policy?: string
  readonly options?: Readonly<Record<string, Json>>
  /** Of documents that it reads. */
  readonly handlers?: Readonly<Record<string, Pick<DocumentHandler, 'everyMs'>>>
  readonly findings?: HostFindings
}

/** What a plugin gets when the crawl opens. */
export interface Session {
  /** What is in the store, and whether there was an earlier run (`resumed`). */
  readonly info: CrawlInfo
  /** Epoch ms. */
  readonly now: number
  /** Epoch ms, at any time, and a way to be woken. What is armed is to be disposed in `close`. */
  readonly clock: Pick<Clock, 'now' | 'monotonic' | 'scale' | 'at' | 'hold'>
  /** What the crawl says of itself at any time, without asking the store. */
  status(): CrawlStatus
  /** Reads the store. What reads all hosts does so once a minute at most. */
  readonly reader: FrontierReader
  /**
   * Whether this process is the one, of all that crawl the store, that does what `name` names. To be asked before each turn of
   * it.
   */
  claim(name: string): Promise<boolean>
  /** IP address of a host name; '' where nobody knows, undefined: ask again. */
  addressOf(hostname: string): string | undefined
  /** The way out that a plugin has chosen (`exitOf`); undefined: directly. Absent where no plugin chooses one. */
  readonly exitOf?: (of: NextRequest | Exchange) => string | undefined
  /** Writes what plugins remember of the crawl now. */
  save(): Promise<void>
  /** The User-Agent field that requests of this crawl send. */
  readonly userAgent: string
  /** What runs: the policies that were not replaced, and the plugins. */
  readonly plugins: readonly RunningPlugin[]
  /** What the user set for all hosts; for single ones see `HostView.options`. */
  readonly hostOptions: HostOptions
  /**
   * Gives what says what of an answer a plugin may keep in a file: without fields that hand out secrets, and with `__secret__`
   * for their values in the body. Undefined where the body cannot be searched: keep nothing.
   */
  keepable(): Promise<
    (answer: { readonly request: Request; readonly response: Response }) => Pick<Response, 'headers' | 'body'> | undefined
  >
  /** Tells a person a sentence, shown once an hour at most, and counted in the report. */
  problem(message: string): void
  /** The same of something that is not wrong. */
  notice(message: string): void
  /**
   * Adds a URL as if it was among the seeds, at most 10,000 until `open` has resolved. It does not widen the scope.
   * @throws AVO_SEED_INVALID for what is no seed; AVO_PLUGIN_INVALID for too many, or too late.
   */
  add(seed: Seed): void
  /** Pages are visited again, as the plugin votes in `revisit`, and the crawl does not end by itself. To be called in `open`. */
  revisits(plan: RevisitPlan): void
  /** Settled requests of a host that is held are due again at these moments (epoch ms). */
  hasten(hostKey: string, visits: readonly { readonly id: number; readonly at: number }[]): Promise<void>
  /**
   * Keeps a text beside the memory of the crawl, such as a history: at most 512 KiB, under a name that begins with the plugin's
   * own. `text` is asked every 10 s at most, and when the run ends. Each process writes its own.
   */
  keep(name: string, text: () => string | undefined): void
  /** What processes wrote under this name before this one opened. It is dropped, so the text of this one must have it. */
  left(name: string): readonly LeftText[]
  /** Has requests wait again that earlier runs settled with this reason (`OutgoingRequest.drop`). To be called in `open`. */
  reopens(reason: string): void
  /** Patterns that the user has accepted (`avocet scope accept`). */
  readonly accepted: ReadonlySet<string>
  /** Whether a seed of this run, as far as read, is on the host. */
  isSeedHost(hostKey: string): boolean
  /** Whether the seeds of this run are a list. Of those of a function more may come. */
  readonly hasAllSeeds: boolean
}
