// The URL of a store: what is refused before anything is connected.
import { describe, expect, it } from 'vitest'
import { storeUrl } from '../src/connection/store-url.ts'

describe('the URL of a store on PostgreSQL', () => {
  it('with a parameter that is misspelt is refused, with what was probably meant', () => {
    expect(() => storeUrl('postgres://db.example/crawls?craw=books')).toThrow(/has no option 'craw' \(did you mean 'crawl'\?\)$/)
    expect(() => storeUrl('postgres://db.example/crawls?sslmod=require')).toThrow(
      /has no option 'sslmod' \(did you mean 'sslmode'\?\)$/,
    )
    expect(() => storeUrl('postgres://db.example/crawls?Crawl=books')).toThrow(/has no option 'Crawl'/)
  })

  it('names one crawl', () => {
    expect(() => storeUrl('postgres://db.example/crawls?crawl=books&crawl=teas')).toThrow(
      /^expected one crawl in the URL of the store, got crawl=books and crawl=teas; leave one out$/,
    )
  })

  it('may have the parameters of libpq and of the driver', () => {
    const more =
      'sslmode=verify-full&sslrootcert=ca.pem&target_session_attrs=read-write&statement_timeout=5000&uselibpqcompat=true'

    expect(storeUrl(`postgres://db.example/crawls?${more}&crawl=books`)).toMatchObject({
      connection: `postgres://db.example/crawls?${more}`,
      crawl: 'books',
    })
  })

  it('is shown without what logs in', () => {
    const secrets = 'password=s1&sslpassword=s2&scram_client_key=s3&scram_server_key=s4&oauth_client_secret=s5'

    expect(storeUrl(`postgres://me:s0@db.example/crawls?${secrets}&crawl=books`).shown).toBe(
      'postgres://me@db.example/crawls?crawl=books',
    )
  })

  it('with one slash is refused: its host would be taken for the database of this machine', () => {
    expect(() => storeUrl('postgres:/db.example/crawls')).toThrow(/expected the URL of a PostgreSQL database/)
  })
})
