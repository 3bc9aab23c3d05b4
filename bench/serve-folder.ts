// Serves a folder of files, with a cookie for each visitor, from memory over HTTP on loopback, from a process of its own. Prints its URL, ends when its stdin
// ends.
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css',
  js: 'text/javascript',
  txt: 'text/plain',
}

const root = process.argv[2] ?? '.'
const files = new Map<string, { readonly path: string; readonly type: string }>()
for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
  const path = join(root, name)
  if (statSync(path, { throwIfNoEntry: false })?.isFile())
    files.set(`/${name}`, { path: realpathSync(path), type: TYPES[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream' })
}
const cache = new Map<string, Buffer>()

const server = createServer((request, response) => {
  const path = decodeURIComponent((request.url ?? '/').split('?')[0] ?? '/')
  const file = files.get(path.endsWith('/') ? `${path}index.html` : path)
  if (!file) {
    response.writeHead(404, { 'content-type': 'text/html' }).end('<title>404 Not Found</title>')
    return
  }
  const body = cache.get(file.path) ?? readFileSync(file.path)
  cache.set(file.path, body)
  const headers = { 'content-type': file.type, 'content-length': body.length }
  // As most sites do: who comes without the cookie of a visit gets one.
  const isKnown = request.headers.cookie?.includes('visit=') ?? false
  response.writeHead(200, isKnown ? headers : { ...headers, 'set-cookie': 'visit=5f2c9a1e77d04b; Path=/; HttpOnly' }).end(body)
})
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
process.stdin.resume().on('end', () => process.exit())
