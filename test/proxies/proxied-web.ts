// A simulated web behind proxies that fail when a test says so: what each was asked, and when.
import type { FailureCode } from '@avocet/core/plugin'
import { failure, type Clock, type Fetcher } from '@avocet/core/store'

/** What is wrong with a proxy at a moment (ms since the start); undefined: nothing. */
export type Weather = (atMs: number) => FailureCode | undefined

export interface Asked {
  readonly proxy: string
  readonly host: string
  readonly atMs: number
  readonly failed: boolean
}

/** How long a proxy takes to fail. */
const FAILS_AFTER_MS = 50

/** `web` through proxies; those without weather are always well. */
export function proxiedWeb(
  web: Fetcher,
  { clock, weather }: { readonly clock: Clock; readonly weather: Readonly<Record<string, Weather>> },
): Fetcher & { readonly asked: Asked[]; readonly direct: string[] } {
  const startedAt = clock.now()
  const asked: Asked[] = []
  const direct: string[] = []
  return {
    asked,
    direct,
    close: () => web.close(),
    fetch(outbound, receiver) {
      const { proxy, url } = outbound
      const host = new URL(url).hostname
      if (proxy === undefined) {
        direct.push(host)
        return web.fetch(outbound, receiver)
      }
      const atMs = clock.now() - startedAt
      const name = proxy.username === undefined ? proxy.url : proxy.url.replace('//', `//${proxy.username}@`)
      const code = weather[name]?.(atMs)
      asked.push({ proxy: name, host, atMs, failed: code !== undefined })
      if (code === undefined) return web.fetch(outbound, receiver)
      const timer = clock.at(clock.now() + FAILS_AFTER_MS, () =>
        receiver.failed(failure(code, `proxy ${proxy.url} is out of order`)),
      )
      return () => timer[Symbol.dispose]()
    },
  }
}
