// What a proxy for tests is told, what it saw, and how it joins a client with a host.
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { Certificate } from './certificates.ts'

/**
 * What a proxy does. `works`; `denies`: wants other credentials; `refuses`: opens no tunnel; `unreachable`: says of every host that it cannot be reached;
 * `hangs`: accepts and says nothing; `hangs-up`: closes instead of answering; `garbage`: answers in another protocol; `drips`: its answer has no end;
 * `cuts`: closes the tunnel at the first byte of the host; `lies`: says that the tunnel stands, and answers in place of the host.
 */
export type ProxyBehaviour =
  | 'works'
  | 'denies'
  | 'refuses'
  | 'unreachable'
  | 'hangs'
  | 'hangs-up'
  | 'garbage'
  | 'drips'
  | 'cuts'
  | 'lies'

/** What a proxy is to be. */
export interface TestProxyOptions {
  readonly kind: 'http' | 'https' | 'socks5'
  /** Of an `https` proxy. */
  readonly certificate?: Certificate
  /** Whom it serves; absent: anybody. */
  readonly credentials?: { readonly username: string; readonly password: string }
  /** Where the host of this name and port is. Default: at that name and port. */
  readonly route?: (hostname: string, port: number) => { readonly hostname: string; readonly port: number }
}

/** What a proxy saw. */
export interface ProxySeen {
  connections: number
  /** Targets of tunnels that were asked for, as `host:port`, and URLs of requests to forward. */
  readonly targets: string[]
  denied: number
}

/** A proxy that runs. */
export interface TestProxy {
  /** Without credentials. */
  readonly url: string
  readonly seen: ProxySeen
  /** May be changed at any time; connections that stand go on. */
  behaviour: ProxyBehaviour
  /** Sockets that clients have open with it. */
  readonly open: number
  close(): Promise<void>
}

/** What the servers of the protocols are given. */
export interface ProxyDesk {
  readonly options: TestProxyOptions
  readonly seen: ProxySeen
  behaviour(): ProxyBehaviour
  /** Connects to a host; the socket is closed with the client's. */
  connect(client: Socket, hostname: string, port: number): Socket
}

/** Both ways, until one side ends; a reset stays one, except over TLS. `cuts`: nothing of the host passes. */
export function join(client: Socket, upstream: Socket, cuts: boolean): void {
  upstream.on('data', (chunk: Buffer) => (cuts ? client.destroy() : void client.write(chunk)))
  upstream.once('end', () => client.end())
  upstream.once('error', () => (client instanceof TLSSocket ? client.destroy() : client.resetAndDestroy()))
  upstream.once('close', () => client.destroySoon())
  client.once('end', () => upstream.end())
}
