// Secrets in texts that somebody will read: how many values are looked for.
import { describe, expect, it } from 'vitest'
import { Secrets } from '../../src/secrets/secrets.ts'

describe('a text that somebody will read', () => {
  it('is without a hundred values of header fields', () => {
    const secrets = new Secrets()
    const values = Array.from({ length: 101 }, (_, n) => `session-token-${1_000 + n}`)
    for (const [n, cookie] of values.entries()) secrets.headers.hidden({ cookie }, { url: `https://h${n}.test/` })
    const shown = secrets.inText(values.join(' ')).match(/session-token-\d+/g)

    expect(shown).toHaveLength(1)
  })
})
