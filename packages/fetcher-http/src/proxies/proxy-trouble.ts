// What of an exchange through a proxy is trouble of the proxy: limits that pass before the host could be asked, and a 407 in place of an answer.
import type { ProxyServer } from '@avocet/core/plugin'
import type { Outbound } from '@avocet/core/store'
import type { Attempt } from '../connector.ts'
import type { Overrun } from '../deadlines.ts'
import { authMessage } from './http-connect.ts'
import { forwards } from './proxy-connector.ts'
import type { HeadFault } from '../response-head.ts'

/** `late`, or the same as trouble of the proxy where connecting has not passed it. */
export function overrunThrough(
  proxy: ProxyServer | undefined,
  through: Attempt['through'],
  late: Overrun | undefined,
): Overrun | undefined {
  if (late === undefined || proxy === undefined || through === undefined) return late
  return through === 'reaching'
    ? {
        ...late,
        code: 'AVO_PROXY_UNREACHABLE',
        message: `expected a connection to proxy ${proxy.url}, got none: ${late.message}`,
      }
    : {
        ...late,
        code: 'AVO_PROXY_TIMEOUT',
        message: `expected proxy ${proxy.url} to open a tunnel, got nothing: ${late.message}`,
      }
}

/** A 407 of a proxy that forwards is its own: it is for this hop alone (RFC 9110 §15.5.8). In a tunnel it is the server's, an answer like any other. */
export function faultOfProxy({ proxy, url }: Pick<Outbound, 'proxy' | 'url'>, status: number): HeadFault | undefined {
  if (status !== 407 || proxy === undefined || !forwards(proxy, URL.parse(url)?.protocol ?? '')) return undefined
  return { code: 'AVO_PROXY_AUTH', message: authMessage(proxy, '407 Proxy Authentication Required') }
}
