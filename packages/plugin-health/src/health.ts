// Silent breaks: pages that come with status 200 and fall out of their own past. What they brought is held back until other pages bear it out.
import { definePlugin, type Plugin } from '@avocet/core'
import type { HostView, Session } from '@avocet/core/plugin'
import { HANDLERS_BLOB, HostPast } from './host-past.ts'
import { judgeMove, judgePage, type PageOfHost } from './judge-page.ts'
import type { HealthMemory, PageFate } from './laws/witnesses.ts'
import { healthFindings, HEALTH } from './findings.ts'

/** What `onHandled` gets of a page that did not fail. */
type Handled = Extract<Parameters<NonNullable<Plugin['onHandled']>>[0], { readonly items: unknown }>

/**
 * Holds back items and changes of pages that fell out of their own past, and names the host suspect where page after page does. Once an operator accepts
 * what is held (`avocet accept`), it learns anew what is normal.
 *
 * @example
 * ```ts
 * const plugins = [health()]
 * ```
 */
export function health(): Plugin {
  const hosts = new WeakMap<HostView, HostPast>()
  const runs = new WeakMap<object, Pick<Session, 'problem'>>()
  const pastOf = (host: HostView, memory: HealthMemory, now: number): HostPast => {
    memory.since ??= Math.round(now)
    if (host.acceptedAt > (memory.acceptedAt ?? memory.since)) {
      memory.acceptedAt = host.acceptedAt
      // Pages that answer 304 would teach nothing anew.
      if (memory.held !== undefined || memory.suspect !== undefined) memory.since = host.acceptedAt
      delete memory.held
      delete memory.suspect
    }
    const known = hosts.get(host)
    if (known?.since === memory.since) return known
    const made = new HostPast(host.blob(HANDLERS_BLOB), memory.since)
    hosts.set(host, made)
    host.keepBlob(HANDLERS_BLOB, () => made.changedText(true))
    return made
  }
  const report = (crawl: object, { key }: HostView, { hold = '', becomesSuspect }: PageFate): void => {
    if (becomesSuspect) runs.get(crawl)?.problem(`${key} is ${hold}; what it brings is held back`)
  }
  return definePlugin<HealthMemory, object>({
    name: HEALTH,
    outsideEffects: false,
    hostMemory: () => ({}),
    crawlMemory: () => ({}),
    findings: healthFindings,
    open(session, crawl) {
      runs.set(crawl, session)
    },
    onHandled(handled, memory, crawl) {
      if (handled.failure) return
      const { host } = handled
      const past = pastOf(host, memory, handled.now)
      const fate = judgePage(past, memory, seen(handled))
      if (fate.settle !== undefined) handled.settleHeld(fate.settle)
      if (fate.hold !== undefined) handled.hold(fate.hold)
      report(crawl, host, fate)
      const text = past.changedText()
      if (text !== undefined) host.keepBlob(HANDLERS_BLOB, text)
    },
    // A shop that shows what it is not may well hide what it has. What was gone before stays gone.
    revisit(ask, { suspect, since = 0, acceptedAt = since }) {
      if (suspect !== undefined && ask.host.acceptedAt <= acceptedAt && ask.request.earlier?.gone === undefined) ask.keep()
    },
    onCommit({ request, host, outcome, times }, memory, crawl) {
      if (outcome.kind !== 'moved' || times === -1 || request.earlier === undefined) return
      const { at } = outcome.fetched
      report(crawl, host, judgeMove(pastOf(host, memory, at), memory, { ...request, at, target: outcome.target }))
    },
  })
}

function seen({ request, response, page, items, watched, rejects, dropped, now: at }: Handled): PageOfHost {
  const { id, handler, url } = request
  // Where an item has no key it is not known which it is.
  const keys = watched.length === items.length ? watched.map(({ key }) => key) : []
  // A handler may leave out what has not changed.
  const unchanged = response.status === 304 || (items.length === 0 && page.changed === 'unchanged')
  return { id, handler, url, at, unchanged, items, keys, rejects, dropped, body: response.body }
}
