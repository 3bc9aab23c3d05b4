// A spider whose name depends on its arguments, by every name that somebody may type for it.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sandbox } from '../../../../test/documents/sandbox.ts'
import { runCli, type CliRun } from '../run-cli.ts'
import { smallSite, type SmallSite } from '../small-site.ts'

const AVOCET = fileURLToPath(new URL('../../../avocet/src/index.ts', import.meta.url))
const project = sandbox()
const { folder } = project
let site: SmallSite

beforeAll(async () => {
  site = await smallSite(1)
  await mkdir(join(folder, 'spiders'))
  await writeFile(
    join(folder, 'spiders', 'shop.ts'),
    `import { spider, spiderWith } from '${AVOCET}'
export default spiderWith({ city: { type: 'text', default: 'berlin' }, token: { type: 'text', optional: true } }, ({ city, token }) =>
  spider({ name: 'shop-' + city + (token ?? ''), seeds: ['${site.url}'], handlers: { *start() { yield { city } } } }))
`,
  )
})
afterAll(() => {
  site.close()
  project[Symbol.dispose]()
})

const run = (...words: string[]): Promise<CliRun> => runCli(words, { folder })
const crawl = (...words: string[]): Promise<CliRun> => run('crawl', ...words, '--rate', 'none', '-o', '-', '--fresh', '--yes')
const line = ({ stderr }: CliRun): string => stderr.replaceAll(/\s+/g, ' ')

describe('a spider whose name depends on its arguments', () => {
  it.each([
    ['shop', [], 'berlin'],
    ['shop-berlin', [], 'berlin'],
    ['shop-berlin', ['-a', 'city=oslo'], 'oslo'],
    ['shop', ['-a', 'city=oslo'], 'oslo'],
  ])('is crawled as %s %j', async (name, words, city) => {
    const { stdout, code } = await crawl(name, ...words)

    expect([code, stdout]).toEqual([0, `{"city":"${city}"}\n`])
  })

  it.each(['crawl', 'check'])('is named with the command to type where %s is told of none', async (command) => {
    expect(line(await run(command)) + (await run(command)).stdout).toContain(`avocet ${command} spiders/shop.ts`)
  })

  it('is not found by the name that it has with other arguments', async () => {
    const { code, stderr } = await crawl('shop-paris')

    expect(code).toBe(2)
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain("or the name of a spider, got 'shop-paris'")
  })

  it('is called wrongly where neither a file nor a store has the name', async () => {
    expect(line(await run('crawl', 'shop-nowhere', '-a', 'city=oslo'))).toContain("or the name of a spider, got 'shop-nowhere'")
    expect(line(await crawl('shop', '-a', 'ctiy=oslo'))).toContain("got ctiy (did you mean 'city'?)")
  })

  it('cannot be that of a configuration, which says what to write', async () => {
    const config = join(folder, 'own.config.ts')
    await writeFile(config, "import shop from './spiders/shop.ts'\nexport default { spider: shop }\n")

    expect(line(await run('crawl', '--config', config))).toContain(
      'expected a spider, got a function that makes one of arguments; call it: await shop({ … })',
    )
  })
})
