// A site to practise on: serves test/pages at http://127.0.0.1:8042/ while a crawl is open. Delete it when you crawl a real one.
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { basename } from 'node:path'
import { definePlugin, type Plugin } from '@avocet/core'

const PORT = 8042

const server = createServer((request, response) => {
  // The name alone: no way out of the folder.
  const name = basename(new URL(request.url ?? '', 'http://practice.example').pathname)
  readFile(new URL(`./test/pages/${name}`, import.meta.url)).then(
    (page) => response.setHeader('content-type', name.endsWith('.json') ? 'application/json' : 'text/html').end(page),
    () => response.writeHead(404).end('there is no such page'),
  )
})

/** Serves when the crawl opens, and stops when it closes. If the port is taken, somebody serves already: `npm run site`. */
export function practiceSite(): Plugin {
  return definePlugin({
    name: 'practice-site',
    open: () => new Promise<void>((resolve) => server.once('error', () => resolve()).listen(PORT, '127.0.0.1', resolve)),
    close() {
      server.close()
      server.closeAllConnections()
    },
  })
}

// `npm run site`: the same site until Ctrl-C, for avocet shell, avocet fetch and a browser.
if (process.argv[1] === import.meta.filename) {
  server.listen(PORT, '127.0.0.1', () => console.log(`test/pages is at http://127.0.0.1:${String(PORT)}/; Ctrl-C ends it`))
}
