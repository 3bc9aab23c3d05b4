// A practice site: serves test/pages at http://127.0.0.1:8042/ while a crawl runs. Delete it when you crawl a real site.
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { basename } from 'node:path'
import { definePlugin, type Plugin } from 'avocet'

const SITE = 'http://127.0.0.1:8042/'

const server = createServer((request, response) => {
  // Only the base name, so that no request can leave the folder.
  const name = basename(new URL(request.url ?? '', SITE).pathname)
  response.setHeader('server', 'practice-site')
  readFile(new URL(`./test/pages/${name}`, import.meta.url)).then(
    (page) => response.setHeader('content-type', name.endsWith('.json') ? 'application/json' : 'text/html').end(page),
    () => response.writeHead(404).end('there is no such page'),
  )
})

/** Starts the server when the crawl opens, and stops it when the crawl closes. */
export function practiceSite(): Plugin {
  return definePlugin({
    name: 'practice-site',
    // A server is not part of what is tried out with `avocet parse`.
    outsideEffects: true,
    open: serve,
    close() {
      server.close()
      server.closeAllConnections()
    },
  })
}

async function serve(): Promise<void> {
  const { hostname, port } = new URL(SITE)
  server.listen(Number(port), hostname)
  try {
    await once(server, 'listening')
  } catch {
    // `npm run site` may already be running.
    const answer = await fetch(SITE).catch(() => undefined)
    if (answer?.headers.get('server') === 'practice-site') return
    throw new Error(
      `expected port ${port} to be free, it is taken; end what uses it, or change it in practice-site.ts and the spider`,
    )
  }
}

// `npm run site`: the same site until Ctrl-C, for a browser, avocet check and avocet shell.
if (process.argv[1] === import.meta.filename) {
  await serve()
  console.log(`test/pages is at ${SITE}; Ctrl-C ends it`)
}
