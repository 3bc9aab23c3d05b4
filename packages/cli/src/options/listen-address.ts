// Where a page is served: `8042`, `HOST:8042`, or nothing for any free port of this machine.
import { AvocetError } from '@avocet/core'

/** An address. Absent: 127.0.0.1, any port. */
export interface ListenAddress {
  readonly host?: string
  readonly port?: number
}

/** What an address looks like. */
export const LISTEN_ADDRESS: RegExp = /^(?:(\[[0-9a-fA-F:.]+\]|[^\s:/]+):)?(\d{1,5})$/

/** Reads what was typed as `name`. Throws AVO_USAGE. */
export function parseListenAddress(text: string, name: string): ListenAddress {
  if (text === '') return {}
  const [, host, port = ''] = LISTEN_ADDRESS.exec(text) ?? []
  if (port === '' || Number(port) > 65_535)
    throw new AvocetError('AVO_USAGE', `${name}: expected a port, or HOST:PORT, got '${text}'; for example 8042, or 0.0.0.0:8042`)
  return { port: Number(port), ...(host !== undefined && { host: host.replace(/^\[|\]$/g, '') }) }
}
