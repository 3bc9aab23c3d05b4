// What hosts say of their limits, in all the forms in which they say it, and in some that mean nothing.
import { describe, expect, it } from 'vitest'
import { later } from '../src/refusal.ts'
import { quotasOf, resetDelayMs } from '../src/signals/quotas-of.ts'
import { fieldMembers } from '../src/signals/rate-limit.ts'

const NOW = Date.UTC(2026, 0, 1)

describe('a pause', () => {
  it.each([
    { waitMs: 10_000, chance: 1, lateMs: 1_000 },
    { waitMs: 3_600_000, chance: 0.5, lateMs: 180_000 },
    { waitMs: 10_000, chance: 0, lateMs: 0 },
    { waitMs: 0, chance: 1, lateMs: 0 },
  ])('of $waitMs ms is $lateMs ms longer by chance $chance', ({ waitMs, chance, lateMs }) => {
    expect(later(NOW, waitMs, chance)).toBe(NOW + waitMs + lateMs)
  })
})

describe('structured fields', () => {
  it.each([
    { text: '"a";r=50;t=30', members: [{ key: '', value: 'a', parameters: { r: 50, t: 30 } }] },
    {
      text: ' 100;w=60 , 5',
      members: [
        { key: '', value: 100, parameters: { w: 60 } },
        { key: '', value: 5, parameters: {} },
      ],
    },
    {
      text: 'a=1, b=?1',
      members: [
        { key: 'a', value: 1, parameters: {} },
        { key: 'b', value: true, parameters: {} },
      ],
    },
    { text: '"q\\"u";x;y=tok/en', members: [{ key: '', value: 'q"u', parameters: { x: true, y: 'tok/en' } }] },
    { text: '"p";q=10;pk=:cHsdsRa894==:', members: [{ key: '', value: 'p', parameters: { q: 10, pk: ':cHsdsRa894==:' } }] },
    { text: '"p";q=10;note=%"f%c3%bc"', members: [{ key: '', value: 'p', parameters: { q: 10, note: '%"f%c3%bc"' } }] },
    { text: '1.5; a=2', members: [{ key: '', value: 1.5, parameters: { a: 2 } }] },
  ])('reads $text', ({ text, members }) => {
    expect(fieldMembers(text)).toEqual(members)
  })

  it.each([
    '',
    ',',
    '"a',
    '"a";r=',
    '"a" "b"',
    'a=1, 2',
    '"a";;r=1',
    '"a",',
    '1e5',
    '99999999999999999',
    'ü',
    '"a";R=5',
    '"a"\u0000',
    'x'.repeat(5_000),
    '1,'.repeat(50),
  ])('ignores %j', (text) => {
    expect(fieldMembers(text)).toBeUndefined()
  })
})

describe('RateLimit fields', () => {
  it.each([
    {
      what: 'the present draft',
      headers: { 'ratelimit-policy': '"burst";q=100;w=60', ratelimit: '"burst";r=50;t=30' },
      quotas: [{ unit: 'requests', limit: 100, windowMs: 60_000, remaining: 50, resetMs: 30_000 }],
    },
    {
      what: 'a partition key, and a policy whose quota is not of requests',
      headers: {
        'ratelimit-policy': ['"default";q=100;w=60;pk=:c2hvcA==:', '"bytes";q=9000;qu="content-bytes";w=60'],
        ratelimit: '"default";r=50;t=30;pk=:c2hvcA==:, "bytes";r=0;t=5',
      },
      quotas: [
        { unit: 'requests', limit: 100, windowMs: 60_000, remaining: 50, resetMs: 30_000 },
        { unit: 'else', limit: 9_000, windowMs: 60_000, remaining: 0, resetMs: 5_000 },
      ],
    },
    {
      what: 'several policies, one of them with a state',
      headers: { 'ratelimit-policy': '"s";q=10;w=1,"d";q=5000;w=86400', ratelimit: '"d";r=4000;t=600' },
      quotas: [
        { unit: 'requests', limit: 5_000, windowMs: 86_400_000, remaining: 4_000, resetMs: 600_000 },
        { unit: 'requests', limit: 10, windowMs: 1_000 },
      ],
    },
    {
      what: 'a state beside policies of other names',
      headers: { 'ratelimit-policy': '"hour";q=1000;w=3600', ratelimit: '"default";r=50;t=30' },
      quotas: [
        { unit: 'requests', remaining: 50, resetMs: 30_000 },
        { unit: 'requests', limit: 1_000, windowMs: 3_600_000 },
      ],
    },
    {
      what: 'fields that are several',
      headers: { 'ratelimit-policy': ['"s";q=10;w=1', '"m";q=100;w=60'], ratelimit: ['"s";r=9;t=1', '"m";r=50;t=30'] },
      quotas: [
        { unit: 'requests', limit: 10, windowMs: 1_000, remaining: 9, resetMs: 1_000 },
        { unit: 'requests', limit: 100, windowMs: 60_000, remaining: 50, resetMs: 30_000 },
      ],
    },
    {
      what: 'one policy with several partitions, each with its own quota',
      headers: {
        'ratelimit-policy': '"user";q=5;w=60;pk=:dXM=:, "user";q=500;w=60;pk=:ZXU=:',
        ratelimit: '"user";r=400;t=30;pk=:ZXU=:',
      },
      quotas: [
        { unit: 'requests', remaining: 400, resetMs: 30_000 },
        { unit: 'requests', limit: 5, windowMs: 60_000 },
        { unit: 'requests', limit: 500, windowMs: 60_000 },
      ],
    },
    {
      what: 'a policy that names its partition beside a state that does not',
      headers: { 'ratelimit-policy': '"b";q=9;w=60;qu="content-bytes";pk=:dXM=:', ratelimit: '"b";r=0;t=30' },
      quotas: [{ unit: 'else', limit: 9, windowMs: 60_000, remaining: 0, resetMs: 30_000 }],
    },
    {
      what: 'several policies without a name',
      headers: { 'ratelimit-policy': '10;w=60, 5000;w=86400' },
      quotas: [
        { unit: 'requests', limit: 10, windowMs: 60_000 },
        { unit: 'requests', limit: 5_000, windowMs: 86_400_000 },
      ],
    },
    {
      what: 'other units',
      headers: { 'ratelimit-policy': '"c";q=10;qu="concurrent-requests", "b";q=65535;qu="content-bytes";w=10' },
      quotas: [
        { unit: 'concurrent', limit: 10 },
        { unit: 'else', limit: 65_535, windowMs: 10_000 },
      ],
    },
    {
      what: 'the dictionary of 2023',
      headers: { ratelimit: 'limit=100, remaining=50, reset=30', 'ratelimit-policy': '100;w=60' },
      quotas: [{ unit: 'requests', limit: 100, windowMs: 60_000, remaining: 50, resetMs: 30_000 }],
    },
    {
      what: 'three fields',
      headers: { 'ratelimit-limit': '100, 100;w=60', 'ratelimit-remaining': '50', 'ratelimit-reset': '30' },
      quotas: [{ unit: 'requests', limit: 100, windowMs: 60_000, remaining: 50, resetMs: 30_000 }],
    },
    {
      what: 'X-RateLimit with a moment',
      headers: { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '7', 'x-ratelimit-reset': String(NOW / 1_000 + 90) },
      quotas: [{ unit: 'requests', limit: 60, remaining: 7, resetMs: 90_000 }],
    },
    {
      what: 'X-Rate-Limit, overdrawn',
      headers: { 'x-rate-limit-remaining': '-3', 'x-rate-limit-reset': '12' },
      quotas: [{ unit: 'requests', remaining: 0, resetMs: 12_000 }],
    },
    {
      what: 'a window in the name',
      headers: { 'x-ratelimit-limit-minute': '30', 'x-ratelimit-remaining-minute': '29' },
      quotas: [{ unit: 'requests', limit: 30, windowMs: 60_000, remaining: 29 }],
    },
  ])('reads $what', ({ headers, quotas }) => {
    expect(quotasOf(headers, NOW)).toEqual({ quotas, ignored: 0 })
  })

  it('are not looked for where there are none, nor believed from a cache', () => {
    expect(quotasOf({ 'content-type': 'text/html', date: 'x' }, NOW)).toBeUndefined()
    expect(quotasOf({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '60', age: '31' }, NOW)).toBeUndefined()
  })

  it.each([
    { headers: { ratelimit: 'many' }, ignored: 0 },
    { headers: { ratelimit: '"a";r=5;t=' }, ignored: 1 },
    { headers: { ratelimit: '"a";r=-5;t=1e9', 'ratelimit-policy': '"a";q=x y' }, ignored: 2 },
    { headers: { 'x-ratelimit-limit': 'unlimited', 'x-ratelimit-remaining': 'NaN', 'x-ratelimit-reset': 'soon' }, ignored: 3 },
    { headers: { 'x-ratelimit-remaining': ['5', '4'], 'x-ratelimit-reset': '500000' }, ignored: 1 },
    { headers: { 'x-ratelimit-limit': '<script>', 'x-ratelimit-remaining': '1e99', 'x-ratelimit-reset': '∞' }, ignored: 3 },
  ])('that are malformed are ignored and counted: $headers', ({ headers, ignored }) => {
    const found = quotasOf(headers, NOW)

    expect(found?.ignored).toBe(ignored)
    expect(JSON.stringify(found)).not.toContain('null')
  })
})

describe('-Reset', () => {
  it.each([
    { text: '30', windowMs: undefined, ms: 30_000 },
    { text: '0', windowMs: undefined, ms: 0 },
    { text: '86400', windowMs: undefined, ms: 86_400_000 },
    { text: '90000', windowMs: undefined, ms: undefined },
    { text: '90000', windowMs: 3_600_000, ms: 90_000 },
    { text: '5000000', windowMs: 60_000, ms: undefined },
    { text: String(NOW / 1_000 + 60), windowMs: undefined, ms: 60_000 },
    { text: String(NOW / 1_000 - 60), windowMs: undefined, ms: 0 },
    { text: String(NOW + 60_000), windowMs: undefined, ms: 60_000 },
    { text: 'Thu, 01 Jan 2026 00:01:00 GMT', windowMs: undefined, ms: 60_000 },
    { text: '2026-01-01T00:01:00Z', windowMs: undefined, ms: 60_000 },
    { text: '2026-99-01T00:01:00Z', windowMs: undefined, ms: undefined },
    { text: '-5', windowMs: undefined, ms: undefined },
    { text: '', windowMs: undefined, ms: undefined },
  ])('$text in a window of $windowMs ms is $ms ms away', ({ text, windowMs, ms }) => {
    expect(resetDelayMs(text, { theirNow: NOW, windowMs })).toBe(ms)
  })
})
