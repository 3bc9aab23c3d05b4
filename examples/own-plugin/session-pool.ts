// A plugin: each page is sent in one of several sessions. One that a host bans is retired there for an hour, and its page is sent again in another one.
import { proxyServer } from '@avocet/plugin-proxies'
import { definePlugin, type Plugin } from 'avocet'

/** How a session appears to a host: header fields, such as its cookie, and a proxy. */
export interface PooledSession {
  readonly name: string
  readonly headers: Readonly<Record<string, string>>
  readonly proxy?: string
}

const RETIRED_MS = 3_600_000

export function sessionPool(sessions: readonly PooledSession[]): Plugin {
  const usedBy = new WeakMap<object, string>()
  return definePlugin<{ retired: { name: string; until: number }[] }>({
    name: 'session-pool',
    outsideEffects: false,
    seesRequired: true, // robots.txt goes through the proxy, too
    hostMemory: () => ({ retired: [] }),
    admit(ask, { retired }) {
      const resting = retired.filter(({ until }) => until > ask.now).map(({ until }) => until)
      if (resting.length >= sessions.length) ask.notBefore(Math.min(...resting), 'all sessions are retired')
    },
    beforeRequest(outgoing, { retired }) {
      const { exchange, now } = outgoing
      const free = sessions.filter(({ name }) => !retired.some((each) => each.name === name && each.until > now))
      const session = free[Math.floor(exchange.random('session') * free.length)]
      if (session === undefined) return
      usedBy.set(exchange, session.name)
      for (const [field, value] of Object.entries(session.headers)) outgoing.setHeader(field, value)
      if (session.proxy !== undefined) outgoing.setProxy(proxyServer(session.proxy))
    },
    onResponse(answer, host) {
      const name = usedBy.get(answer.exchange)
      if (name === undefined || !answer.forbidden) return
      host.retired = [...host.retired.filter((each) => each.name !== name), { name, until: answer.now + RETIRED_MS }]
      answer.retry(answer.now, 'session-retired', { counted: false })
    },
  })
}
