// The plugin for `between` of hosts: nothing is begun outside of their hours, on any path. A crawl brings it where a host has hours.
//
// `admit` holds a host, whatever is next: a page, a document, a retry, a redirect, a probe. A document that is on another host counts for the host that
// requires it, so it is put off before it is sent, until that other one is open.
import { definePlugin, type CrawlConfig, type HostOptions, type Plugin } from '@avocet/core'
import { patternsOf } from '@avocet/core/plugin'
import { isAllDay, minutesOf, openingAt, visitAt, type Hours } from './hours-law.ts'

/** A window as it was set: always the same object for the same option, which the law remembers. */
interface Window extends Hours {
  readonly words: string
}

type Hosts = NonNullable<CrawlConfig['hosts']>

const NAME = 'hours'
const windows = new WeakMap<object, Window>()

/**
 * Begins nothing outside of the hours that `between` of `hosts` says.
 *
 * @example
 * ```ts
 * const policies = [visitingHours({ '*': { between: ['20:00', '08:00'], timeZone: 'Europe/Berlin' } })]
 * ```
 */
export function visitingHours(hosts: Hosts): Plugin {
  const all = [...new Set(Object.values(hosts).map((options) => windowOf(options)?.words ?? ''))].filter((words) => words !== '')
  return definePlugin({
    name: NAME,
    outsideEffects: false,
    seesRequired: true,
    options: { visited: all.length === 1 ? (all[0] ?? '') : `within ${all.length} windows of the day` },
    admit(ask) {
      const window = windowOf(ask.host.options)
      if (window === undefined) return
      const at = visitAt(window, ask.now, ask.host.key)
      if (at <= ask.now) return
      ask.notBefore(at, `visited ${window.words}`)
      // What is booked and not sent yet is taken back.
      ask.atMost(0, `visited ${window.words}`)
    },
    beforeRequest(outgoing) {
      const { host, request } = outgoing.exchange
      const window = windowOf(request.hostKey === host.key ? host.options : ofOther(hosts, request.hostKey))
      const at = window === undefined ? 0 : visitAt(window, outgoing.now, request.hostKey)
      if (at > outgoing.now) outgoing.retry(at, `visited ${window?.words}`)
    },
    explain({ host }) {
      const window = windowOf(host.options)
      return window === undefined ? {} : { visited: window.words }
    },
  })
}

/** Whether `between` of `hosts` lets a page that is being built load from the host `key` at `now`. No spread and no margin: half a page is none. */
export function isOpenAt(hosts: Hosts, key: string, now: number): boolean {
  const window = windowOf(ofOther(hosts, key))
  return window === undefined || openingAt(window, now).opensAt <= now
}

function ofOther(hosts: Hosts, key: string): HostOptions {
  for (const pattern of patternsOf(key)) if (hosts[pattern]?.between !== undefined) return hosts[pattern]
  return {}
}

/** The window of a host; undefined: it is always open. */
function windowOf({ between, timeZone = 'UTC' }: HostOptions): Window | undefined {
  if (between === undefined) return undefined
  const known = windows.get(between)
  if (known !== undefined) return isAllDay(known) ? undefined : known
  const [begin, end] = between
  const window = { from: minutesOf(begin) ?? 0, to: minutesOf(end) ?? 0, timeZone, words: `from ${begin} to ${end} ${timeZone}` }
  windows.set(between, window)
  return isAllDay(window) ? undefined : window
}
