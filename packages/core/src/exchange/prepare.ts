// The station before a request goes out: each plugin has its say on it, within a deadline.
import type { Clock } from '../clock.ts'
import { failure, type Failure } from '../failure.ts'
import type { CrawlHooks } from '../hooks/hooks.ts'
import type { OpenSending } from '../hooks/sending.ts'

/** A slot is held meanwhile. */
const PREPARE_MS = 30_000
const TOO_LATE = `beforeRequest did not finish within ${PREPARE_MS} ms; find the plugin that waits, or let it wait without a slot (sending.retry)`

/** Who hears of it. */
export interface PrepareEnds {
  /** All have had their say. It may come after `late`. */
  done(): void
  late(cause: Failure): void
}

/** Asks the plugins. In this tick as long as no plugin answers with a promise: then, and only then, there is something to wait for. */
export function prepare(
  sending: OpenSending,
  { hooks, clock }: { readonly hooks: Pick<CrawlHooks, 'beforeRequest'>; readonly clock: Clock },
  ends: PrepareEnds,
): void {
  let waiting: readonly Disposable[] | undefined = []
  hooks.beforeRequest.callAsync(sending, () => {
    for (const each of waiting ?? []) each[Symbol.dispose]()
    waiting = undefined
    ends.done()
  })
  if (waiting === undefined) return
  const deadline = clock.at(clock.now() + PREPARE_MS, () => ends.late(failure('AVO_PLUGIN_TIMEOUT', TOO_LATE)))
  waiting = [clock.hold(`beforeRequest of ${sending.exchange.request.url}`), deadline]
}
