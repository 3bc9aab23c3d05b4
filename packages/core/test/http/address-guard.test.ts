// Which addresses are private, and which ports are not for HTTP.
import { describe, expect, it } from 'vitest'
import { isBadPort, isPrivateAddress } from '../../src/http/address-guard.ts'

describe('address guard', () => {
  it.each([
    '0.0.0.0',
    '10.0.0.1',
    '100.64.0.1',
    '100.127.255.255',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.8',
    '192.168.1.1',
    '198.18.0.1',
    '198.19.255.255',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::7f00:1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:a9fe:a9fe',
    'fc00::1',
    'fdff::1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    '64:ff9b::7f00:1',
    '64:ff9b::10.0.0.1',
    '64:ff9b::',
    '64:ff9b:1::808:808',
    '2002:7f00:1::',
    '2001::1',
    '100::1',
    'shop.test',
    '',
  ])('%s is private', (address) => {
    expect(isPrivateAddress(address)).toBe(true)
  })

  it.each([
    '1.1.1.1',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.169.0.0',
    '223.255.255.255',
    '2606:4700::1111',
    '2a00::1',
    '2001:4860:4860::8888',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
    '64:ff9b::8.8.8.8',
  ])('%s is public', (address) => {
    expect(isPrivateAddress(address)).toBe(false)
  })

  it('knows the ports that are not for HTTP', () => {
    expect([22, 25, 53, 6000, 6667, 10_080].map(isBadPort)).toEqual([true, true, true, true, true, true])
    expect([80, 443, 3_000, 8_000, 8_080, 8_443].map(isBadPort)).toEqual([false, false, false, false, false, false])
  })
})
