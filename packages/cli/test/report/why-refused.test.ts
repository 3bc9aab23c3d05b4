// What `avocet why` says of a URL and a host that the store does not have, because links to them were not followed.
import { crawl, link, memoryFrontier, spider, type Scope, type Spider } from 'avocet'
import type { Frontier } from '@avocet/core/store'
import { journal } from '@avocet/plugin-journal'
import { simulatedWeb, siteModel, VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { knownHost } from '../../src/store/known-host.ts'
import { answerOf } from '../../src/why/answer.ts'
import { whyLines } from '../../src/why/why.ts'

/** A page with links that are not followed. Each scope is that of another run. */
async function crawled(scopes: readonly Scope[] = [{ deny: [/\/cart/] }]): Promise<Frontier> {
  const clock = new VirtualClock()
  const model = siteModel({ seed: 'why', hosts: [{ name: 'shop.test', pages: { kind: 'list', pages: 1 } }] })
  const frontier = memoryFrontier()
  const follows = (scope: Scope): Spider =>
    spider({
      name: 'why',
      seeds: model.seeds(),
      scope,
      handlers: {
        *start() {
          yield link('/cart')
          yield link('http://other.test/1')
          yield link('http://other.test/2')
        },
      },
    })
  for (const scope of scopes) {
    const config = {
      policies: [],
      plugins: [journal()],
      spider: follows(scope),
      frontier,
      clock,
      fetcher: simulatedWeb(model, { clock }),
    }
    await clock.run(() => crawl(config).run())
  }
  return frontier
}

async function why(url: string, ...scopes: readonly Scope[]): Promise<string> {
  const { reader } = await crawled(scopes.length === 0 ? undefined : scopes)
  const record = await knownHost(reader, 'shop.test')
  return whyLines(await answerOf({ reader, config: { policies: [] }, record, url, now: 0 })).join('\n')
}

describe('a URL that is not in the store', () => {
  it('is told with what became of links to its host', async () => {
    const said = await why('http://shop.test/cart')
    expect(said).toContain('not in the store  it would be refused')
    expect(said).toContain('links to its host not followed: 1 matched by scope.deny')
  })

  it.each<[string, Scope]>([
    ['matched by scope.deny', { deny: [/\/TEA\?n=1$/i] }],
    ['not matched by scope.allow', { allow: [/coffee/g] }],
    ['to blocked hosts (scope.blockedHosts)', { blockedHosts: ['shop.test'] }],
  ])('is told with the rule of the scope of the last run: %s', async (words, scope) => {
    const said = await why('http://shop.test/tea?n=1&utm_source=x', {}, scope)
    expect(said).toContain('not in the store  it would be refused')
    expect(said).toContain(`refused           ${words}`)
  })

  it('is told with the depth that it may not exceed, where nothing else refuses it', async () => {
    const said = await why('http://shop.test/tea', { maxDepth: 3, deny: [/coffee/] })
    expect(said).toContain(
      'not in the store  no page led to it, what led to it was not followed, or it is a seed not offered yet',
    )
    expect(said).toContain('or too deep       more than 3 links from a seed (scope.maxDepth)')
  })

  it('is told only what any crawl refuses where the rules are too many to keep', async () => {
    const deny = Array.from({ length: 2_000 }, (_, n) => new RegExp(`/never/${n}$`))
    const said = await why('http://shop.test/tea', { deny: [...deny, /tea/] })
    expect(said).toContain(
      'not in the store  no page led to it, what led to it was not followed, or it is a seed not offered yet',
    )
  })

  it('is told with the rule by which any crawl refuses it', async () => {
    const said = await why(`http://shop.test${'/a'.repeat(8)}`)
    expect(said).toContain('not in the store  it would be refused')
    expect(said).toContain('refused           to paths that repeat a segment (five times)')
  })
})

describe('a host that is not in the store', () => {
  it('is told with the rule by which links to it were not followed', async () => {
    const { reader } = await crawled()

    await expect(knownHost(reader, 'other.test')).rejects.toThrow(
      "got 'other.test'; links to it were not followed: 2 to hosts out of scope (scope.within, scope.hosts)",
    )
    await expect(knownHost(reader, 'shpo.test')).rejects.toThrow("did you mean 'shop.test'?")
  })

  it('is told with the rule of the scope by which links to it would not be followed', async () => {
    const { reader } = await crawled([{ blockedHosts: ['spam.test'], deny: [/\/cart/] }])

    await expect(knownHost(reader, 'www.elsewhere.example')).rejects.toThrow(
      "got 'www.elsewhere.example'; links to it are not followed: to hosts out of scope (scope.within, scope.hosts)",
    )
    await expect(knownHost(reader, 'a.spam.test')).rejects.toThrow(
      'links to it are not followed: to blocked hosts (scope.blockedHosts)',
    )
  })
})
