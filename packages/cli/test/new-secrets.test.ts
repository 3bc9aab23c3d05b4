// `avocet new spider` writes into the repository of a project, and so no secret: neither one that was typed, nor one that the site hands out.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sandbox, type Sandbox } from '../../../test/documents/sandbox.ts'
import { runCli } from './run-cli.ts'

/** A site that repeats what it was sent, and hands out a token by a redirect. */
async function echoSite(): Promise<Disposable & { readonly url: string; readonly asked: readonly string[] }> {
  const asked: string[] = []
  const server = createServer(({ url = '', headers }, response) => {
    if (url !== '/robots.txt') asked.push(url)
    const { authorization = '', cookie = '' } = headers
    const next = `${url}&p=2`.replace('/list&', '/list?')
    if (url === '/robots.txt') response.writeHead(404).end()
    else if (url === '/start') response.writeHead(302, { location: '/list?token=Abc123xyz' }).end()
    else
      response
        .setHeader('content-type', 'text/html')
        .end(`<title>${authorization}</title><p>${cookie}</p><a rel=next href="${next}">next</a>`)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    asked,
    [Symbol.dispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** All that was written. */
function textOf({ folder }: Sandbox): string {
  return ['spiders', 'test']
    .flatMap((name) =>
      readdirSync(join(folder, name), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, name, path)),
    )
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n')
}

describe('avocet new spider', () => {
  it('writes no credentials that were sent and that the page repeats', async () => {
    using project = sandbox()
    using site = await echoSite()
    const fields = ['--header', 'Authorization: Bearer h3ader-s3cret', '--header', 'Cookie: id=c00kie-s3cret']

    const run = await runCli(['new', 'spider', 'shop', `${site.url}list`, ...fields], project)

    expect(run.code).toBe(0)
    expect(run.stderr).not.toContain('not recorded')
    expect(textOf(project)).not.toMatch(/h3ader-s3cret|c00kie-s3cret/)
    expect(textOf(project)).toContain("title: '__secret__'")
  })

  it('writes no token that a redirect hands out, neither into the page nor into what the test expects', async () => {
    using project = sandbox()
    using site = await echoSite()

    const run = await runCli(['new', 'spider', 'shop', `${site.url}start`, '--secret-parameter', 'token'], project)

    expect(run.code).toBe(0)
    expect(site.asked).toEqual(['/start', '/list?token=Abc123xyz'])
    expect(textOf(project)).not.toContain('Abc123xyz')
    expect(textOf(project)).toContain(`const PAGE = '${site.url}list?token=__secret__'`)
    expect(textOf(project)).toContain(`toEqual(['${site.url}list?token=__secret__&p=2'])`)
  })

  it('sends the value of a secret parameter that was typed, writes a reference, and says how to supply it', async () => {
    using project = sandbox()
    using site = await echoSite()

    const run = await runCli(
      ['new', 'spider', 'shop', `${site.url}list?token=Abc123xyz`, '--secret-parameter', 'token', '--json'],
      project,
    )

    expect(site.asked).toEqual(['/list?token=Abc123xyz'])
    expect(textOf(project) + run.stdout + run.stderr).not.toContain('Abc123xyz')
    expect(textOf(project)).toContain(`seeds: ['${site.url}list?token=__secret__']`)
    expect(run.stderr).toContain(
      'the seed in spiders/shop.ts has __secret__ in place of what was typed; supply it when the crawl runs',
    )
  })

  it('knows the secret parameters of the configuration, also where no page comes', async () => {
    using project = sandbox()
    writeFileSync(join(project.folder, 'avocet.config.js'), "export default { secretParameters: ['token'] }")

    const run = await runCli(['new', 'spider', 'shop', 'http://127.0.0.1:9/list?token=Abc123xyz'], project)

    expect(run.code).toBe(0)
    expect(run.stderr).toContain('the page is not recorded')
    expect(textOf(project) + run.stdout + run.stderr).not.toContain('Abc123xyz')
    expect(textOf(project)).toContain("seeds: ['http://127.0.0.1:9/list?token=__secret__']")
  })
})
