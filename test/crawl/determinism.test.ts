// The same seed, spider and simulated web give the same decision log, byte for byte.
import { crawl, spider } from 'avocet'
import { decisionLog, roughForty, simulatedWeb, VirtualClock, type SiteModel } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'

async function logOf(model: SiteModel, randomSeed: string): Promise<string> {
  const lines: string[] = []
  const clock = new VirtualClock()
  const made = crawl({
    policies: [],
    spider: spider({
      name: 'forty',
      seeds: model.seeds(),
      handlers: {
        *start(page) {
          yield { url: page.url.href, title: page.title }
          yield* page.links()
        },
      },
    }),
    plugins: [decisionLog((line) => lines.push(line))],
    delayMs: 200,
    patienceMs: 60_000,
    randomSeed,
    clock,
    fetcher: simulatedWeb(model, { clock }),
  })
  await clock.run(() => made.run())
  return lines.join('\n')
}

describe('the decision log of a crawl of forty rough hosts', () => {
  it('is identical for identical seeds', async () => {
    const [first, second] = [await logOf(roughForty(), 'a'), await logOf(roughForty(), 'a')]

    expect(first.split('\n').length).toBeGreaterThan(3_000)
    expect(second).toBe(first)
  })

  it('differs for another seed of the web', async () => {
    expect(await logOf(roughForty('other'), 'a')).not.toBe(await logOf(roughForty(), 'a'))
  })
})
