// A crawl of the rough web with its page, and a real browser in front of it.
import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Browser } from 'playwright-core'
import { siteModel, type SiteModel } from '@avocet/simulator'
import { spawnRoughWeb } from '@avocet/stress/rough-web'

const ROOT = join(import.meta.dirname, '../..')

/** The browser of these tests. */
const CHROMIUM: string = process.env['AVOCET_TEST_CHROMIUM'] ?? '/usr/bin/chromium'
/** Whether it is there: without it these tests are skipped. */
export const hasChromium: boolean = existsSync(CHROMIUM)

/** Starts it. */
export function startBrowser(): Promise<Browser> {
  const args =
    '--disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync'
  return chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', ...args.split(' ')] })
}

/** A command that serves a page. */
export interface ServedPage extends AsyncDisposable {
  readonly link: string
  readonly folder: string
  readonly child: ChildProcess
  /** What it has said so far. */
  said(): string
}

/** What is crawled, and how. */
export interface CrawlWish {
  readonly world: SiteModel
  readonly words?: readonly string[]
  /** Handlers of a spider of its own, as source; default: those of the demo. */
  readonly handlers?: string
  /** Gets a line for each request that is served. */
  readonly log?: string
}

/** Crawls a world with `--ui`; the folder goes with it. */
export async function crawlWithPage({ world, words = [], handlers, log }: CrawlWish): Promise<ServedPage> {
  const web = await spawnRoughWeb(world, log === undefined ? {} : { log })
  const folder = mkdtempSync(join(tmpdir(), 'avocet-ui-'))
  const seeds = web.model.seeds()
  writeFileSync(join(folder, 'sites.txt'), seeds.join('\n'))
  writeFileSync(
    join(folder, 'shop.mjs'),
    `export default { name: 'shop', seeds: ${JSON.stringify(seeds)}, handlers: ${handlers} }`,
  )
  const spider = handlers === undefined ? [join(ROOT, 'examples/demo/spider.ts'), '-a', 'sites=sites.txt'] : ['shop.mjs']
  const config = ['--config', join(ROOT, 'examples/demo/avocet.config.ts'), '-O', 'items.jsonl']
  const page = await servedPage(['crawl', ...spider, ...config, '--ui', ...words], folder)
  return {
    ...page,
    async [Symbol.asyncDispose]() {
      await page[Symbol.asyncDispose]()
      await web.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const OFFERS = `{
  *start(page) { yield* page.links('a.category'); yield* page.links('a.product', { handler: 'product' }) },
  *product(page) {
    const offer = { price: page.text('.price'), currency: 'EUR' }
    yield { url: page.url.href, name: page.title, offers: [offer], seenAt: new Date().toISOString() }
  },
}`

/** Crawls a shop whose prices are others every two seconds, each page every second. */
export function shopWithPage(): Promise<ServedPage> {
  const prices = { everyMs: 2_000, ratio: 1, validator: 'none' } as const
  const world = siteModel({
    seed: 'ui',
    hosts: [{ name: 'shop.test', pages: { kind: 'shop', products: 2, categories: 1, prices } }],
  })
  return crawlWithPage({ world, handlers: OFFERS, words: ['--every', '1s', '--delay', '20ms'] })
}

/** Runs `avocet` in `folder`, and waits for the link that it prints. */
export async function servedPage(words: readonly string[], folder: string): Promise<ServedPage> {
  const command = ['--conditions=@avocet/source', join(ROOT, 'packages/cli/bin/avocet.js'), ...words]
  const child = spawn(process.execPath, command, { cwd: folder, env: { ...process.env, NO_COLOR: '1' } })
  let text = ''
  const link = await new Promise<string>((done, failed) => {
    const heard = (piece: Buffer): void => {
      text += piece.toString()
      const found = /http:\/\/127\.0\.0\.1:\d+\/\?token=\S+/.exec(text)
      if (found !== null) done(found[0])
    }
    child.stdout.on('data', heard)
    child.stderr.on('data', heard)
    child.once('exit', () => failed(new Error(`expected a link, got: ${text}`)))
  })
  return {
    ...{ link, folder, child },
    said: () => text,
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = new Promise((done) => child.once('exit', done))
      child.kill('SIGKILL')
      await gone
    },
  }
}
