// Finds the addresses of host names without holding a thread: as the system would, but by asking its name servers ourselves.
//
// Node's own look-up (getaddrinfo) blocks one of four threads, which file access and compression need as well. Each name whose name server is dead
// blocks one for up to 40 s, and every other name waits behind it: a dozen of them stop a crawl of healthy hosts.
//
// localhost and the like (RFC 6761) ─▶ hosts file ─▶ `.local` and names without a dot: the system ─▶ name servers
// While no name server has answered anything, as behind a firewall that drops datagrams, the system is asked as well.
//
// Names without a dot and mDNS are known to the system alone; two at a time are looked up there, so that two threads stay free.
// Not consulted: search endings of resolv.conf, other sources of nsswitch.conf (LDAP, NIS), and name servers that a VPN sets for some domains outside
// resolv.conf.
// For those there is `resolver: 'system'`.
import { wrongOption } from '@avocet/core/plugin'
import type { Clock } from '@avocet/core/store'
import { Resolver, type LookupAddress } from 'node:dns'
import { systemResolve, type Resolution } from '../lookup.ts'
import { DnsQuestion, isSilence } from './dns-question.ts'
import { Turnstile } from '../turnstile.ts'
import { WatchedFile } from './watched-file.ts'
import { isIP } from 'node:net'

/** Where names are looked up. */
export interface DnsSources {
  readonly clock: Clock
  /** Instead of the system's. */
  readonly nameServers?: readonly string[]
  readonly hostsPath?: string
  /** Of resolv.conf: the news that its name servers have changed. */
  readonly confPath?: string
}

const RESOLV_CONF_PATH = '/etc/resolv.conf'
/** First try; c-ares doubles it up to the second number, and adds chance. */
const TRY_MS = 2_000
const LONGEST_TRY_MS = 3_000
const TRIES = 2
/** Look-ups in progress at name servers. They cost no thread, so the cap is above the slots of most crawls; it spares small routers. */
const MAX_ASKED = 512
/** Look-ups in progress at the system: half of its threads. */
const MAX_ASKED_SYSTEM = 2

/** Names that must not be looked up: RFC 6761 §6.4, RFC 7686. */
const NOWHERE = /\.(?:invalid|onion)$/

const LOOPBACK: Resolution = {
  addresses: [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ],
}

/** Asks for names, each look-up for itself: without a cache. */
export class DnsNames {
  readonly #clock: Clock
  readonly #nameServers: readonly string[] | undefined
  readonly #hosts: WatchedFile<ReturnType<typeof readHostsFile>>
  readonly #conf: WatchedFile<string>
  readonly #atServers = new Turnstile(MAX_ASKED)
  readonly #atSystem = new Turnstile(MAX_ASKED_SYSTEM)
  readonly #underWay = new Set<DnsQuestion>()
  #current: { readonly resolver: Resolver; readonly conf: string | undefined } | undefined
  #hasAnswered = false
  #closed = false

  /** Throws AVO_CONFIG_INVALID for name servers that are no addresses. */
  constructor({ clock, nameServers, hostsPath = HOSTS_PATH, confPath = RESOLV_CONF_PATH }: DnsSources) {
    this.#clock = clock
    this.#nameServers = nameServers
    this.#hosts = new WatchedFile(hostsPath, clock, readHostsFile)
    this.#conf = new WatchedFile(confPath, clock, (text) => text)
    if (nameServers === undefined) return
    this.#current = { resolver: resolverAsking(nameServers), conf: undefined }
  }

  /** Calls `answer` once, in this tick where nobody needs to be asked; not at all after `close`. */
  resolve(hostname: string, answer: (resolution: Resolution) => void): void {
    const name = hostname.toLowerCase().replace(/\.$/, '')
    if (name === 'localhost' || name.endsWith('.localhost')) return answer(LOOPBACK)
    if (NOWHERE.test(name)) return answer({ error: Object.assign(new Error(`${name}: ENOTFOUND`), { code: 'ENOTFOUND' }) })
    const addresses = this.#hosts.content.get(name)
    if (addresses !== undefined) return answer({ addresses })
    if (this.#nameServers === undefined && (!name.includes('.') || name.endsWith('.local')))
      return this.#askSystem(hostname, answer)
    this.#askServers(name, answer)
  }

  /** Ends all look-ups. */
  close(): void {
    this.#closed = true
    for (const question of this.#underWay) question.cancel()
    this.#current?.resolver.cancel()
  }

  #askSystem(hostname: string, answer: (resolution: Resolution) => void): void {
    this.#atSystem.enter((leave) => {
      systemResolve(hostname, (resolution) => {
        leave()
        answer(resolution)
      })
    })
  }

  #askServers(name: string, answer: (resolution: Resolution) => void): void {
    this.#atServers.enter((leave) => {
      if (this.#closed) return
      const question = new DnsQuestion(this.#resolver(), { name, clock: this.#clock }, (resolution) => {
        this.#underWay.delete(question)
        leave()
        this.#hasAnswered ||= resolution.error === undefined || !isSilence(resolution.error)
        if (!this.#hasAnswered && this.#nameServers === undefined) return this.#askSystem(name, answer)
        answer(resolution)
      })
      this.#underWay.add(question)
    })
  }

  /** One that knows the servers of today: c-ares reads resolv.conf once, and a crawl of weeks sees networks come and go. */
  #resolver(): Resolver {
    if (this.#nameServers !== undefined && this.#current !== undefined) return this.#current.resolver
    const conf = this.#conf.content
    if (this.#current?.conf !== conf) this.#current = { resolver: newResolver(), conf }
    return this.#current.resolver
  }
}

function newResolver(): Resolver {
  return new Resolver({ timeout: TRY_MS, tries: TRIES, maxTimeout: LONGEST_TRY_MS })
}

function resolverAsking(nameServers: readonly string[]): Resolver {
  const resolver = newResolver()
  try {
    // Node would take an empty list.
    resolver.setServers(nameServers.length === 0 ? [''] : nameServers)
    return resolver
  } catch {
    throw wrongOption('nameServers', "IP addresses with or without a port, like '192.0.2.53'", nameServers.join(', '))
  }
}

/** Names in lower case, each with its addresses in the order of the file. */
type HostsFile = ReadonlyMap<string, readonly LookupAddress[]>

/** Where this system keeps it. */
const HOSTS_PATH: string =
  process.platform === 'win32' ? `${process.env['SystemRoot'] ?? 'C:\\Windows'}\\System32\\drivers\\etc\\hosts` : '/etc/hosts'

/**
 * The names in `text`; lines that are none are passed over.
 *
 * @example
 * ```ts
 * readHostsFile('192.0.2.1 shop.test # ours').get('shop.test') // [{ address: '192.0.2.1', family: 4 }]
 * ```
 */
export function readHostsFile(text: string): HostsFile {
  const known = new Map<string, LookupAddress[]>()
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    const family = isIP(address)
    if (family === 0) continue
    for (const name of names.map((each) => each.toLowerCase())) {
      const addresses = known.get(name)
      if (addresses === undefined) known.set(name, [{ address, family }])
      else addresses.push({ address, family })
    }
  }
  return known
}
