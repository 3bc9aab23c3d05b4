// Has the SDK of the process send what it holds back: a command ends with its crawl, and what waits for the next export would be lost.
import { metrics, trace } from '@opentelemetry/api'

/** The exporter's server may be away; the crawl is over. */
const PATIENCE_MS = 5_000

/** Resolves when all is sent, or after 5 s. What an exporter says of its failures is for its own log. */
export async function flushed(): Promise<void> {
  // Another copy of the API may have made it: what it can do counts, not its class.
  const flushes = [delegateOf(trace.getTracerProvider()), metrics.getMeterProvider()].map(async (provider) => {
    if (has(provider, 'forceFlush')) await provider.forceFlush()
  })
  await Promise.race([Promise.allSettled(flushes), patience()])
}

function delegateOf(provider: object): object {
  const delegate = has(provider, 'getDelegate') ? provider.getDelegate() : undefined
  return typeof delegate === 'object' && delegate !== null ? delegate : provider
}

function has<Name extends string>(provider: object, name: Name): provider is Record<Name, () => unknown> {
  return typeof (provider as Readonly<Record<string, unknown>>)[name] === 'function'
}

/** Keeps no process alive. */
function patience(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  AbortSignal.timeout(PATIENCE_MS).addEventListener('abort', () => resolve())
  return promise
}
