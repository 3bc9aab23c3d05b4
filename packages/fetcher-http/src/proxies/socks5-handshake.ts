// The handshake of SOCKS5: methods, user name and password (RFC 1929), then CONNECT (RFC 1928 §4 to §6). Names go to the proxy as names.
import type { FailureCode, ProxyServer } from '@avocet/core/plugin'
import { isIP } from 'node:net'
import { ipv6Groups } from '../names/address-guard.ts'
import type { ProxyWord, TunnelHandshake, TunnelTarget } from './http-connect.ts'

const NONE = 0x00
const PASSWORD = 0x02
const NO_METHOD = 0xff
const [IPV4, NAME, IPV6] = [0x01, 0x03, 0x04]
/** RFC 1928 §5: the length of a name is one octet. */
const MOST_NAME_BYTES = 255

/** RFC 1928 §6. What the proxy says of the host is the host's; a proxy that says it of every host is found out by whoever sees all of them. */
const REPLIES: Readonly<Record<number, readonly [FailureCode, string]>> = {
  1: ['AVO_PROXY_REFUSED', 'general failure'],
  2: ['AVO_PROXY_REFUSED', 'not allowed by its rules'],
  3: ['AVO_UNREACHABLE', 'network unreachable'],
  4: ['AVO_CONNECT_FAILED', 'host unreachable'],
  5: ['AVO_CONNECT_REFUSED', 'connection refused'],
  6: ['AVO_UNREACHABLE', 'TTL expired'],
  7: ['AVO_PROXY_REFUSED', 'command not supported'],
  8: ['AVO_PROXY_REFUSED', 'address type not supported'],
}

/** One conversation. */
export class Socks5Handshake implements TunnelHandshake {
  readonly first: Buffer
  readonly #proxy: ProxyServer
  readonly #target: TunnelTarget
  #awaits: 'method' | 'auth' | 'reply' = 'method'

  constructor(proxy: ProxyServer, target: TunnelTarget) {
    this.#proxy = proxy
    this.#target = target
    this.first = Buffer.from(proxy.username === undefined ? [5, 1, NONE] : [5, 2, NONE, PASSWORD])
  }

  hear(bytes: Buffer): ProxyWord {
    const [version, word] = bytes
    // Of the verdict on a password it is 1 (RFC 1929 §2), and some proxies say 5 there as well.
    const isKnown = version === 5 || (version === 1 && this.#awaits === 'auth')
    if (version !== undefined && !isKnown)
      return this.#failed('AVO_PROXY_PROTOCOL', `version ${version}; check its scheme and port`)
    if (version === undefined || word === undefined) return { kind: 'more' }
    if (this.#awaits === 'reply') return this.#reply(bytes, word)
    const rest = bytes.subarray(2)
    return this.#awaits === 'method' ? this.#method(word, rest) : this.#authenticated(word, rest)
  }

  #method(method: number, rest: Buffer): ProxyWord {
    if (method === NONE) return this.#connect(rest)
    const { username, password = '' } = this.#proxy
    if (method === PASSWORD && username !== undefined) {
      this.#awaits = 'auth'
      const [name, word] = [Buffer.from(username), Buffer.from(password)]
      const bytes = Buffer.concat([Buffer.from([1, name.length]), name, Buffer.from([word.length]), word])
      return { kind: 'say', bytes, rest }
    }
    if (method !== NO_METHOD) return this.#failed('AVO_PROXY_PROTOCOL', `the method ${method}, which was not offered`)
    const remedy = username === undefined ? '; write user name and password in its URL' : ''
    return this.#failed('AVO_PROXY_AUTH', `that it accepts none of our ways to authenticate${remedy}`)
  }

  #authenticated(status: number, rest: Buffer): ProxyWord {
    if (status === 0) return this.#connect(rest)
    return this.#failed('AVO_PROXY_AUTH', 'that user name or password are wrong; correct them in its URL')
  }

  #connect(rest: Buffer): ProxyWord {
    this.#awaits = 'reply'
    const { hostname, port } = this.#target
    if (hostname.length > MOST_NAME_BYTES) return this.#failed('AVO_DNS_NOT_FOUND', 'a name that is longer than any in the DNS')
    const bytes = Buffer.concat([Buffer.from([5, 1, 0]), this.#address(), Buffer.from([port >> 8, port & 255])])
    return { kind: 'say', bytes, rest }
  }

  #address(): Buffer {
    const { hostname } = this.#target
    const family = isIP(hostname)
    if (family === 4) return Buffer.from([IPV4, ...hostname.split('.').map(Number)])
    if (family === 6) return Buffer.from([IPV6, ...ipv6Groups(hostname).flatMap((group) => [group >> 8, group & 255])])
    return Buffer.concat([Buffer.from([NAME, hostname.length]), Buffer.from(hostname, 'latin1')])
  }

  /** Of a refusal two bytes are enough: some proxies send no more. */
  #reply(bytes: Buffer, reply: number): ProxyWord {
    if (reply !== 0) {
      const [code, word] = REPLIES[reply] ?? ['AVO_PROXY_REFUSED' as const, `reply ${reply}`]
      return this.#failed(code, `"${word}" for ${this.#target.hostname}:${this.#target.port}`)
    }
    const type = bytes[3]
    if (type === undefined) return { kind: 'more' }
    const addressBytes = type === IPV4 ? 4 : type === IPV6 ? 16 : type === NAME ? 1 + (bytes[4] ?? 0) : undefined
    if (addressBytes === undefined) return this.#failed('AVO_PROXY_PROTOCOL', `an address of type ${type}`)
    const end = 4 + addressBytes + 2
    return bytes.length < end || bytes[4] === undefined ? { kind: 'more' } : { kind: 'open', rest: bytes.subarray(end) }
  }

  #failed(code: FailureCode, got: string): ProxyWord {
    return { kind: 'failed', code, message: `expected ${this.#proxy.url} to answer as a SOCKS5 proxy, got ${got}` }
  }
}
