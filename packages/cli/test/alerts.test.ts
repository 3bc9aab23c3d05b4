// Alerts of the command, end to end on loopback: a test message to each target, and a crawl that tells of a host.
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCli, type CliRun } from './run-cli.ts'
import { smallSite, type SmallSite } from './small-site.ts'

const PLUGIN = join(import.meta.dirname, '../../plugin-alerts/src/index.ts')
const SECRET = 'T0AB-s3cret'

let folder: string
let chat: Server
let site: SmallSite
let got: { readonly path: string; readonly body: string }[]

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'avocet-alerts-'))
  got = []
  site = await smallSite(2)
  chat = createServer((request, response) => {
    void text(request).then((body) => {
      got.push({ path: request.url ?? '', body })
      response.writeHead(request.url === `/closed/${SECRET}` ? 404 : 200).end()
    })
  })
  chat.listen(0, '127.0.0.1')
  await once(chat, 'listening')
})
afterEach(async () => {
  site.close()
  chat.close()
  chat.closeAllConnections()
  await once(chat, 'close')
  rmSync(folder, { recursive: true })
})

const chatUrl = (path: string): string => `http://127.0.0.1:${(chat.address() as AddressInfo).port}/${path}/${SECRET}`

/** A spider and a configuration with these plugins. */
function configured(plugins: string): void {
  const spider = `{ name: 'prices', seeds: ['${site.url}'], handlers: { start: () => [{ price: 4.5 }] } }`
  writeFileSync(
    join(folder, 'avocet.config.ts'),
    `import { alerts } from '${PLUGIN}'\nexport default { spider: ${spider}, plugins: [${plugins}] }\n`,
  )
}

const avocet = (...words: string[]): Promise<CliRun> => runCli(words, { folder })

describe('avocet check --alerts', () => {
  it('sends a message to each target, and ends with 0', async () => {
    configured(`alerts({ to: [{ slack: '${chatUrl('open')}' }, { command: ['true'] }], heartbeat: '${chatUrl('beat')}' })`)

    const { code, stdout } = await avocet('check', '--alerts')

    expect([code, stdout]).toEqual([0, 'ok    slack\nok    command\n'])
    expect(got).toEqual([
      { path: `/open/${SECRET}`, body: '{"text":"prices: this is a test of avocet check --alerts; nothing is wrong"}' },
    ])
  })

  it('says which target did not take it, without its URL, and ends with 7', async () => {
    configured(`alerts({ to: [{ slack: '${chatUrl('open')}' }, { slack: '${chatUrl('closed')}' }] })`)

    const { code, stdout, stderr } = await avocet('check', '--alerts')
    const json = await avocet('check', '--alerts', '--json')

    const problem = `expected 2xx of http://127.0.0.1:${(chat.address() as AddressInfo).port}, got 404`
    expect([code, stdout]).toEqual([7, `ok    slack\nFAIL  slack 2: ${problem}\n`])
    expect(JSON.parse(json.stdout)).toEqual({ schema: 1, ok: false, targets: [{ to: 'slack' }, { to: 'slack 2', problem }] })
    expect(stdout + stderr + json.stdout + json.stderr).not.toContain(SECRET)
  })

  it.each([
    ['no alerts', '', 'expected alerts() of @avocet/plugin-alerts among the plugins of the configuration, got none'],
    [
      'a variable that is not set',
      'alerts({ to: [{ slack: undefined }] })',
      'to[0].slack to be an http(s) URL, got nothing; set',
    ],
    ['a rule that is none', 'alerts({ to: [], rules: { brokn: true } })', "no option 'brokn' (did you mean 'broken'?)"],
  ])('refuses %s in one line, with code 3', async (_, plugins, said) => {
    configured(plugins)

    const { code, stderr } = await avocet('check', '--alerts')

    expect([code, stderr.trim().split('\n').length]).toEqual([3, 1])
    expect(stderr).toContain(said)
  })
})

describe('avocet crawl with alerts', () => {
  it('tells of a host once over several runs, and keeps no URL of a target', async () => {
    const doubts =
      "{ name: 'doubts', outsideEffects: false, findings: { parts: [], broken: ({ hostKey }) => [{ hostKey, items: 0, barren: 0, why: 'all prices are 0' }] } }"
    configured(`alerts({ to: [{ slack: '${chatUrl('open')}' }], heartbeat: '${chatUrl('beat')}' }), ${doubts}`)

    const runs = [await avocet('crawl', '--log-level', 'debug'), await avocet('crawl')]

    const { host } = new URL(site.url)
    expect(runs.map(({ code }) => code)).toEqual([0, 0])
    expect(got.filter(({ path }) => path.startsWith('/open')).map(({ body }) => body)).toEqual([
      `{"text":"prices: broken: ${host}: all prices are 0"}`,
    ])
    expect(got.filter(({ path }) => path.startsWith('/beat')).map(({ body }) => body)).toEqual([
      '{"type":"heartbeat","crawl":"prices"}',
      '{"type":"heartbeat","crawl":"prices"}',
    ])
    const files = readdirSync(join(folder, '.avocet'), { withFileTypes: true }).filter((entry) => entry.isFile())
    const kept = files.map(({ name }) => readFileSync(join(folder, '.avocet', name), 'latin1'))
    expect(`${JSON.stringify(runs)}${kept.join('')}`).not.toContain(SECRET)
  })
})
