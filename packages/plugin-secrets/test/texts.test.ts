// Secrets in texts that somebody will read: how many values are looked for.
import { describe, expect, it } from 'vitest'
import { secretsCodec } from '../src/codec.ts'

describe('a text that somebody will read', () => {
  it('is without a hundred values of header fields', () => {
    const secrets = secretsCodec({ fields: ['cookie'] })
    const values = Array.from({ length: 101 }, (_, n) => `session-token-${1_000 + n}`)
    for (const [n, cookie] of values.entries()) secrets.fields({ cookie }, { url: `https://h${n}.test/` })
    const shown = secrets.text(values.join(' ')).match(/session-token-\d+/g)

    expect(shown).toHaveLength(1)
  })
})
