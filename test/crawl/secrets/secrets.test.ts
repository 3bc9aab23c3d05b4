// Headers of the user are secrets: they are bound to the origins that they were given for, which are scheme, host and port.
import { link, type CrawlConfig, type Spider } from '@avocet/core'
import { robots } from '@avocet/plugin-robots'
import { describe, expect, it } from 'vitest'
import { pathSpider, run } from '../harness.ts'
import type { Answer } from '../scripted-web.ts'

const HEADERS = { Authorization: 'Bearer secret', 'X-Key': 'secret' }
const to = (location: string): Answer => ({ status: 302, headers: { location } })

/** Follows these links from the seed `from`; tells which URLs were asked for with the secret, and which without. */
async function sent(
  from: string,
  links: readonly string[],
  {
    script = {},
    scope,
    ...config
  }: Partial<CrawlConfig> & { readonly script?: Record<string, Answer>; readonly scope?: Spider['scope'] } = {},
): Promise<{ readonly withIt: readonly string[]; readonly without: readonly string[] }> {
  const spider = pathSpider([from], {
    scope: { within: 'any', ...scope },
    handlers: {
      *start() {
        for (const url of links) yield link(url, { handler: 'page' })
      },
      *page() {},
    },
  })
  const pages = Object.fromEntries([from, ...links].map((url): [string, Answer] => [url, {}]))
  const { seen } = await run({ ...pages, ...script }, { spider, headers: HEADERS, ...config })
  const urls = (has: boolean): string[] =>
    seen
      .filter(
        ({ outbound: { headers } }) => (headers['authorization'] === 'Bearer secret' && headers['x-key'] === 'secret') === has,
      )
      .map(({ outbound }) => outbound.url)
      .toSorted()
  for (const { outbound } of seen) {
    if (urls(false).includes(outbound.url)) expect(JSON.stringify(outbound.headers)).not.toContain('secret')
  }
  return { withIt: urls(true), without: urls(false) }
}

describe('headers that were given for an https: seed', () => {
  const SEED = 'https://shop.test/'

  it('do not go over http:', async () => {
    const { withIt, without } = await sent(SEED, ['https://shop.test/a', 'http://shop.test/b', 'http://shop.test/c'])

    expect(withIt).toEqual([SEED, 'https://shop.test/a'])
    expect(without).toEqual(['http://shop.test/b', 'http://shop.test/c'])
  })

  it.each(['host', 'domain'] as const)('do not go to other ports, with hosts keyed by %s', async (hostKeying) => {
    const { withIt, without } = await sent(SEED, ['https://shop.test:8443/', 'http://shop.test:443/'], { hostKeying })

    expect(withIt).toEqual([SEED])
    expect(without).toEqual(['http://shop.test:443/', 'https://shop.test:8443/'])
  })

  it('do not go to subdomains when hosts are keyed by domain, nor to the domain above', async () => {
    const seed = 'https://www.shop.test/'
    const others = ['https://evil.www.shop.test/', 'https://shop.test/', 'https://user.shop.test/']
    const { withIt, without } = await sent(seed, others, { hostKeying: 'domain', delayMs: 0 })

    expect(withIt).toEqual([seed])
    expect(without).toEqual(others)
  })

  it('do not follow a redirect out of the origin, and are there again on the way back', async () => {
    const script = { [SEED]: to('http://shop.test/x'), 'http://shop.test/x': to(`${SEED}back`), [`${SEED}back`]: {} }
    const { withIt, without } = await sent(SEED, [], { script })

    expect(withIt).toEqual([SEED, `${SEED}back`])
    expect(without).toEqual(['http://shop.test/x'])
  })

  it('do not follow a required document out of the origin', async () => {
    const script = {
      [`${SEED}robots.txt`]: to('http://shop.test/robots.txt'),
      'http://shop.test/robots.txt': to('https://shop.test:8443/robots.txt'),
      'https://shop.test:8443/robots.txt': {},
    }
    const { withIt, without } = await sent(SEED, [], { script, plugins: [robots()] })

    expect(withIt).toEqual([SEED, `${SEED}robots.txt`])
    expect(without).toEqual(['http://shop.test/robots.txt', 'https://shop.test:8443/robots.txt'])
  })

  it('go to the hosts of scope.hosts over the schemes of the seeds, and no other', async () => {
    const others = ['https://api.test/', 'http://api.test/', 'https://api.test:8443/', 'https://x.api.test/']
    const { withIt, without } = await sent(SEED, others, { scope: { hosts: ['api.test'] } })

    expect(withIt).toEqual(['https://api.test/', SEED])
    expect(without).toEqual(['http://api.test/', 'https://api.test:8443/', 'https://x.api.test/'])
  })

  it('do not go with the probe of a host that was given up', async () => {
    const script: Record<string, Answer> = { 'http://shop.test/b': { fails: 'AVO_CONNECT_REFUSED' } }
    const { without } = await sent(SEED, ['http://shop.test/b'], { script, patienceMs: 1e9 })

    expect(new Set(without)).toEqual(new Set(['http://shop.test/b']))
  })
})

describe('a seed that redirects to another origin of its site', () => {
  it('says that the headers stay behind', async () => {
    const script = { 'http://shop.test/': to('https://shop.test/'), 'https://shop.test/': {} }
    const { report } = await run(script, { spider: pathSpider(['http://shop.test/']), headers: HEADERS })

    expect(report.problems.map(({ message }) => message)).toEqual([
      'seed http://shop.test/ redirects to https://shop.test, which does not get the headers that were given for http://shop.test; to send them there, make https://shop.test/ the seed',
    ])
  })

  it('says nothing where no headers were given', async () => {
    const script = { 'http://shop.test/': to('https://shop.test/'), 'https://shop.test/': {} }
    const { report } = await run(script, { spider: pathSpider(['http://shop.test/']) })

    expect(report.problems).toEqual([])
  })
})

describe('the own headers of a link', () => {
  it('stay when the same page is spelled another way', async () => {
    const spider = pathSpider([], {
      seeds: [{ url: 'https://shop.test/p?b=1&a=2', headers: { authorization: 'Bearer secret' } }],
    })
    const script = {
      'https://shop.test/p?b=1&a=2': to('/p?a=2&b=1'),
      'https://shop.test/p?a=2&b=1': {},
    }
    const { seen } = await run(script, { spider })

    expect(seen.map(({ outbound }) => [outbound.url, 'authorization' in outbound.headers])).toEqual([
      ['https://shop.test/p?b=1&a=2', true],
      ['https://shop.test/p?a=2&b=1', true],
    ])
  })
})
