// Options that nobody reads: a misspelled one is said, with what was probably meant, and never swallowed.
import { crawl, link, memoryFrontier, spider, type CrawlConfig, type RunnableConfig, type RecrawlRule, type Seed } from 'avocet'
import { siteModel, simulatedWeb, VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'

const model = siteModel({ seed: 'misspelled', hosts: [{ name: 'shop.test', pages: { kind: 'list', pages: 2 } }] })

function config(more: Partial<CrawlConfig>, seeds: readonly Seed[] = [{ url: 'http://shop.test/' }]): RunnableConfig {
  const clock = new VirtualClock()
  const fetcher = simulatedWeb(model, { clock })
  return {
    policies: [],
    spider: spider({ name: 'misspelled', seeds, handlers: { *start() {} } }),
    clock,
    fetcher,
    frontier: memoryFrontier(),
    ...more,
  }
}

describe('a misspelled key', () => {
  it('of a recrawl rule is no configuration', () => {
    const rule = { everyMs: 1_000, goneAfterVisit: 2 } as RecrawlRule

    expect(() => crawl(config({ recrawl: [rule] }))).toThrow(
      expect.objectContaining({
        code: 'AVO_CONFIG_INVALID',
        message: "recrawl[0] has no 'goneAfterVisit' (did you mean 'goneAfterVisits'?)",
      }) as Error,
    )
  })

  it('of a rule that is no object neither', () => {
    expect(() => crawl(config({ recrawl: [null as unknown as RecrawlRule] }))).toThrow(/expected recrawl\[0\] to be a rule/)
  })

  it('of a seed is an invalid seed', async () => {
    const seed = { url: 'http://shop.test/', idnetity: 'de' } as Seed

    const refusal = { code: 'AVO_SEED_INVALID', message: "a seed has no option 'idnetity' (did you mean 'identity'?)" }
    await expect(crawl(config({}, [seed])).run()).rejects.toMatchObject(refusal)
    const made = spider({ name: 'misspelled', seeds: () => [seed], handlers: { *start() {} } })
    await expect(crawl(config({ spider: made })).run()).rejects.toMatchObject(refusal)
  })

  it('of a link throws where the handler wrote it, and of the links of a page too', async () => {
    expect(() => link('/2', { priorty: 1 } as object)).toThrow("link(\"/2\") has no option 'priorty' (did you mean 'priority'?)")
    expect(() =>
      link('/2', { handler: 'start', priority: 1, data: 1, anchorText: 'x', method: 'GET', headers: {} }),
    ).not.toThrow()
  })

  it('fails the page whose handler yields it, and is counted', async () => {
    const made = config({
      spider: spider({
        name: 'misspelled',
        seeds: model.seeds(),
        handlers: {
          *start() {
            yield link('/2', { idnetity: 'de' } as object)
          },
        },
      }),
    })
    const report = await (made.clock as VirtualClock).run(() => crawl(made).run())

    expect(report.counts).toMatchObject({ done: 0, failed: 2 })
    expect(report.failures).toEqual([{ reason: 'handler-link-invalid', count: 2 }])
  })
})
