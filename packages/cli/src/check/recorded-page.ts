// A dry run of the handler `start` on a page that was recorded, if there is one: test/pages/NAME.html, NAME being the spider's.
//
// That is where `avocet new spider` puts it. The run fetches nothing and stores nothing. It sees what the text does not show: that the handler
// throws, that it finds nothing, and names of handlers that are put together at run time.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf, sleepUntil, type Clock, type Seed, type Spider, didYouMean } from '@avocet/core'
import { formatCountOf } from '../text/quantity.ts'
import type { Finding } from './finding.ts'

/** A handler that waits for the network would wait for ever. */
const MAX_WAIT_MS = 10_000

/** What is tried. */
export interface DryRun {
  readonly spider: Spider
  /** The page is taken for the one at the first of them. */
  readonly seeds: readonly Seed[]
  readonly folder: string
}

/** Runs it. No finding where nothing is recorded. */
export async function recordedPageFindings({ spider, seeds, folder }: DryRun, clock: Clock): Promise<readonly Finding[]> {
  const file = `test/pages/${spider.name}.html`
  const body = await readFile(join(folder, file)).catch(() => undefined)
  const url = seeds[0]?.url
  if (body === undefined || url === undefined || !URL.canParse(url)) return []
  const late = sleepUntil(clock, clock.now() + MAX_WAIT_MS).then(() => `start was not done with ${file} within 10 s`)
  const [state, said] = await Promise.race([
    tried(spider, { url, body }).catch((error: unknown): Said => [
      'fail',
      `start threw: ${messageOf(error)}; avocet parse ${file} says where`,
    ]),
    late.then((why): Said => ['fail', why]),
  ])
  return [{ subject: 'page', state, said: `${file}: ${said}` }]
}

type Said = readonly [Finding['state'], string]

async function tried(spider: Spider, page: { readonly url: string; readonly body: Uint8Array }): Promise<Said> {
  const { readPage } = await import('@avocet/simulator')
  const { items, links } = await readPage(spider, page)
  const handlers = Object.keys(spider.handlers)
  const missing = links.map(({ options }) => options.handler).find((name) => name !== undefined && !handlers.includes(name))
  if (missing !== undefined)
    return ['fail', `a link names the handler '${missing}', which the spider does not have${didYouMean(missing, handlers)}`]
  if (items.length + links.length === 0)
    return ['warn', 'start finds nothing on it; try its selectors with avocet shell, or record the page again']
  return ['ok', `start yields ${formatCountOf(items.length, 'item')} and ${formatCountOf(links.length, 'link')}`]
}
