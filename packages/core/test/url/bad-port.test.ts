// Which ports are not for HTTP.
import { describe, expect, it } from 'vitest'
import { badPortOf } from '../../src/url/host-limits.ts'

describe('a bad port', () => {
  it.each(['22', '25', '53', '6000', '6667', '10080', '0'])('is port %s, of a name or an address', (port) => {
    expect([`mail.test:${port}`, `192.168.0.1:${port}`, `[::1]:${port}`].map(badPortOf)).toEqual([port, port, port])
  })

  it.each(['shop.test', 'shop.test:8080', 'shop.test:80', 'shop.test:443', '[2a00::25]', '[::1]:3000', '127.0.0.1:2500'])(
    'is not in %s',
    (host) => {
      expect(badPortOf(host)).toBeUndefined()
    },
  )
})
