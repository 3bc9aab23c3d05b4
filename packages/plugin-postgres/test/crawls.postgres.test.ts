// The crawls of a database, and what is said of a server that cannot keep one.
import { AvocetError } from '@avocet/core'
import { CANONICALISATION } from '@avocet/core/store'
import { postgresMissing, startPostgres, type TestPostgres } from '@avocet/stress/postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { quotedName, schemaOf, storeUrl } from '../src/connection/store-url.ts'
import { ServerConnections } from '../src/connection/connections.ts'
import { storeFault } from '../src/connection/postgres-fault.ts'
import { hasCrawl, listCrawls, openPostgresReader, postgresFrontier, probePostgres, removeCrawl } from '../src/index.ts'
import { POSTGRES_SCHEMA_VERSION, TABLES } from '../src/schema/tables.sql.ts'

const missing = postgresMissing()

/** Code and message of what a call throws. */
async function said(call: Promise<unknown>): Promise<string> {
  try {
    await call
  } catch (error) {
    if (error instanceof AvocetError) return `${error.code}: ${error.message}`
    throw error
  }
  throw new Error('expected an error, got none')
}

describe.skipIf(missing !== undefined)(`crawls of a PostgreSQL database ${missing ?? ''}`, () => {
  let server: TestPostgres
  let lane: ServerConnections

  async function make(name: string, version = POSTGRES_SCHEMA_VERSION, queries = lane): Promise<void> {
    const tables = TABLES.replaceAll('{S}', quotedName(schemaOf(name)))
    const values = [1, 1, 1, version, name, CANONICALISATION, 'host']
    await queries.all(`CREATE SCHEMA ${quotedName(schemaOf(name))}`)
    await queries.all(tables)
    await queries.all(
      `INSERT INTO ${quotedName(schemaOf(name))}.crawl (created_at, crawl_at, id, schema_version, name, canonicalisation, host_keying)
       VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      values,
    )
  }

  const at = (crawl: string): string => `${server.url}?crawl=${encodeURIComponent(crawl)}`

  beforeAll(async () => {
    server = await startPostgres()
    lane = new ServerConnections({ url: storeUrl(server.url), schema: 'none', connections: 1, timeoutMs: 20_000 })
  })

  afterAll(async () => {
    await lane.close()
    await server.stop()
  })

  it('are listed by name, beside schemas of others', async () => {
    await lane.all('CREATE SCHEMA "avocet_of_somebody_else"')
    expect(await said(openPostgresReader(server.url))).toMatch(/^AVO_FRONTIER_MISSING: expected a crawl .*, got none; begin one/)
    await make('quotes')
    await make('a "quoted" crawl')

    expect((await listCrawls(server.url)).map(({ name }) => name)).toEqual(['a "quoted" crawl', 'quotes'])
  })

  it('are read by name, or without one where there is only one', async () => {
    const reader = await openPostgresReader(at('quotes'))
    expect(await reader.info()).toMatchObject({ name: 'quotes', liveProcesses: 0 })
    await reader.close()

    const several = await said(openPostgresReader(server.url))
    expect(several).toMatch(
      /^AVO_USAGE: expected one crawl in the database of .*, got 2 \(.*quotes\); name the one you mean, as in postgres:.*crawl=/,
    )
    expect(several).toContain('?crawl=a+%22quoted%22+crawl')
    expect(several).not.toContain('pass')
    expect(await said(openPostgresReader(at('books')))).toMatch(
      /, got none of that name among 2 \(a "quoted" crawl, quotes\); begin one/,
    )
  })

  it('are named where the name is misspelt, and a schema that is no crawl is said to be one', async () => {
    await lane.all('CREATE SCHEMA "avocet_of_no_crawl"')

    const misspelt = await said(openPostgresReader(at('quotse'), (name, names) => ` (not ${name} but ${names.at(-1) ?? ''}?)`))
    expect(misspelt).toMatch(/^AVO_FRONTIER_MISSING: expected a crawl called quotse .*, got none of that name among 2 \(/)
    expect(misspelt).toMatch(/\(not quotse but quotes\?\); begin one/)
    expect(await said(openPostgresReader(at('of_no_crawl')))).toMatch(
      /^AVO_FRONTIER_FOREIGN: .*expected the schema avocet_of_no_crawl to be a crawl's, got something else/,
    )
  })

  it('are gone on with by who names none where there is only one, and never made without a name', async () => {
    await lane.all('CREATE DATABASE "of_one_crawl"')
    const url = new URL(server.url)
    url.pathname = '/of_one_crawl'
    const spec = { name: '', hostKeying: 'host' }
    const opening = async (crawl: string, given = spec): Promise<string> => {
      url.search = crawl
      const frontier = postgresFrontier(url.href, { allowUnsafe: true })
      try {
        await frontier.open(given, 0)
        return (await frontier.reader.info()).name
      } finally {
        await frontier.close()
      }
    }
    const asked = async <Row extends object>(statement: string): Promise<readonly Row[]> => {
      url.search = ''
      const queries = new ServerConnections({ url: storeUrl(url.href), schema: 'none', connections: 1, timeoutMs: 20_000 })
      try {
        return await queries.all<Row>(statement)
      } finally {
        await queries.close()
      }
    }
    const schemas = () => asked("SELECT nspname FROM pg_namespace WHERE starts_with(nspname, 'avocet')")
    /** As a copy that ended early would leave it. */
    const emptied = (crawl: string) => asked(`DELETE FROM ${quotedName(schemaOf(crawl))}.crawl`)
    const names = async (): Promise<readonly string[]> => (await listCrawls(url.href)).map(({ name }) => name)

    expect(await said(opening(''))).toMatch(/^AVO_FRONTIER_MISSING: expected a crawl .*, got none; begin one with avocet crawl$/)
    expect(await said(opening('?crawl=teas'))).toMatch(/^AVO_FRONTIER_MISSING: /)
    expect(await names()).toEqual([])
    expect(await schemas()).toEqual([])
    expect(await opening('', { ...spec, name: 'teas' })).toBe('teas')
    expect(await opening('')).toBe('teas')
    expect(await names()).toEqual(['teas'])
    expect(await opening('', { ...spec, name: 'cups' })).toBe('cups')
    await emptied('teas')
    expect(await said(opening('?crawl=teas'))).toMatch(/^AVO_FRONTIER_MISSING: /)
    expect(await opening('?crawl=teas', { ...spec, name: 'teas' })).toBe('teas')
    expect(await said(opening(''))).toMatch(/^AVO_USAGE: expected one crawl .*, got 2 \(cups, teas\)/)
    expect(await opening('?crawl=teas')).toBe('teas')
    expect(await names()).toEqual(['cups', 'teas'])
  })

  it('are neither read nor gone on with that another version of Avocet made', async () => {
    await make('older', 5)
    const spec = { name: 'older', hostKeying: 'host' }
    const frontier = postgresFrontier(at('older'), { allowUnsafe: true })
    const wanted =
      /^AVO_FRONTIER_VERSION: .*expected tables of version 2, got 5; use the Avocet that made them, or start over with --fresh$/

    expect(await said(openPostgresReader(at('older')))).toMatch(wanted)
    expect(await said(frontier.open(spec, 0))).toMatch(wanted)
    await removeCrawl(at('older'))
  })

  it('are removed by name alone, and not while a process works on them', async () => {
    expect(await said(removeCrawl(server.url))).toMatch(/^AVO_USAGE: expected the name of the crawl to remove/)
    await lane.all(
      `INSERT INTO ${quotedName(schemaOf('quotes'))}.process (token, boot, pid) VALUES (gen_random_uuid(), 'of another machine', 1)`,
    )
    expect(await said(removeCrawl(at('quotes')))).toMatch(/^AVO_FRONTIER_BUSY: expected nobody to work on .*, got 1 process/)
    await removeCrawl(at('a "quoted" crawl'))

    expect((await listCrawls(server.url)).map(({ name }) => name)).toEqual(['quotes'])
  })

  it('need a server that forces what it writes to its disk, and a right to create a schema', async () => {
    expect(await said(probePostgres(server.url))).toMatch(/expected a server with fsync=on .*, got fsync=off/)
    expect(await probePostgres(server.url, { allowUnsafe: true })).toMatchObject({ mayCreate: true })
    await lane.all("CREATE ROLE guest LOGIN PASSWORD 'guest of the test'")
    const guest = new URL(server.url)
    guest.username = 'guest'
    guest.password = 'guest of the test'

    expect(await said(probePostgres(guest.href, { allowUnsafe: true }))).toMatch(
      /expected the right to create a schema .*GRANT CREATE/,
    )
  })

  it('are looked at as the crawl that would go on with them does', async () => {
    await make('tables')
    await lane.all('CREATE SCHEMA "avocet_not_ours"')
    const spec = { name: '', hostKeying: 'host' }
    const probe = (crawl: string, hostKeying = 'host'): Promise<unknown> =>
      probePostgres(at(crawl), { allowUnsafe: true, spec: { ...spec, hostKeying } })

    expect(await said(probe('not_ours'))).toMatch(/^AVO_FRONTIER_FOREIGN: .*expected the schema avocet_not_ours to be a crawl's/)
    expect(await said(probe('tables', 'domain'))).toMatch(
      /^AVO_FRONTIER_SPEC: .*expected URLs by \S+ and hosts by host, got \S+ and domain/,
    )
    await probe('tables')
    await lane.all(`UPDATE ${quotedName(schemaOf('tables'))}.crawl SET canonicalisation = 'earlier rules'`)
    expect(await said(probe('tables'))).toMatch(/^AVO_FRONTIER_SPEC: .*expected URLs by earlier rules/)
    await probe('none yet')
    expect(await hasCrawl(at('none yet'))).toBe(false)
    await removeCrawl(at('tables'))
  })

  it('need a server that may be written to', async () => {
    await lane.all("CREATE ROLE reads LOGIN PASSWORD 'reads alone'; ALTER ROLE reads SET default_transaction_read_only = on")
    const reads = new URL(at('quotes'))
    reads.username = 'reads'
    reads.password = 'reads alone'
    const frontier = postgresFrontier(reads.href, { allowUnsafe: true })
    const wanted =
      /^AVO_FRONTIER_UNUSABLE: expected a server that can be written to .*, got default_transaction_read_only=on.*; .*ALTER ROLE/

    expect(await said(probePostgres(reads.href, { allowUnsafe: true }))).toMatch(wanted)
    expect(await said(frontier.open({ name: 'quotes', hostKeying: 'host' }, 0))).toMatch(wanted)
    await frontier.close()
  })

  it('are there for those who may read them, and no others', async () => {
    await make('kept from others')
    await lane.all("CREATE ROLE stranger LOGIN PASSWORD 'a stranger'")
    await lane.all(`GRANT USAGE ON SCHEMA ${quotedName(schemaOf('kept from others'))} TO stranger`)
    const stranger = new URL(server.url)
    stranger.username = 'stranger'
    stranger.password = 'a stranger'

    expect(await listCrawls(stranger.href)).toEqual([])
    stranger.searchParams.set('crawl', 'kept from others')
    expect(await said(hasCrawl(stranger.href))).toMatch(/^AVO_FRONTIER_UNUSABLE: .*permission denied for table crawl/)
    await lane.all(`REVOKE USAGE ON SCHEMA ${quotedName(schemaOf('kept from others'))} FROM stranger`)
    await lane.all(`GRANT SELECT ON ALL TABLES IN SCHEMA ${quotedName(schemaOf('kept from others'))} TO stranger`)
    stranger.search = ''
    expect(await listCrawls(stranger.href)).toEqual([])
    await removeCrawl(at('kept from others'))
  })

  it('are found by name however many there are, and messages name a few', async () => {
    await lane.all('CREATE DATABASE many')
    const many = new URL(server.url)
    many.pathname = '/many'
    const others = new ServerConnections({ url: storeUrl(many.href), schema: 'none', connections: 1, timeoutMs: 60_000 })
    await others.all(`DO $$ BEGIN FOR n IN 1..1001 LOOP
      EXECUTE format('CREATE SCHEMA avocet_%s', n);
      EXECUTE format('CREATE TABLE avocet_%s.crawl AS SELECT %L::varchar(9) AS name, 1::bigint AS created_at, 3 AS schema_version, 1 AS host_keying', n, n);
    END LOOP; END $$`)
    await make('zebra', POSTGRES_SCHEMA_VERSION, others)
    await others.close()
    const missing = await said(openPostgresReader(`${many.href}?crawl=yak`))
    const zebra = `${many.href}?crawl=zebra`

    expect(await Promise.all([hasCrawl(zebra), hasCrawl(`${many.href}?crawl=yak`)])).toEqual([true, false])
    const reader = await openPostgresReader(zebra)
    expect(await reader.info()).toMatchObject({ name: 'zebra' })
    await reader.close()
    await removeCrawl(zebra)
    expect(await hasCrawl(zebra)).toBe(false)
    expect(missing).toMatch(
      /^AVO_FRONTIER_MISSING: expected a crawl called yak .*, got none of that name among 1000 or more \(1, 10, .*, …\); begin one with avocet crawl$/,
    )
    expect(missing.length).toBeLessThan(400)
  })

  it('say without a password what is wrong with the way to the server', async () => {
    const wrong = new URL(server.url)
    wrong.password = 'a wrong word'
    const elsewhere = new URL(server.url)
    elsewhere.pathname = '/nothing-here'
    const texts = await Promise.all([
      said(listCrawls(wrong.href)),
      said(listCrawls(elsewhere.href)),
      said(listCrawls('postgres://me:a%20wrong%20word@127.0.0.1:1/x')),
      said(listCrawls('postgres://me:a%20wrong%20word@nowhere.invalid/x')),
      said(listCrawls('mysql://me:a%20wrong%20word@h/x')),
    ])

    expect(texts.map((text) => text.split(':', 1)[0])).toEqual([
      'AVO_FRONTIER_UNUSABLE',
      'AVO_FRONTIER_MISSING',
      'AVO_FRONTIER_AWAY',
      'AVO_FRONTIER_UNUSABLE',
      'AVO_CONFIG_INVALID',
    ])
    expect(texts[0]).toContain('set PGPASSWORD')
    expect(texts[1]).toContain('expected the database nothing-here')
    expect(texts.join('\n')).not.toMatch(/wrong word|wrong%20word|pass of the test/)
  })

  it.each(['sslpassword', 'scram_client_key', 'scram_server_key', 'oauth_client_secret'])(
    'say nothing of %s, whatever the server repeats',
    async (name) => {
      const url = storeUrl(`${server.url}?${name}=${name}%20of%20the%20test`)
      const connections = new ServerConnections({ url, schema: 'none', connections: 1, timeoutMs: 20_000 })
      const text = await said(connections.all(`SELECT '${name} of the test'::int`))
      await connections.close()

      expect(text).toContain('invalid input syntax')
      expect(text).not.toContain('of the test')
    },
  )

  it('say that TLS or a password is missing, and where it goes', async () => {
    const encrypted = new URL(server.url)
    encrypted.searchParams.set('sslmode', 'require')
    const silent = new URL(server.url)
    silent.password = ''

    expect(await said(listCrawls(encrypted.href))).toMatch(
      /^AVO_FRONTIER_UNUSABLE: expected TLS from the server of the store postgres:.*, got a server without it; .*sslmode=disable/,
    )
    expect(await said(listCrawls(silent.href))).toMatch(
      /^AVO_FRONTIER_UNUSABLE: expected a password for the server of the store postgres:.*, got none; set PGPASSWORD/,
    )
  })

  it.each([
    [
      '28000',
      'no pg_hba.conf entry for host "10.0.0.1", user "me", database "x", no encryption',
      /it may ask for TLS: add \?sslmode=require/,
    ],
    [
      '28000',
      'no pg_hba.conf entry for host "10.0.0.1", user "me", database "x", SSL encryption',
      /have its pg_hba\.conf allow it/,
    ],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'self-signed certificate in certificate chain', /sslrootcert=FILE/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', "Hostname/IP does not match certificate's altnames", /sslrootcert=FILE/],
  ])('say for %s, %s, what to do', (code, message, advice) => {
    const fault = storeFault(Object.assign(new Error(message), { code }), storeUrl('postgres://me@db.example/x'), [])

    expect(fault.code).toBe('AVO_FRONTIER_UNUSABLE')
    expect(fault.message).toMatch(advice)
    expect(fault.message).toContain(message)
  })
})

describe('the schema of a crawl', () => {
  it.each([
    ['quotes', 'avocet_quotes'],
    ['Bücher & mehr', 'avocet_Bücher & mehr'],
  ])('of %s is %s', (name, schema) => {
    expect(schemaOf(name)).toBe(schema)
  })

  it('fits into an identifier, and is another one for another name', () => {
    const [a, b] = [`${'ü'.repeat(60)}a`, `${'ü'.repeat(60)}b`]
    expect(Buffer.byteLength(schemaOf(a))).toBeLessThanOrEqual(63)
    expect(schemaOf(a)).not.toBe(schemaOf(b))
  })

  it('is quoted as an identifier', () => {
    expect(quotedName('a"b')).toBe('"a""b"')
  })
})
