// `avocet check --alerts`: sends a test message to each place that plugins of the configuration send messages to.
import { AvocetError } from '@avocet/core'
import type { ExitCode } from '@avocet/project/command'
import type { CrawlOptions } from '@avocet/project/options'
import { planOf } from '@avocet/project/plan'
import { print, writeDocument, type Place } from '@avocet/project/place'
import { paintFor, printable } from '@avocet/project/text'

/** One line a target; with `json` one document. 0, or 7 where one did not take its message. Throws AVO_CONFIG_INVALID where no plugin sends any. */
export async function alertsCommand(options: CrawlOptions, place: Place): Promise<ExitCode> {
  const { stdout, clock } = place
  const { config, chosen } = await planOf(options, place)
  const tests = (config.plugins ?? []).flatMap(({ test }) => test ?? [])
  if (tests.length === 0)
    throw new AvocetError(
      'AVO_CONFIG_INVALID',
      'expected alerts() of @avocet/plugin-alerts among the plugins of the configuration, got none: plugins: [alerts({ to: [{ slack: URL }] })]',
    )
  const tried = (await Promise.all(tests.map((test) => test({ crawl: chosen?.spider.name ?? 'crawl', clock })))).flat()
  const failed = tried.some(({ problem }) => problem !== undefined)
  if (options.json) await writeDocument(stdout, { schema: 1, ok: !failed, targets: tried })
  else {
    const paint = paintFor(stdout)
    const lineOf = ({ to, problem }: (typeof tried)[number]): string =>
      problem === undefined ? `${paint('good', 'ok  ')}  ${to}` : `${paint('bad', 'FAIL')}  ${to}: ${printable(problem)}`
    await print(stdout, tried.length === 0 ? ['no target: alerts() has an empty list'] : tried.map(lineOf))
  }
  return failed ? 7 : 0
}
