// What PostgreSQL, its driver or the network said, as the error of a store: by SQLSTATE, without passwords.
//
// What may pass by itself has a code that core waits for: a server that is away (AVO_FRONTIER_AWAY), a full disk, a lock. All else is for a person.
// Source of the states: PostgreSQL documentation, Appendix A.
import { AvocetError } from '@avocet/core'
import type { StoreUrl } from './store-url.ts'
import type { FatalCode } from '@avocet/core/store'

// What is wrong with the way to a server, before anything can be asked of it: its name, TLS, the password, the number of connections.

/** What is known to be wrong. */
interface Wrong {
  readonly code: FatalCode
  readonly message: string
}

/** A certificate that is not accepted, as Node's TLS says it. */
const CERTIFICATE =
  /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(?:_LOCALLY)?|CERT_HAS_EXPIRED|CERT_NOT_YET_VALID|ERR_TLS_CERT_ALTNAME_INVALID)$/

/** `at`: the store in words; `code`: SQLSTATE, or of the system. Undefined: nothing of the way. */
function wayFault(code: string | undefined, said: string, at: string): Wrong | undefined {
  if (code === 'ENOTFOUND') return unusable(`expected to find the server ${at}, got: ${said}; correct the host name in the URL`)
  if (code === '53300')
    return {
      code: 'AVO_FRONTIER_AWAY',
      message: `expected a connection to the server ${at}, got: ${said}; each process needs up to 4: raise the limit, or end other programs`,
    }
  return tlsFault(code, said, at) ?? loginFault(code, said, at)
}

function tlsFault(code: string | undefined, said: string, at: string): Wrong | undefined {
  if (said.startsWith('The server does not support SSL'))
    return unusable(
      `expected TLS from the server ${at}, as sslmode asks for, got a server without it; turn on ssl there, or write ?sslmode=disable if the network is trusted`,
    )
  if (code !== undefined && CERTIFICATE.test(code))
    return unusable(
      `expected a certificate of the server ${at} that sslmode accepts, got: ${said}; name the authority with &sslrootcert=FILE, or encrypt without checking it: ?sslmode=require`,
    )
  if (code === '28000' && /no pg_hba\.conf entry.*no encryption/.test(said))
    return unusable(
      `expected the server ${at} to let this user in, got: ${said}; it may ask for TLS: add ?sslmode=require to the URL`,
    )
  return undefined
}

function loginFault(code: string | undefined, said: string, at: string): Wrong | undefined {
  const how = 'set PGPASSWORD, or write the password into ~/.pgpass'
  // The driver names a field of its own, where nobody gave a password.
  if (/^SASL: .*client password must be/.test(said)) return unusable(`expected a password for the server ${at}, got none; ${how}`)
  if (said.startsWith('SASL: '))
    return unusable(`expected the server ${at} to agree on how to log in, got: ${said}; ask who runs it`)
  if (code === '28000' && /no pg_hba\.conf entry/.test(said))
    return unusable(`expected the server ${at} to let this user in, got: ${said}; have its pg_hba.conf allow it`)
  return code === '28P01' || code === '28000'
    ? unusable(`expected to log in at the server ${at}, got: ${said}; ${how}`)
    : undefined
}

function unusable(message: string): Wrong {
  return { code: 'AVO_FRONTIER_UNUSABLE', message }
}

const SECRET = '__secret__'

/** Connection exceptions, a server that shuts down or begins, too many connections; and what the network says. */
const AWAY = /^(?:08...|57P0[1-5]|53300|E(?:CONN(?:REFUSED|RESET|ABORTED)|TIMEDOUT|PIPE|HOSTUNREACH|NETUNREACH|AI_AGAIN))$/
/** Out of memory, a lock that is not available, a statement that took too long, a deadlock or a conflict even after several tries. */
const BUSY = /^(?:53200|53400|55P03|57014|40001|40P01)$/
/** Disk full. I/O errors of the server's disk are among the system errors. */
const FULL = /^53100$/
const DISK = /^58030$/

/** What the driver says when a connection ends, without a code. */
const ENDED = /(?:Connection terminated|connection is closed|timeout expired|timeout exceeded|Query read timeout|socket)/i

/** A cause without secrets: what was said, and its SQLSTATE or system code. */
class PostgresFault extends Error {
  override readonly name = 'PostgresFault'
  readonly code: string | undefined

  constructor(message: string, code: string | undefined) {
    super(message)
    this.code = code
  }
}

/** A transaction that is to be tried again: deadlock, serialisation failure, a lock that is not available. */
const CONFLICTS: ReadonlySet<string | undefined> = new Set(['40P01', '40001', '55P03'])

/** Whether the same call may pass at once. */
export function isConflict(thrown: unknown): boolean {
  return CONFLICTS.has(sqlStateOf(thrown))
}

/** The code of what a call threw, whoever gave it one. */
export function codeOf(thrown: unknown): string | undefined {
  return partsOf(thrown).code
}

/** SQLSTATE of what a call threw; undefined where the database said nothing. */
export function sqlStateOf(thrown: unknown): string | undefined {
  const { code, cause } = partsOf(thrown)
  if (cause !== undefined && (code === undefined || code.startsWith('AVO_'))) return sqlStateOf(cause)
  return code?.length === 5 && !code.startsWith('E') ? code : undefined
}

/** The error of a store. `secrets` are in none of its texts. */
export function storeFault(thrown: unknown, url: StoreUrl, secrets: readonly string[]): AvocetError {
  if (thrown instanceof AvocetError) return thrown
  const { code } = partsOf(thrown)
  const said = withoutSecrets(messageIn(thrown), secrets)
  const { code: avocet, message } = wrongOf(code, said, url)
  return new AvocetError(avocet, message, { cause: new PostgresFault(said, code) })
}

function wrongOf(code: string | undefined, said: string, url: StoreUrl): Wrong {
  const { shown, database = 'the default one' } = url
  const at = `of the store ${shown}`
  const way = wayFault(code, said, at)
  if (way !== undefined) return way
  if (code === '3D000')
    return {
      code: 'AVO_FRONTIER_MISSING',
      message: `expected the database ${database} ${at}, got: ${said}; create it with createdb, or correct the URL`,
    }
  if (code === 'AV002')
    return {
      code: 'AVO_FRONTIER_FAILED_OVER',
      message: `expected the server ${at} to be the one that the crawl was on, got another one in its place (failover); crawl again to see how to go on`,
    }
  if (code === '42501')
    return {
      code: 'AVO_FRONTIER_UNUSABLE',
      message: `expected the right to create a schema in the database ${at}, and to use that of the crawl, got: ${said}; ${/for database/.test(said) ? 'have its owner say GRANT CREATE ON DATABASE' : 'connect as the user that began the crawl'}`,
    }
  if (code === '3F000' || code === '42P01')
    return { code: 'AVO_FRONTIER_MISSING', message: `expected the tables ${at}, got: ${said}; was the crawl removed?` }
  return passing(code, said, at)
}

function passing(code: string | undefined, said: string, at: string): Wrong {
  // A replica that takes the place of its primary can be written to in a moment.
  if (code === '25006')
    return {
      code: 'AVO_FRONTIER_AWAY',
      message: `expected the server ${at} to take what is written, got: ${said}; give the URL of the primary, or of a user who does not only read (default_transaction_read_only)`,
    }
  if (code !== undefined ? AWAY.test(code) : ENDED.test(said))
    return {
      code: 'AVO_FRONTIER_AWAY',
      message: `expected an answer of the server ${at}, got: ${said}; start it, or correct the URL`,
    }
  if (FULL.test(code ?? ''))
    return { code: 'AVO_FRONTIER_FULL', message: `expected room on the disk of the server ${at}, got: ${said}; make room there` }
  if (DISK.test(code ?? ''))
    return { code: 'AVO_FRONTIER_IO', message: `expected the disk of the server ${at} to work, got: ${said}` }
  if (BUSY.test(code ?? ''))
    return { code: 'AVO_FRONTIER_BUSY', message: `expected the server ${at} to have time and memory, got: ${said}` }
  return { code: 'AVO_FRONTIER_UNUSABLE', message: `expected the server ${at} to do as it was asked, got: ${said}` }
}

function partsOf(thrown: unknown): { readonly code: string | undefined; readonly cause: unknown } {
  const { code, cause } = (typeof thrown === 'object' && thrown !== null ? thrown : {}) as { code?: unknown; cause?: unknown }
  const [first] = thrown instanceof AggregateError ? (thrown.errors as unknown[]) : []
  if (typeof code === 'string') return { code, cause }
  return first === undefined ? { code: undefined, cause } : partsOf(first)
}

/** An AggregateError has a message for each address that was tried, and none of its own. */
function messageIn(thrown: unknown): string {
  if (thrown instanceof AggregateError && thrown.errors.length > 0) return thrown.errors.map(messageIn).join(', ')
  if (!(thrown instanceof Error)) return String(thrown)
  return thrown.message === '' ? (partsOf(thrown).code ?? thrown.name) : thrown.message
}

function withoutSecrets(message: string, secrets: readonly string[]): string {
  const forms = secrets.flatMap((secret) => [secret, encodeURIComponent(secret)]).filter(({ length }) => length > 2)
  return forms.reduce((text, secret) => text.replaceAll(secret, SECRET), message)
}
