// What is wrong with the way to a server, before anything can be asked of it: its name, TLS, the password, the number of connections.
import type { FatalCode } from '@avocet/core/store'

/** What is known to be wrong. */
export interface Wrong {
  readonly code: FatalCode
  readonly message: string
}

/** A certificate that is not accepted, as Node's TLS says it. */
const CERTIFICATE =
  /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(?:_LOCALLY)?|CERT_HAS_EXPIRED|CERT_NOT_YET_VALID|ERR_TLS_CERT_ALTNAME_INVALID)$/

/** `at`: the store in words; `code`: SQLSTATE, or of the system. Undefined: nothing of the way. */
export function wayFault(code: string | undefined, said: string, at: string): Wrong | undefined {
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
