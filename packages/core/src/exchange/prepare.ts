// The station before a request goes out: each plugin has its say on it, within a deadline.
import type { Clock } from '../clock.ts'
import { formatDuration } from '../duration-text.ts'
import { failure, type Failure } from '../failure.ts'
import type { CrawlHooks } from '../hooks/hooks.ts'
import type { OutgoingRequestCollector } from '../hooks/outgoing-request.ts'

/** A slot is held meanwhile. */
const PREPARE_MS = 30_000
const TOO_LATE = `beforeRequest did not finish within ${formatDuration(PREPARE_MS)}; find the plugin that waits, or let it wait without a slot (outgoing.retry)`

/** Asks the plugins. Gives what went wrong; a promise of it where a plugin answers with a promise: then, and only then, there is something to wait for. */
export function prepare(
  outgoing: OutgoingRequestCollector,
  { hooks, clock }: { readonly hooks: Pick<CrawlHooks, 'beforeRequest'>; readonly clock: Clock },
): Failure | undefined | Promise<Failure | undefined> {
  let isDone = false
  let done = (): void => void (isDone = true)
  hooks.beforeRequest.callAsync(outgoing, () => done())
  if (isDone) return outgoing.failure
  return new Promise((resolve) => {
    const deadline = clock.at(clock.now() + PREPARE_MS, () => resolve(failure('AVO_PLUGIN_TIMEOUT', TOO_LATE)))
    const hold = clock.hold(`beforeRequest of ${outgoing.exchange.request.url}`)
    done = () => {
      for (const each of [hold, deadline]) each[Symbol.dispose]()
      resolve(outgoing.failure)
    }
  })
}
