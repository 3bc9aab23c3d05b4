// A rendered page of an https site: the browser speaks TLS with the site itself, through the guard, and through the proxy of the crawl where there is one.
import { createHash, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@avocet/core/store'
import { undiciFetcher } from '@avocet/fetcher-http'
import { proxies } from '@avocet/plugin-proxies'
import { startTestProxy } from '@avocet/stress/hostile'
import { describe, expect, it, onTestFinished } from 'vitest'
import { SELF_SIGNED } from '../../packages/fetcher-http/test/certificates.ts'
import { crawled, textOf } from '../../packages/fetcher-browser/test/crawled.ts'
import { CHROMIUM, hasChromium } from '../../packages/fetcher-browser/test/shared-chromium.ts'
import { socketGreeting } from './socket-greeting.ts'

const PAGE = `<body>waits<script>
  const greeting = new Promise((tell) => new WebSocket('wss://' + location.host + '/ws').onmessage = ({ data }) => tell(data))
  Promise.all([fetch('/data').then((r) => r.text()), greeting]).then((all) => { document.body.innerHTML = '<p>' + all.join(' ') })</script>`

/** Chromium with one certificate more to trust. */
function trusting(cert: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'avocet-chromium-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const key = createHash('sha256').update(new X509Certificate(cert).publicKey.export({ type: 'spki', format: 'der' }))
  const path = join(folder, 'chromium')
  writeFileSync(path, `#!/bin/sh\nexec ${CHROMIUM} --ignore-certificate-errors-spki-list=${key.digest('base64')} "$@"\n`)
  chmodSync(path, 0o755)
  return path
}

describe.skipIf(!hasChromium || process.platform === 'win32')('a rendered page of an https site', { timeout: 60_000 }, () => {
  it.each(['http', 'socks5', undefined] as const)('loads over TLS, and its WebSocket too; proxy: %s', async (kind) => {
    const asked: string[] = []
    const server = createServer(SELF_SIGNED, ({ url = '' }, response) => {
      asked.push(url)
      response.writeHead(200, { 'content-type': 'text/html' }).end(url === '/' ? PAGE : 'data')
    }).on('upgrade', socketGreeting('hello'))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void (server.closeAllConnections(), server.close()))
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
    const proxy = kind && (await startTestProxy({ kind }))
    onTestFinished(() => proxy?.close())

    const done = await crawled({}, [`https://${host}/`], {
      executablePath: trusting(SELF_SIGNED.cert),
      rules: [{ waitFor: 'p' }],
      config: {
        fetcher: undiciFetcher({ clock: systemClock(), ca: SELF_SIGNED.cert }),
        ...(proxy && { plugins: [proxies({ '*': proxy.url })] }),
      },
    })

    expect(textOf(done, '/')).toBe('data hello')
    expect(asked).toEqual(['/', '/data'])
    expect(new Set(proxy?.seen.targets)).toEqual(new Set(proxy && [host]))
  })
})
