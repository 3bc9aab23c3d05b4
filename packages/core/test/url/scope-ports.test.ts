// `scope.hosts` and ports: an entry without its port matches nothing, and the report says so.
import { crawl, memoryFrontier, spider } from 'avocet'
import { siteModel, simulatedWeb, VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { portProblems } from '../../src/crawl/crawl-scope.ts'

describe('an entry of scope.hosts', () => {
  it.each([
    ['without the port that a seed of its name has', ['shop.test'], ['http://shop.test:8080/'], 1],
    ['with another port than the seed of its name', ['shop.test:81'], ['http://shop.test:8080/'], 0],
    ['with a port where the seed has none', ['shop.test:8080'], ['https://shop.test/'], 0],
    ['in capitals', ['SHOP.test'], ['http://shop.test:8080/'], 1],
    ['that is the host of a seed', ['shop.test:8080'], ['http://shop.test:8080/'], 0],
    [
      'that is the host of one seed, another port being that of another',
      ['shop.test'],
      ['http://shop.test:8080/', 'http://shop.test/'],
      0,
    ],
    ['of another name', ['cdn.test'], ['http://shop.test:8080/'], 0],
    ['that is no host', ['a b'], ['http://shop.test:8080/'], 0],
  ])('%s', (_, entries, seeds, problems) => {
    expect(
      portProblems(
        { hosts: entries },
        seeds.map((url) => ({ url })),
      ),
    ).toHaveLength(problems)
  })

  it('is in the report when a seed differs from it by its port only', async () => {
    const clock = new VirtualClock()
    const fetcher = simulatedWeb(siteModel({ seed: 'ports', hosts: [] }), { clock })
    const made = crawl({
      policies: [],
      spider: spider({
        name: 'ports',
        seeds: ['http://shop.test:8080/'],
        scope: { hosts: ['shop.test'] },
        handlers: { *start() {} },
      }),
      clock,
      fetcher,
      frontier: memoryFrontier(),
    })

    const report = await clock.run(() => made.run())

    expect(report.problems.map(({ message }) => message)).toContain(
      "scope.hosts: 'shop.test' is the host of no seed, and a seed's host is 'shop.test:8080'; without a port an entry means the default one, so write 'shop.test:8080' if that is meant",
    )
  })
})
