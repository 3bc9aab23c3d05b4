// What a configuration says of credentials and sessions: where their values come from, never the values.

/**
 * Where the value of a secret comes from: an environment variable, or a file that only its owner can read (mode 0600 or 0400). A relative path is relative
 * to the working directory; a line break at the end of the file does not count.
 */
type ValueSource = { readonly env: string } | { readonly file: string | URL }

/** A certificate with which a client shows who it is (RFC 8446 §4.4.2), and its private key, as PEM. */
interface CertificateSource {
  /** The certificate, and those that lead to its issuer. No secret: a file of it may be readable for everybody. */
  readonly cert: ValueSource
  readonly key: ValueSource
  /** Of the key, where it has one. */
  readonly passphrase?: ValueSource
}

/** Credentials for one origin: a token (RFC 6750), a user name with a password (RFC 7617), or a client certificate. */
type Credential =
  | { readonly bearer: ValueSource }
  | { readonly user: string | ValueSource; readonly password: ValueSource }
  | CertificateSource

/** Credentials by origin: `https://api.example`, `https://api.example:8443`. */
export type Credentials = Readonly<Record<string, Credential>>

/** What requests of a named session send. */
export interface SessionSettings {
  /** Header fields for the origins of seeds and for `scope.hosts`, in place of those with the same names in `headers` of the crawl. */
  readonly headers?: Readonly<Record<string, string>>
  /** User agent of its requests. robots.txt is still read for the user agent of the crawl. */
  readonly userAgent?: string
  /** A proxy, or several, of which the session keeps one; 'direct' for none. For the `avocet` command; in a program, use `proxies()`. */
  readonly proxy?: string | readonly string[]
  /** In place of those of the crawl for the same origins. */
  readonly credentials?: Credentials
}
