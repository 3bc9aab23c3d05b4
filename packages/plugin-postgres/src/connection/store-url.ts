// The URL of a store on PostgreSQL: a database, and in it the crawl.
//
// `postgres://user@host:port/database?crawl=NAME`. All but `crawl` is for the driver. A crawl has a schema of its own; its name is `avocet_` and that of the
// crawl, as far as it fits into the 63 bytes of an identifier (PostgreSQL documentation §4.1.1), or what fits and a hash of all.
import { hash } from 'node:crypto'
import { AvocetError } from '@avocet/core'
import { checkOptions, option } from '@avocet/core/plugin'
import { CONNECTION_SECRETS } from '@avocet/plugin-secrets/names'

/** Prefix of the schemas of crawls. */
export const SCHEMA_PREFIX = 'avocet_'

const MAX_IDENTIFIER_BYTES = 63
const HASH_CHARACTERS = 16

/** A URL that was read. */
export interface StoreUrl {
  /** For the driver. May have a password. */
  readonly connection: string
  /** Name of the crawl; absent where the URL names none. */
  readonly crawl?: string
  /** For people: without secrets, and with as much as is needed to type it again. */
  readonly shown: string
  /** Name of the database; absent where the driver's defaults say it. */
  readonly database?: string
}

/** Reads a URL. Throws AVO_CONFIG_INVALID. */
export function storeUrl(text: string): StoreUrl {
  // With one slash or none, the host would be taken for the database of this machine.
  const url = text.includes('://') && URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || (url.protocol !== 'postgres:' && url.protocol !== 'postgresql:')) {
    const wanted = 'postgres://user@host:port/database, with ?crawl=NAME for one of several crawls'
    throw new AvocetError(
      'AVO_CONFIG_INVALID',
      `expected the URL of a PostgreSQL database such as ${wanted}, got ${withoutPassword(text)}`,
    )
  }
  checkParameters(url)
  const named = url.searchParams.getAll('crawl')
  if (named.length > 1)
    throw new AvocetError(
      'AVO_CONFIG_INVALID',
      `expected one crawl in the URL of the store, got ${named.map((name) => `crawl=${name}`).join(' and ')}; leave one out`,
    )
  const crawl = url.searchParams.get('crawl') ?? undefined
  url.searchParams.delete('crawl')
  const database = decodeURIComponent(url.pathname.slice(1))
  const shown = new URL(url.href)
  shown.password = ''
  for (const name of CONNECTION_SECRETS) shown.searchParams.delete(name)
  if (crawl !== undefined) shown.searchParams.set('crawl', crawl)
  return {
    connection: url.href,
    shown: shown.href,
    ...(crawl !== undefined && crawl !== '' && { crawl }),
    ...(database !== '' && { database }),
  }
}

/** The driver passes over what it does not know: a misspelt `crawl` would open another crawl, a misspelt `sslmode` a connection in the clear. */
function checkParameters({ searchParams }: URL): void {
  checkOptions(
    'the URL of the store',
    Object.fromEntries(searchParams),
    Object.fromEntries(PARAMETERS.map((name) => [name, option.anyText])),
  )
}

/** What means something in SQL or in our statements. A name has it no more, and the hash of the name instead. */
const MEANS_SOMETHING = /['"$\\{}]/g

/** The schema of a crawl, unquoted. */
export function schemaOf(crawl: string): string {
  const given = SCHEMA_PREFIX + crawl.normalize('NFC').replaceAll('\0', '')
  const whole = given.replace(MEANS_SOMETHING, '_')
  if (whole === given && Buffer.byteLength(whole) <= MAX_IDENTIFIER_BYTES) return whole
  const tail = `~${hash('sha1', crawl).slice(0, HASH_CHARACTERS)}`
  let head = ''
  for (const character of whole) {
    if (Buffer.byteLength(head + character + tail) > MAX_IDENTIFIER_BYTES) break
    head += character
  }
  return head + tail
}

/** As an identifier in a statement. */
export function quotedName(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`
}

function withoutPassword(text: string): string {
  return JSON.stringify(text.replace(/^([^:/?#]*:\/\/[^:@/?#]*):[^@]*@/, '$1@').slice(0, 200))
}

// Parameters that the URL of a store may have: `crawl`, those of libpq, and those of the driver.
//
// What libpq has and the driver passes over is accepted: the same URL is used with psql.
// Source: PostgreSQL 18 documentation §32.1.2; `connection-parameters.js` and `client.js` of pg 8.23, and pg-connection-string.

const LIBPQ =
  'host hostaddr port dbname user password passfile require_auth channel_binding connect_timeout client_encoding options application_name fallback_application_name keepalives keepalives_idle keepalives_interval keepalives_count tcp_user_timeout replication gssencmode sslmode requiressl sslnegotiation sslcompression sslcert sslkey sslkeylogfile sslpassword sslcertmode sslrootcert sslcrl sslcrldir sslsni requirepeer ssl_min_protocol_version ssl_max_protocol_version min_protocol_version max_protocol_version krbsrvname gsslib gssdelegation service servicefile target_session_attrs load_balance_hosts scram_client_key scram_server_key oauth_issuer oauth_client_id oauth_client_secret oauth_scope'

const DRIVER =
  'ssl uselibpqcompat encoding db database statement_timeout query_timeout lock_timeout idle_in_transaction_session_timeout keepAlive keepAliveInitialDelayMillis'

/** By name. */
const PARAMETERS: readonly string[] = ['crawl', ...LIBPQ.split(' '), ...DRIVER.split(' ')]
