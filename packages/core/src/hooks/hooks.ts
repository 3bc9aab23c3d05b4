// The hooks of a crawl: real tapable hooks, each tap guarded so that a throw is caught at its station and named after its tap.
//
// The guard is an interceptor of `register`: it wraps the function of every tap, of plugins and of users alike. Before the call it tells the
// collector who is speaking (so each answer of `admit` carries its plugin's name); after a throw it hands the error to the station's rescue,
// which costs that one exchange and never the crawl. The only file that imports tapable.
import { createRequire } from 'node:module'
import type * as Tapable from 'tapable'
import type { AsyncSeriesHook, AsyncSeriesWaterfallHook, SyncHook } from 'tapable'
import type { Answered, Exchange, Failed } from '../ports/exchange.ts'
import type { Json } from '../values/json.ts'
import type { Admission, Discovery, ItemSource, OutgoingRequest, Plugin, Settled } from '../ports/plugin.ts'
import type { Handled, HandlerFailed, Unit } from '../ports/unit.ts'
import type { Session } from '../ports/session.ts'
import type { Revisit } from '../ports/revisit.ts'
import type { CrawlReport } from '../ports/report.ts'
import type { TraceEvent } from '../ports/trace.ts'

/** How a hook of exchanges may be tapped, beside its name. */
type ExchangeTap = Pick<Plugin, 'seesRequired'>

/** How `onTrace` may be tapped, beside its name: for events of these kinds alone. Others are not made. */
interface TraceTap {
  readonly kinds?: readonly TraceEvent['kind'][]
}

/**
 * The hooks of one crawl, for those who would rather tap than write a plugin.
 *
 * @example
 * ```ts
 * const run = crawl({ spider, policies: polite() })
 * run.hooks.onSettled.tap('log', ({ request, outcome }) => console.error(outcome.kind, request.url))
 * ```
 */
export interface CrawlHooks {
  readonly open: AsyncSeriesHook<[Session]>
  readonly onDiscover: SyncHook<[Discovery]>
  readonly admit: SyncHook<[Admission]>
  readonly onAdmit: SyncHook<[Exchange], void, ExchangeTap>
  readonly beforeRequest: AsyncSeriesHook<[OutgoingRequest], ExchangeTap>
  readonly onUnsent: SyncHook<[Exchange], void, ExchangeTap>
  readonly onResponse: SyncHook<[Answered], void, ExchangeTap>
  readonly onError: SyncHook<[Failed], void, ExchangeTap>
  readonly onItem: AsyncSeriesWaterfallHook<[Json | null, ItemSource]>
  readonly onHandled: SyncHook<[Handled | HandlerFailed]>
  readonly onCommit: SyncHook<[Unit]>
  readonly revisit: SyncHook<[Revisit]>
  readonly onSettled: SyncHook<[Settled]>
  readonly onTrace: SyncHook<[TraceEvent], void, TraceTap>
  readonly close: AsyncSeriesHook<[CrawlReport]>
}

/** The name of a hook. */
export type HookName = keyof CrawlHooks

/** What is called of a plugin: its tap of a hook, or what takes a document that it required. */
export type Called = HookName | 'require'

/** What happens around every tap. */
export interface TapGuard {
  /** Called before each tap with its name and the first argument of the call. */
  speaks(tap: string, first: unknown): void
  /** Called when a tap threw, with the arguments of the call. Throws to let the error through. */
  rescue(hook: Called, tap: string, error: unknown, args: readonly unknown[]): void
  /** Called when a tap returned. */
  returned(tap: string): void
  /** Called when a tap of a hook that is not waited for returned a promise. */
  promised(hook: Called, tap: string, promise: PromiseLike<unknown>): void
}

/** Makes the hooks of one crawl. */
export function createHooks(guard: TapGuard): CrawlHooks {
  const { AsyncSeriesHook, AsyncSeriesWaterfallHook, SyncHook } = loadTapable()
  const hooks: CrawlHooks = {
    open: new AsyncSeriesHook(['session']),
    onDiscover: new SyncHook(['discovery']),
    admit: new SyncHook(['ask']),
    onAdmit: new SyncHook(['exchange']),
    beforeRequest: new AsyncSeriesHook(['outgoing']),
    onUnsent: new SyncHook(['exchange']),
    onResponse: new SyncHook(['answer']),
    onError: new SyncHook(['failed']),
    onItem: new AsyncSeriesWaterfallHook(['item', 'source']),
    onHandled: new SyncHook(['handled']),
    onCommit: new SyncHook(['unit']),
    revisit: new SyncHook(['ask']),
    onSettled: new SyncHook(['settled']),
    onTrace: new SyncHook(['event']),
    close: new AsyncSeriesHook(['report']),
  }
  for (const name of Object.keys(hooks) as HookName[]) {
    hooks[name].intercept({
      register(tap: Tapable.FullTap & ExchangeTap & TraceTap) {
        const isForPages = OF_EXCHANGES.has(name) && tap.seesRequired !== true
        const fn = guarded(guard, name, { name: tap.name, type: tap.type, fn: tap.fn as TapFunction, isForPages })
        return { ...tap, fn: tap.kinds ? ofKinds(tap.kinds, fn) : fn }
      },
    })
  }
  return hooks
}

/** The three kinds that are used, by their files, with the first crawl: tapable's index loads eleven more. */
function loadTapable(): Pick<typeof Tapable, 'AsyncSeriesHook' | 'AsyncSeriesWaterfallHook' | 'SyncHook'> {
  const load = createRequire(import.meta.url)
  return {
    AsyncSeriesHook: load('tapable/lib/AsyncSeriesHook.js') as typeof Tapable.AsyncSeriesHook,
    AsyncSeriesWaterfallHook: load('tapable/lib/AsyncSeriesWaterfallHook.js') as typeof Tapable.AsyncSeriesWaterfallHook,
    SyncHook: load('tapable/lib/SyncHook.js') as typeof Tapable.SyncHook,
  }
}

/** Whether anybody listens. `isUsed()` would always say yes, for the guard's interceptor counts as use. */
export function isTapped(hook: { readonly taps: readonly unknown[] }): boolean {
  return hook.taps.length > 0
}

/** Tells those who tap `onTrace` of an event, which is made only for them. */
export function trace<Kind extends TraceEvent['kind']>(
  { onTrace }: Pick<CrawlHooks, 'onTrace'>,
  kind: Kind,
  event: () => Omit<Extract<TraceEvent, { readonly kind: Kind }>, 'kind'>,
): void {
  for (const { kinds } of onTrace.taps as readonly TraceTap[])
    if (kinds === undefined || kinds.includes(kind)) return onTrace.call({ ...event(), kind } as TraceEvent)
}

function ofKinds(kinds: readonly TraceEvent['kind'][], fn: TapFunction): TapFunction {
  return (event) => (kinds.includes((event as TraceEvent).kind) ? fn(event) : undefined)
}

/** Hooks whose answers carry the name of their plugin. */
const ASKED: ReadonlySet<Called> = new Set(['onDiscover', 'admit', 'beforeRequest', 'onResponse', 'onError', 'onHandled'])

/** Hooks that are called for each exchange. */
const OF_EXCHANGES: ReadonlySet<HookName> = new Set(['onAdmit', 'beforeRequest', 'onUnsent', 'onResponse', 'onError'])

type TapFunction = (...args: unknown[]) => unknown

/** A function to guard. */
interface Guarded {
  /** Who is to blame. */
  readonly name: string
  readonly fn: TapFunction
  /** It is not called for exchanges that plugins required. */
  readonly isForPages?: boolean
}

/** Whether the first argument of a hook of exchanges is about one that plugins required. */
function isOfRequired(first: unknown): boolean {
  const { exchange = first as Exchange } = first as { readonly exchange?: Exchange }
  return exchange.required
}

function guarded(guard: TapGuard, hook: HookName, tap: Guarded & { readonly type: string }): TapFunction {
  const { name, fn, isForPages = false } = tap
  if (tap.type === 'promise') {
    return async (...args) => {
      // An item that one tap dropped is not shown to the next.
      if (hook === 'onItem' && args[0] === null) return null
      if (isForPages && isOfRequired(args[0])) return undefined
      try {
        guard.speaks(name, args[0])
        const answer = await fn(...args)
        guard.returned(name)
        return answer
      } catch (error) {
        guard.rescue(hook, name, error, args)
        return undefined
      }
    }
  }
  if (tap.type === 'async') return callbackGuarded(guard, hook, tap)
  return guardedSync(guard, hook, tap)
}

/**
 * A tap of a hook that is not waited for, guarded, to be tapped or called by itself.
 * The hot path: dozens of calls an exchange, so neither lists of arguments nor questions that this hook does not ask.
 */
export function guardedSync(guard: TapGuard, hook: Called, { name, fn, isForPages = false }: Guarded): TapFunction {
  const isAsked = ASKED.has(hook)
  const isItem = hook === 'onItem'
  return (first, second) => {
    if (isItem && first === null) return null
    if (isForPages && isOfRequired(first)) return undefined
    try {
      if (isAsked) guard.speaks(name, first)
      const answer = fn(first, second)
      guard.returned(name)
      if (isItem) return answer
      if (isThenable(answer)) guard.promised(hook, name, answer)
    } catch (error) {
      guard.rescue(hook, name, error, [first, second])
    }
    // No other hook of this kind has an answer, and tapable would take one for the answer of all.
    return undefined
  }
}

/** `tapAsync` taps: the last argument is a callback of (error, answer). */
function callbackGuarded(guard: TapGuard, hook: HookName, { name, fn, isForPages = false }: Guarded): TapFunction {
  const isItem = hook === 'onItem'
  return (first, second, third) => {
    const done = (isItem ? third : second) as (error: unknown, answer?: unknown) => void
    if (isItem && first === null) return done(null, null)
    if (isForPages && isOfRequired(first)) return done(null)
    const rescued = (error: unknown): void => {
      try {
        guard.rescue(hook, name, error, [first, second])
        done(null)
      } catch (passed) {
        done(passed)
      }
    }
    const ended = (error: unknown, answer?: unknown): void => {
      if (error !== null && error !== undefined) return rescued(error)
      guard.returned(name)
      done(null, answer)
    }
    try {
      guard.speaks(name, first)
      return isItem ? fn(first, second, ended) : fn(first, ended)
    } catch (error) {
      return rescued(error)
    }
  }
}

/** Whether `value` is a promise, or as good as one. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
}
