// What PostgreSQL, its library or the network said, without passwords; and whose fault it is.

const SECRET = '__secret__'

/**
 * Classes of SQLSTATE that blame what was to be written: data exceptions (22), integrity (23), WITH CHECK OPTION (44), a limit that a value exceeds (54),
 * and what a trigger raises (P0). All others blame the server, the connection or the statement: they pass, or a person puts them right.
 *
 * Source: PostgreSQL documentation, Appendix A.
 */
const BLAMES_ITEM = /^(?:22|23|44|54|P0)/

/** Two rows of one statement have one key after all, by the rules of the column: each alone has none. */
const SAME_KEY_TWICE = '21000'

/**
 * Classes that no item can be blamed for: connection (08), transaction state (25), password (28), a database or schema that is not there (3D, 3F), deadlock
 * (40), rights, columns and tables (42), resources (53, without memory, of which a smaller batch needs less), locks (55), the operator (57, without a
 * statement that took too long, which a smaller one may not), the system (58). What has no SQLSTATE comes from the network.
 */
const BLAMES_NO_ITEM = /^(?:08|25|28|3D|3F|40|42|53(?!200)|55|57(?!014)|58)/

/** What to do where the words of the server or of the library do not say it. */
const ADVICE: readonly { readonly about: RegExp; readonly advice: string; readonly words?: string }[] = [
  {
    about: /^SASL: .*client password must be/,
    words: 'the server wants a password, and there is none',
    advice: 'set PGPASSWORD, or write it into ~/.pgpass',
  },
  { about: /^no PostgreSQL user name/, words: 'there is no user name', advice: 'set PGUSER, or write it into url' },
  { about: /^(?:connect|getaddrinfo) E(?:CONNREFUSED|NOTFOUND)/, advice: 'start it, or correct url, PGHOST or PGPORT' },
]

/** An error of a query or of the connection. */
export class PostgresError extends Error {
  override readonly name = 'PostgresError'
  /** SQLSTATE, or the code of a system error such as ECONNREFUSED. */
  readonly code: string | undefined

  private constructor(message: string, code: string | undefined) {
    super(message)
    this.code = code
  }

  /** `secrets` do not appear in its message. It has no cause, which could have them. */
  static of(thrown: unknown, secrets: readonly string[]): PostgresError {
    const { code, detail, hint, constraint } = partsOf(thrown)
    const more = [detail, hint].filter((text) => text !== undefined)
    const told =
      constraint !== undefined && !messageIn(thrown).includes(constraint) ? [`constraint ${constraint}`, ...more] : more
    const said = messageIn(thrown)
    const { words = said, advice } = ADVICE.find(({ about }) => about.test(said)) ?? {}
    const message = [words, ...told, ...(advice === undefined ? [] : [advice])].join('; ')
    return new PostgresError(withoutSecrets(`PostgreSQL: ${message}`, secrets), code)
  }

  /** Whether the database cannot be used now, whatever is to be written. */
  get isDown(): boolean {
    return this.code?.length !== 5 || BLAMES_NO_ITEM.test(this.code)
  }

  /** Whether the same rows in another order or number could be written. */
  get mayBeItems(): boolean {
    return this.code !== undefined && (BLAMES_ITEM.test(this.code) || this.code === SAME_KEY_TWICE) && this.code.length === 5
  }
}

function partsOf(thrown: unknown): { readonly [part in 'code' | 'constraint' | 'detail' | 'hint']: string | undefined } {
  const parts = (typeof thrown === 'object' && thrown !== null ? thrown : {}) as Readonly<Record<string, unknown>>
  const text = (part: string): string | undefined =>
    typeof parts[part] === 'string' && parts[part] !== '' ? parts[part] : undefined
  return { code: text('code'), constraint: text('constraint'), detail: text('detail'), hint: text('hint') }
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
