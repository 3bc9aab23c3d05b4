// Where servers of a crawl listen, and what keeps them from it.
import { once } from 'node:events'
import type { Server } from 'node:http'
import { isIP, type AddressInfo } from 'node:net'
import { AvocetError } from '@avocet/core'
import { messageOf } from '@avocet/core/store'

/** Where a server listens. */
export interface ServerAddress {
  /** A name, or an address without brackets. */
  readonly host: string
  /** 0 = any that is free. */
  readonly port: number
}

/**
 * Whether only this machine reaches it.
 *
 * @example
 * ```ts
 * isLoopback('127.0.0.1') // true
 * ```
 */
export function isLoopback(host: string): boolean {
  return host.toLowerCase() === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

/**
 * Listens at an address, and resolves to the port; what a connection does wrong later is ignored. `name`: what it serves, as its message begins.
 *
 * @throws AvocetError AVO_LISTEN_ADDRESS.
 */
export async function listening(server: Server, name: string, { host, port }: ServerAddress): Promise<number> {
  try {
    server.listen({ host, port, exclusive: true })
    await once(server, 'listening')
    server.on('error', () => undefined)
    return (server.address() as AddressInfo).port
  } catch (error) {
    const [expected, got, todo] = trouble(error, { host, port })
    throw new AvocetError('AVO_LISTEN_ADDRESS', `${name}: expected ${expected}, got ${got}; ${todo}`, { cause: error })
  }
}

/** What was expected, what came, what to do. */
function trouble(error: unknown, { host, port }: ServerAddress): readonly [string, string, string] {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE')
    return ['a port that is free', `${port}, which is in use at ${host}`, 'choose another, or 0 for any free one']
  if (code === 'EACCES' || code === 'EPERM')
    return ['a port that this user may listen at', String(port), 'choose one from 1024 up, such as 9464']
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return ['an address of this machine', host, 'use 127.0.0.1, or 0.0.0.0 for all of them']
  return [`to listen at ${host}:${port}`, messageOf(error), 'choose another address']
}
